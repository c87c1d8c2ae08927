import { randomUUID } from 'node:crypto'
import { ContractError } from '../contract/index.ts'
import type { KeySet } from './key-set.ts'
import type { ReplayStore } from './replay-store.ts'
import { clockToleranceSeconds } from './verify-token.ts'

/** Rejects if there are no keys to verify tokens with, and none can be fetched. */
export async function probeKeys(keys: Pick<KeySet, 'hasKeys'>): Promise<void> {
  if (!(await keys.hasKeys())) throw new ContractError('unavailable', 'no keys could be fetched')
}

/** How long a recorded token counts as proof that the next one can be recorded. */
const recentMs = 1000

/**
 * Probes whether token uses can be recorded. A recent request is proof enough. Otherwise, or if the last attempt failed, an
 * id of its own is recorded, which is purged like that of an expired token.
 */
export function openReplayProbe(replay: ReplayStore, clock: () => Temporal.Instant) {
  let recordedAt = Number.NEGATIVE_INFINITY
  return {
    /** Must be called with the outcome of every attempt to record a token. */
    noteAttempt(isRecorded: boolean): void {
      recordedAt = isRecorded ? performance.now() : Number.NEGATIVE_INFINITY
    },
    /** Rejects if no token can be recorded now. */
    async probe(): Promise<void> {
      if (performance.now() - recordedAt < recentMs) return
      const now = Math.floor(clock().epochMilliseconds / 1000)
      await replay.recordUse(`readiness ${randomUUID()}`, now + clockToleranceSeconds)
    },
  }
}
