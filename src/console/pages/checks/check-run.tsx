import type { CheckReport, CheckResult, CheckRun } from '../../../contract/index.ts'
import { capitalize } from '../../../contract/labels.ts'
import { getCheck } from '../../../contract/operations/checks.ts'
import { read } from '../../api.ts'
import { Facts } from '../../components/facts.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Empty, Loaded, Notice } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount } from '../../labels.ts'
import { useResource } from '../../resource.ts'
import type { ViewProps } from '../../router.ts'
import type { Judgement } from './compare-runs.ts'
import { Result } from './result.tsx'
import { RunProgress } from './run-progress.tsx'
import {
  formatCounts,
  formatSeconds,
  isRunning,
  nameRun,
  RunState,
  runningMs,
} from './run-state.tsx'

/** One run: its progress, and then its report by group. */
export function View({ params, query }: ViewProps) {
  const { checkId = '' } = params
  const resource = useResource(
    checkId,
    (signal) => read(getCheck, { params: { checkId }, signal }),
    { refreshMs: (run) => (isRunning(run) ? runningMs : undefined) },
  )
  const run = resource.value
  return (
    <>
      <PageHeading
        title={run ? nameRun(run) : 'Check'}
        crumbs={[['Checks', '/console/checks']]}
        state={run && <RunState run={run} />}
      />
      <Loaded resource={resource}>
        {(value) => (
          <>
            <RunFacts run={value} />
            <RunOutcome run={value} />
            {value.report && <Report report={value.report} show={query.get('show') ?? ''} />}
          </>
        )}
      </Loaded>
    </>
  )
}

function RunFacts({ run }: { readonly run: CheckRun }) {
  const { report } = run
  return (
    <Facts
      facts={{
        Result: run.state === 'completed' ? formatCounts(run.progress) : undefined,
        Started: (
          <>
            <Time value={run.startedAt} /> by {run.startedBy}
          </>
        ),
        Duration: formatSeconds(run.seconds),
        Provider: report && (
          <>
            <code>{report.target}</code>, subdomain <code>{report.subdomain}</code>,{' '}
            {formatCount(report.requests)} requests
          </>
        ),
        ID: <Identifier value={run.checkId} />,
      }}
    />
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
        <section key={group}>
          <h2>
            {capitalize(group)}{' '}
            <span class="check-count muted">{formatCounts(countResults(results))}</span>
          </h2>
          <ul class="check-results">
            {results.map((result) => (
              <li key={result.id}>
                <Result result={result} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}

function countResults(results: readonly CheckResult[]) {
  const count = (judgement: Judgement) =>
    results.filter((result) => result.judgement === judgement).length
  return { passed: count('pass'), failed: count('fail'), skipped: count('skip') }
}
