/** Limits on the number of cached pages and on their total size. */
const pagesMax = 256
const bytesMax = 16 * 1024 * 1024

/** Rendered pages, and those being rendered. A key must determine the content. */
export interface PageCache {
  get(key: string, render: () => Promise<Uint8Array>): Promise<Uint8Array>
}

interface Entry {
  readonly page: Promise<Uint8Array>
  bytes: number
}

/**
 * A change to a product changes the key of its pages, so nothing has to be invalidated. The least recently used pages are
 * evicted.
 */
export function openPageCache(): PageCache {
  const entries = new Map<string, Entry>()
  let bytes = 0

  const remove = (key: string, entry: Entry): void => {
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
  const add = (key: string, page: Promise<Uint8Array>): void => {
    const entry: Entry = { page, bytes: key.length }
    entries.set(key, entry)
    bytes += entry.bytes
    page.then(
      ({ length }) => {
        if (entries.get(key) !== entry) return
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
      // Moves it to the end: the most recently used entry.
      entries.delete(key)
      entries.set(key, known)
      return known.page
    },
  }
}
