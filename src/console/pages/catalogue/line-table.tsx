import { LongTable } from '../../components/long-table.tsx'
import type { Column } from '../../components/table.tsx'
import { formatCount } from '../../labels.ts'

/** Lines of a file. */
export function LineTable<Line extends { readonly number: number }>({
  caption,
  lines,
  columns,
  isStacked = false,
}: {
  readonly caption: string
  readonly lines: readonly Line[]
  readonly columns: readonly Column<Line>[]
  /** For long values: a line is named by its number. Otherwise, a column names it. */
  readonly isStacked?: boolean
}) {
  const line: Column<Line> = {
    title: 'Line',
    isHeading: isStacked,
    isNumber: true,
    phone: 'labelled',
    cell: ({ number }) => formatCount(number),
  }
  const rowKey = ({ number }: Line) => String(number)
  return <LongTable {...{ caption, rowKey, isStacked }} columns={[line, ...columns]} rows={lines} />
}
