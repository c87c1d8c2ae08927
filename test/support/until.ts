import { setTimeout as wait } from 'node:timers/promises'

/** A longer wait is polled less often, because polling takes CPU time from what is waited for. */
const pollMinMs = 2
const pollMaxMs = 250
const pollShare = 0.1
/** A busy machine may take long. A condition that is never true must fail in the end, with its state. */
export const giveUpMs = 600_000

/** Polls until a condition is true. The message describes the state. */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  message = () => '',
): Promise<void> {
  const start = performance.now()
  while (!(await isTrue())) {
    const elapsedMs = performance.now() - start
    if (elapsedMs > giveUpMs) throw new Error(`never true: ${isTrue} ${message()}`)
    await wait(Math.min(pollMaxMs, Math.max(pollMinMs, elapsedMs * pollShare)))
  }
}
