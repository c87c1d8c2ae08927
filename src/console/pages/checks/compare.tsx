import { escapeInvisibleInLines } from '../../../contract/characters.ts'
import type { CheckResult, ListedCheck } from '../../../contract/index.ts'
import { getCheck, listChecks } from '../../../contract/operations/checks.ts'
import { read } from '../../api.ts'
import { Empty } from '../../components/empty.tsx'
import { Field } from '../../components/field.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { useResource } from '../../resource.ts'
import { setQuery } from '../../router.ts'
import type { ViewProps } from '../../view-props.ts'
import { type Change, compareRuns, findPrevious } from './compare-runs.ts'
import { JudgementBadge } from './result.tsx'
import { formatCounts } from './run-state.tsx'

/** What changed between two runs. `a` is the earlier one, `b` the later one. */
export function View({ query }: ViewProps) {
  const list = useResource('checks', (signal) => read(listChecks, { signal }))
  return (
    <>
      <p>
        <a href="/console/checks">All checks</a>
      </p>
      <PageHeading title="Compare checks" />
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
        <RunSelect label="Earlier run" name="a" value={earlier} runs={completed} />
        <RunSelect label="Later run" name="b" value={later} runs={completed} />
      </div>
      <Changes earlier={earlier} later={later} />
    </>
  )
}

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })

function RunSelect({
  label,
  name,
  value,
  runs,
}: {
  readonly label: string
  readonly name: 'a' | 'b'
  readonly value: string
  readonly runs: readonly ListedCheck[]
}) {
  const isKnown = runs.some(({ checkId }) => checkId === value)
  return (
    <Field label={label}>
      {(control) => (
        <select
          {...control}
          value={value}
          onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
        >
          {!isKnown && <option value={value}>A run that was removed</option>}
          {runs.map(({ checkId, startedAt, profile, progress }) => (
            <option key={checkId} value={checkId}>
              {format.format(new Date(startedAt))}, {profile}, {formatCounts(progress)}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
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
            <dl class="facts">
              <Side title="Before" result={before} />
              <Side title="After" result={after} />
            </dl>
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

function Side({
  title,
  result,
}: {
  readonly title: string
  readonly result: CheckResult | undefined
}) {
  return (
    <>
      <dt>{title}</dt>
      <dd>
        {result ? <JudgementBadge judgement={result.judgement} /> : 'not in this run'}{' '}
        {result?.reason !== undefined && escapeInvisibleInLines(result.reason)}
      </dd>
    </>
  )
}
