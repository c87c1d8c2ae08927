/** Resolves when somebody asks the process to stop, for the first time. A second time ends it at once. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1))
        resolve()
      })
    }
  })
}
