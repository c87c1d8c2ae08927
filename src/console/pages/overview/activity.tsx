import type { MetricsSample } from '../../../contract/index.ts'
import { formatMs } from '../../labels.ts'
import { useMetricsStream } from '../../metrics-stream.ts'

/** How many samples the figures are averages of. */
const averagedCount = 60
const width = 120
const height = 24

/** The traffic of the last minute in a line. Monitoring has the details. */
export function Activity() {
  const { samples, state, problem } = useMetricsStream()
  const latest = samples.slice(-averagedCount)
  const [source] = samples.at(-1)?.sources ?? []
  if (latest.length === 0) {
    return (
      <p class="muted">{problem ?? (state === 'lost' ? 'No metrics.' : 'Waiting for metrics …')}</p>
    )
  }
  if (source?.state === 'off') {
    return (
      <p class="muted">
        Metrics are off. <code>{source.setting}</code> turns them on.
      </p>
    )
  }
  const requests = sum(latest, ({ requests: rate }) => rate)
  const rejected = sum(latest, ({ clientErrors, errors }) => clientErrors + errors)
  const p99 = latest.findLast(({ latency }) => latency !== undefined)?.latency?.p99
  return (
    <p class="activity">
      <span>
        Requests per second <Sparkline values={latest.map((sample) => sample.requests)} />{' '}
        <strong class="number">{(requests / latest.length).toFixed(1)}</strong>
      </span>
      {p99 !== undefined && (
        <span>
          p99 <strong class="number">{formatMs(Number(p99) * 1000)}</strong>
        </span>
      )}
      <span>
        Rejected{' '}
        <strong class="number">
          {requests === 0 ? '0 %' : `${((100 * rejected) / requests).toFixed(1)} %`}
        </strong>{' '}
        <a href="/console/monitoring">why</a>
      </span>
    </p>
  )
}

function sum(samples: readonly MetricsSample[], read: (sample: MetricsSample) => number): number {
  return samples.reduce((total, sample) => total + read(sample), 0)
}

function Sparkline({ values }: { readonly values: readonly number[] }) {
  const max = Math.max(1, ...values)
  const points = values.map((value, index) => {
    const x = (index / Math.max(1, values.length - 1)) * width
    return `${x.toFixed(1)},${(height - 1 - (value / max) * (height - 2)).toFixed(1)}`
  })
  return (
    <svg class="sparkline" width={width} height={height} aria-hidden="true">
      <polyline points={points.join(' ')} />
    </svg>
  )
}
