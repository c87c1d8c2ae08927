import type { ComponentChildren } from 'preact'
import { formatCount } from '../labels.ts'
import { setQuery } from '../router.ts'
import { SecondaryButton } from './button.tsx'

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
              {columns.map(({ title, cell, isNumber, isHeading }, index) => {
                const Cell = isHeading ? 'th' : 'td'
                return (
                  <Cell
                    key={index}
                    scope={isHeading ? 'row' : undefined}
                    role={asRole(isHeading ? 'rowheader' : 'cell')}
                    data-title={isStacked && !isHeading ? title : undefined}
                    class={isNumber ? 'number' : undefined}
                  >
                    {cell(row)}
                  </Cell>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Links between the pages of a list that the server pages. The page is the parameter `page` of the view. */
export function Pager({
  page,
  pageCount,
  total,
  noun,
}: {
  readonly page: number
  readonly pageCount: number
  readonly total: number
  /** Of the records, in the plural. */
  readonly noun: string
}) {
  const show = (target: number) => setQuery({ page: target === 1 ? undefined : String(target) })
  return (
    <nav class="pager" aria-label={`Pages of ${noun}`}>
      <SecondaryButton disabled={page <= 1} onClick={() => show(page - 1)}>
        Previous
      </SecondaryButton>
      <span aria-live="polite">
        Page {formatCount(page)} of {formatCount(Math.max(1, pageCount))}
        <span class="muted">
          {' '}
          · {formatCount(total)} {noun}
        </span>
      </span>
      <SecondaryButton disabled={page >= pageCount} onClick={() => show(page + 1)}>
        Next
      </SecondaryButton>
    </nav>
  )
}

/**
 * Buttons for a list that the server pages by a cursor, which is the parameter `cursor` of the view. The browser goes
 * back to earlier pages.
 */
export function CursorPager({
  cursor,
  next,
  noun,
}: {
  readonly cursor: string | undefined
  /** The cursor of the next page, if there is one. */
  readonly next: string | undefined
  /** Of the records, in the plural. */
  readonly noun: string
}) {
  if (cursor === undefined && next === undefined) return undefined
  return (
    <nav class="pager" aria-label={`Pages of ${noun}`}>
      <SecondaryButton
        disabled={cursor === undefined}
        onClick={() => setQuery({ cursor: undefined })}
      >
        First page
      </SecondaryButton>
      <SecondaryButton disabled={next === undefined} onClick={() => setQuery({ cursor: next })}>
        Next page
      </SecondaryButton>
    </nav>
  )
}
