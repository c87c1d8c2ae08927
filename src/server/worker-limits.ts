import type { HttpLimits } from '../http/limits.ts'
import type { RateLimits } from '../http/rate-limit.ts'
import type { Settings } from './settings/settings.ts'

/** Workers do not share their counts, so each enforces its share of a rate limit. */
export function rateLimitsPerWorker({
  workers = 1,
  customerRequestsPerMinute,
  providerRequestsPerSecond,
}: Partial<Settings>): RateLimits {
  const share = (limit: number | undefined) => (limit === undefined ? undefined : limit / workers)
  return {
    customerPerMinute: share(customerRequestsPerMinute),
    providerPerSecond: share(providerRequestsPerSecond),
  }
}

/** Rounded up: each worker must accept at least one connection from an address. */
export function httpLimitsPerWorker({
  workers = 1,
  connectionsPerAddress,
}: Partial<Settings>): Partial<HttpLimits> {
  if (connectionsPerAddress === undefined) return {}
  return { addressConnectionsMax: Math.ceil(connectionsPerAddress / workers) }
}
