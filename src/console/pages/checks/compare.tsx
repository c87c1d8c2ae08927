import type { ComponentChildren } from 'preact'
import { escapeInvisibleInLines } from '../../../contract/characters.ts'
import type { CheckResult, ListedCheck } from '../../../contract/index.ts'
import { getCheck, listChecks } from '../../../contract/operations/checks.ts'
import { read } from '../../api.ts'
import { StateBadge } from '../../components/badge.tsx'
import { Facts } from '../../components/facts.tsx'
import { SelectField } from '../../components/field.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Empty, Loaded, Notice } from '../../components/states.tsx'
import { formatTime } from '../../components/time.tsx'
import { useResource } from '../../resource.ts'
import { setQuery, type ViewProps } from '../../router.ts'
import { type Change, compareRuns, findPrevious } from './compare-runs.ts'
import { judgements } from './result.tsx'
import { formatCounts } from './run-state.tsx'

/** What changed between two runs. `a` is the earlier one, `b` the later one. */
export function View({ query }: ViewProps) {
  const list = useResource('checks', (signal) => read(listChecks, { signal }))
  return (
    <>
      <PageHeading title="Compare checks" crumbs={[['Checks', '/console/checks']]} />
      <Loaded resource={list}>{({ data }) => <Chosen runs={data} query={query} />}</Loaded>
    </>
  )
}

function Chosen({
  runs,
  query,
}: {
  readonly runs: readonly ListedCheck[]
  readonly query: URLSearchParams
}) {
  const completed = runs.filter(({ state }) => state === 'completed')
  const [newest] = completed
  const later = query.get('b') ?? newest?.checkId ?? ''
  const laterRun = completed.find(({ checkId }) => checkId === later) ?? newest
  const earlier = query.get('a') ?? (laterRun && findPrevious(laterRun, completed)?.checkId) ?? ''
  if (completed.length < 2) {
    return (
      <Empty title="There are no two completed runs to compare">
        <p>
          <a href="/console/checks">Run a check</a> again to see what changed.
        </p>
      </Empty>
    )
  }
  return (
    <>
      <div class="fields">
        <SelectField
          label="Earlier run"
          value={earlier}
          options={listOptions(completed, earlier)}
          onSelect={(a) => setQuery({ a })}
        />
        <SelectField
          label="Later run"
          value={later}
          options={listOptions(completed, later)}
          onSelect={(b) => setQuery({ b })}
        />
      </div>
      <Changes earlier={earlier} later={later} />
    </>
  )
}

function listOptions(runs: readonly ListedCheck[], chosen: string) {
  const options = runs.map(({ checkId, startedAt, profile, progress }) => {
    const text = `${formatTime(startedAt)}, ${profile}, ${formatCounts(progress)}`
    return [checkId, text] as const
  })
  const isKnown = runs.some(({ checkId }) => checkId === chosen)
  return isKnown ? options : [[chosen, 'A run that was removed'] as const, ...options]
}

function Changes({ earlier, later }: { readonly earlier: string; readonly later: string }) {
  const resource = useResource(`${earlier} ${later}`, (signal) =>
    Promise.all([earlier, later].map((checkId) => read(getCheck, { params: { checkId }, signal }))),
  )
  return (
    <Loaded resource={resource}>
      {([before, after]) => {
        if (!before?.report || !after?.report) {
          return <Notice kind="warn" title="A run without a report cannot be compared" />
        }
        const { newlyFailing, fixed, others, sameCount } = compareRuns(before.report, after.report)
        return (
          <>
            <p role="status">
              {newlyFailing.length} newly failing, {fixed.length} fixed, {others.length} other
              changes, {sameCount} unchanged.
            </p>
            <ChangeList title="Newly failing" changes={newlyFailing} runId={later} />
            <ChangeList title="Fixed" changes={fixed} runId={later} />
            <ChangeList title="Other changes" changes={others} runId={later} />
          </>
        )
      }}
    </Loaded>
  )
}

function ChangeList({
  title,
  changes,
  runId,
}: {
  readonly title: string
  readonly changes: readonly Change[]
  readonly runId: string
}) {
  if (changes.length === 0) return null
  const url = `/console/checks/${encodeURIComponent(runId)}`
  return (
    <section>
      <h2>
        {title} <span class="check-count muted">{changes.length}</span>
      </h2>
      <ul class="check-changes">
        {changes.map(({ id, title: name, before, after }) => (
          <li key={id}>
            <p>
              {name} <code class="muted">{id}</code>
            </p>
            <Facts facts={{ Before: describeResult(before), After: describeResult(after) }} />
          </li>
        ))}
      </ul>
      <p>
        <a href={title === 'Newly failing' ? `${url}?show=failed` : url}>
          Open the report of the later run
        </a>
      </p>
    </section>
  )
}

function describeResult(result: CheckResult | undefined): ComponentChildren {
  if (!result) return 'not in this run'
  return (
    <>
      <StateBadge label={judgements[result.judgement]} />{' '}
      {result.reason !== undefined && escapeInvisibleInLines(result.reason)}
    </>
  )
}
