import type { MetricsSample } from '../contract/index.ts'

/** What a person can read on a chart of ten minutes. */
export const bucketSeconds = 10
/** A longer time between two samples is a gap. */
const gapSeconds = 5

/** The samples of ten seconds, with the time of its end in seconds since 1970; none in a gap. */
interface Bucket {
  readonly time: number
  readonly samples: readonly MetricsSample[]
}

/** The oldest first. A bucket without samples stands for a time in which the servers were not read. */
export function toBuckets(samples: readonly MetricsSample[]): Bucket[] {
  const groups = Map.groupBy(samples, ({ time }) => Math.ceil(readSeconds(time) / bucketSeconds))
  const buckets: Bucket[] = []
  let before: number | undefined
  for (const [number, group] of groups) {
    const first = readSeconds(group[0]?.time ?? '')
    if (before !== undefined && first - before > gapSeconds + bucketSeconds) {
      buckets.push({ time: (number - 1) * bucketSeconds, samples: [] })
    }
    buckets.push({ time: number * bucketSeconds, samples: group })
    before = readSeconds(group.at(-1)?.time ?? '')
  }
  return buckets
}

/** The figures without the requests of the console and of checks. */
export function withoutTools({ others, ...sample }: MetricsSample): MetricsSample {
  if (!others) return sample
  const { latency: _latency, ...rest } = sample
  return { ...rest, ...others }
}

/** How long the samples are together. */
export function sumSeconds(samples: readonly MetricsSample[]): number {
  return samples.reduce((sum, { seconds }) => sum + seconds, 0)
}

/** How many there were, of which samples have the rate. */
export function countAll(
  samples: readonly MetricsSample[],
  read: (sample: MetricsSample) => number | undefined,
): number {
  return samples.reduce((sum, sample) => sum + (read(sample) ?? 0) * sample.seconds, 0)
}

/** The mean of a rate in a bucket; null in a gap. */
export function findMean(
  { samples }: Bucket,
  read: (sample: MetricsSample) => number | undefined,
): number | null {
  if (samples.length === 0) return null
  return countAll(samples, read) / (sumSeconds(samples) || 1)
}

/** How many there were in a bucket, of which samples have the rate; null in a gap. */
export function countInBucket(
  { samples }: Bucket,
  read: (sample: MetricsSample) => number | undefined,
): number | null {
  return samples.length === 0 ? null : Math.round(countAll(samples, read))
}

/** The highest value in a bucket; null if no sample has one. */
export function findHighest(
  { samples }: Bucket,
  read: (sample: MetricsSample) => number | undefined,
): number | null {
  const values = samples.flatMap((sample) => read(sample) ?? [])
  return values.length === 0 ? null : Math.max(...values)
}

function readSeconds(time: string): number {
  return Date.parse(time) / 1000
}
