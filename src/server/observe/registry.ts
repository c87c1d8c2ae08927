import type { MetricDefinition } from './metric-definitions.ts'

/** The metrics of a process as plain data, which can be sent to another process. */
export type Snapshot = readonly MetricSnapshot[]

export interface MetricSnapshot extends Pick<MetricDefinition, 'type' | 'help' | 'aggregator'> {
  readonly name: string
  /** The values by their name and labels in the text format. */
  readonly samples: Readonly<Record<string, number>>
}

export type Labels = Readonly<Record<string, string>>

/** Adds to the value with these labels, which starts at zero. */
export type Add = (value: number, labels?: Labels) => void

/** Counts a value. */
export type Observe = (value: number) => void

export interface Registry<Name extends string> {
  /** Without labels, the counter is zero from the start. */
  counter(name: Name): Add
  /** A metric whose values are read on every scrape. Those that `read` does not add are absent. */
  watch(name: Name, read: (add: Add) => void | Promise<void>): void
  /** The function returned opens the series of one combination of labels, and must be called once for each. */
  histogram(name: Name): (labels: Labels) => Observe
  /** Only the named metrics, if names are given. */
  snapshot(names?: readonly string[]): Promise<Snapshot>
}

export const contentType = 'text/plain; version=0.0.4; charset=utf-8'

export function openRegistry<Name extends string>(
  definitions: Readonly<Record<Name, MetricDefinition>>,
): Registry<Name> {
  const readers = new Map<
    Name,
    () => MetricSnapshot['samples'] | Promise<MetricSnapshot['samples']>
  >()
  return {
    counter(name) {
      const { add, samples } = openSamples(name)
      if (!definitions[name].labels) add(0)
      readers.set(name, () => samples)
      return add
    },
    watch(name, read) {
      readers.set(name, async () => {
        const { add, samples } = openSamples(name)
        await read(add)
        return samples
      })
    },
    histogram(name) {
      const { buckets = [] } = definitions[name]
      const all: Series[] = []
      readers.set(name, () =>
        Object.assign({}, ...all.map((series) => listSamples(name, buckets, series))),
      )
      return (labels) => {
        const series = { labels, counts: new Float64Array(buckets.length + 1), sum: 0 }
        all.push(series)
        return (value) => observe(series, buckets, value)
      }
    },
    snapshot: (names) =>
      Promise.all(
        [...readers]
          .filter(([name]) => names?.includes(name) ?? true)
          .map(async ([name, read]) => {
            const { type, help, aggregator = 'sum' } = definitions[name]
            return { name, type, help, aggregator, samples: { ...(await read()) } }
          }),
      ),
  }
}

function openSamples(name: string) {
  const samples: Record<string, number> = {}
  const add: Add = (value, labels = {}) => {
    const sample = formatSample(name, labels)
    samples[sample] = (samples[sample] ?? 0) + value
  }
  return { add, samples }
}

interface Series {
  readonly labels: Labels
  /** The number of values in each bucket; the last one has no upper bound. */
  readonly counts: Float64Array
  sum: number
}

function observe(series: Series, bounds: readonly number[], value: number): void {
  let bucket = 0
  while (value > (bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1
  series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
  series.sum += value
}

/** Each bucket includes those before it. */
function listSamples(name: string, bounds: readonly number[], { labels, counts, sum }: Series) {
  const samples: Record<string, number> = {}
  let count = 0
  for (const [index, le] of [...bounds, '+Inf'].entries()) {
    count += counts[index] ?? 0
    samples[formatSample(`${name}_bucket`, { ...labels, le: String(le) })] = count
  }
  samples[formatSample(`${name}_sum`, labels)] = sum
  samples[formatSample(`${name}_count`, labels)] = count
  return samples
}

const aggregators = {
  sum: (one: number, other: number) => one + other,
  max: Math.max,
  min: Math.min,
} as const

/** Combines the metrics of several processes. */
function combine(snapshots: readonly Snapshot[]): Snapshot {
  const combined = new Map<string, MetricSnapshot>()
  for (const metric of snapshots.flat()) {
    const samples: Record<string, number> = { ...combined.get(metric.name)?.samples }
    const aggregate = aggregators[metric.aggregator ?? 'sum']
    for (const [sample, value] of Object.entries(metric.samples)) {
      const other = samples[sample]
      samples[sample] = other === undefined ? value : aggregate(other, value)
    }
    combined.set(metric.name, { ...metric, samples })
  }
  return [...combined.values()]
}

/** Combines the metrics of processes that have ended: counters and histograms stay valid, gauges do not. */
export function combineCounters(snapshots: readonly Snapshot[]): Snapshot {
  return combine(snapshots).filter(({ type }) => type !== 'gauge')
}

/** The Prometheus text format of the combined metrics. */
export function formatMetrics(snapshots: readonly Snapshot[]): string {
  return combine(snapshots)
    .map(({ name, type, help, samples }) => {
      const lines = Object.entries(samples).map(([sample, value]) => `${sample} ${value}\n`)
      return `# HELP ${name} ${escapeText(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`
    })
    .join('\n')
}

function formatSample(name: string, labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([label, value]) => `${label}="${escapeText(value).replaceAll('"', '\\"')}"`,
  )
  return pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`
}

function escapeText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}
