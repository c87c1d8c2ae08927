import { useMemo, useState } from 'preact/hooks'
import {
  findProductWarnings,
  formatProductWarning,
  type ProductWarning,
} from '../../../contract/product-warnings.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Facts } from '../../components/facts.tsx'
import type { Column } from '../../components/table.tsx'
import { formatCount } from '../../labels.ts'
import { productUrl } from './addresses.ts'
import { ConfirmWarnings } from './confirm-warnings.tsx'
import { describeTerms } from './edit/presentation.ts'
import { findGaps } from './find-gaps.ts'
import type { InvalidLine } from './import-file.ts'
import type { PlannedLine } from './import-plan.ts'
import type { ImportMode } from './import-run.ts'
import { LineTable } from './line-table.tsx'

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
  const [isConfirmed, setConfirmed] = useState(false)
  const unlikely = useMemo(() => listUnlikely(lines), [lines])
  const withGaps = useMemo(() => lines.filter(hasGaps).length, [lines])
  const added = lines.filter(({ existing }) => !existing)
  const replaced = lines.filter(({ existing }) => existing)
  const withDraft = lines.filter(({ existing }) => existing?.hasDraft)
  return (
    <>
      <h2>Preview of {file}</h2>
      <Facts
        facts={{
          'New products': formatCount(added.length),
          'Existing products': (
            <>
              {formatCount(replaced.length)}, by their <code>product_id</code>
              {withDraft.length > 0 && `; ${formatCount(withDraft.length)} of them have a draft`}
            </>
          ),
          'Invalid lines': formatCount(invalid.length),
          'Unlikely values': formatCount(unlikely.length),
          'Not for the public catalogue':
            withGaps > 0 ? `${formatCount(withGaps)}: fields are missing` : undefined,
        }}
      />
      {invalid.length > 0 && (
        <>
          <h3>Invalid lines are not imported</h3>
          <LineTable caption="Invalid lines" lines={invalid} columns={invalidColumns} isStacked />
        </>
      )}
      {lines.length > 0 ? (
        <>
          <PlannedLines
            title="Existing products"
            lines={replaced}
            columns={[...termColumns, resultColumn]}
          />
          <PlannedLines title="New products" lines={added} columns={termColumns} />
          <fieldset class="choices">
            <legend>Import as</legend>
            {(['drafts', 'publish'] as const).map((each) => (
              <label key={each} class="choice">
                <input
                  type="radio"
                  name="mode"
                  checked={mode === each}
                  onChange={() => setMode(each)}
                />
                {modes[each]}
              </label>
            ))}
          </fieldset>
          {mode === 'publish' && (
            <ConfirmWarnings
              warnings={unlikely.slice(0, unlikelyShownMax)}
              isConfirmed={isConfirmed}
              onChange={setConfirmed}
              show={showUnlikely}
            >
              {unlikely.length > unlikelyShownMax && (
                <p>And {formatCount(unlikely.length - unlikelyShownMax)} more.</p>
              )}
            </ConfirmWarnings>
          )}
          <Button
            disabled={mode === 'publish' && unlikely.length > 0 && !isConfirmed}
            onClick={() => onStart(mode)}
          >
            {mode === 'drafts' ? 'Save' : 'Publish'} {formatCount(lines.length, 'product')}
            {mode === 'drafts' && (lines.length === 1 ? ' as a draft' : ' as drafts')}
          </Button>
        </>
      ) : (
        <p>There is nothing to import in this file.</p>
      )}
    </>
  )
}

function PlannedLines({
  title,
  lines,
  columns,
}: {
  readonly title: string
  readonly lines: readonly PlannedLine[]
  readonly columns: readonly Column<PlannedLine>[]
}) {
  if (lines.length === 0) return undefined
  return (
    <>
      <h3>
        {title} ({formatCount(lines.length)})
      </h3>
      <LineTable caption={title} lines={lines} columns={columns} />
    </>
  )
}

const modes = {
  drafts: 'Drafts: nothing becomes public. Existing drafts of these products are replaced.',
  publish: 'Published products: API clients read them at once. Existing ones get a new version.',
} as const satisfies Record<ImportMode, string>

function hasGaps({ id, product }: PlannedLine): boolean {
  return findGaps(product, id, 1).length > 0
}

/** As many as a person reads at once. */
const unlikelyShownMax = 50

interface LineWarning extends ProductWarning {
  readonly line: PlannedLine
}

function listUnlikely(lines: readonly PlannedLine[]): LineWarning[] {
  return lines.flatMap((line) =>
    findProductWarnings(line.product).map((warning) => ({ ...warning, line })),
  )
}

function showUnlikely({ line, ...warning }: LineWarning): string {
  return `Line ${formatCount(line.number)}, ${line.name}: ${formatProductWarning(warning)}`
}

const invalidColumns: readonly Column<InvalidLine>[] = [
  { title: 'Name', cell: ({ name }) => name },
  {
    title: 'Errors',
    cell: ({ problems }) => (
      <ul class="values">
        {problems.map(({ text, path }) => (
          <li key={text}>
            {text} {path !== undefined && <code class="muted">{path}</code>}
          </li>
        ))}
      </ul>
    ),
  },
]

const termColumns: readonly Column<PlannedLine>[] = [
  {
    title: 'Name',
    isHeading: true,
    cell: ({ name, id, existing }) =>
      existing && id !== undefined ? <a href={productUrl(id)}>{name}</a> : name,
  },
  { title: 'Rates and fees', isLong: true, cell: ({ product }) => describeTerms(product) },
]

const resultColumn: Column<PlannedLine> = {
  title: 'Result',
  phone: 'first',
  cell: ({ existing }) => (
    <span class="badges">
      <Badge kind="warn">{existing?.version === undefined ? 'Replaces a draft' : 'Replaces'}</Badge>
      {existing?.hasDraft && existing.version !== undefined && <Badge>Has a draft</Badge>}
    </span>
  ),
}
