import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type TLSSocket, Server as TlsServer } from 'node:tls'
import { isTrustedProxy, type TrustedProxies } from './caller-address.ts'
import type { HttpLimits } from './limits.ts'

type ConnectionLimits = Pick<
  HttpLimits,
  'connectionsMax' | 'addressConnectionsMax' | 'anonymousIdleMs'
>

interface Connection {
  /** The TCP socket; of a TLS server, from the end of the handshake on, the TLS socket above it. */
  socket: Socket
  readonly address: string
  /** It carried a valid token, or comes from a trusted proxy. */
  isTrusted: boolean
  inFlight: number
  /** Of the last request that arrived. */
  lastResponse: ServerResponse | undefined
  /** When the last request was answered, or the connection was made. */
  idleSince: number
}

export interface Connections {
  /** Closes connections that never carried a valid token and have been idle for too long. */
  closeExpired(): void
  /** How many connections were closed since the last call because there was no room for all. */
  takeClosedCount(): number
}

/** In place of the address of a trusted proxy: its connections are those of many clients. */
const anyProxy = 'proxy'

const connectionBySocket = new WeakMap<Socket, Connection>()

/**
 * Bounds how many connections a server has. When it is full, a new connection takes the place of the one that has
 * been idle for longest: first of those that never carried a valid token, then of the others. Between the two come
 * connections without a valid token whose request body is still being received: a client that sends its body slowly
 * must not occupy a place. Any other connection with a request in flight is never closed; where all have one, the
 * new connection is. The same holds for the connection that goes beyond what one address may have. A trusted proxy
 * has no such limit, and is treated as if it had sent a valid token.
 */
export function limitConnections(
  server: Server,
  { connectionsMax, addressConnectionsMax, anonymousIdleMs }: ConnectionLimits,
  trustedProxies?: TrustedProxies,
): Connections {
  // In the order in which they became idle.
  const idleAnonymous = new Set<Connection>()
  const idleTrusted = new Set<Connection>()
  /** In the order in which their requests began. One whose request is complete by now may still be in it. */
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
  /** The connection that is closed where one more comes from this address: itself where no other can be. */
  const excess = (socket: Socket, address: string): Socket | undefined => {
    if (address !== anyProxy && (countByAddress.get(address) ?? 0) >= addressConnectionsMax)
      return socket
    if (count < connectionsMax) return undefined
    const oldest = firstOf(idleAnonymous) ?? oldestReceiving() ?? firstOf(idleTrusted)
    if (!oldest) return socket
    // At once: it is closed a moment later, and meanwhile another one may come.
    unsetEvictable(oldest)
    return oldest.socket
  }

  server.on('connection', (socket: Socket) => {
    const isProxy = isTrustedProxy(socket, trustedProxies)
    const address = isProxy ? anyProxy : addressGroup(socket.remoteAddress)
    const closing = excess(socket, address)
    if (closing) closed += 1
    closing?.destroy()
    if (closing === socket) return
    const connection: Connection = {
      socket,
      address,
      isTrusted: isProxy,
      inFlight: 0,
      lastResponse: undefined,
      idleSince: 0,
    }
    count += 1
    countByAddress.set(address, (countByAddress.get(address) ?? 0) + 1)
    connectionBySocket.set(socket, connection)
    const peer = peerOf(socket)
    if (server instanceof TlsServer) handshaking.set(peer, connection)
    setIdle(connection)
    socket.once('close', () => {
      handshaking.delete(peer)
      remove(connection)
    })
  })
  server.on('secureConnection', (secure: TLSSocket) => {
    const connection = handshaking.get(peerOf(secure))
    if (!connection) return
    handshaking.delete(peerOf(secure))
    connection.socket = secure
    connectionBySocket.set(secure, connection)
  })
  server.prependListener('request', (request, response) => {
    const connection = connectionBySocket.get(request.socket)
    if (!connection) return
    if (connection.inFlight === 0) unsetEvictable(connection)
    connection.inFlight += 1
    connection.lastResponse = response
    if (!connection.isTrusted && announcesBody(request)) receivingAnonymous.add(connection)
    response.once('close', () => {
      connection.inFlight -= 1
      if (connection.lastResponse === response) connection.lastResponse = undefined
      if (connection.inFlight > 0) return
      receivingAnonymous.delete(connection)
      if (!connection.socket.destroyed) setIdle(connection)
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
      const taken = closed
      closed = 0
      return taken
    },
  }
}

/** Notes that a connection carried a valid token: from now on it may be idle for longer. */
export function trustConnection(socket: Socket): void {
  const connection = connectionBySocket.get(socket)
  if (connection) connection.isTrusted = true
}

export function isTrustedConnection(socket: Socket): boolean {
  return connectionBySocket.get(socket)?.isTrusted ?? false
}

/** The response to the last request on a connection, while it is not sent. */
export function getLastResponse(socket: Socket): ServerResponse | undefined {
  return connectionBySocket.get(socket)?.lastResponse
}

/** How many requests on a connection have no complete response yet, the one that just arrived among them. */
export function countInFlight(socket: Socket): number {
  return connectionBySocket.get(socket)?.inFlight ?? 0
}

function firstOf<Item>(items: Set<Item>): Item | undefined {
  return items.values().next().value
}

function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

/** How many of the eight groups of an IPv6 address one customer of a network provider has to itself. */
const groupsOfSite = 4

/** One IPv4 address; of IPv6 the network of 64 bits, since each host chooses the rest as it likes. */
function addressGroup(address = ''): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const after = tail === '' ? [] : tail.split(':')
    while (groups.length + after.length < 8) groups.push('0')
  }
  return groups.slice(0, groupsOfSite).join(':')
}
