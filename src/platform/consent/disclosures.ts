import { openTokenBuckets } from '../../auth/token-bucket.ts'
import { openBackgroundWrites } from './background-writes.ts'
import type { DisclosureStore } from './store.ts'

/** Each scope of a consent is written at most once in this time by a process, unless that fails. */
const recordSeconds = 60
const scopesMax = 10_000

export type Disclosures = ReturnType<typeof openDisclosures>

/** Records when data of a scope is disclosed under a consent. No request waits for it. */
export function openDisclosures(
  store: DisclosureStore,
  clock: () => Temporal.Instant,
  onError: (error: Error) => void,
) {
  const recent = openTokenBuckets(1, recordSeconds, scopesMax)
  const write = openBackgroundWrites(onError, 'a disclosure could not be recorded')
  return {
    record(arrangementId: string, scopes: readonly string[]): void {
      for (const scope of scopes) {
        const key = `${arrangementId} ${scope}`
        if (recent.retryAfter(key) > 0) continue
        recent.take(key)
        write(
          () => store.record(arrangementId, scope, clock()),
          // The next request records it.
          () => recent.refund(key),
        )
      }
    },
  }
}
