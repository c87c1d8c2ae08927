import type { PlannedOutage } from '../../contract/cds/outages.ts'
import {
  type PublicAnswer,
  type PublicEndpoint,
  type PublicRequest,
  toAnswer,
} from './public-answer.ts'
import { selectVersion } from './version.ts'

/** The public endpoints about the availability of the data holder. */
export const discoveryEndpoints = {
  status: { path: '/discovery/status', summary: 'Get Status', versions: [1, 1] },
  outages: { path: '/discovery/outages', summary: 'Get Outages', versions: [1, 1] },
} as const satisfies Record<string, PublicEndpoint>

export type DiscoveryId = keyof typeof discoveryEndpoints

/** What fails without having been planned. */
export interface Failure {
  readonly isPartial: boolean
  readonly detected: Temporal.Instant
}

export interface DiscoveryOptions {
  readonly clock: () => Temporal.Instant
  readonly findFailure: () => Promise<Failure | undefined>
  /** Ordered by start. */
  readonly listOutages: () => readonly PlannedOutage[]
}

/** Answers requests to each endpoint. May throw a `CdsError`. */
export function openDiscovery({ clock, findFailure, listOutages }: DiscoveryOptions) {
  const answer = (request: PublicRequest, id: DiscoveryId, data: object) => {
    const { path, versions } = discoveryEndpoints[id]
    const links = { self: request.baseUrl + path }
    return toAnswer(selectVersion(request, versions), JSON.stringify({ data, links, meta: {} }))
  }
  return {
    async status(request: PublicRequest): Promise<PublicAnswer> {
      // An invalid version must not cause a check of the provider.
      selectVersion(request, discoveryEndpoints.status.versions)
      const failure = await findFailure()
      const now = clock()
      const { epochNanoseconds: at } = now
      const outages = listOutages().filter(({ start, end }) => start <= at && at < end)
      const data = describeStatus(failure, outages)
      return answer(request, 'status', { ...data, updateTime: toText(now) })
    },

    async outages(request: PublicRequest): Promise<PublicAnswer> {
      const { epochNanoseconds: now } = clock()
      const outages = listOutages().filter(({ end }) => end > now)
      return answer(request, 'outages', { outages: outages.map(({ outage }) => outage) })
    },
  }
}

/** During an outage that is planned as partial, a failure of everything is not the planned one. */
function describeStatus(failure: Failure | undefined, outages: readonly PlannedOutage[]): object {
  const complete = outages.find(({ outage }) => !outage.isPartial)
  const [first] = outages
  if (first && (complete || !failure || failure.isPartial)) {
    const end = outages.reduce((latest, each) => (each.end > latest ? each.end : latest), first.end)
    return {
      status: 'SCHEDULED_OUTAGE',
      explanation: (complete ?? first).outage.explanation,
      expectedResolutionTime: toText(Temporal.Instant.fromEpochNanoseconds(end)),
    }
  }
  if (!failure) return { status: 'OK' }
  const [status, explanation] = failure.isPartial
    ? ['PARTIAL_FAILURE', 'The data of customers is currently unavailable.']
    : ['UNAVAILABLE', 'The service is currently unavailable.']
  return { status, explanation, detectionTime: toText(failure.detected) }
}

function toText(time: Temporal.Instant): string {
  return time.toString({ smallestUnit: 'second' })
}
