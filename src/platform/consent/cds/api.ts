import { CdsError } from '../../cds/errors.ts'
import { type RawQuery, readQuery } from '../../cds/query.ts'
import { selectVersion, type VersionHeaders } from '../../cds/version.ts'
import type { AccessResult, ThirdPartyRequest, VerifyAccess } from '../access.ts'
import { deadlineMs, ProviderUnavailable } from '../customers.ts'
import type { ConsentStore, StoredArrangement } from '../store.ts'
import { openIds } from './account-ids.ts'
import { type CdsEndpointId, cdsEndpoints } from './endpoints.ts'
import { type CdsBody, cdsHandlers } from './handlers.ts'
import type { CdsCall, DataSource } from './shared-data.ts'

/** How long a third party should wait if the provider does not answer. */
const retryAfterSeconds = 5

/** A request before it is validated. */
interface CdsRequest
  extends VersionHeaders,
    Pick<CdsCall, 'arrangement' | 'url' | 'accountId' | 'body' | 'interactionId'> {
  /** Of the token. */
  readonly scheme: 'Bearer' | 'DPoP'
  readonly query: RawQuery
}

interface CdsApiOptions extends Omit<DataSource, 'ids'> {
  readonly store: ConsentStore
  readonly verifyAccess: VerifyAccess
}

/**
 * The resource server of the Consumer Data Standards. Errors for the third party are thrown as a `CdsError`, whose cause
 * is for the log.
 */
export async function openCdsApi({ store, verifyAccess, provider, clock }: CdsApiOptions) {
  const source = { provider, ids: openIds(await store.readSecret('accounts')), clock }

  /** The customer may have withdrawn while the provider was asked: nothing is shared after that. */
  const requireActive = async ({ arrangement, scheme }: CdsRequest): Promise<void> => {
    const current = await store.arrangements.find(arrangement.id, clock())
    if (current?.status !== 'active') throw rejectToken(`${scheme} error="invalid_token"`)
  }

  return {
    /** Returns the arrangement of the token. */
    async authorise(
      endpoint: CdsEndpointId,
      request: ThirdPartyRequest,
    ): Promise<StoredArrangement> {
      const { scope } = cdsEndpoints[endpoint]
      const result = await verifyAccess(request, scope)
      if (result.isAllowed) return result.arrangement
      throw toRejection(result, scope)
    },

    async answer(
      endpoint: CdsEndpointId,
      request: CdsRequest,
    ): Promise<{ readonly body: CdsBody; readonly version: number }> {
      const { versions, parameters } = cdsEndpoints[endpoint]
      const version = selectVersion(request, versions)
      const query = readQuery(parameters, request.query)
      try {
        const signal = AbortSignal.timeout(deadlineMs)
        const call = { ...source, ...request, version, query, signal }
        const body = await cdsHandlers[endpoint](call)
        await requireActive(request)
        return { body, version }
      } catch (error) {
        if (!(error instanceof ProviderUnavailable)) throw error
        const detail = 'the data provider does not respond'
        const headers = { 'retry-after': String(retryAfterSeconds) }
        throw new CdsError('unavailable', detail, headers, { cause: error })
      }
    },
  }
}

const tokenDetail = 'the access token is missing, expired, withdrawn, or not bound to this client'

function rejectToken(challenge: string, cause?: string): CdsError {
  return new CdsError('invalidToken', tokenDetail, { 'www-authenticate': challenge }, { cause })
}

function toRejection(
  { status, error, scheme, reason }: Extract<AccessResult, { readonly isAllowed: false }>,
  scope: string,
): CdsError {
  if (status === 401) return rejectToken(error ? `${scheme} error="${error}"` : scheme, reason)
  const headers = { 'www-authenticate': `${scheme} error="insufficient_scope", scope="${scope}"` }
  const detail = `the consent does not include ${scope}`
  return new CdsError('insufficientScope', detail, headers, { cause: reason })
}
