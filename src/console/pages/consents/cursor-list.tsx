import type { ComponentChildren } from 'preact'
import { ChipInput } from '../../components/field.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { CursorPager } from '../../components/table.tsx'
import { type Resource, useResource } from '../../resource.ts'
import { setQuery } from '../../router.ts'

interface CursorPage<Row> {
  readonly data: readonly Row[]
  readonly next?: string | undefined
}

type Selection = Readonly<Record<string, string | undefined>>

/** A page of a list. The filters and the cursor are parameters of the address and of the operation. */
export function useCursorList<Row>(
  query: URLSearchParams,
  filters: readonly string[],
  readPage: (selection: Selection, signal: AbortSignal) => Promise<CursorPage<Row>>,
) {
  const select = (names: readonly string[]): Selection =>
    Object.fromEntries(names.map((name) => [name, query.get(name) ?? undefined]))
  const list = useResource(
    query.toString(),
    (signal) => readPage(select([...filters, 'cursor']), signal),
    { keepValue: true },
  )
  return { list, selected: select(filters), isFiltered: filters.some((name) => query.has(name)) }
}

/** The rows with the pager, or what explains that there are none. */
export function CursorList<Row>({
  list,
  query,
  noun,
  empty,
  children,
}: {
  readonly list: Resource<CursorPage<Row>>
  readonly query: URLSearchParams
  /** Of the rows, in the plural. */
  readonly noun: string
  readonly empty: ComponentChildren
  readonly children: (rows: readonly Row[], pager: ComponentChildren) => ComponentChildren
}) {
  const cursor = query.get('cursor') ?? undefined
  return (
    <div aria-busy={list.isLoading}>
      <Loaded resource={list}>
        {({ data, next }) => {
          const pager = <CursorPager cursor={cursor} next={next} noun={noun} />
          // A page in the middle of a list may have no rows.
          if (data.length > 0 || next !== undefined) return children(data, pager)
          return (
            <>
              {empty}
              {pager}
            </>
          )
        }}
      </Loaded>
    </div>
  )
}

/** A filter whose value is typed. */
export function FilterInput({
  query,
  name,
  label,
  isDate = false,
}: {
  readonly query: URLSearchParams
  readonly name: string
  readonly label: string
  readonly isDate?: boolean
}) {
  return (
    <ChipInput
      {...(isDate && { type: 'date' as const })}
      label={label}
      value={query.get(name) ?? ''}
      onCommit={(value) => setQuery({ [name]: value, cursor: undefined })}
    />
  )
}

export function NoMatch({ noun }: { readonly noun: string }) {
  return (
    <Empty title={`No ${noun} matches the filters`}>
      <p>Remove a filter, or check the IDs.</p>
    </Empty>
  )
}
