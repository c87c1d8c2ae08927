import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'

/** A longer wait is polled less often, because polling takes CPU time from what is waited for. */
const pollMinMs = 2
const pollMaxMs = 50
const pollShare = 0.05
/** Long enough for a slow machine. */
const limitMs = 120_000

/** Polls until a condition is true. The message describes the state on failure. */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  message = () => '',
): Promise<void> {
  const start = performance.now()
  for (let elapsedMs = 0; elapsedMs < limitMs; elapsedMs = performance.now() - start) {
    if (await isTrue()) return
    await wait(Math.min(pollMaxMs, Math.max(pollMinMs, elapsedMs * pollShare)))
  }
  assert.fail(`still not true: ${isTrue} ${message()}`)
}
