import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors, type JWKS, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { digest } from '../../auth/secrets.ts'
import {
  type SigningKey,
  type SigningKeyStore,
  toPrivateJwk,
} from '../../auth/signing-key-store.ts'
import { interactionHeader } from '../../contract/response-headers.ts'
import type { DisclosureRecord } from '../../disclosures/record.ts'
import { customerAddressHeader } from '../cds/request-headers.ts'
import { type CountedOperation, infosecOperations as counted } from '../usage/operations.ts'
import { applyAmendment, rememberAmendment } from './amendments.ts'
import { fapiAlgorithms, responseModes } from './client-metadata.ts'
import { ProviderUnavailable } from './customers.ts'
import type { FlowRecords } from './flow-records.ts'
import { readBasePath } from './issuer-path.ts'
import { makeLastChanges } from './last-changes.ts'
import {
  type ConfigurationOptions,
  cookieNames,
  createConfiguration,
} from './openid-configuration.ts'
import { isOutage } from './outage.ts'
import { metadataPaths, openidPaths } from './paths.ts'
import { consumeAnswered, correctLifetime } from './pushed-requests.ts'
import { recordExchange, recordRequests } from './record-requests.ts'
import { identityClaims } from './scopes.ts'
import { selectAlgorithm, selectKeys } from './signing-keys.ts'

/** How long a process uses its copy of the signing keys. */
const keysMsDefault = 5000

export interface OpenidRoute {
  readonly method: string
  readonly path: string
  /** Undefined for the return of the browser from the pages of a flow, which the platform causes. */
  readonly counted: CountedOperation | undefined
}

/** The routes of the OpenID provider, below the path of the issuer. */
export const openidRoutes: readonly OpenidRoute[] = [
  ...metadataPaths.map((path) => ({ method: 'GET', path, counted: counted.metadata })),
  { method: 'GET', path: openidPaths.authorization, counted: counted.authorization },
  { method: 'GET', path: `${openidPaths.authorization}/{uid}`, counted: undefined },
  { method: 'GET', path: openidPaths.jwks, counted: counted.jwks },
  { method: 'POST', path: openidPaths.introspection, counted: counted.introspection },
  {
    method: 'POST',
    path: openidPaths.pushed_authorization_request,
    counted: counted.pushedRequest,
  },
  { method: 'POST', path: openidPaths.revocation, counted: counted.revocation },
  { method: 'POST', path: openidPaths.token, counted: counted.token },
  { method: 'GET', path: openidPaths.userinfo, counted: counted.userInfo },
  { method: 'POST', path: openidPaths.userinfo, counted: counted.userInfo },
]

export interface OpenidOptions extends Omit<ConfigurationOptions, 'keys' | 'selectAlgorithm'> {
  readonly signingKeys: SigningKeyStore
  readonly flowRecords: FlowRecords
  /** Resolves when the record is stored durably. If it rejects, the answer must not be sent. */
  readonly recordDisclosure: (record: DisclosureRecord) => Promise<void>
  /** How long the copy of the signing keys is used. */
  readonly keysMs?: number | undefined
  /** Called with an error that is not the client's. */
  readonly onError: (error: Error) => void
}

