import { LinkButton } from '../../components/button.tsx'
import { formatCount } from '../../labels.ts'
import { useResource } from '../../resource.ts'
import { setQuery } from '../../router.ts'
import type { AccountProps } from './account-props.ts'
import { type ListId, readList } from './read-list.ts'
import { nameWindow, type Window } from './windows.ts'

/** The window of a list by name, how many records it leaves out, and a button that shows them. */
export function WindowNote({
  account: { customerId, accountId, query },
  operation,
  filters,
  window,
  noun,
  total,
}: {
  readonly account: AccountProps
  readonly operation: ListId
  /** Those of the view, without its page. */
  readonly filters: Readonly<Record<string, string | number>>
  readonly window: Window
  /** Of the records, in the plural. */
  readonly noun: string
  /** How many records are inside. */
  readonly total: number
}) {
  const { oldest, newest, earliest } = window
  const { [newest]: _newest, ...unbounded } = filters
  const input = { ...unbounded, [oldest]: earliest, 'page-size': 1 }
  const isAll = query.get(oldest) === earliest && !query.has(newest)
  const all = useResource(
    `all ${JSON.stringify([operation, customerId, accountId, isAll || input])}`,
    async (signal) => {
      if (isAll) return total
      return (await readList(operation, { customerId, accountId }, input, signal)).totalRecords
    },
  )
  const show = (from: string | undefined) =>
    setQuery({ [oldest]: from, [newest]: undefined, page: undefined })
  const name = nameWindow(window, query)
  if (isAll) {
    return (
      <p class="muted">
        {formatCount(total)} {noun} of all times.{' '}
        <LinkButton onClick={() => show(undefined)}>Show the default window</LinkButton>
      </p>
    )
  }
  if (all.value === undefined || all.value <= total) {
    return (
      <p class="muted">
        {formatCount(total)} {noun}: {name}
        {all.value === undefined ? '.' : ', which leaves out none.'}
      </p>
    )
  }
  return (
    <p class="muted">
      {formatCount(total)} of {formatCount(all.value)} {noun}: {name}.{' '}
      <LinkButton onClick={() => show(earliest)}>Show all {formatCount(all.value)}</LinkButton>
    </p>
  )
}
