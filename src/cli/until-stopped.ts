const stopSignals = ['SIGINT', 'SIGTERM'] as const

/** Resolves when somebody asks the process to stop, for the first time. A second time ends it at once. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let isAsked = false
    for (const signal of stopSignals) {
      process.on(signal, () => {
        if (isAsked) process.exit(1)
        isAsked = true
        resolve()
      })
    }
  })
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