/** Throws if there is no signing key of an algorithm that FAPI allows. */
export async function openOpenidProvider(options: OpenidOptions) {
  const { issuer, signingKeys, clock, keysMs = keysMsDefault } = options
  const { host, protocol } = new URL(issuer)
  const mountPath = readBasePath(issuer)
  const stored = await signingKeys.list()
  let opened = createProvider(options, stored)
  /** The keys that were read last, also if they could not be used: the error is reported once. */
  let checked = identify(selectKeys(stored, clock()))
  let checkedAt = performance.now()

  /**
   * The provider with the present signing keys: a new key is used without a restart. If the keys cannot be read or used,
   * the present ones stay in use.
   */
  const current = async (): Promise<Provider> => {
    if (performance.now() - checkedAt < keysMs) return opened
    checkedAt = performance.now()
    const keys = await signingKeys.list().catch(() => undefined)
    if (!keys) return opened
    const id = identify(selectKeys(keys, clock()))
    if (id === checked) return opened
    checked = id
    try {
      opened = createProvider(options, keys)
    } catch (error) {
      options.onError(error as Error)
    }
    return opened
  }

  return {
    current,
    /** The third party of a request that was answered. It need not have been authenticated. */
    readClient: (request: IncomingMessage): string | undefined => clientIds.get(request),
    /**
     * Answers a request to one of `openidRoutes` with the present provider. `request.url` begins with the path of the
     * issuer. `onOutage` is called before a 503 is sent.
     */
    async handle(
      provider: Provider,
      request: IncomingMessage,
      response: ServerResponse,
      onOutage: (error: Error) => void,
    ): Promise<void> {
      outageListeners.set(request, onOutage)
      const { url = '', headers } = request
      // URLs and cookies depend on the configured issuer, never on headers that the client chose.
      Object.assign(headers, {
        host,
        'x-forwarded-host': host,
        'x-forwarded-proto': protocol.slice(0, -1),
      })
      delete headers['x-forwarded-for']
      headers.cookie = withoutSession(headers.cookie ?? '')
      Object.assign(request, { originalUrl: url, url: url.slice(mountPath.length) })
      await provider.callback()(request, response)
    },
  }
}

const outageListeners = new WeakMap<IncomingMessage, (error: Error) => void>()
const clientIds = new WeakMap<IncomingMessage, string>()

/**
 * A session of an earlier flow is never continued: each flow authenticates its customer. This also protects against
 * session fixation.
 */
function withoutSession(cookies: string): string {
  return cookies
    .split(';')
    .filter((cookie) => !cookie.trimStart().startsWith(cookieNames.session))
    .join(';')
}

function createProvider(options: OpenidOptions, stored: readonly SigningKey[]) {
  const selected = selectKeys(stored, options.clock())
  if (selected.length === 0) {
    throw new Error(
      `no signing key for consent: run holdfast keys add --algorithm ${fapiAlgorithms.join(' or ')}`,
    )
  }
  const keys: JWKS = {
    keys: selected.map((key) => ({ ...toPrivateJwk(key), use: 'sig' })),
  }
  const configuration = createConfiguration({
    ...options,
    keys,
    selectAlgorithm: (thirdParty) => selectAlgorithm(stored, selected, thirdParty),
  })
  const provider = new Provider(options.issuer, configuration)
  provider.proxy = true
  const outages = new WeakMap<object, Error>()
  provider.use(async (ctx, next) => {
    const answered = ctx as unknown as KoaContextWithOIDC
    try {
      await next()
      const outage = outages.get(ctx)
      if (outage) throw outage
      await recordUserInfo(options, answered)
      correctLifetime(answered)
      correctMetadata(answered)
      addArrangementId(answered, await applyAmendment(options, answered))
      // A client that has disconnected does not get the answer, and may repeat the request.
      if (answered.status < 500 && !ctx.res.closed) {
        await consumeAnswered(answered)
        await makeLastChanges(ctx)
      }
      if (ctx.res.closed) await removeTokens(options, answered)
    } catch (error) {
      if (isOutage(error)) outageListeners.get(ctx.req)?.(error)
      await replaceAnswer(options, answered, error)
    }
    const { client } = answered.oidc ?? {}
    if (client) clientIds.set(ctx.req, client.clientId)
    void recordExchange(options.flowRecords, answered)
  })
  recordRequests(provider, options.flowRecords)
  provider.on('authorization.accepted', rememberAmendment)
  provider.on('server_error', (ctx, error) => {
    if (isOutage(error)) outages.set(ctx, error)
    else options.onError(error)
  })
  // An event of Koa, which would otherwise print the error.
  const emitter: EventEmitter = provider
  emitter.on('error', options.onError)
  return provider
}

