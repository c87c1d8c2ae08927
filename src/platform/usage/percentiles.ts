import { type PerformanceTier, performanceTiers } from '../../contract/cds/performance-tiers.ts'
import type { LatencyPercentiles } from '../../contract/index.ts'
import { latencyBounds, type UsageSums } from './store.ts'

interface TieredCalls extends Pick<UsageSums, 'calls' | 'within'> {
  readonly tier: PerformanceTier
}

/** Of calls of several tiers, whose bounds differ. */
export function estimateLatency(counted: readonly TieredCalls[]): LatencyPercentiles | undefined {
  const tiers = new Map<PerformanceTier, number[]>()
  let total = 0
  for (const { tier, calls, within } of counted) {
    const sums = tiers.get(tier) ?? latencyBounds.map(() => 0)
    tiers.set(
      tier,
      sums.map((sum, index) => sum + (within[index] ?? 0)),
    )
    total += calls
  }
  const boundsOf = (tier: PerformanceTier) =>
    latencyBounds.map((percent) => (performanceTiers[tier] * percent) / 100_000)
  const bounds = new Set([...tiers.keys()].flatMap(boundsOf))
  const buckets = new Map([[Number.POSITIVE_INFINITY, total]])
  for (const bound of bounds) {
    const counts = [...tiers].map(([tier, within]) => countWithin(bound, boundsOf(tier), within))
    buckets.set(
      bound,
      counts.reduce((sum, count) => sum + count, 0),
    )
  }
  return estimatePercentiles(buckets)
}

/** How many calls took at most so long. Between two bounds, durations are evenly distributed. */
function countWithin(
  seconds: number,
  bounds: readonly number[],
  within: readonly number[],
): number {
  const index = bounds.findIndex((bound) => bound >= seconds)
  if (index === -1) return within.at(-1) ?? 0
  const [lower, upper] = [bounds[index - 1] ?? 0, bounds[index] ?? 0]
  const [below, upTo] = [within[index - 1] ?? 0, within[index] ?? 0]
  return below + ((upTo - below) * (seconds - lower)) / (upper - lower)
}

/** From the numbers of requests up to each bound, of which the last is infinite. Undefined if there are none. */
export function estimatePercentiles(
  buckets: ReadonlyMap<number, number>,
): LatencyPercentiles | undefined {
  const sorted = [...buckets].sort(([a], [b]) => a - b)
  const total = sorted.at(-1)?.[1] ?? 0
  if (total === 0) return undefined
  const estimate = (share: number) => toMicroseconds(interpolate(sorted, share * total))
  return { p50: estimate(0.5), p95: estimate(0.95), p99: estimate(0.99) }
}

/** Assumes that the durations in a bucket are evenly distributed, as `histogram_quantile` of Prometheus does. */
function interpolate(sorted: readonly (readonly [number, number])[], rank: number): number {
  let lower = 0
  let below = 0
  for (const [bound, count] of sorted) {
    if (bound === Infinity) return lower
    if (count >= rank) {
      return count === below ? bound : lower + ((bound - lower) * (rank - below)) / (count - below)
    }
    lower = bound
    below = count
  }
  return lower
}

function toMicroseconds(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6
}
