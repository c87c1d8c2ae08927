import { useMemo } from 'preact/hooks'
import type { FeedActivity, UsageMark } from '../../../contract/index.ts'
import { getUsage, listRejections } from '../../../contract/operations/monitoring.ts'
import { read } from '../../api.ts'
import { Badge } from '../../components/badge.tsx'
import { ChipSelect } from '../../components/field.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Empty, Loaded, Skeleton } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Ago } from '../../components/time.tsx'
import { formatSpan } from '../../labels.ts'
import { withoutTools } from '../../metrics-buckets.ts'
import { type MetricsStream, useMetricsStream } from '../../metrics-stream.ts'
import { useResource } from '../../resource.ts'
import { setQuery, type ViewProps } from '../../router.ts'
import { formatRate, MetricsCharts } from './charts.tsx'
import { Lookup } from './lookup.tsx'
import { RefusalTables } from './refusal-tables.tsx'
import { RejectionTables } from './rejection-tables.tsx'
import { areOff, Sources } from './sources.tsx'
import { Usage } from './usage.tsx'

const refreshMs = () => 5000
/** As often as the marks can change on a chart. */
const marksMs = 30_000

const toolOptions = [
  ['', 'Shown'],
  ['false', 'Left out'],
] as const

async function readMarks(signal: AbortSignal): Promise<readonly UsageMark[]> {
  return (await read(getUsage, { query: { range: '10m' }, signal })).marks
}

export function View({ query }: ViewProps) {
  const stream = useMetricsStream()
  const reason = query.get('reason') ?? undefined
  const tools = query.get('tools') === 'false' ? 'false' : undefined
  const rejections = useResource(
    `rejections ${reason} ${tools}`,
    (signal) => read(listRejections, { query: { reason, tools }, signal }),
    { refreshMs, keepValue: true },
  )
  const refusals = useResource(
    `refusals ${tools}`,
    (signal) => read(listRejections, { query: { refused: 'true', tools }, signal }),
    { refreshMs, keepValue: true },
  )
  const marks = useResource('marks', readMarks, { refreshMs: () => marksMs, keepValue: true })
  const samples = useMemo(
    () => (tools === undefined ? stream.samples : stream.samples.map(withoutTools)),
    [stream.samples, tools],
  )
  const latest = stream.samples.at(-1)
  // Without metrics, nothing is known about requests: "no error" would be wrong.
  const isOff = latest !== undefined && areOff(latest.sources)
  return (
    <>
      <PageHeading title="Monitoring">
        <StreamState stream={stream} />
      </PageHeading>
      <h2>Requests of the last 10 minutes</h2>
      {latest === undefined ? (
        <Skeleton />
      ) : (
        <>
          <Sources sources={latest.sources} />
          {!isOff && (
            <>
              <div class="toolbar">
                <ChipSelect
                  label="Console and checks"
                  value={tools ?? ''}
                  options={toolOptions}
                  onSelect={(chosen) => setQuery({ tools: chosen })}
                />
              </div>
              <MetricsCharts samples={samples} marks={marks.value ?? []} />
            </>
          )}
        </>
      )}
      <Usage query={query} />
      {!isOff && (
        <>
          <h2>Why was this rejected?</h2>
          <Lookup />
          <h2>Rejections of the last hour</h2>
          <Loaded resource={rejections}>
            {(list) => <RejectionTables list={list} reason={reason} />}
          </Loaded>
          <h2>Refusals of the last 24 hours</h2>
          <Loaded resource={refusals}>{(list) => <RefusalTables list={list} />}</Loaded>
          <h2>Feeds</h2>
          {latest && <Feeds feeds={latest.feeds} />}
        </>
      )}
    </>
  )
}

function StreamState({
  stream: { state, problem, updatedAt },
}: {
  readonly stream: MetricsStream
}) {
  return (
    <p>
      {state === 'live' && <Badge kind="good">Live</Badge>}
      {state === 'connecting' && <Badge>Connecting</Badge>}
      {state === 'lost' && (
        <span role="alert">
          <Badge kind="bad">Connection lost</Badge> {problem} Trying again.
        </span>
      )}{' '}
      {updatedAt !== undefined && (
        <span class="muted">
          Last updated <Ago time={updatedAt} />
        </span>
      )}
    </p>
  )
}

const feedColumns: readonly Column<FeedActivity>[] = [
  { title: 'Feed', cell: ({ feed }) => feed, isHeading: true },
  {
    title: 'Time since the last batch',
    cell: ({ lag }) => (lag === undefined ? '–' : formatSpan(lag)),
    isNumber: true,
  },
  { title: 'Batches per second', cell: ({ batches }) => formatRate(batches), isNumber: true },
]

function Feeds({ feeds }: { readonly feeds: readonly FeedActivity[] }) {
  if (feeds.length > 0) {
    return <Table caption="Feeds" columns={feedColumns} rows={feeds} rowKey={({ feed }) => feed} />
  }
  return (
    <Empty title="No feed has sent a batch">
      <p>
        A feed sends changes of your core system to the intake, for example with{' '}
        <code>holdfast load --follow --feed core changes.ndjson</code>.
      </p>
    </Empty>
  )
}
