import { useEffect, useState } from 'preact/hooks'
import type { ListedCheck } from '../../../contract/index.ts'
import { listChecks } from '../../../contract/operations/checks.ts'
import { read } from '../../api.ts'
import { PageHeading } from '../../components/page-heading.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Moment, nameZone } from '../../components/time.tsx'
import { useResource } from '../../resource.ts'
import { findPrevious } from './compare-runs.ts'
import { RunProgress } from './run-progress.tsx'
import {
  formatCounts,
  formatSeconds,
  isRunning,
  nameRun,
  RunState,
  runningMs,
} from './run-state.tsx'
import { StartCheck } from './start-check.tsx'

/** Another client may start a run. */
const idleMs = 10_000

/** The last runs, the one in progress, and the buttons to start another. */
export function View() {
  const resource = useResource('checks', (signal) => read(listChecks, { signal }), {
    refreshMs: ({ data }) => (data.some(isRunning) ? runningMs : idleMs),
  })
  const running = resource.value?.data.find(isRunning)
  return (
    <>
      <PageHeading
        title="Checks"
        about="A check sends requests to the provider as the platform does, and reports for each clause of the interface whether the provider conforms to it. It only reads data."
      />
      <StartCheck isRunning={running !== undefined} onStart={resource.reload} />
      <Loaded resource={resource}>
        {({ data }) => (
          <>
            <Running run={running} last={data[0]} />
            <Runs runs={data} />
          </>
        )}
      </Loaded>
    </>
  )
}

/** The run in progress. When it ends, its result is announced. */
function Running({
  run,
  last,
}: {
  readonly run: ListedCheck | undefined
  readonly last: ListedCheck | undefined
}) {
  const [watchedId, setWatchedId] = useState<string>()
  useEffect(() => {
    if (run) setWatchedId(run.checkId)
  }, [run?.checkId])
  return (
    <>
      {run && (
        <section class="check-panel" aria-label="Check in progress">
          <h2>{nameRun(run)} in progress</h2>
          <RunProgress run={run} />
        </section>
      )}
      <div role="status">
        {!run && last && last.checkId === watchedId && (
          <p>
            The check has ended: {formatCounts(last.progress)}.{' '}
            <a href={toUrl(last)}>Open the report</a>
          </p>
        )}
      </div>
    </>
  )
}

function Runs({ runs }: { readonly runs: readonly ListedCheck[] }) {
  if (runs.length === 0) {
    return (
      <Empty title="No check has been run yet">
        <p>The last ten runs are listed here, each with its report.</p>
      </Empty>
    )
  }
  const columns: readonly Column<ListedCheck>[] = [
    {
      title: `Started (${nameZone()})`,
      isHeading: true,
      cell: (run) => (
        <a href={toUrl(run)}>
          <Moment value={run.startedAt} />
        </a>
      ),
    },
    { title: 'Result', phone: 'first', cell: (run) => <RunState run={run} /> },
    {
      title: 'Checks',
      isLong: true,
      cell: ({ progress }) => formatCounts(progress),
    },
    { title: 'Kind', phone: 'hidden', cell: (run) => <span class="nowrap">{nameRun(run)}</span> },
    {
      title: 'Duration',
      isNumber: true,
      phone: 'hidden',
      cell: ({ seconds }) => formatSeconds(seconds),
    },
    { title: 'Started by', isExtra: true, cell: ({ startedBy }) => startedBy },
    { title: 'Changes', cell: (run) => linkComparison(run, findPrevious(run, runs)) },
  ]
  return (
    <>
      <h2>Last runs</h2>
      <Table caption="Last runs" columns={columns} rows={runs} rowKey={({ checkId }) => checkId} />
    </>
  )
}

function linkComparison({ checkId }: ListedCheck, previous: ListedCheck | undefined) {
  if (!previous) return <span class="muted nowrap">no earlier run</span>
  const query = new URLSearchParams({ a: previous.checkId, b: checkId })
  return (
    <a class="nowrap" href={`/console/checks/compare?${query}`}>
      since the previous run
    </a>
  )
}

function toUrl({ checkId }: ListedCheck): string {
  return `/console/checks/${encodeURIComponent(checkId)}`
}
