import { CdsError } from '../../cds/errors.ts'
import { type RawQuery, readQuery } from '../../cds/query.ts'
import { selectVersion } from '../../cds/version.ts'
import type { AccessResult, ThirdPartyRequest, VerifyAccess } from '../access.ts'
import { deadlineMs, type ProviderClient, ProviderUnavailable } from '../customers.ts'
import type { ConsentStore, StoredArrangement } from '../store.ts'
import { openIds } from './account-ids.ts'
import { type CdsEndpointId, cdsEndpoints } from './endpoints.ts'
import { type CdsBody, cdsHandlers } from './handlers.ts'

/** How long a third party should wait if the provider does not answer. */
const retryAfterSeconds = 5

export interface CdsRequest {
  /** Of the token. */
  readonly scheme: 'Bearer' | 'DPoP'
  readonly url: string
  readonly accountId: string
  readonly query: RawQuery
  readonly version: string | undefined
  readonly minimumVersion: string | undefined
  readonly body: unknown
  readonly interactionId: string
}

export interface CdsAnswer {
  readonly body: CdsBody
  readonly version: number
}

/** The resource server of the Consumer Data Standards. Errors for the third party are thrown as a `CdsError`. */
export interface CdsApi {
  /** Returns the arrangement of the token. */
  authorise(
    endpoint: CdsEndpointId,
    request: ThirdPartyRequest,
    onRejected: (result: Rejected) => void,
  ): Promise<StoredArrangement>
  answer(
    endpoint: CdsEndpointId,
    arrangement: StoredArrangement,
    request: CdsRequest,
    onUnavailable: (error: ProviderUnavailable) => void,
  ): Promise<CdsAnswer>
}

type Rejected = Extract<AccessResult, { readonly isAllowed: false }>

export interface CdsApiOptions {
  readonly store: ConsentStore
  readonly verifyAccess: VerifyAccess
  readonly provider: ProviderClient
  readonly clock: () => Temporal.Instant
}

export async function openCdsApi(options: CdsApiOptions): Promise<CdsApi> {
  const { store, verifyAccess, provider, clock } = options
  const ids = openIds(await store.readSecret('accounts'))
  const source = { provider, ids, clock }

  /** The customer may have withdrawn while the provider was asked: nothing is shared after that. */
  const requireActive = async (
    { id }: StoredArrangement,
    { scheme }: CdsRequest,
  ): Promise<void> => {
    const current = await store.arrangements.find(id, clock())
    if (current?.status === 'active') return
    throw rejectToken(`${scheme} error="invalid_token"`)
  }

  return {
    async authorise(endpoint, request, onRejected) {
      const { scope } = cdsEndpoints[endpoint]
      const result = await verifyAccess(request, scope)
      if (result.isAllowed) return result.arrangement
      onRejected(result)
      throw toRejection(result, scope)
    },

    async answer(endpoint, arrangement, request, onUnavailable) {
      const { versions, parameters } = cdsEndpoints[endpoint]
      const version = selectVersion(request, versions)
      const query = readQuery(parameters, request.query)
      try {
        const body = await cdsHandlers[endpoint](source, {
          ...request,
          arrangement,
          version,
          query,
          signal: AbortSignal.timeout(deadlineMs),
        })
        await requireActive(arrangement, request)
        return { body, version }
      } catch (error) {
        if (!(error instanceof ProviderUnavailable)) throw error
        onUnavailable(error)
        const detail = 'the data provider does not respond'
        throw new CdsError('unavailable', detail, { 'retry-after': String(retryAfterSeconds) })
      }
    },
  }
}

const tokenDetail = 'the access token is missing, expired, withdrawn, or not bound to this client'

function rejectToken(challenge: string): CdsError {
  return new CdsError('invalidToken', tokenDetail, { 'www-authenticate': challenge })
}

function toRejection({ status, error, scheme }: Rejected, scope: string): CdsError {
  if (status === 401) return rejectToken(error ? `${scheme} error="${error}"` : scheme)
  return new CdsError('insufficientScope', `the consent does not include ${scope}`, {
    'www-authenticate': `${scheme} error="insufficient_scope", scope="${scope}"`,
  })
}
