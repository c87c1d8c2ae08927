import type { ComponentChildren } from 'preact'
import { Empty } from '../../components/empty.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Pager } from '../../components/pager.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { useResource } from '../../resource.ts'
import { setQuery } from '../../router.ts'
import type { AccountProps } from './account-props.ts'
import { type ListId, type Row, readList } from './read-list.ts'

/** A number from the address of the view, which a person may have typed. */
export function readCount(text: string | null, standard: number, max: number): number {
  const value = Number(text)
  return Number.isInteger(value) && value >= 1 && value <= max ? value : standard
}

export const pageSizes = [10, 25, 100, 1000] as const
export const pageSizeStandard = 25

/** A list of an account that the provider pages. In the table, n shows the next page and p the previous one. */
export function PagedTable<Id extends ListId>({
  account: { customerId, accountId, query },
  operation,
  filters = {},
  noun,
  columns,
  rowKey = JSON.stringify,
  empty,
}: {
  readonly account: AccountProps
  readonly operation: Id
  /** Parameters of the operation, besides the page. */
  readonly filters?: Readonly<Record<string, string | number>>
  /** Of the records, in the plural. */
  readonly noun: string
  readonly columns: readonly Column<Row<Id>>[]
  /** The default is the whole record. */
  readonly rowKey?: (row: Row<Id>) => string
  /** What an empty list means. */
  readonly empty: ComponentChildren
}) {
  const page = readCount(query.get('page'), 1, Number.MAX_SAFE_INTEGER)
  const input = { ...filters, page }
  const resource = useResource(
    JSON.stringify([customerId, accountId, input]),
    (signal) => readList(operation, { customerId, accountId }, input, signal),
    { keepValue: true },
  )
  return (
    <Loaded resource={resource}>
      {({ rows, totalRecords, totalPages }) => {
        if (totalRecords === 0) return empty
        const turn = (event: KeyboardEvent) => {
          const target =
            page +
            (new Map([
              ['n', 1],
              ['p', -1],
            ]).get(event.key) ?? 0)
          const isModified = event.ctrlKey || event.metaKey || event.altKey
          if (isModified || target === page || target < 1 || target > totalPages) return
          event.preventDefault()
          setQuery({ page: target === 1 ? undefined : String(target) })
        }
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: the table in it has the focus
          <div onKeyDown={turn}>
            {rows.length === 0 ? (
              <Empty title={`The list has ${totalPages.toLocaleString('en')} pages`}>
                <button type="button" onClick={() => setQuery({ page: undefined })}>
                  Show the first page
                </button>
              </Empty>
            ) : (
              <Table caption={noun} columns={columns} rows={rows} rowKey={rowKey} />
            )}
            <Pager page={page} pageCount={totalPages} total={totalRecords} noun={noun} />
            {totalPages > 1 && (
              <p class="muted">
                With the focus in the table, <kbd>n</kbd> shows the next page and <kbd>p</kbd> the
                previous one.
              </p>
            )}
          </div>
        )
      }}
    </Loaded>
  )
}
