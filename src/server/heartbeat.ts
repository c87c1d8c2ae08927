import type { Worker } from 'node:cluster'

export interface HeartbeatLimits {
  readonly everyMs: number
  /** A worker that leaves so many in a row unanswered is stuck. */
  readonly missedMax: number
}

const heartbeat = 'holdfast heartbeat'

/**
 * Asks a worker again and again for a sign of life, and calls `onStuck` where it gives none: its event loop is blocked, or the process is
 * stopped. Heartbeats are counted, not time: while the supervisor itself is stopped, or the whole machine, none are missed.
 */
export function watchHeartbeat(
  worker: Worker,
  { everyMs, missedMax }: HeartbeatLimits,
  onStuck: () => void,
): void {
  let missed = 0
  const timer = setInterval(() => {
    if (missed >= missedMax) {
      clearInterval(timer)
      onStuck()
      return
    }
    missed += 1
    // A worker that is just ending cannot be asked any more.
    worker.send(heartbeat, () => {})
  }, everyMs)
  worker.on('message', (message: unknown) => {
    if (message === heartbeat) missed = 0
  })
  worker.once('disconnect', () => clearInterval(timer))
  worker.once('exit', () => clearInterval(timer))
}

/** The worker's side. */
export function answerHeartbeats(): void {
  process.on('message', (message) => {
    if (message === heartbeat) process.send?.(heartbeat, () => {})
  })
}
