import {
  type CdsEndpoint,
  type CdsEndpointId,
  cdsEndpoints,
} from '../../../contract/cds/shared/endpoints.ts'
import type { ThirdPartyLimits } from '../../../contract/traffic-limits.ts'
import { CdsError, limitError } from '../../cds/errors.ts'
import { type RawQuery, readQuery } from '../../cds/query.ts'
import { selectVersion, type VersionHeaders } from '../../cds/version.ts'
import {
  type Access,
  openAccessCheck,
  rejectAccess,
  type ThirdPartyRequest,
  type TokenScheme,
} from '../access.ts'
import type { AccountObserver } from '../account-observer.ts'
import { deadlineMs, isOverThreshold, ProviderUnavailable } from '../customers.ts'
import type { Disclosures } from '../disclosures.ts'
import type { ConsentStore } from '../store.ts'
import { openIds } from './account-ids.ts'
import { cdsHandlers } from './handlers.ts'
import { openTrafficLimits, type TrafficLimitOptions } from './limit-traffic.ts'
import type { CdsBody } from './pages.ts'
import type { CdsCall, DataSource } from './shared-data.ts'

/** How long a third party should wait if the provider does not answer, or gets too many requests. */
const retryAfterSeconds = 5

/** A request before it is validated. */
interface CdsRequest
  extends VersionHeaders,
    Pick<CdsCall, 'arrangement' | 'url' | 'accountId' | 'body' | 'interactionId' | 'faults'> {
  /** Of the token. */
  readonly scheme: TokenScheme
  readonly query: RawQuery
}

interface CdsApiOptions extends Omit<DataSource, 'ids'>, Pick<TrafficLimitOptions, 'seconds'> {
  readonly store: ConsentStore
  readonly observer: AccountObserver
  readonly disclosures: Disclosures
  readonly isDemo?: boolean | undefined
  /** Which limits third parties have. None if it is not set. */
  readonly thirdPartyLimits?: ThirdPartyLimits | undefined
}

/**
 * The resource server of the Consumer Data Standards. Errors for the third party are thrown as a `CdsError`, whose cause
 * is for the log.
 */
export async function openCdsApi(options: CdsApiOptions) {
  const { store, provider, clock, timeZone, observer, disclosures } = options
  const verifyAccess = openAccessCheck(store, clock, options.isDemo)
  const countTraffic = options.thirdPartyLimits && (await openTrafficLimits(options))
  const source = { provider, ids: openIds(await store.readSecret('accounts')), clock, timeZone }

  /** The customer may have withdrawn while the provider was asked: nothing is shared after that. */
  const requireActive = async ({ arrangement, scheme }: CdsRequest): Promise<void> => {
    const current = await store.arrangements.find(arrangement.id, clock())
    if (current?.status !== 'active') throw rejectAccess(scheme, 'unknown token')
  }

  return {
    /** Counts a request for the limits of third parties, and throws if it is over one. */
    async count(access: Access, isCustomerPresent: boolean): Promise<void> {
      await countTraffic?.(access, isCustomerPresent)
    },

    authorise: (endpoint: CdsEndpointId, request: ThirdPartyRequest) =>
      verifyAccess(request, cdsEndpoints[endpoint].scope),

    /** Adds to `faults` how often a field has a value that the standards do not allow. */
    async answer(
      id: CdsEndpointId,
      request: CdsRequest,
    ): Promise<{ readonly body: CdsBody; readonly version: number }> {
      const endpoint: CdsEndpoint = cdsEndpoints[id]
      const { versions, parameters, scope } = endpoint
      const version = selectVersion(request, versions)
      const query = readQuery(parameters, request.query)
      const { arrangement } = request
      const observation = observer.observe(arrangement)
      try {
        const signal = AbortSignal.timeout(deadlineMs)
        const call = { ...source, ...request, endpoint, observation, version, query, signal }
        const body = await cdsHandlers[id](call)
        await Promise.all([requireActive(request), observation.record()])
        disclosures.record(arrangement.id, [scope])
        return { body, version }
      } catch (error) {
        await observation.record()
        if (!(error instanceof ProviderUnavailable)) throw error
        if (isOverThreshold(error)) throw limitError('provider', retryAfterSeconds)
        const headers = { 'retry-after': String(retryAfterSeconds) }
        const detail = 'the data provider does not respond'
        throw new CdsError('unavailable', detail, headers, { cause: error })
      }
    },
  }
}
