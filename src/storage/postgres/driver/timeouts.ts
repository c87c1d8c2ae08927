/** The timeout of a call, including the wait for a connection and for locks. */
export const timeoutDefaultMs = 5000

/** The timeout of a statement that may read many rows. Its waits are limited like those of any other statement. */
export const longTimeoutMs = 30_000

/** When the server ends a statement that writes. Earlier than the caller's timeout, after which its outcome is unknown. */
export function writeTimeout(timeoutMs: number): number {
  return Math.floor(timeoutMs * 0.8)
}

/**
 * How long a reading statement may wait for a lock. Less than half of the timeout: statements share connections, and one
 * that waited behind the lock of another is sent again if there is enough time.
 */
export function lockTimeout(timeoutMs: number): number {
  return Math.floor(timeoutMs * 0.4)
}

/** How long a dump may take to begin on all data nodes of a Citus cluster, while it blocks loads. */
export function dataNodesTimeout(timeoutMs: number): number {
  return 6 * timeoutMs
}

/**
 * How long an aborted transaction may take to end before its connection is closed: a server may not respond, and Citus
 * cannot cancel a statement on a data node that does not.
 */
export const abortDefaultMs = 5000

/** How long an aborted load that is committing may take to end. It is not cancelled, so that its outcome can be reported. */
export function commitAbortMs(abortMs: number): number {
  return 6 * abortMs
}

/** How long a data node may take to accept a connection in a health check, which must end within a second. */
export const dataNodeTestMs = 500