/** Removes the tokens for a code if the client has disconnected. Each repetition of the request stores others. */
async function removeTokens(
  { store: { artifacts } }: OpenidOptions,
  { oidc }: KoaContextWithOIDC,
): Promise<void> {
  if (oidc?.route !== 'token' || !oidc.entities.AuthorizationCode) return
  const { AccessToken, RefreshToken } = oidc.entities
  await Promise.all(
    [AccessToken, RefreshToken].map(
      (token) => token && artifacts.remove(token.kind, digest(token.jti)),
    ),
  )
}

/** UserInfo discloses the claims of scopes. The error of a record that cannot be stored replaces the answer. */
async function recordUserInfo(
  { recordDisclosure }: OpenidOptions,
  { oidc, status, body, response, request }: KoaContextWithOIDC,
): Promise<void> {
  const { AccessToken, Grant } = oidc?.entities ?? {}
  if (oidc?.route !== 'userinfo' || !AccessToken?.grantId || !Grant) return
  const { grantId, clientId = '', accountId, scopes } = AccessToken
  const isDisclosed = status === 200
  const { error } = body as { readonly error?: string }
  await recordDisclosure({
    operation: 'userinfo',
    interactionId: response.get(interactionHeader),
    thirdPartyId: clientId,
    consentId: grantId,
    customerId: accountId,
    isCustomerPresent: request.get(customerAddressHeader) !== '',
    status,
    scopes: isDisclosed ? Object.keys(identityClaims).filter((scope) => scopes.has(scope)) : [],
    accountIds: [],
    count: isDisclosed ? 1 : 0,
    ...(!isDisclosed && { error }),
    ...(error === 'access_denied' && { isRefusal: true }),
  })
}

/** Responds with an error instead of what the OpenID provider answered. */
async function replaceAnswer(
  { renderError }: OpenidOptions,
  ctx: KoaContextWithOIDC,
  thrown: unknown,
): Promise<void> {
  const error = isOutage(thrown) ? temporarilyUnavailable(thrown) : thrown
  if (!(error instanceof errors.OIDCProviderError)) throw error
  // A cookie that ends the flow must not be sent if the request can be repeated.
  for (const name of ['location', 'set-cookie', 'www-authenticate']) ctx.remove(name)
  const { error: name, error_description: description } = error
  const body = { error: name, error_description: description }
  ctx.status = error.status
  if (pageRoutes.has(ctx.oidc.route)) return renderError(ctx, body, error)
  ctx.type = 'json'
  ctx.body = body
}

/** The routes that a customer opens. */
const pageRoutes: ReadonlySet<string> = new Set(['authorization', 'resume'])

function temporarilyUnavailable(outage: Error): errors.OIDCProviderError {
  const isProvider = outage instanceof ProviderUnavailable
  const text = isProvider ? 'the data provider does not respond' : 'the service is unavailable'
  const error = new errors.TemporarilyUnavailable(`${text}: try again`)
  return Object.assign(error, { status: 503, statusCode: 503 })
}

function identify(keys: readonly SigningKey[]): string {
  return keys.map(({ id }) => id).join(' ')
}

/** The OpenID provider lists all response modes that it knows. Third parties are registered for one of these. The platform itself supports `claims`. */
function correctMetadata({ oidc, body }: KoaContextWithOIDC): void {
  if (oidc?.route !== 'discovery') return
  Object.assign(body as object, {
    claims_parameter_supported: true,
    response_modes_supported: Object.values(responseModes),
  })
}

/** The Consumer Data Standards name the arrangement in responses with a token or about one. */
function addArrangementId({ oidc, body, status }: KoaContextWithOIDC, amendedId?: string): void {
  if (status !== 200 || (oidc?.route !== 'token' && oidc?.route !== 'introspection')) return
  const { AccessToken, RefreshToken } = oidc.entities
  const grantId = amendedId ?? (AccessToken ?? RefreshToken)?.grantId
  const isAbout = oidc.route === 'token' || (body as { readonly active?: boolean }).active === true
  if (isAbout && grantId !== undefined)
    Object.assign(body as object, { cdr_arrangement_id: grantId })
}
