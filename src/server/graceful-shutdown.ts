import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { Server as TlsServer } from 'node:tls'
import { openInFlight } from '../http/in-flight.ts'

/** How long a connection without a request is still left alone: its caller may be about to send one. */
const idleGraceMs = 1000

/** How long whoever is in the middle of a handshake is waited for. */
const handshakeMs = 3000

/** How often it is looked whether all is done. */
const checkMs = 20

/** Stops a server, and says how many requests were cut off because their time was over. */
export type GracefulShutdown = (timeoutMs: number) => Promise<number>

/**
 * Lets a server end without dropping a request. It takes no more connections, finishes what is under way, and
 * whoever is answered meanwhile is told that the connection ends. Only then are the connections closed
 * that nobody asks on: one that is closed at the moment its caller sends loses that request.
 */
export function openGracefulShutdown(server: Server): GracefulShutdown {
  const sockets = openSockets(server, 'connection')
  const connections =
    server instanceof TlsServer ? openSockets(server, 'secureConnection') : sockets
  const inFlight = openInFlight<ServerResponse>()
  server.on('request', (_request, response) => {
    const place = inFlight.add(response)
    response.on('close', () => inFlight.delete(place, response))
  })

  return async (timeoutMs) => {
    const start = performance.now()
    const passed = () => performance.now() - start
    server.prependListener('request', (_request, response) => endsConnection(response))
    for (const [, response] of inFlight) endsConnection(response)
    // That of HTTP would close idle connections as well, at once.
    NetServer.prototype.close.call(server)

    // A handshake may end in a connection whose caller then asks, but it may also never end.
    const isAwaited = () => connections.size > 0 || (sockets.size > 0 && passed() < handshakeMs)
    const quietSince = new Map<Socket, number>()
    while (isAwaited() && passed() < timeoutMs) {
      const busy = new Set([...inFlight].map(([, { socket }]) => socket))
      for (const socket of connections) {
        const since = busy.has(socket) ? passed() : (quietSince.get(socket) ?? passed())
        quietSince.set(socket, since)
        if (passed() - since < idleGraceMs) continue
        socket.destroySoon()
        // Once is enough.
        quietSince.set(socket, Infinity)
      }
      await wait(checkMs)
    }
    const cut = inFlight.size
    // Also those that have not come to a request.
    for (const socket of sockets) socket.destroy()
    return cut
  }
}

function endsConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}

function openSockets(server: Server, event: 'connection' | 'secureConnection'): Set<Socket> {
  const open = new Set<Socket>()
  server.on(event, (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return open
}
