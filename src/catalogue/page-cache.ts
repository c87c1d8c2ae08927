/** How many rendered pages are kept, and how many bytes they may have together. */
const pagesMax = 256
const bytesMax = 16 * 1024 * 1024

/** Pages that were rendered before, or are just being rendered, by all that their content follows from. */
export interface PageCache {
  get(key: string, render: () => Promise<Uint8Array>): Promise<Uint8Array>
}

interface Entry {
  readonly page: Promise<Uint8Array>
  bytes: number
}

/**
 * A page whose products change has another key, so that nothing has to be invalidated: pages that are not asked for
 * any more are the first to be evicted.
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
      // The last to be evicted.
      entries.delete(key)
      entries.set(key, known)
      return known.page
    },
  }
}
