import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { MetricsSample, UsageMark } from '../../../contract/index.ts'
import { capitalize } from '../../../contract/labels.ts'
import { Chart } from '../../components/chart.tsx'
import type { ChartColour, ChartSeries } from '../../components/chart-props.ts'
import { formatTimeOfDay } from '../../components/time.tsx'
import { formatCount, formatSeconds } from '../../labels.ts'
import {
  bucketSeconds,
  countAll,
  countInBucket,
  findHighest,
  findMean,
  sumSeconds,
  toBuckets,
} from '../../metrics-buckets.ts'
import { nameReason } from './reason.tsx'

/** The axis covers at least this time, so that the first samples are not stretched. */
const rangeSecondsMin = 60
const roleColours = { provider: 'series-2', platform: 'series-3', intake: 'muted' } as const
/** Of the most frequent reasons. */
const reasonColours = ['bad', 'warn', 'accent', 'series-2', 'muted'] as const

const formatTime = (seconds: number) => formatTimeOfDay(seconds * 1000)

const perBucket = `per ${bucketSeconds} seconds`

type Read = (sample: MetricsSample) => number | undefined

/** Four charts with the same axis and a common crosshair. */
export function MetricsCharts({
  samples,
  marks,
}: {
  readonly samples: readonly MetricsSample[]
  /** Shown as dashed lines. */
  readonly marks: readonly UsageMark[]
}) {
  const buckets = useMemo(() => toBuckets(samples), [samples])
  const times = useMemo(() => buckets.map(({ time }) => time), [buckets])
  const last = times.at(-1) ?? 0
  const first = Math.min(times[0] ?? 0, last - rangeSecondsMin)
  const selected = useSignal<number | undefined>(undefined)
  const shared = {
    kind: 'lines',
    positionTitle: 'Time',
    positions: times,
    formatPosition: formatTime,
    range: [first, last],
    marks: marks.map(({ time }) => Date.parse(time) / 1000),
    selected,
  } as const
  const totals = sumRejections(samples)
  const series = (
    label: string,
    colour: ChartColour,
    read: Read,
    reduce: typeof findMean = findMean,
  ): ChartSeries => ({ label, colour, values: buckets.map((bucket) => reduce(bucket, read)) })
  const charts = useMemo(
    () => [
      {
        title: 'Requests per second',
        sentence: describeRequests(samples, buckets),
        format: formatRate,
        precision: 0.1,
        series: [
          series('All', 'accent', (sample) => sample.requests),
          ...Object.entries(roleColours).map(([role, colour]) =>
            series(
              capitalize(role),
              colour,
              ({ roles }) => roles.find((each) => each.role === role)?.rate,
            ),
          ),
        ],
      },
      {
        title: 'Latency',
        sentence: describeLatency(samples),
        format: formatSeconds,
        precision: 0.0001,
        series: [
          series('p50', 'accent', (sample) => sample.latency?.p50, findHighest),
          series('p95', 'series-2', (sample) => sample.latency?.p95, findHighest),
          series('p99', 'bad', (sample) => sample.latency?.p99, findHighest),
        ],
      },
      {
        title: `Errors ${perBucket}`,
        sentence: describeErrors(samples),
        format: formatCount,
        precision: 1,
        series: [
          series('Server errors (5xx)', 'bad', (sample) => sample.errors, countInBucket),
          series('Client errors (4xx)', 'warn', (sample) => sample.clientErrors, countInBucket),
          series('Shed because of overload', 'accent', (sample) => sample.shed, countInBucket),
        ],
      },
      {
        title: `Rejected tokens ${perBucket}`,
        sentence: describeRejections(totals, hasRequests(samples)),
        format: formatCount,
        precision: 1,
        series: reasonColours.flatMap((colour, index) => {
          const reason = totals[index]?.[0]
          const find = ({ rejections }: MetricsSample) =>
            rejections.find((each) => each.reason === reason)?.rate ?? 0
          return reason === undefined
            ? []
            : [series(nameReason(reason), colour, find, countInBucket)]
        }),
      },
    ],
    [buckets],
  )
  return (
    <div class="charts">
      {charts.map((chart) => (
        <Chart key={chart.title} {...shared} {...chart} />
      ))}
    </div>
  )
}

export function formatRate(value: number): string {
  const digits = value !== 0 && Math.abs(value) < 10 ? 1 : 0
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}

/** The highest rate is that of a bucket, as the chart shows it. */
function describeRequests(
  samples: readonly MetricsSample[],
  buckets: ReturnType<typeof toBuckets>,
): string {
  const rates = buckets.map((bucket) => findMean(bucket, ({ requests }) => requests) ?? 0)
  const mean = countAll(samples, ({ requests }) => requests) / (sumSeconds(samples) || 1)
  if (mean === 0) return nothingSeen
  return `${formatRate(mean)} per second on average, ${formatRate(Math.max(0, ...rates))} at most.`
}

function describeLatency(samples: readonly MetricsSample[]): string {
  const slowest = samples.flatMap(({ latency }) => latency?.p99 ?? [])
  if (slowest.length === 0) return 'No request was completed.'
  const latest = slowest.at(-1) ?? 0
  return `The last p99 is ${formatSeconds(latest)}, the highest ${formatSeconds(Math.max(...slowest))}.`
}

/** Without a request, there was nothing that could fail. */
function hasRequests(samples: readonly MetricsSample[]): boolean {
  return samples.some(({ requests }) => requests > 0)
}

const nothingSeen = 'No request was seen.'

function describeErrors(samples: readonly MetricsSample[]): string {
  if (!hasRequests(samples)) return nothingSeen
  const count = (isOne: (sample: MetricsSample) => boolean) =>
    Math.round(sumSeconds(samples.filter(isOne)))
  const failing = count(({ errors }) => errors > 0)
  const shedding = count(({ shed }) => shed > 0)
  if (failing === 0 && shedding === 0) return 'No server error, and no load shedding.'
  return `Server errors in ${failing} of ${count(() => true)} seconds, load shedding in ${shedding}.`
}

type Totals = readonly (readonly [reason: string, total: number])[]

/** How many tokens were rejected for each reason, the most frequent first. */
function sumRejections(samples: readonly MetricsSample[]): Totals {
  const totals = new Map<string, number>()
  for (const { rejections, seconds } of samples) {
    for (const { reason, rate } of rejections) {
      totals.set(reason, (totals.get(reason) ?? 0) + rate * seconds)
    }
  }
  return [...totals]
    .map(([reason, total]) => [reason, Math.round(total)] as const)
    .filter(([, total]) => total > 0)
    .sort(([, a], [, b]) => b - a)
}

function describeRejections(totals: Totals, isSeen: boolean): string {
  const total = totals.reduce((sum, [, each]) => sum + each, 0)
  if (total === 0) return isSeen ? 'No token was rejected.' : nothingSeen
  const reason = `“${nameReason(totals[0]?.[0] ?? '')}”.`
  if (total === 1) return `1 token was rejected: ${reason}`
  return `${formatCount(total)} tokens were rejected, most of them: ${reason}`
}
