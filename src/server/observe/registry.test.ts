import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { combineCounters, formatMetrics, openRegistry } from './registry.ts'

const definitions = {
  requests_total: { type: 'counter', help: 'Requests \\ in\ntotal', labels: { path: 'any text' } },
  errors_total: { type: 'counter', help: 'Errors' },
  start_seconds: { type: 'gauge', help: 'Start', aggregator: 'max' },
  duration_seconds: { type: 'histogram', help: 'Duration', buckets: [0.5, 1] },
} as const

function openExample(start: number) {
  const registry = openRegistry(definitions)
  const requests = registry.counter('requests_total')
  registry.counter('errors_total')
  registry.watch('start_seconds', (add) => add(start))
  const observe = registry.histogram('duration_seconds')({})
  requests(1, { path: 'a"\\\n' })
  requests(2, { path: 'b' })
  for (const value of [0.5, 0.75, 2]) observe(value)
  return registry
}

describe('formatMetrics', () => {
  it('writes the text format of Prometheus, and escapes texts', async () => {
    assert.equal(
      formatMetrics([await openExample(5).snapshot()]),
      String.raw`# HELP requests_total Requests \\ in\ntotal
# TYPE requests_total counter
requests_total{path="a\"\\\n"} 1
requests_total{path="b"} 2

# HELP errors_total Errors
# TYPE errors_total counter
errors_total 0

# HELP start_seconds Start
# TYPE start_seconds gauge
start_seconds 5

# HELP duration_seconds Duration
# TYPE duration_seconds histogram
duration_seconds_bucket{le="0.5"} 1
duration_seconds_bucket{le="1"} 2
duration_seconds_bucket{le="+Inf"} 3
duration_seconds_sum 3.25
duration_seconds_count 3
`,
    )
  })

  it('combines the metrics of several processes, and the counters of those that have ended', async () => {
    const names = ['requests_total', 'start_seconds']
    const [one, two] = [openExample(5), openExample(7)]
    const ended = combineCounters([await openExample(9).snapshot(names)])

    assert.equal(
      formatMetrics([ended, await one.snapshot(names), await two.snapshot(names)]),
      String.raw`# HELP requests_total Requests \\ in\ntotal
# TYPE requests_total counter
requests_total{path="a\"\\\n"} 3
requests_total{path="b"} 6

# HELP start_seconds Start
# TYPE start_seconds gauge
start_seconds 7
`,
    )
  })
})
