import { type Column, Table } from '../../components/table.tsx'
import { formatCount } from '../../labels.ts'

const shownMax = 100

/** Lines of a file. Only the first ones are shown. */
export function LineTable<Line extends { readonly number: number }>({
  caption,
  lines,
  columns,
}: {
  readonly caption: string
  readonly lines: readonly Line[]
  readonly columns: readonly Column<Line>[]
}) {
  return (
    <>
      <Table
        caption={caption}
        columns={[
          {
            title: 'Line',
            isHeading: true,
            isNumber: true,
            cell: ({ number }) => formatCount(number),
          },
          ...columns,
        ]}
        rows={lines.slice(0, shownMax)}
        rowKey={({ number }) => String(number)}
      />
      {lines.length > shownMax && (
        <p class="muted">{formatCount(lines.length - shownMax)} more are not shown.</p>
      )}
    </>
  )
}
