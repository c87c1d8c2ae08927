import { Button } from '../../components/button.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { type Column, Pager, Table } from '../../components/table.tsx'
import { formatCount } from '../../labels.ts'
import { useResource } from '../../resource.ts'
import { readCount, setQuery } from '../../router.ts'
import type { AccountProps } from './account-props.ts'
import { type Filter, FilterForm, readFilters } from './filter-form.tsx'
import { type ListId, type Row, readList } from './read-list.ts'
import { WindowNote } from './window-note.tsx'
import { findWindow } from './windows.ts'

/** A list of an account that the provider pages. In the table, n shows the next page and p the previous one. */
export function EntryList<Id extends ListId>({
  account,
  operation,
  filters = [],
  noun,
  columns,
  rowKey = JSON.stringify,
  emptyTitle,
  emptyHint,
}: {
  readonly account: AccountProps
  readonly operation: Id
  readonly filters?: readonly Filter[]
  /** Of the records, in the plural. */
  readonly noun: string
  readonly columns: readonly Column<Row<Id>>[]
  /** The default is the whole record. */
  readonly rowKey?: (row: Row<Id>) => string
  readonly emptyTitle: string
  readonly emptyHint?: string
}) {
  const { customerId, accountId, query } = account
  const page = readCount(query, 'page') ?? 1
  const selected = readFilters(query, filters)
  const input = { ...selected, page }
  const window = findWindow(operation)
  const resource = useResource(
    JSON.stringify([customerId, accountId, input]),
    (signal) => readList(operation, { customerId, accountId }, input, signal),
    { keepValue: true },
  )
  return (
    <>
      {filters.length > 0 && <FilterForm query={query} filters={filters} />}
      <Loaded resource={resource}>
        {({ rows, totalRecords, totalPages }) => {
          const note = window && (
            <WindowNote
              account={account}
              filters={selected}
              total={totalRecords}
              {...{ operation, window, noun }}
            />
          )
          if (totalRecords === 0) {
            return (
              <>
                {note}
                <Empty title={emptyTitle}>{emptyHint && <p>{emptyHint}</p>}</Empty>
              </>
            )
          }
          const turn = (event: KeyboardEvent) => {
            const target = page + (event.key === 'n' ? 1 : event.key === 'p' ? -1 : 0)
            const isModified = event.ctrlKey || event.metaKey || event.altKey
            if (isModified || target === page || target < 1 || target > totalPages) return
            event.preventDefault()
            setQuery({ page: target === 1 ? undefined : String(target) })
          }
          const pager = (
            <Pager page={page} pageCount={totalPages} total={totalRecords} noun={noun} />
          )
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the table in it has the focus
            <div onKeyDown={turn}>
              {note}
              {rows.length === 0 ? (
                <Empty title={`The list has ${formatCount(totalPages)} pages`}>
                  <Button onClick={() => setQuery({ page: undefined })}>Show the first page</Button>
                </Empty>
              ) : (
                <Table caption={noun} columns={columns} rows={rows} rowKey={rowKey}>
                  {pager}
                </Table>
              )}
              {rows.length === 0 && pager}
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
    </>
  )
}
