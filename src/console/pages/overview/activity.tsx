import type { MetricsSample } from '../../../contract/index.ts'
import { Card, Stat } from '../../components/card.tsx'
import { Chart, Sparkline } from '../../components/chart.tsx'
import { formatTimeOfDay } from '../../components/time.tsx'
import { formatCount, formatMs } from '../../labels.ts'
import {
  bucketSeconds,
  countAll,
  findHighest,
  findMean,
  sumSeconds,
  toBuckets,
} from '../../metrics-buckets.ts'
import type { MetricsStream } from '../../metrics-stream.ts'

/** The axis covers at least this time, so that the first samples are not stretched. */
const rangeSecondsMin = 60

type Read = (sample: MetricsSample) => number | undefined

const readRejected: Read = ({ clientErrors, errors }) => clientErrors + errors
const readP99: Read = ({ latency }) => latency?.p99
const readBatches: Read = ({ feeds }) => feeds.reduce((sum, { batches }) => sum + batches, 0)

/** Why there are no figures, or undefined if there are. */
export function describeMissing({ samples, state, problem }: MetricsStream) {
  const [source] = samples.at(-1)?.sources ?? []
  if (samples.length === 0) {
    return problem ?? (state === 'lost' ? 'No metrics.' : 'Waiting for metrics …')
  }
  if (source?.state !== 'off') return undefined
  return (
    <>
      Metrics are off. <code>{source.setting}</code> turns them on.
    </>
  )
}

/** Four figures of the last minutes, each with its course. */
export function Figures({ samples }: Pick<MetricsStream, 'samples'>) {
  const buckets = toBuckets(samples)
  const mean = (read: Read) => buckets.map((bucket) => findMean(bucket, read) ?? 0)
  const total = (read: Read) => countAll(samples, read)
  const seconds = sumSeconds(samples)
  const requests = total((sample) => sample.requests)
  const rejected = total(readRejected)
  const latest = samples.findLast((sample) => readP99(sample) !== undefined)
  const highest = Math.max(...samples.flatMap((sample) => readP99(sample) ?? []))
  const batches = total(readBatches)
  const feed = samples.at(-1)?.feeds.toSorted((a, b) => (a.lag ?? 0) - (b.lag ?? 0))[0]
  const minutes = Math.max(1, Math.round(seconds / 60))
  return (
    <ul class="stats">
      <Stat
        label={`Requests, last ${minutes} min`}
        value={formatCount(Math.round(requests))}
        detail={`${(requests / (seconds || 1)).toFixed(1)} per second`}
      >
        <Sparkline values={mean((sample) => sample.requests)} />
      </Stat>
      <Stat
        label="Rejected requests"
        value={requests === 0 ? '0 %' : `${((100 * rejected) / requests).toFixed(1)} %`}
        detail={
          <>
            {formatCount(Math.round(rejected))} · <a href="/console/monitoring">why</a>
          </>
        }
      >
        <Sparkline values={mean(readRejected)} colour="bad" />
      </Stat>
      <Stat
        label="Latency, p99"
        value={latest ? formatMs(Number(readP99(latest)) * 1000) : '–'}
        detail={latest ? `highest ${formatMs(highest * 1000)}` : 'no request was completed'}
      >
        <Sparkline values={buckets.map((bucket) => findHighest(bucket, readP99) ?? 0)} />
      </Stat>
      <Stat
        label="Batches of feeds"
        value={formatCount(Math.round(batches))}
        detail={
          feed?.lag === undefined
            ? 'no feed has sent a batch'
            : `last ${Math.round(feed.lag)} s ago · ${feed.feed}`
        }
      >
        <Sparkline values={mean(readBatches)} colour="series-2" />
      </Stat>
    </ul>
  )
}

/** The requests of each server. Operations has the details. */
export function Requests({ samples }: Pick<MetricsStream, 'samples'>) {
  const buckets = toBuckets(samples)
  const times = buckets.map(({ time }) => time)
  const last = times.at(-1) ?? 0
  const roles = samples.at(-1)?.roles ?? []
  const colours = ['accent', 'series-2', 'series-3'] as const
  return (
    <Chart
      kind="lines"
      title="Requests per second"
      sentence={`By server, in steps of ${bucketSeconds} seconds.`}
      positionTitle="Time"
      positions={times}
      formatPosition={(seconds) => formatTimeOfDay(seconds * 1000)}
      format={(value) => value.toLocaleString('en', { maximumFractionDigits: 1 })}
      range={[Math.min(times[0] ?? 0, last - rangeSecondsMin), last]}
      series={roles.map(({ role }, index) => ({
        label: role,
        colour: colours[index % colours.length] ?? 'accent',
        values: buckets.map((bucket) =>
          findMean(bucket, (sample) => sample.roles.find((each) => each.role === role)?.rate),
        ),
      }))}
    />
  )
}

/** Instead of the figures. */
export function NoFigures({ stream }: { readonly stream: MetricsStream }) {
  return (
    <Card title="Requests">
      <p class="muted">{describeMissing(stream)}</p>
    </Card>
  )
}
