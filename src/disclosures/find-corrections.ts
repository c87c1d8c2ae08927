import type { Correction, CorrectionQuery, CorrectionStore } from './correction.ts'

/** How many corrections are compared with the records of their customers at once. */
const pageSize = 100

/** The corrections that a query selects, page by page in order of time. */
export async function* findCorrections(
  store: Pick<CorrectionStore, 'list'>,
  query: Omit<CorrectionQuery, 'limit'>,
): AsyncGenerator<readonly Correction[]> {
  for (let { after } = query; ; ) {
    const page = await store.list({ ...query, after, limit: pageSize })
    yield page
    after = page.at(-1)
    if (page.length < pageSize) return
  }
}
