import { setTimeout as wait } from 'node:timers/promises'
import { countNames, type StatusCounts } from '../contract/index.ts'
import type { CountName, StatusStore } from '../storage/status-store.ts'
import { reuseResult } from './observe/reuse-result.ts'

/** How long a status waits for the counts. They are completed without it, for a later status. */
const countWaitMsDefault = 2000

/** How long a count is reused, and at least how much longer than it took: 5 % of the time is spent on counting. */
const reuseMs = 5000
const reuseFactor = 20

interface Counted {
  readonly result: number | 'denied' | 'failed'
  readonly reusedUntil: number
}

/** Counts what the database contains in the background, one table at a time. */
export function openStatusCounts(
  store: Pick<StatusStore, 'count'>,
  clock: () => Temporal.Instant,
  waitMs = countWaitMsDefault,
): () => Promise<StatusCounts> {
  const known = new Map<CountName, Counted>()

  const update = reuseResult(async () => {
    for (const name of countNames) {
      const start = performance.now()
      if (start < (known.get(name)?.reusedUntil ?? 0)) continue
      const result = await store.count(name, clock()).then(
        (count) => count ?? 'denied',
        () => 'failed' as const,
      )
      const end = performance.now()
      known.set(name, {
        result,
        reusedUntil: end + Math.max(reuseMs, (end - start) * reuseFactor),
      })
    }
  })
  return async () => {
    await Promise.race([update(), wait(waitMs, undefined, { ref: false })])
    return describe(known)
  }
}

function describe(known: ReadonlyMap<CountName, Counted>): StatusCounts {
  const results = countNames.map((name) => [name, known.get(name)?.result ?? 'pending'] as const)
  return {
    ...Object.fromEntries(results.filter(([, result]) => typeof result === 'number')),
    unavailable: results.flatMap(([name, reason]) =>
      typeof reason === 'number' ? [] : [{ name, reason }],
    ),
  }
}
