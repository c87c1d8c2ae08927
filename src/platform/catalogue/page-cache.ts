/** The limit on the total size of cached pages. */
const bytesMax = 16 * 1024 * 1024

/** Rendered pages, and those being rendered. A key must determine the content. */
export interface PageCache<Page = Uint8Array> {
  /** Returns a promise only for a page that is being rendered. */
  get(key: string, render: () => Promise<Page>): Page | Promise<Page>
}

interface Entry<Page> {
  page: Page | Promise<Page>
  bytes: number
}

/**
 * A change to a product changes the key of its pages, so nothing has to be invalidated. The least recently used pages are
 * evicted.
 */
export function openPageCache<Page>(
  countBytes: (page: Page) => number,
  pagesMax = 256,
): PageCache<Page> {
  const entries = new Map<string, Entry<Page>>()
  let newest: Entry<Page> | undefined
  let bytes = 0

  const remove = (key: string, entry: Entry<Page>): void => {
    if (entries.get(key) !== entry) return
    entries.delete(key)
    bytes -= entry.bytes
  }
  const evict = (): void => {
    for (const [key, entry] of entries) {
      if (entries.size <= pagesMax && bytes <= bytesMax) return
      remove(key, entry)
    }
  }
  const add = (key: string, page: Promise<Page>): void => {
    const entry: Entry<Page> = { page, bytes: key.length }
    entries.set(key, entry)
    newest = entry
    bytes += entry.bytes
    page.then(
      (content) => {
        if (entries.get(key) !== entry) return
        entry.page = content
        const length = countBytes(content)
        entry.bytes += length
        bytes += length
        evict()
      },
      () => remove(key, entry),
    )
    evict()
  }

  return {
    get(key, render) {
      const known = entries.get(key)
      if (!known) {
        const page = render()
        add(key, page)
        return page
      }
      if (known !== newest) {
        // Moves it to the end: the most recently used entry.
        entries.delete(key)
        entries.set(key, known)
        newest = known
      }
      return known.page
    },
  }
}
