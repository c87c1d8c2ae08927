import { useState } from 'preact/hooks'
import { formatCount } from '../labels.ts'
import { SecondaryButton } from './button.tsx'
import { Table, type TableProps } from './table.tsx'

/** As many as a person reads at once. */
const rowsStep = 50

/** A table that shows its first rows, and further ones on request: with thousands of them, a page is slow. */
export function LongTable<Row>({ rows, ...table }: Omit<TableProps<Row>, 'children'>) {
  const [shown, setShown] = useState(rowsStep)
  const more = Math.min(rowsStep, rows.length - shown)
  return (
    <Table {...table} rows={rows.slice(0, shown)}>
      {more > 0 && (
        <p class="pager">
          <span aria-live="polite">
            {formatCount(shown)} of {formatCount(rows.length)} rows
          </span>
          <span class="buttons">
            <SecondaryButton onClick={() => setShown(shown + rowsStep)}>
              Show {more} more
            </SecondaryButton>
          </span>
        </p>
      )}
    </Table>
  )
}
