import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'

const pollMs = 5
/** Long enough for a slow machine. */
const limitMs = 120_000

/** Polls until a condition is true. The message describes the state on failure. */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  message = () => '',
): Promise<void> {
  for (const end = performance.now() + limitMs; performance.now() < end; await wait(pollMs)) {
    if (await isTrue()) return
  }
  assert.fail(`still not true: ${isTrue} ${message()}`)
}
