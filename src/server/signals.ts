export const stopSignals = ['SIGINT', 'SIGTERM'] as const

type Exit = (status: number) => void

/** Resolves at the first signal to stop. A second one ends the process at once. */
export function untilStopSignal(exit: Exit): Promise<void> {
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
export function untilStoppedBySupervisor(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGINT', () => {})
    process.on('SIGTERM', () => resolve())
  })
}

/** How often a process that npm started checks whether its parent is still there. */
const parentCheckMs = 500

/**
 * Behaves as after SIGTERM when the shell is gone that npm or npx runs a command in. They forward the signal to that shell alone, which
 * ends without forwarding it.
 */
export function stopWithParent(): void {
  if (process.env['npm_command'] === undefined) return
  const parent = process.ppid
  const check = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(check)
    process.kill(process.pid, 'SIGTERM')
  }, parentCheckMs)
  check.unref()
}
