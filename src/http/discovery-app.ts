import type { ServerStatus } from '../contract/index.ts'
import {
  type DiscoveryId,
  type DiscoveryOptions,
  discoveryEndpoints,
  type Failure,
  openDiscovery,
} from '../platform/cds/discovery.ts'
import { publicOperations } from '../platform/usage/operations.ts'
import type { HttpApp } from './app.ts'
import { mountPublicEndpoint, type PublicMount } from './public-cds-endpoint.ts'

export interface DiscoverySources extends Pick<DiscoveryOptions, 'clock' | 'listOutages'> {
  /** The server that the data of customers comes from, if customers can share data. */
  readonly readProvider: () => Promise<ServerStatus | undefined>
}

/** The public endpoints about the availability. */
export function mountDiscovery(app: HttpApp, mount: PublicMount, sources: DiscoverySources): void {
  const findFailure = openFailureFinder(app, sources)
  const discovery = openDiscovery({ ...sources, findFailure })
  for (const id of Object.keys(discoveryEndpoints) as DiscoveryId[]) {
    const endpoint = `cds-${id}` as const
    const config = { endpoint, worksWithoutDatabase: true, counted: publicOperations[id] }
    mountPublicEndpoint(app, mount, discoveryEndpoints[id], config, discovery[id])
  }
}

/** Without the provider, products are still served. */
function openFailureFinder(app: HttpApp, { clock, readProvider }: DiscoverySources) {
  let last: (Failure & { readonly sinceMs: number }) | undefined
  const noteFailure = (isPartial: boolean, sinceMs: number): Failure => {
    if (last?.isPartial === isPartial && last.sinceMs === sinceMs) return last
    const milliseconds = Math.round(performance.now() - sinceMs)
    last = { isPartial, sinceMs, detected: clock().subtract({ milliseconds }) }
    return last
  }
  return async (): Promise<Failure | undefined> => {
    const { status, failingSinceMs } = await app.readHealth()
    if (failingSinceMs !== undefined) return noteFailure(false, failingSinceMs)
    const provider = await readProvider()
    // A proxy in front of the provider may not forward its health, which is then undetermined.
    const isFailing = provider?.status === 'unavailable' || provider?.status === 'degraded'
    if (status === 'ok' && !isFailing) {
      last = undefined
      return undefined
    }
    return noteFailure(true, last?.isPartial ? last.sinceMs : performance.now())
  }
}
