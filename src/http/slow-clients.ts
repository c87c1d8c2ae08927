import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Data that was queued on a connection at some time. */
interface PendingWrite {
  /** The value of `bytesWritten` that is reached when all of it has been sent. */
  readonly bytes: number
  readonly since: number
}

/**
 * Closes connections whose clients read their responses too slowly, since unsent data stays in memory. The returned
 * function must be called at regular intervals; requests bear no cost in between.
 */
export function watchSlowClients(server: Server): (writeTimeoutMs: number) => void {
  const pendingBySocket = new Map<Socket, PendingWrite | undefined>()
  const watch = (socket: Socket): void => {
    pendingBySocket.set(socket, undefined)
    socket.once('close', () => pendingBySocket.delete(socket))
  }
  server.on('connection', watch)
  server.on('secureConnection', watch)
  // A connection of another server, which passes requests to this one, is watched only while it has responses of this one.
  server.on('request', ({ socket }, response) => {
    if (pendingBySocket.has(socket)) return
    pendingBySocket.set(socket, undefined)
    response.once('close', () => pendingBySocket.delete(socket))
  })

  return (writeTimeoutMs) => {
    const now = performance.now()
    for (const [socket, pending] of pendingBySocket) {
      const { writableLength, bytesWritten } = socket
      if (writableLength === 0) {
        if (pending) pendingBySocket.set(socket, undefined)
      } else if (!pending || bytesWritten - writableLength >= pending.bytes) {
        pendingBySocket.set(socket, { bytes: bytesWritten, since: now })
      } else if (now - pending.since > writeTimeoutMs) {
        socket.destroy()
      }
    }
  }
}
