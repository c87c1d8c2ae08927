import type { Worker } from 'node:cluster'

export interface HeartbeatLimits {
  readonly intervalMs: number
  /** A worker that leaves this many consecutive heartbeats unanswered is considered hung. */
  readonly missedMax: number
}

const heartbeat = 'holdfast heartbeat'

/**
 * Sends heartbeats to a worker and calls `onHung` if it stops answering, because its event loop is blocked or its process is stopped.
 * Heartbeats are counted instead of time: while the supervisor or the whole machine is suspended, none are missed.
 */
export function watchHeartbeat(
  worker: Worker,
  { intervalMs, missedMax }: HeartbeatLimits,
  onHung: () => void,
): void {
  let missed = 0
  const timer = setInterval(() => {
    if (missed >= missedMax) {
      clearInterval(timer)
      onHung()
      return
    }
    missed += 1
    // Errors are ignored: the worker may be ending.
    worker.send(heartbeat, () => {})
  }, intervalMs)
  worker.on('message', (message: unknown) => {
    if (message === heartbeat) missed = 0
  })
  worker.once('disconnect', () => clearInterval(timer))
  worker.once('exit', () => clearInterval(timer))
}

/** In a worker: answers the heartbeats of the supervisor. */
export function answerHeartbeats(): void {
  process.on('message', (message) => {
    if (message === heartbeat) process.send?.(heartbeat, () => {})
  })
}
