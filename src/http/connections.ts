import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type TLSSocket, Server as TlsServer } from 'node:tls'
import { groupAddress, isTrustedProxy, type TrustedProxies } from './caller-address.ts'
import type { HttpLimits } from './limits.ts'

type ConnectionLimits = Pick<
  HttpLimits,
  'connectionsMax' | 'addressConnectionsMax' | 'anonymousIdleMs'
>

interface Connection {
  /** The TCP socket; on a TLS server, the TLS socket once the handshake is complete. */
  socket: Socket
  readonly address: string
  /** It carried a valid token, or comes from a trusted proxy, or belongs to another server, which has its own limits. */
  isTrusted: boolean
  /** Another server passes its requests to this one. */
  readonly isForeign: boolean
  inFlight: number
  /** The response to the most recent request. */
  lastResponse: ServerResponse | undefined
  /** When the last response was sent, or the connection was opened. */
  idleSince: number
}

export interface Connections {
  /** Closes connections that never carried a valid token and have been idle for too long. */
  closeExpired(): void
  /** Returns how many connections were closed since the last call because of a connection limit. */
  takeClosedCount(): number
}

/** Replaces the address of a trusted proxy, whose connections serve many clients. */
const anyProxy = 'proxy'

const connectionBySocket = new WeakMap<Socket, Connection>()

/**
 * Limits the number of connections. When the limit is reached, a new connection replaces the first of these:
 *
 * 1. the connection that has been idle longest without ever carrying a valid token;
 * 2. a connection without a valid token whose request body is still being received, since a client must not keep a
 *    connection by sending slowly;
 * 3. the trusted connection that has been idle longest.
 *
 * Any other connection with a request in flight stays open. If there is nothing to replace, or the address has reached
 * its own limit, the new connection is closed. A trusted proxy has no limit of its own and counts as trusted.
 */
export function limitConnections(
  server: Server,
  { connectionsMax, addressConnectionsMax, anonymousIdleMs }: ConnectionLimits,
  trustedProxies?: TrustedProxies,
): Connections {
  // Least recently used first.
  const idleAnonymous = new Set<Connection>()
  const idleTrusted = new Set<Connection>()
  /** Oldest request first. May contain connections whose request is complete by now. */
  const receivingAnonymous = new Set<Connection>()
  const countByAddress = new Map<string, number>()
  const handshaking = new Map<string, Connection>()
  let count = 0
  let closed = 0

  const setIdle = (connection: Connection): void => {
    connection.idleSince = performance.now()
    ;(connection.isTrusted ? idleTrusted : idleAnonymous).add(connection)
  }
  const unsetEvictable = (connection: Connection): void => {
    idleAnonymous.delete(connection)
    idleTrusted.delete(connection)
    receivingAnonymous.delete(connection)
  }
  const oldestReceiving = (): Connection | undefined => {
    for (const connection of receivingAnonymous) {
      if (!connection.isTrusted && connection.lastResponse?.req.complete === false)
        return connection
      receivingAnonymous.delete(connection)
    }
    return undefined
  }
  const remove = (connection: Connection): void => {
    unsetEvictable(connection)
    count -= 1
    const left = (countByAddress.get(connection.address) ?? 1) - 1
    if (left > 0) countByAddress.set(connection.address, left)
    else countByAddress.delete(connection.address)
  }
  /** The socket to close when one more connection arrives; the new one itself if nothing can be replaced. */
  const pickExcess = (socket: Socket, address: string): Socket | undefined => {
    if (address !== anyProxy && (countByAddress.get(address) ?? 0) >= addressConnectionsMax)
      return socket
    if (count < connectionsMax) return undefined
    const oldest = first(idleAnonymous) ?? oldestReceiving() ?? first(idleTrusted)
    if (!oldest) return socket
    // Removed now, since its close event arrives later and another connection may come first.
    unsetEvictable(oldest)
    return oldest.socket
  }

  server.on('connection', (socket: Socket) => {
    const isProxy = isTrustedProxy(socket, trustedProxies)
    const address = isProxy ? anyProxy : groupAddress(socket.remoteAddress)
    const closing = pickExcess(socket, address)
    if (closing) closed += 1
    closing?.destroy()
    if (closing === socket) return
    const connection: Connection = {
      socket,
      address,
      isTrusted: isProxy,
      isForeign: false,
      inFlight: 0,
      lastResponse: undefined,
      idleSince: 0,
    }
    count += 1
    countByAddress.set(address, (countByAddress.get(address) ?? 0) + 1)
    connectionBySocket.set(socket, connection)
    const peer = peerKey(socket)
    if (server instanceof TlsServer) handshaking.set(peer, connection)
    setIdle(connection)
    socket.once('close', () => {
      handshaking.delete(peer)
      remove(connection)
    })
  })
  server.on('secureConnection', (secure: TLSSocket) => {
    const connection = handshaking.get(peerKey(secure))
    if (!connection) return
    handshaking.delete(peerKey(secure))
    connection.socket = secure
    connectionBySocket.set(secure, connection)
  })
  server.prependListener('request', (request, response) => {
    const connection = connectionBySocket.get(request.socket) ?? addForeign(request.socket)
    if (connection.inFlight === 0) unsetEvictable(connection)
    connection.inFlight += 1
    connection.lastResponse = response
    if (!connection.isTrusted && hasBody(request)) receivingAnonymous.add(connection)
    response.once('close', () => {
      connection.inFlight -= 1
      if (connection.lastResponse === response) connection.lastResponse = undefined
      if (connection.inFlight > 0) return
      receivingAnonymous.delete(connection)
      if (!connection.socket.destroyed && !connection.isForeign) setIdle(connection)
    })
  })

  return {
    closeExpired() {
      const latest = performance.now() - anonymousIdleMs
      for (const connection of idleAnonymous) {
        if (connection.idleSince > latest) break
        connection.socket.destroySoon()
      }
    },
    takeClosedCount() {
      const closedCount = closed
      closed = 0
      return closedCount
    },
  }
}

/** Only its requests in flight are limited. */
function addForeign(socket: Socket): Connection {
  const connection: Connection = {
    socket,
    address: '',
    isTrusted: true,
    isForeign: true,
    inFlight: 0,
    lastResponse: undefined,
    idleSince: 0,
  }
  connectionBySocket.set(socket, connection)
  return connection
}

/** Marks a connection that carried a valid token. It may stay idle longer. */
export function trustConnection(socket: Socket): void {
  const connection = connectionBySocket.get(socket)
  if (connection) connection.isTrusted = true
}

export function isTrustedConnection(socket: Socket): boolean {
  return connectionBySocket.get(socket)?.isTrusted ?? false
}

/** The response to the last request on a connection, until it has been sent. */
export function getLastResponse(socket: Socket): ServerResponse | undefined {
  return connectionBySocket.get(socket)?.lastResponse
}

/** The number of requests in flight on a connection, including the one that just arrived. */
export function countInFlight(socket: Socket): number {
  return connectionBySocket.get(socket)?.inFlight ?? 0
}

function first<Item>(items: Set<Item>): Item | undefined {
  return items.values().next().value
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

function peerKey({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
