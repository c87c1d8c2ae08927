import type { ComponentChildren } from 'preact'

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  /** Numbers are right-aligned. */
  readonly isNumber?: boolean
  /** The cell names its row, for screen readers. */
  readonly isHeading?: boolean
}

/** A table that scrolls within itself where the screen is narrow, or whose rows become blocks there. */
export function Table<Row>({
  caption,
  columns,
  rows,
  rowKey,
  isStacked = false,
}: {
  /** Names the table for screen readers. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  /** On a narrow screen, each cell is below the one before, with the title of its column. */
  readonly isStacked?: boolean
}) {
  // A table that is displayed as blocks would not be a table for screen readers.
  const asRole = (role: 'table' | 'rowgroup' | 'row' | 'columnheader' | 'rowheader' | 'cell') =>
    isStacked ? role : undefined
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class={isStacked ? 'table stacked' : 'table'} aria-label={caption} tabIndex={0}>
      <table role={asRole('table')}>
        <caption class="visually-hidden">{caption}</caption>
        <thead role={asRole('rowgroup')}>
          <tr role={asRole('row')}>
            {columns.map(({ title, isNumber }, index) => (
              <th
                key={index}
                scope="col"
                role={asRole('columnheader')}
                class={isNumber ? 'number' : undefined}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role={asRole('rowgroup')}>
          {rows.map((row) => (
            <tr key={rowKey(row)} role={asRole('row')}>
              {columns.map(({ title, cell, isNumber, isHeading }, index) =>
                isHeading ? (
                  <th
                    key={index}
                    scope="row"
                    role={asRole('rowheader')}
                    class={isNumber ? 'number' : undefined}
                  >
                    {cell(row)}
                  </th>
                ) : (
                  <td
                    key={index}
                    role={asRole('cell')}
                    data-title={isStacked ? title : undefined}
                    class={isNumber ? 'number' : undefined}
                  >
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
