import { useState } from 'preact/hooks'
import { Badge } from '../../components/badge.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { productUrl } from './addresses.ts'
import type { InvalidLine } from './import-file.ts'
import type { PlannedLine } from './import-plan.ts'
import type { ImportMode } from './import-run.ts'

/** How many lines are shown of each kind. */
export const shownMax = 100

export const format = (count: number) => count.toLocaleString('en')

/** What an import would create and replace, and which lines are invalid. */
export function ImportPreview({
  file,
  lines,
  invalid,
  onStart,
}: {
  readonly file: string
  readonly lines: readonly PlannedLine[]
  readonly invalid: readonly InvalidLine[]
  readonly onStart: (mode: ImportMode) => void
}) {
  const [mode, setMode] = useState<ImportMode>('drafts')
  const replaced = lines.filter(({ existing }) => existing)
  const withDraft = lines.filter(({ existing }) => existing?.hasDraft)
  return (
    <>
      <h2>Preview of {file}</h2>
      <dl class="facts">
        <dt>New products</dt>
        <dd>{format(lines.length - replaced.length)}</dd>
        <dt>Existing products</dt>
        <dd>
          {format(replaced.length)}, by their <code>product_id</code>
          {withDraft.length > 0 && `; ${format(withDraft.length)} of them have a draft`}
        </dd>
        <dt>Invalid lines</dt>
        <dd>{format(invalid.length)}</dd>
      </dl>
      {invalid.length > 0 && <InvalidLines lines={invalid} />}
      {lines.length > 0 ? (
        <>
          <PlannedLines lines={lines} />
          <fieldset class="choices">
            <legend>Import as</legend>
            <ModeChoice mode="drafts" chosen={mode} onChoose={setMode}>
              Drafts: nothing becomes public. Existing drafts of these products are replaced.
            </ModeChoice>
            <ModeChoice mode="publish" chosen={mode} onChoose={setMode}>
              Published products: they are public at once. Existing ones get a new version.
            </ModeChoice>
          </fieldset>
          <button type="button" onClick={() => onStart(mode)}>
            {mode === 'drafts' ? 'Save' : 'Publish'} {format(lines.length)}{' '}
            {lines.length === 1 ? 'product' : 'products'}
            {mode === 'drafts' && (lines.length === 1 ? ' as a draft' : ' as drafts')}
          </button>
        </>
      ) : (
        <p>There is nothing to import in this file.</p>
      )}
    </>
  )
}

function ModeChoice({
  mode,
  chosen,
  onChoose,
  children,
}: {
  readonly mode: ImportMode
  readonly chosen: ImportMode
  readonly onChoose: (mode: ImportMode) => void
  readonly children: string
}) {
  return (
    <label class="choice">
      <input type="radio" name="mode" checked={mode === chosen} onChange={() => onChoose(mode)} />
      {children}
    </label>
  )
}

function InvalidLines({ lines }: { readonly lines: readonly InvalidLine[] }) {
  const columns: Column<InvalidLine>[] = [
    { title: 'Line', isHeading: true, isNumber: true, cell: ({ number }) => format(number) },
    { title: 'Name', cell: ({ name }) => name },
    {
      title: 'Errors',
      cell: ({ problems }) => (
        <ul class="values">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      ),
    },
  ]
  return (
    <>
      <h3>Invalid lines are not imported</h3>
      <Table
        caption="Invalid lines"
        columns={columns}
        rows={lines.slice(0, shownMax)}
        rowKey={({ number }) => String(number)}
      />
      <More count={lines.length - shownMax} />
    </>
  )
}

function PlannedLines({ lines }: { readonly lines: readonly PlannedLine[] }) {
  const columns: Column<PlannedLine>[] = [
    { title: 'Line', isHeading: true, isNumber: true, cell: ({ number }) => format(number) },
    {
      title: 'Name',
      cell: ({ name, id, existing }) =>
        existing && id !== undefined ? <a href={productUrl(id)}>{name}</a> : name,
    },
    {
      title: 'Result',
      cell: ({ existing }) => (
        <span class="badges">
          <Badge kind={existing ? 'warn' : 'good'}>
            {existing ? (existing.version === undefined ? 'Replaces a draft' : 'Replaces') : 'New'}
          </Badge>
          {existing?.hasDraft && existing.version !== undefined && <Badge>Has a draft</Badge>}
        </span>
      ),
    },
  ]
  return (
    <>
      <h3>Products</h3>
      <Table
        caption="Products to import"
        columns={columns}
        rows={lines.slice(0, shownMax)}
        rowKey={({ number }) => String(number)}
      />
      <More count={lines.length - shownMax} />
    </>
  )
}

export function More({ count }: { readonly count: number }) {
  return count > 0 ? <p class="muted">{format(count)} more are not shown.</p> : null
}
