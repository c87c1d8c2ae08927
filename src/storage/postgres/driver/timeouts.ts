/** A call is answered or fails within this time: waiting for a connection and for locks included. */
export const timeoutDefaultMs = 5000

/** The same for a statement that may read many rows. Its waits together are as short as those of any other. */
export const longTimeoutMs = 30_000

/**
 * How long the server lets one statement that reads wait for a lock. Less than half of the whole time: statements
 * share connections, and what waited behind another one's lock is sent again while there is time.
 */
export function lockTimeoutOf(timeoutMs: number): number {
  return Math.floor(timeoutMs * 0.4)
}
