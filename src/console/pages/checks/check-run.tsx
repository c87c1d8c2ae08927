import { useEffect, useState } from 'preact/hooks'
import type { CheckReport, CheckResult, CheckRun } from '../../../contract/index.ts'
import { getCheck } from '../../../contract/operations/checks.ts'
import { read } from '../../api.ts'
import { Empty } from '../../components/empty.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Time } from '../../components/time.tsx'
import { useResource } from '../../resource.ts'
import type { ViewProps } from '../../view-props.ts'
import type { Judgement } from './compare-runs.ts'
import { Result } from './result.tsx'
import { RunProgress } from './run-progress.tsx'
import { formatCounts, formatSeconds, nameRun, RunState } from './run-state.tsx'

const runningMs = 1000

/** One run: its progress, and then its report by group. */
export function View({ params, query }: ViewProps) {
  const { checkId = '' } = params
  const [isRunning, setRunning] = useState(false)
  const resource = useResource(
    checkId,
    (signal) => read(getCheck, { params: { checkId }, signal }),
    isRunning ? { refreshMs: runningMs } : {},
  )
  const hasRunning = resource.value?.state === 'running'
  useEffect(() => setRunning(hasRunning), [hasRunning])
  const run = resource.value
  return (
    <>
      <p>
        <a href="/console/checks">All checks</a>
      </p>
      <PageHeading title={run ? nameRun(run) : 'Check'} />
      <Loaded resource={resource}>
        {(value) => (
          <>
            <Facts run={value} />
            <RunOutcome run={value} />
            {value.report && <Report report={value.report} show={query.get('show') ?? ''} />}
          </>
        )}
      </Loaded>
    </>
  )
}

function Facts({ run }: { readonly run: CheckRun }) {
  const { report } = run
  return (
    <dl class="facts">
      <dt>Result</dt>
      <dd>
        <RunState run={run} /> {run.state === 'completed' && formatCounts(run.progress)}
      </dd>
      <dt>Started</dt>
      <dd>
        <Time value={run.startedAt} /> by {run.startedBy}
      </dd>
      <dt>Duration</dt>
      <dd>{formatSeconds(run.seconds)}</dd>
      {report && (
        <>
          <dt>Provider</dt>
          <dd>
            <code>{report.target}</code>, subdomain <code>{report.subdomain}</code>,{' '}
            {report.requests.toLocaleString('en')} requests
          </dd>
        </>
      )}
      <dt>ID</dt>
      <dd>
        <Identifier value={run.checkId} />
      </dd>
    </dl>
  )
}

function RunOutcome({ run }: { readonly run: CheckRun }) {
  if (run.state === 'running') return <RunProgress run={run} />
  if (run.state === 'interrupted') {
    return (
      <Notice kind="warn" title="The check was interrupted">
        <p>
          The platform was stopped after {run.progress.done} checks. There is no report: run the
          check again.
        </p>
      </Notice>
    )
  }
  if (run.state === 'error') {
    return (
      <Notice kind="bad" title="The check could not be run">
        <p>{run.error}</p>
      </Notice>
    )
  }
  return null
}

const filters = [
  { show: '', title: 'All', judgement: undefined, none: 'The run has no checks' },
  { show: 'failed', title: 'Failed', judgement: 'fail', none: 'No check failed' },
  { show: 'skipped', title: 'Skipped', judgement: 'skip', none: 'No check was skipped' },
  { show: 'passed', title: 'Passed', judgement: 'pass', none: 'No check passed' },
] as const satisfies readonly {
  readonly show: string
  readonly title: string
  readonly judgement: Judgement | undefined
  /** Shown if there are no such results. */
  readonly none: string
}[]

function Report({ report, show }: { readonly report: CheckReport; readonly show: string }) {
  const chosen = filters.find((filter) => filter.show === show) ?? filters[0]
  const select = (judgement: Judgement | undefined) =>
    report.results.filter((result) => judgement === undefined || result.judgement === judgement)
  const groups = Map.groupBy(select(chosen.judgement), ({ group }) => group)
  return (
    <>
      <nav class="check-filters" aria-label="Results to show">
        {filters.map((filter) => (
          <a
            key={filter.show}
            href={filter.show ? `?show=${filter.show}` : '?'}
            aria-current={filter === chosen ? 'true' : undefined}
          >
            {filter.title} <span class="number">{select(filter.judgement).length}</span>
          </a>
        ))}
      </nav>
      {groups.size === 0 && (
        <Empty title={chosen.none}>
          <p>
            <a href="?">Show all results</a>
          </p>
        </Empty>
      )}
      {[...groups].map(([group, results]) => (
        <Group key={group} group={group} results={results} />
      ))}
    </>
  )
}

function Group({
  group,
  results,
}: {
  readonly group: string
  readonly results: readonly CheckResult[]
}) {
  const count = (judgement: Judgement) =>
    results.filter((result) => result.judgement === judgement).length
  const counts = { passed: count('pass'), failed: count('fail'), skipped: count('skip') }
  return (
    <section>
      <h2>
        {group.charAt(0).toUpperCase() + group.slice(1)}{' '}
        <span class="check-count muted">{formatCounts(counts)}</span>
      </h2>
      <ul class="check-results">
        {results.map((result) => (
          <li key={result.id}>
            <Result result={result} />
          </li>
        ))}
      </ul>
    </section>
  )
}
