import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** All that was to be sent on a connection at some time. */
interface Owed {
  readonly bytes: number
  readonly since: number
}

/**
 * Cuts connections whose callers do not take their answers in time: what waits for them would stay in memory.
 * To be called again and again; between two calls it costs a request nothing.
 */
export function watchSlowClients(server: Server): (writeTimeoutMs: number) => void {
  const owed = new Map<Socket, Owed | undefined>()
  const watch = (socket: Socket): void => {
    owed.set(socket, undefined)
    socket.once('close', () => owed.delete(socket))
  }
  server.on('connection', watch)
  server.on('secureConnection', watch)

  return (writeTimeoutMs) => {
    const now = performance.now()
    for (const [socket, debt] of owed) {
      const { writableLength, bytesWritten } = socket
      if (writableLength === 0) {
        if (debt) owed.set(socket, undefined)
      } else if (!debt || bytesWritten - writableLength >= debt.bytes) {
        owed.set(socket, { bytes: bytesWritten, since: now })
      } else if (now - debt.since > writeTimeoutMs) {
        socket.destroy()
      }
    }
  }
}
