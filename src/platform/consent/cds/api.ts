import { CdsError } from '../../cds/errors.ts'
import { type RawQuery, readQuery } from '../../cds/query.ts'
import { selectVersion, type VersionHeaders } from '../../cds/version.ts'
import {
  openAccessCheck,
  rejectAccess,
  type ThirdPartyRequest,
  type TokenScheme,
} from '../access.ts'
import { deadlineMs, isOverThreshold, ProviderUnavailable } from '../customers.ts'
import type { ConsentStore } from '../store.ts'
import { openIds } from './account-ids.ts'
import { type CdsEndpointId, cdsEndpoints } from './endpoints.ts'
import { type CdsBody, cdsHandlers } from './handlers.ts'
import type { CdsCall, DataSource } from './shared-data.ts'

/** How long a third party should wait if the provider does not answer, or gets too many requests. */
const retryAfterSeconds = 5

/** A request before it is validated. */
interface CdsRequest
  extends VersionHeaders,
    Pick<CdsCall, 'arrangement' | 'url' | 'accountId' | 'body' | 'interactionId'> {
  /** Of the token. */
  readonly scheme: TokenScheme
  readonly query: RawQuery
}

interface CdsApiOptions extends Omit<DataSource, 'ids'> {
  readonly store: ConsentStore
}

/**
 * The resource server of the Consumer Data Standards. Errors for the third party are thrown as a `CdsError`, whose cause
 * is for the log.
 */
export async function openCdsApi({ store, provider, clock }: CdsApiOptions) {
  const verifyAccess = openAccessCheck(store, clock)
  const source = { provider, ids: openIds(await store.readSecret('accounts')), clock }

  /** The customer may have withdrawn while the provider was asked: nothing is shared after that. */
  const requireActive = async ({ arrangement, scheme }: CdsRequest): Promise<void> => {
    const current = await store.arrangements.find(arrangement.id, clock())
    if (current?.status !== 'active') throw rejectAccess(scheme, 'unknown token')
  }

  return {
    /** Returns the arrangement of the token. */
    authorise: (endpoint: CdsEndpointId, request: ThirdPartyRequest) =>
      verifyAccess(request, cdsEndpoints[endpoint].scope),

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
        const headers = { 'retry-after': String(retryAfterSeconds) }
        if (isOverThreshold(error))
          throw new CdsError('tooManyRequests', 'too many requests', headers)
        const detail = 'the data provider does not respond'
        throw new CdsError('unavailable', detail, headers, { cause: error })
      }
    },
  }
}
