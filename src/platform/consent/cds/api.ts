import {
  type CdsEndpoint,
  type CdsEndpointId,
  cdsEndpoints,
} from '../../../contract/cds/shared/endpoints.ts'
import type { ThirdPartyLimits } from '../../../contract/traffic-limits.ts'
import type { DisclosureRecord } from '../../../disclosures/record.ts'
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
import type { ConsentStore } from '../store.ts'
import { openIds } from './account-ids.ts'
import { cdsHandlers } from './handlers.ts'
import { openTrafficLimits, type TrafficLimitOptions } from './limit-traffic.ts'
import type { CdsBody } from './pages.ts'
import type { CdsCall, DataSource, Disclosed } from './shared-data.ts'

/** How long a third party should wait if the provider does not answer, or gets too many requests. */
const retryAfterSeconds = 5

/** A request before it is validated. */
export interface CdsRequest
  extends VersionHeaders,
    Pick<CdsCall, 'arrangement' | 'url' | 'accountId' | 'body' | 'interactionId' | 'faults'> {
  /** Of the token. */
  readonly scheme: TokenScheme
  readonly query: RawQuery
}

interface CdsApiOptions extends Omit<DataSource, 'ids'>, Pick<TrafficLimitOptions, 'seconds'> {
  readonly store: ConsentStore
  readonly observer: AccountObserver
  readonly isDemo?: boolean | undefined
  /** Which limits third parties have. None if it is not set. */
  readonly thirdPartyLimits?: ThirdPartyLimits | undefined
}

/** What a body discloses. */
export type Disclosure = Pick<
  DisclosureRecord,
  'scopes' | 'accountIds' | 'count' | 'oldest' | 'newest'
>

/**
 * The resource server of the Consumer Data Standards. Errors for the third party are thrown as a `CdsError`, whose cause
 * is for the log.
 */
export async function openCdsApi(options: CdsApiOptions) {
  const { store, provider, clock, timeZone, observer } = options
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
    ): Promise<{
      readonly body: CdsBody
      readonly version: number
      readonly disclosure: Disclosure
    }> {
      const endpoint: CdsEndpoint = cdsEndpoints[id]
      const { versions, parameters } = endpoint
      const version = selectVersion(request, versions)
      const query = readQuery(parameters, request.query)
      const { arrangement } = request
      const observation = observer.observe(arrangement)
      const disclosed: Disclosed = { accountIds: new Map() }
      try {
        const signal = AbortSignal.timeout(deadlineMs)
        const parts = { endpoint, observation, version, query, signal, disclosed }
        const call = { ...source, ...request, ...parts }
        const body = await cdsHandlers[id](call)
        await Promise.all([requireActive(request), observation.record()])
        return { body, version, disclosure: describe(endpoint, body, disclosed) }
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

function describe(
  { response: { list }, scope }: CdsEndpoint,
  { data }: CdsBody,
  { accountIds, query }: Disclosed,
): Disclosure {
  const records: readonly object[] =
    list === undefined ? [data] : ((data as Readonly<Record<string, object[]>>)[list] ?? [])
  const bound = (name: string) => (query?.[`${name}-time`] ?? query?.[`${name}-date`]) as string
  return {
    scopes: [scope],
    accountIds: [...new Set(records.flatMap((each) => accountIds.get(each) ?? []))],
    count: records.length,
    oldest: bound('oldest'),
    newest: bound('newest'),
  }
}
