import { describePath } from '../../contract/labels.ts'
import { findPlace, parsePath } from '../../contract/product-values.ts'
import { diffProducts, type FieldChange } from '../../platform/catalogue/diff.ts'
import { StateBadge } from './badge.tsx'
import { LongTable } from './long-table.tsx'
import { ProductValue } from './product-value.tsx'
import type { Column } from './table.tsx'

const kinds = {
  added: ['good', 'Added'],
  removed: ['bad', 'Removed'],
  changed: ['warn', 'Changed'],
} as const

/** What differs between two products, field by field. */
export function FieldDiff({
  before,
  after,
  beforeLabel,
  afterLabel,
}: {
  readonly before: object
  readonly after: object
  readonly beforeLabel: string
  readonly afterLabel: string
}) {
  const changes = diffProducts(before, after)
  if (changes.length === 0) return <p>The fields of both are equal.</p>
  const columns: Column<FieldChange>[] = [
    {
      title: 'Field',
      isHeading: true,
      cell: ({ path }) => <span title={path}>{describePath(path)}</span>,
    },
    {
      title: 'Change',
      cell: ({ kind }) => <StateBadge label={kinds[kind]} />,
    },
    {
      title: beforeLabel,
      cell: (change) =>
        'before' in change && (
          <ProductValue place={findPlace(before, parsePath(change.path))} value={change.before} />
        ),
    },
    {
      title: afterLabel,
      cell: (change) =>
        'after' in change && (
          <ProductValue place={findPlace(after, parsePath(change.path))} value={change.after} />
        ),
    },
  ]
  const count = changes.length === 1 ? '1 field differs' : `${changes.length} fields differ`
  return (
    <div class="field-diff">
      <p>{count}.</p>
      <LongTable
        caption={`Differences between ${beforeLabel} and ${afterLabel}`}
        columns={columns}
        rows={changes}
        rowKey={({ path, kind }) => `${kind} ${path}`}
        isStacked
      />
    </div>
  )
}
