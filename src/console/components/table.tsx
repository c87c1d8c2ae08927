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
  /** It takes the place that other columns leave, and is cut off before they are. */
  readonly isLong?: boolean
  /** Where there is little place, it is cut off. */
  readonly isShortened?: boolean
  /** Where there is little place, the column is left out. */
  readonly isExtra?: boolean
  /**
   * Where the cell is on a phone, on which a row has two lines, or whether its title is before it. By default, only the
   * heading is on the first one.
   */
  readonly phone?: 'first' | 'labelled' | 'hidden'
}

export interface TableProps<Row> {
  /** Names the table for screen readers. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  /** For long values: they are not cut off, and on a phone each is below its title. */
  readonly isStacked?: boolean
  /** Below the rows, such as a pager. */
  readonly children?: ComponentChildren
}

/**
 * A table whose rows have one line, and two lines on a phone. A link in the heading of a row makes the whole row a link.
 * The rows of a table with long values have as many lines as they need.
 */
export function Table<Row>({
  caption,
  columns,
  rows,
  rowKey,
  isStacked = false,
  children,
}: TableProps<Row>) {
  return (
    <div class={isStacked ? 'table stacked' : 'table'}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section class="table-rows" aria-label={caption} tabIndex={0}>
        {/* biome-ignore-start lint/a11y/noRedundantRoles: on a phone, it is not displayed as a table, and the roles keep it one for screen readers */}
        <table role="table">
          <caption class="visually-hidden">{caption}</caption>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map((column, index) => (
                <th key={index} scope="col" role="columnheader" class={listClasses(column)}>
                  {column.title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((row) => (
              <tr key={rowKey(row)} role="row">
                {columns.map((column, index) => (
                  <Cell key={index} column={column} row={row} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {/* biome-ignore-end lint/a11y/noRedundantRoles: the end of the table */}
      </section>
      {children}
    </div>
  )
}

function listClasses<Row>(
  { isNumber, isLong, isShortened, isExtra }: Column<Row>,
  ...others: readonly (string | undefined)[]
): string | undefined {
  const classes = [
    isNumber && 'number',
    isLong && 'long',
    isShortened && 'shortened',
    isExtra && 'extra',
    ...others,
  ]
  return classes.filter(Boolean).join(' ') || undefined
}

function Cell<Row>({ column, row }: { readonly column: Column<Row>; readonly row: Row }) {
  const { title, cell, isHeading, phone } = column
  const Element = isHeading ? 'th' : 'td'
  return (
    <Element
      scope={isHeading ? 'row' : undefined}
      role={isHeading ? 'rowheader' : 'cell'}
      data-title={isHeading ? undefined : title}
      class={listClasses(column, phone)}
      onPointerEnter={({ currentTarget }) => nameWhole(currentTarget)}
    >
      {cell(row)}
    </Element>
  )
}

/** A value that is cut off is shown whole while the pointer is on it. With the focus in it, it is not cut off. */
function nameWhole(element: HTMLElement): void {
  const isCut = element.scrollWidth > element.clientWidth
  if (isCut) element.title = element.innerText
  else element.removeAttribute('title')
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
      <span aria-live="polite">
        Page {formatCount(page)} of {formatCount(Math.max(1, pageCount))} · {formatCount(total)}{' '}
        {noun}
      </span>
      <span class="buttons">
        <SecondaryButton disabled={page <= 1} onClick={() => show(page - 1)}>
          Previous
        </SecondaryButton>
        <SecondaryButton disabled={page >= pageCount} onClick={() => show(page + 1)}>
          Next
        </SecondaryButton>
      </span>
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
