import type { ConsentMessage } from '../../../contract/index.ts'
import type { StoredMessage } from './store.ts'

/** As the contract describes it. */
export function formatMessages(messages: readonly StoredMessage[] = []): ConsentMessage[] {
  return messages.map(({ kind, state, created, attempts, due, error, settled }) => ({
    kind,
    state,
    created: created.toString(),
    attempts,
    ...(state === 'waiting' && { nextAttempt: due.toString() }),
    ...(settled && { settled: settled.toString() }),
    ...(error !== undefined && { lastFailure: error }),
  }))
}
