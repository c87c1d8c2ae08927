import type { Socket } from 'node:net'

/** Data that was queued on a connection at some time. */
interface PendingWrite {
  /** The value of `bytesWritten` that is reached when all of it has been sent. */
  readonly bytes: number
  readonly since: number
}

export interface WatchedConnection {
  readonly socket: Socket
  /** What the last check found. */
  pendingWrite: PendingWrite | undefined
}

/**
 * Closes connections whose clients read their responses too slowly, since unsent data stays in memory. Must be called at
 * regular intervals; requests bear no cost in between.
 */
export function closeSlowClients(
  connections: readonly WatchedConnection[],
  writeTimeoutMs: number,
): void {
  const now = performance.now()
  for (const connection of connections) {
    const { socket, pendingWrite } = connection
    const { writableLength, bytesWritten } = socket
    if (writableLength === 0) connection.pendingWrite = undefined
    else if (!pendingWrite || bytesWritten - writableLength >= pendingWrite.bytes) {
      connection.pendingWrite = { bytes: bytesWritten, since: now }
    } else if (now - pendingWrite.since > writeTimeoutMs) socket.destroy()
  }
}
