import type { MetricsSample, PlatformStatus } from '../../../contract/index.ts'
import { capitalize } from '../../../contract/labels.ts'
import { Card, Stat } from '../../components/card.tsx'
import { Chart, Sparkline } from '../../components/chart.tsx'
import { Ago, formatTimeOfDay } from '../../components/time.tsx'
import { formatCount, formatSeconds } from '../../labels.ts'
import {
  bucketSeconds,
  countAll,
  findHighest,
  findMean,
  sumSeconds,
  toBuckets,
} from '../../metrics-buckets.ts'
import type { MetricsStream } from '../../metrics-stream.ts'
import { areOff, Sources } from '../monitoring/sources.tsx'

/** The axis covers at least this time, so that the first samples are not stretched. */
const rangeSecondsMin = 60

type Read = (sample: MetricsSample) => number | undefined

const readRejected: Read = ({ clientErrors, errors }) => clientErrors + errors
const readP99: Read = ({ latency }) => latency?.p99
const readBatches: Read = ({ feeds }) => feeds.reduce((sum, { batches }) => sum + batches, 0)

/** Whether there is a sample of a server. */
export function hasFigures({ samples }: MetricsStream): boolean {
  const latest = samples.at(-1)
  return latest !== undefined && !areOff(latest.sources)
}

/** Four figures of the last minutes, each with its course. */
export function Figures({
  samples,
  feeds,
}: Pick<MetricsStream, 'samples'> & Pick<PlatformStatus, 'feeds'>) {
  const buckets = toBuckets(samples)
  const mean = (read: Read) => buckets.map((bucket) => findMean(bucket, read) ?? 0)
  const total = (read: Read) => countAll(samples, read)
  const seconds = sumSeconds(samples)
  const requests = total((sample) => sample.requests)
  const rejected = total(readRejected)
  const latest = samples.findLast((sample) => readP99(sample) !== undefined)
  const highest = Math.max(...samples.flatMap((sample) => readP99(sample) ?? []))
  const batches = total(readBatches)
  const intake = samples.at(-1)?.sources.find(({ role }) => role === 'intake')
  const feed = feeds.toSorted((a, b) => Date.parse(b.time) - Date.parse(a.time))[0]
  const minutes = Math.max(1, Math.round(seconds / 60))
  return (
    <ul class="stats">
      <Stat
        label={`Requests, last ${minutes} min`}
        value={formatCount(Math.round(requests))}
        detail={`${(requests / (seconds || 1)).toFixed(1)} per second, without the console and checks`}
      >
        <Sparkline values={mean((sample) => sample.requests)} />
      </Stat>
      <Stat
        label="Rejected requests"
        value={requests === 0 ? '–' : `${((100 * rejected) / requests).toFixed(1)} %`}
        detail={
          requests === 0 ? (
            'no request was seen'
          ) : Math.round(rejected) === 0 ? (
            'none'
          ) : (
            <>
              {formatCount(Math.round(rejected))} · <a href="/console/monitoring">why</a>
            </>
          )
        }
      >
        <Sparkline values={mean(readRejected)} colour="bad" />
      </Stat>
      <Stat
        label="Latency, p99"
        value={latest ? formatSeconds(Number(readP99(latest))) : '–'}
        detail={latest ? `highest ${formatSeconds(highest)}` : 'no request was completed'}
      >
        <Sparkline values={buckets.map((bucket) => findHighest(bucket, readP99) ?? 0)} />
      </Stat>
      <Stat
        label="Batches of feeds"
        value={intake?.state === 'ok' ? formatCount(Math.round(batches)) : '–'}
        detail={
          feed === undefined ? (
            'no feed has sent a batch'
          ) : (
            <>
              last <Ago time={feed.time} /> · {feed.feed}
            </>
          )
        }
      >
        <Sparkline values={mean(readBatches)} colour="series-2" />
      </Stat>
    </ul>
  )
}

/** The requests of each server. Monitoring has the details. */
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
      sentence={`By server, in steps of ${bucketSeconds} seconds, without requests of the console and of checks.`}
      positionTitle="Time"
      positions={times}
      formatPosition={(seconds) => formatTimeOfDay(seconds * 1000)}
      format={(value) => value.toLocaleString('en', { maximumFractionDigits: 1 })}
      range={[Math.min(times[0] ?? 0, last - rangeSecondsMin), last]}
      series={roles.map(({ role }, index) => ({
        label: capitalize(role),
        colour: colours[index % colours.length] ?? 'accent',
        values: buckets.map((bucket) =>
          findMean(bucket, (sample) => sample.roles.find((each) => each.role === role)?.rate),
        ),
      }))}
    />
  )
}

/** Instead of the figures: why there are none, and what is missing in them. */
export function MissingFigures({ stream }: { readonly stream: MetricsStream }) {
  const { samples, state, problem } = stream
  const latest = samples.at(-1)
  if (latest) return <Sources sources={latest.sources} />
  return (
    <Card title="Requests">
      <p class="muted">
        {problem ??
          (state === 'lost' ? 'The metrics cannot be read now.' : 'Waiting for metrics …')}
      </p>
    </Card>
  )
}
