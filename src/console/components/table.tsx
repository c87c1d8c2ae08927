import type { ComponentChildren } from 'preact'

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  /** Numbers are right-aligned. */
  readonly isNumber?: boolean
  /** The cell names its row, for screen readers. */
  readonly isHeading?: boolean
}

/** A table that scrolls within itself where the screen is narrow. */
export function Table<Row>({
  caption,
  columns,
  rows,
  rowKey,
}: {
  /** Names the table for screen readers. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="table" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }, index) => (
              <th key={index} scope="col" class={isNumber ? 'number' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ cell, isNumber, isHeading }, index) =>
                isHeading ? (
                  <th key={index} scope="row" class={isNumber ? 'number' : undefined}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={index} class={isNumber ? 'number' : undefined}>
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
