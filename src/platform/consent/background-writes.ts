/** How many writes may wait for the database. Beyond these, none are begun. */
const pendingMax = 100

const reportMs = 60_000

/**
 * Returns a function that begins a write which no request waits for. It never throws: a failure does not affect the request,
 * and is reported once a minute. `onFailure` is called if the write failed or was not begun.
 */
export function openBackgroundWrites(onError: (error: Error) => void, description: string) {
  let pending = 0
  let reportedAt = Number.NEGATIVE_INFINITY

  return (write: () => Promise<void>, onFailure?: () => void): void => {
    if (pending >= pendingMax) {
      onFailure?.()
      return
    }
    pending += 1
    write()
      .catch((cause: unknown) => {
        onFailure?.()
        const now = performance.now()
        if (now - reportedAt < reportMs) return
        reportedAt = now
        onError(new Error(description, { cause }))
      })
      .finally(() => {
        pending -= 1
      })
  }
}
