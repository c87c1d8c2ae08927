import { setQuery } from '../router.ts'

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
      <button type="button" class="secondary" disabled={page <= 1} onClick={() => show(page - 1)}>
        Previous
      </button>
      <span aria-live="polite">
        Page {page.toLocaleString('en')} of {Math.max(1, pageCount).toLocaleString('en')}
        <span class="muted">
          {' '}
          · {total.toLocaleString('en')} {noun}
        </span>
      </span>
      <button
        type="button"
        class="secondary"
        disabled={page >= pageCount}
        onClick={() => show(page + 1)}
      >
        Next
      </button>
    </nav>
  )
}
