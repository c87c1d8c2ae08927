import type { ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { TLSSocket, Server as TlsServer } from 'node:tls'
import type { Logger } from 'pino'
import type { HttpApp } from '../http/app.ts'
import type { Connection } from '../http/connections.ts'

/** How long an idle connection stays open: its client may be about to send a request. */
const idleGraceMs = 1000

/** How long a TLS handshake may take to complete. */
const handshakeMs = 3000

/** How often connections are checked during shutdown. */
const checkMs = 20

/** Makes `app.close()` complete the in-flight requests first, within the timeout at that time. */
export function shutDownGracefully(app: HttpApp, timeoutMs: () => number, log: Logger): void {
  const shutDown = openGracefulShutdown(app)
  app.addHook('preClose', async () => {
    const aborted = await shutDown(timeoutMs())
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
function openGracefulShutdown({ server, connections }: HttpApp): GracefulShutdown {
  const isHandshaking = ({ socket, inFlight }: Connection) =>
    server instanceof TlsServer && !(socket instanceof TLSSocket) && inFlight === 0

  return async (timeoutMs) => {
    const start = performance.now()
    const elapsed = () => performance.now() - start
    server.prependListener('request', (_request, response) => closeAfterResponse(response))
    for (const { lastResponse } of connections.list()) closeAfterResponse(lastResponse)
    // The close method of an HTTP server would also close idle connections immediately.
    NetServer.prototype.close.call(server)

    // A handshake may be followed by a request, but it may also never complete.
    const isPending = (connection: Connection) =>
      !isHandshaking(connection) || elapsed() < handshakeMs
    const idleSince = new Map<Connection, number>()
    while (connections.list().some(isPending) && elapsed() < timeoutMs) {
      for (const connection of connections.list()) {
        if (isHandshaking(connection)) continue
        const isBusy = connection.inFlight > 0
        const since = isBusy ? elapsed() : (idleSince.get(connection) ?? elapsed())
        idleSince.set(connection, since)
        if (elapsed() - since < idleGraceMs) continue
        connection.socket.destroySoon()
        // Not again in the next round.
        idleSince.set(connection, Infinity)
      }
      await wait(checkMs)
    }
    const left = connections.list()
    for (const { socket } of left) socket.destroy()
    return left.reduce((aborted, { inFlight }) => aborted + inFlight, 0)
  }
}

function closeAfterResponse(response: ServerResponse | undefined): void {
  if (response && !response.headersSent) response.setHeader('connection', 'close')
}
