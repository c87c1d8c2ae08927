import type { Connection } from './connections.ts'

/** Data that was queued on a connection at some time. */
export interface PendingWrite {
  /** The value of `bytesWritten` that is reached when all of it has been sent. */
  readonly bytes: number
  readonly since: number
}

/**
 * Closes connections whose clients read their responses too slowly, since unsent data stays in memory. Must be called at
 * regular intervals; requests bear no cost in between.
 */
export function closeSlowClients(connections: readonly Connection[], writeTimeoutMs: number): void {
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
