import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client'

export interface HistogramConfig {
  readonly name: string
  readonly help: string
  readonly aggregator: string
  /** The upper bounds of the buckets, in ascending order. */
  readonly buckets?: readonly number[]
  readonly registers: readonly Registry[]
}

interface Series {
  readonly labels: Readonly<Record<string, string>>
  /** The number of values in each bucket; the last one has no upper bound. */
  readonly counts: Float64Array
  sum: number
}

/** Counts a value. */
export type Observe = (value: number) => void

export interface Histogram {
  /** Must be called once for each combination of labels. */
  open(labels: Readonly<Record<string, string>>): Observe
}

/**
 * A histogram of every request. That of prom-client formats the labels and the bound of the bucket as texts for each
 * value; this one increments a number, and has the same snapshot.
 */
export function createHistogram(config: HistogramConfig): Histogram {
  const { name, help, aggregator, buckets = [], registers } = config
  const all: Series[] = []
  const description = { name, help, type: 'histogram', aggregator }
  const metric = {
    ...description,
    get: async () => ({
      ...description,
      values: all.flatMap((series) => listValues(name, buckets, series)),
    }),
  }
  for (const registry of registers) registry.registerMetric(metric as never)

  return {
    open(labels) {
      const series = { labels, counts: new Float64Array(buckets.length + 1), sum: 0 }
      const { counts } = series
      all.push(series)
      return (value) => {
        let bucket = 0
        while (value > (buckets[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1
        counts[bucket] = (counts[bucket] ?? 0) + 1
        series.sum += value
      }
    },
  }
}

type Value = MetricValue<string> & { readonly metricName: string }

/** Each bucket includes those before it. */
function listValues(
  name: string,
  bounds: readonly number[],
  { labels, counts, sum }: Series,
): MetricObjectWithValues<Value>['values'] {
  let count = 0
  const buckets = [...bounds, '+Inf'].map((le, index) => {
    count += counts[index] ?? 0
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
