export const stopSignals = ['SIGINT', 'SIGTERM'] as const

type Exit = (status: number) => void

/** Resolves at the first signal to stop. A second one ends the process at once. */
export function untilStopped(exit: Exit): Promise<void> {
  return new Promise((resolve) => {
    let isAsked = false
    for (const signal of stopSignals) {
      process.on(signal, () => {
        if (isAsked) exit(1)
        isAsked = true
        resolve()
      })
    }
  })
}

/** How long closing databases may take when all requests are done. */
const exitAfterMs = 1000

/** Bounds a shutdown: whatever a database, a connection or a pipe still waits for, the process ends after it. */
export function exitAfter(shutdownMs: number, exit: Exit): void {
  setTimeout(() => exit(0), shutdownMs + exitAfterMs).unref()
}

/**
 * The same for a worker. Its supervisor tells it once, and ends it if that takes too long. A terminal or a service manager
 * may tell all processes at once: that is no second time, and Ctrl-C is the supervisor's to hear.
 */
export function untilToldBySupervisor(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGINT', () => {})
    process.on('SIGTERM', () => resolve())
  })
}
