import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { Server as TlsServer } from 'node:tls'
import type { Logger } from 'pino'
import type { HttpApp } from '../http/app.ts'
import { openInFlight } from '../http/in-flight.ts'

/** How long an idle connection stays open: its client may be about to send a request. */
const idleGraceMs = 1000

/** How long a TLS handshake may take to complete. */
const handshakeMs = 3000

/** How often connections are checked during shutdown. */
const checkMs = 20

/** Makes `app.close()` complete the in-flight requests first, within the timeout. */
export function shutDownGracefully(app: HttpApp, timeoutMs: number, log: Logger): void {
  const shutDown = openGracefulShutdown(app.server)
  app.addHook('preClose', async () => {
    const aborted = await shutDown(timeoutMs)
    if (aborted > 0) log.warn({ requests: aborted }, 'in-flight requests aborted at shutdown')
  })
}

/** Stops a server. Resolves to the number of requests that were aborted because the timeout was over. */
type GracefulShutdown = (timeoutMs: number) => Promise<number>

/**
 * Stops a server without dropping a request. It accepts no more connections, completes in-flight requests and sends
 * `Connection: close` with their responses. Idle connections are closed only after a grace period: closing one at the moment
 * its client sends a request would lose that request.
 */
function openGracefulShutdown(server: Server): GracefulShutdown {
  const sockets = trackSockets(server, 'connection')
  const connections =
    server instanceof TlsServer ? trackSockets(server, 'secureConnection') : sockets
  const inFlight = openInFlight<ServerResponse>()
  server.on('request', (_request, response) => {
    const place = inFlight.add(response)
    response.on('close', () => inFlight.delete(place, response))
  })

  return async (timeoutMs) => {
    const start = performance.now()
    const elapsed = () => performance.now() - start
    server.prependListener('request', (_request, response) => closeAfterResponse(response))
    for (const [, response] of inFlight) closeAfterResponse(response)
    // The close method of an HTTP server would also close idle connections immediately.
    NetServer.prototype.close.call(server)

    // A handshake may be followed by a request, but it may also never complete.
    const isPending = () =>
      connections.size > 0 || inFlight.size > 0 || (sockets.size > 0 && elapsed() < handshakeMs)
    const idleSince = new Map<Socket, number>()
    while (isPending() && elapsed() < timeoutMs) {
      const busy = new Set([...inFlight].map(([, { socket }]) => socket))
      for (const socket of connections) {
        const since = busy.has(socket) ? elapsed() : (idleSince.get(socket) ?? elapsed())
        idleSince.set(socket, since)
        if (elapsed() - since < idleGraceMs) continue
        socket.destroySoon()
        // Not again in the next round.
        idleSince.set(socket, Infinity)
      }
      await wait(checkMs)
    }
    const aborted = inFlight.size
    // Of connections of another server, which passed requests to this one.
    for (const [, { socket }] of inFlight) socket?.destroy()
    // Including sockets that are still in a handshake.
    for (const socket of sockets) socket.destroy()
    return aborted
  }
}

function closeAfterResponse(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close')
}

function trackSockets(server: Server, event: 'connection' | 'secureConnection'): Set<Socket> {
  const open = new Set<Socket>()
  server.on(event, (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return open
}
