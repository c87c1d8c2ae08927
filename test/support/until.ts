import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'

const pollMs = 5
/** For a program that is broken, not for a machine that is slow. */
const limitMs = 120_000

/** Waits until a condition is true. A message says what was seen instead. */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  message = () => '',
): Promise<void> {
  for (const end = performance.now() + limitMs; performance.now() < end; await wait(pollMs)) {
    if (await isTrue()) return
  }
  assert.fail(`still not true: ${isTrue} ${message()}`)
}
