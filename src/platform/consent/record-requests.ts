import type { errors, KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { FlowReason } from '../../contract/consent-flows.ts'
import type { FlowRecords } from './flow-records.ts'
import { readSharingDuration } from './request-claims.ts'

type ProviderError = Pick<
  errors.OIDCProviderError,
  'error' | 'error_description' | 'error_detail' | 'expose'
>

/** The routes whose rejection means that no flow begins. */
const requestRoutes: ReadonlySet<string> = new Set([
  'authorization',
  'pushed_authorization_request',
])

/** Records the requests of third parties, and the return of customers to them. */
export function recordRequests(provider: Provider, records: FlowRecords): void {
  provider.on('interaction.started', ({ oidc: { entities, client } }) => {
    if (!entities.Interaction) return
    const { uid, params } = entities.Interaction
    records.start(uid, client?.clientId ?? '', readSharingDuration(params) === 0)
  })
  provider.on('authorization.success', ({ oidc: { entities } }) => {
    const { Interaction, Grant } = entities
    if (!Interaction) return
    records.append(Interaction.uid, [{ step: 'redirect', outcome: 'succeeded' }], Grant?.jti)
  })
  const fail = ({ oidc }: KoaContextWithOIDC, error: ProviderError) =>
    recordError(records, oidc, error)
  provider.on('authorization.error', fail)
  provider.on('pushed_authorization_request.error', fail)
  provider.on('server_error', fail as never)
}

function recordError(
  records: FlowRecords,
  { entities: { Interaction }, route, client }: KoaContextWithOIDC['oidc'],
  error: ProviderError,
): void {
  const failed = { outcome: 'failed', reason: toReason(error), detail: describe(error) } as const
  if (!Interaction) {
    if (client && requestRoutes.has(route)) {
      records.reject(client.clientId, { step: 'request', ...failed })
    }
    return
  }
  // A page ended the flow with this error, and recorded it.
  if (Interaction.result?.['error'] !== undefined) return
  records.append(Interaction.uid, [{ step: 'redirect', ...failed }])
}

/** Records whether a third party could exchange the code of a flow. Never rejects. */
export async function recordExchange(
  records: FlowRecords,
  { oidc, status, body }: KoaContextWithOIDC,
): Promise<void> {
  if (oidc?.route !== 'token') return
  if (status === 200) {
    const { grantId } = oidc.entities.AuthorizationCode ?? {}
    if (grantId) records.appendToConsent(grantId, { step: 'token', outcome: 'succeeded' })
    return
  }
  const code = await findCode(oidc).catch(() => undefined)
  if (!code?.grantId) return
  const reason = status < 500 ? 'token_rejected' : 'server_error'
  const detail = describe({ ...(body as ProviderError), expose: true })
  records.appendToConsent(code.grantId, { step: 'token', outcome: 'failed', reason, detail })
}

/** The OpenID provider notes a code only after all its checks. */
async function findCode({ params, client, provider }: KoaContextWithOIDC['oidc']) {
  const value = params?.['code']
  if (typeof value !== 'string' || !client) return undefined
  const code = await provider.AuthorizationCode.find(value)
  return code?.clientId === client.clientId ? code : undefined
}

function toReason({ error, expose }: ProviderError): FlowReason {
  if (!expose) return 'server_error'
  if (error === 'access_denied') return 'consent_ended'
  return error === 'invalid_client' ? 'client_not_authenticated' : 'invalid_request'
}

/** The texts name parameters and no values of customers. Those of unexpected errors may. */
function describe({ error, error_description, error_detail, expose }: ProviderError): string {
  return expose ? [error, error_detail ?? error_description].filter(Boolean).join(': ') : ''
}
