import { useSignal } from '@preact/signals'
import type { ComponentProps } from 'preact'
import type { UsageHistory, UsagePoint } from '../../../contract/index.ts'
import { toLabel } from '../../../contract/labels.ts'
import { getUsage } from '../../../contract/operations/monitoring.ts'
import { trafficLimits } from '../../../contract/traffic-limits.ts'
import { read } from '../../api.ts'
import { Card, Stat } from '../../components/card.tsx'
import { Chart } from '../../components/chart.tsx'
import { Definition } from '../../components/definition.tsx'
import { ChipSelect } from '../../components/field.tsx'
import { Marks } from '../../components/marks.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { formatDay, formatHour, formatTimeOfDay } from '../../components/time.tsx'
import { RangeSelect, readRange } from '../../components/usage-range.tsx'
import { formatCount, formatSeconds } from '../../labels.ts'
import { useResource } from '../../resource.ts'
import { setQuery } from '../../router.ts'
import { describeStatus } from '../../statuses.ts'

/** Processes write their counts every half minute. */
const refreshMs = () => 30_000

/** The calls of third parties over time, from the database: also those of before the page was opened. */
export function Usage({ query }: { readonly query: URLSearchParams }) {
  const range = readRange(query)
  const operation = query.get('operation') ?? undefined
  const thirdParty = query.get('third-party') ?? undefined
  const selected = { range, operation, 'third-party': thirdParty }
  const usage = useResource(
    `usage ${JSON.stringify(selected)}`,
    (signal) => read(getUsage, { query: selected, signal }),
    { refreshMs, keepValue: true },
  )
  return (
    <>
      <h2>Calls of third parties</h2>
      <div class="toolbar">
        <RangeSelect range={range} />
        <ChipSelect
          label="Operation"
          value={operation ?? ''}
          options={listOptions(operation, (usage.value?.operations ?? []).map(nameOperation))}
          onSelect={(chosen) => setQuery({ operation: chosen })}
        />
        <ChipSelect
          label="Third party"
          value={thirdParty ?? ''}
          options={listOptions(
            thirdParty,
            (usage.value?.thirdParties ?? []).flatMap(({ thirdParty: each }) =>
              each ? [[each.id, each.name ?? each.id] as const] : [],
            ),
          )}
          onSelect={(chosen) => setQuery({ 'third-party': chosen })}
        />
      </div>
      <div aria-busy={usage.isLoading}>
        <Loaded resource={usage}>{(history) => <History history={history} />}</Loaded>
      </div>
    </>
  )
}

type Option = readonly [value: string, label: string]

const nameOperation = ({ operation }: { readonly operation: string }): Option => [
  operation,
  toLabel(operation),
]

/** With the selected one, also if it has no calls in the range. */
function listOptions(selected: string | undefined, found: readonly Option[]): Option[] {
  const isListed = selected === undefined || found.some(([value]) => value === selected)
  return [['', 'All'], ...found, ...(isListed ? [] : [[selected, selected] as const])]
}

function History({ history }: { readonly history: UsageHistory }) {
  const { total, operations, thirdParties, marks } = history
  return (
    <>
      <Totals total={total} />
      <Charts history={history} />
      <div class="grid">
        <Card title="What happened" note={<Definition of="outage" name="outages" />}>
          <Marks marks={marks} />
        </Card>
        <Card title="Errors and rejections">
          <Failures history={history} />
        </Card>
        <Card title="By operation">
          <CallTable
            caption="Calls by operation"
            title="Operation"
            rows={operations}
            name={({ operation }) => toLabel(operation)}
            rowKey={({ operation }) => operation}
          />
        </Card>
        <Card title="By third party">
          <CallTable
            caption="Calls by third party"
            title="Third party"
            rows={thirdParties}
            name={({ thirdParty }) => <bdi>{thirdParty?.name ?? thirdParty?.id ?? 'Unknown'}</bdi>}
            rowKey={({ thirdParty }) => thirdParty?.id ?? ''}
          />
        </Card>
      </div>
    </>
  )
}

export function Totals({ total }: Pick<UsageHistory, 'total'>) {
  const { calls, errors, clientErrors, rejections, sessions, latency, peak } = total
  const rejected = `${formatCount(clientErrors)} with 4xx, ${formatCount(rejections)} over a limit`
  return (
    <ul class="stats">
      <Stat
        label={<Defined text="Calls" of="calls" name="calls" />}
        value={formatCount(calls)}
        detail={<Defined text={formatCount(sessions, 'session')} of="sessions" name="sessions" />}
      />
      <Stat
        label={<Defined text="Errors" of="errors" name="errors" />}
        value={formatCount(errors)}
        detail={<Defined text={rejected} of="rejections" name="calls over a limit" />}
      />
      <Stat
        label={<Defined text="Response time, p95" of="latency" name="response times" />}
        value={latency ? formatSeconds(latency.p95) : '–'}
        detail={latency && `p50 ${formatSeconds(latency.p50)}, p99 ${formatSeconds(latency.p99)}`}
      />
      <Stat
        label={<Defined text="Peak" of="peak" name="peaks" />}
        value={peak === undefined ? '–' : formatCount(peak)}
        detail="per second"
      />
    </ul>
  )
}

