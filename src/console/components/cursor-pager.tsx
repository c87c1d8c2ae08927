import { setQuery } from '../router.ts'

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
      <button
        type="button"
        class="secondary"
        disabled={cursor === undefined}
        onClick={() => setQuery({ cursor: undefined })}
      >
        First page
      </button>
      <button
        type="button"
        class="secondary"
        disabled={next === undefined}
        onClick={() => setQuery({ cursor: next })}
      >
        Next page
      </button>
    </nav>
  )
}
