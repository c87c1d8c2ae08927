import { randomUUID } from 'node:crypto'
import { ContractError } from '../contract/index.ts'
import { clockToleranceSeconds } from './guard.ts'
import type { KeySet } from './key-set.ts'
import type { ReplayStore } from './replay-store.ts'

/** Rejects where there is no key to verify a token with, and none can be fetched. */
export async function checkKeys(keys: Pick<KeySet, 'hasKeys'>): Promise<void> {
  if (!(await keys.hasKeys())) throw new ContractError('unavailable', 'no keys could be fetched')
}

/** For how long a recorded token shows that the next one can be recorded. */
const recentMs = 1000

export interface ReplayCheck {
  /** Takes the outcome of every attempt to record a token. */
  noteAttempt(isRecorded: boolean): void
  /** Rejects where no token can be recorded now. */
  check(): Promise<void>
}

/**
 * Knows whether tokens can be recorded: from the requests themselves, or, where none came lately or the last one failed,
 * by recording an id of its own the same way. That record is purged like that of a token that has expired.
 */
export function openReplayCheck(claims: ReplayStore, clock: () => Temporal.Instant): ReplayCheck {
  let recordedAt = Number.NEGATIVE_INFINITY
  return {
    noteAttempt(isRecorded) {
      recordedAt = isRecorded ? performance.now() : Number.NEGATIVE_INFINITY
    },
    async check() {
      if (performance.now() - recordedAt < recentMs) return
      const now = Math.floor(clock().epochMilliseconds / 1000)
      await claims.recordUse(`readiness ${randomUUID()}`, now + clockToleranceSeconds)
    },
  }
}
