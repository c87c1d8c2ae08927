import type { ArrangementQuery, ArrangementStore, StoredArrangement } from './store.ts'

const pageSize = 500

/** All arrangements of a customer, a third party or a status, in order of `updated`. */
export async function* listArrangements(
  arrangements: ArrangementStore,
  selected: Pick<ArrangementQuery, 'customerId' | 'thirdPartyId' | 'status'>,
  now: Temporal.Instant,
): AsyncGenerator<StoredArrangement> {
  for (let after: StoredArrangement | undefined; ; ) {
    const page = await arrangements.list({ ...selected, after, limit: pageSize }, now)
    yield* page
    if (page.length < pageSize) return
    after = page.at(-1)
  }
}