/** A text with a button that shows what it counts. */
function Defined({
  text,
  ...definition
}: ComponentProps<typeof Definition> & { readonly text: string }) {
  return (
    <>
      {text} <Definition {...definition} />
    </>
  )
}

const toSeconds = (time: string) => Date.parse(time) / 1000

/** Times of periods, in full and on the axis. */
const timeFormats = {
  minute: { format: formatTimeOfDay, label: formatTimeOfDay },
  hour: { format: formatHour, label: (time: number) => formatHour(time, 'short') },
  day: { format: formatDay, label: (time: number) => formatDay(time, 'short') },
} as const

/** Two charts with the same axis, a common crosshair and the marks. */
function Charts({ history }: { readonly history: UsageHistory }) {
  const { points, marks, unit, end } = history
  const selected = useSignal<number | undefined>(undefined)
  const positions = points.map(({ start }) => toSeconds(start))
  const { format, label } = timeFormats[unit]
  const values = (read_: (point: UsagePoint) => number | undefined) =>
    points.map((point) => read_(point) ?? null)
  const shared = {
    kind: 'lines',
    positionTitle: 'Time',
    positions,
    formatPosition: (seconds: number) => format(seconds * 1000),
    formatLabel: (seconds: number) => label(seconds * 1000),
    range: [positions[0] ?? 0, toSeconds(end)],
    marks: marks.map(({ time }) => toSeconds(time)),
    selected,
  } as const
  const sum = points.reduce((all, { calls }) => all + calls, 0)
  return (
    <div class="charts">
      <Chart
        {...shared}
        title={`Calls per ${unit}`}
        sentence={`${formatCount(sum, 'call')}. What happened is listed below.`}
        format={formatCount}
        precision={1}
        series={[
          { label: 'All', colour: 'accent', values: values(({ calls }) => calls) },
          { label: 'Errors', colour: 'bad', values: values(({ errors }) => errors) },
          { label: 'Over a limit', colour: 'warn', values: values(({ rejections }) => rejections) },
        ]}
      />
      <Chart
        {...shared}
        title="Response time"
        sentence="Of calls that were answered, estimated from a histogram."
        format={formatSeconds}
        series={[
          { label: 'p50', colour: 'accent', values: values(({ latency }) => latency?.p50) },
          { label: 'p95', colour: 'series-2', values: values(({ latency }) => latency?.p95) },
          { label: 'p99', colour: 'bad', values: values(({ latency }) => latency?.p99) },
        ]}
      />
    </div>
  )
}

type Counted = UsageHistory['thirdParties'][number]

function CallTable<Row extends Counted>({
  caption,
  title,
  rows,
  name,
  rowKey,
}: {
  readonly caption: string
  readonly title: string
  readonly rows: readonly Row[]
  readonly name: Column<Row>['cell']
  readonly rowKey: (row: Row) => string
}) {
  if (rows.length === 0) return <Empty title="No calls in this range" />
  return (
    <Table
      caption={caption}
      rows={rows}
      rowKey={rowKey}
      columns={[
        { title, isHeading: true, cell: name },
        { title: 'Calls', isNumber: true, cell: ({ calls }) => formatCount(calls) },
        { title: 'Errors', isNumber: true, cell: ({ errors }) => formatCount(errors) },
        {
          title: 'Over a limit',
          isNumber: true,
          cell: ({ rejections }) => formatCount(rejections),
        },
        {
          title: 'p95',
          isNumber: true,
          cell: ({ latency }) => (latency ? formatSeconds(latency.p95) : '–'),
        },
      ]}
    />
  )
}

function Failures({ history: { statuses, limits } }: { readonly history: UsageHistory }) {
  if (statuses.length === 0) return <Empty title="No call failed in this range" />
  const texts: Readonly<Record<string, string>> = trafficLimits
  const rows = [
    ...statuses.map(({ status, calls }) => ({
      reason: describeStatus(status),
      code: String(status),
      calls,
    })),
    ...limits.map(({ limit, calls }) => ({
      reason: `Over a limit: ${Object.hasOwn(texts, limit) ? texts[limit] : 'not known'}`,
      code: limit,
      calls,
    })),
  ]
  return (
    <Table
      caption="Errors and rejections"
      rows={rows}
      rowKey={({ code }) => code}
      columns={[
        {
          title: 'Reason',
          isHeading: true,
          cell: ({ reason, code }) => (
            <>
              {reason} <code class="muted">{code}</code>
            </>
          ),
        },
        { title: 'Calls', isNumber: true, cell: ({ calls }) => formatCount(calls) },
      ]}
    />
  )
}
