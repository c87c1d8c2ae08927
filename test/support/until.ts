import { setTimeout as wait } from 'node:timers/promises'

/** A longer wait is polled less often, because polling takes CPU time from what is waited for. */
const pollMinMs = 2
const pollMaxMs = 50
const pollShare = 0.05
/** A busy machine may take longer. Then the state is printed, and the wait continues. */
const reportMs = 120_000

/** Polls until a condition is true, without a limit. The message describes the state. */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  message = () => '',
): Promise<void> {
  const start = performance.now()
  for (let reports = 1; !(await isTrue()); ) {
    const elapsedMs = performance.now() - start
    if (elapsedMs > reports * reportMs) {
      process.stderr.write(`not true after ${elapsedMs / 1000} s: ${isTrue} ${message()}\n`)
      reports += 1
    }
    await wait(Math.min(pollMaxMs, Math.max(pollMinMs, elapsedMs * pollShare)))
  }
}
