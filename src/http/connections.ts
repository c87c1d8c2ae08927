import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type TLSSocket, Server as TlsServer } from 'node:tls'
import { groupAddress, isTrustedProxy, type TrustedProxies } from './caller-address.ts'
import type { HttpLimits } from './limits.ts'

const connectionKey = Symbol('connection')

/** A property is read faster than an entry of a WeakMap, and every request reads it several times. */
interface WithConnection {
  [connectionKey]?: Connection
}
declare module 'node:net' {
  interface Socket extends WithConnection {}
}
declare module 'node:http' {
  interface ServerResponse extends WithConnection {}
}

export interface Connection {
  /** The TCP socket; on a TLS server, the TLS socket once the handshake is complete. */
  socket: Socket
  readonly address: string
  /** It carried a valid token, or comes from a trusted proxy, or belongs to another server, which has its own limits. */
  isTrusted: boolean
  inFlight: number
  /** The response to the most recent request. */
  lastResponse: ServerResponse | undefined
  /** When the last response was sent, or the connection was opened; while requests are in flight, when the first arrived. */
  since: number
  /** Another connection replaces it. Its close event arrives later. */
  isReplaced: boolean
  /** What was queued at some time. All of it has been sent when `bytesWritten` reaches `bytes`. */
  pendingWrite: { readonly bytes: number; readonly since: number } | undefined
}

export type Connections = ReturnType<typeof limitConnections>

/** Replaces the address of a trusted proxy, whose connections serve many clients. */
const anyProxy = 'proxy'

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
  {
    connectionsMax,
    addressConnectionsMax,
    anonymousIdleMs,
  }: Pick<HttpLimits, 'connectionsMax' | 'addressConnectionsMax' | 'anonymousIdleMs'>,
  trustedProxies?: TrustedProxies,
) {
  // Not ordered by use: a connection is rarely replaced, and every request would change the order.
  const connections = new Set<Connection>()
  const foreign = new Map<Socket, Connection>()
  const countByAddress = new Map<string, number>()
  const handshaking = new Map<string, Connection>()
  let closed = 0

  const remove = (connection: Connection): void => {
    connections.delete(connection)
    const left = (countByAddress.get(connection.address) ?? 1) - 1
    if (left > 0) countByAddress.set(connection.address, left)
    else countByAddress.delete(connection.address)
  }
  /** The socket to close when one more connection arrives; the new one itself if nothing can be replaced. */
  const pickExcess = (socket: Socket, address: string): Socket | undefined => {
    if (address !== anyProxy && (countByAddress.get(address) ?? 0) >= addressConnectionsMax)
      return socket
    if (connections.size < connectionsMax) return undefined
    const replaced = pickReplaceable(connections)
    if (!replaced) return socket
    replaced.isReplaced = true
    return replaced.socket
  }

  server.on('connection', (socket: Socket) => {
    const isProxy = isTrustedProxy(socket, trustedProxies)
    const address = isProxy ? anyProxy : groupAddress(socket.remoteAddress)
    const closing = pickExcess(socket, address)
    if (closing) closed += 1
    closing?.destroy()
    if (closing === socket) return
    const connection = createConnection(socket, address, isProxy)
    socket[connectionKey] = connection
    connections.add(connection)
    countByAddress.set(address, (countByAddress.get(address) ?? 0) + 1)
    const peer = peerKey(socket)
    if (server instanceof TlsServer) handshaking.set(peer, connection)
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
    secure[connectionKey] = connection
  })
  server.prependListener('request', (request, response) => {
    const { socket } = request
    const known = socket[connectionKey]
    // The socket may be a connection of another Holdfast server in this process.
    const connection = known && connections.has(known) ? known : findForeign(socket, foreign)
    response[connectionKey] = connection
    if (connection.inFlight === 0) connection.since = performance.now()
    connection.inFlight += 1
    connection.lastResponse = response
    response.on('close', () => {
      connection.inFlight -= 1
      if (connection.lastResponse === response) connection.lastResponse = undefined
      if (connection.inFlight > 0) return
      connection.since = performance.now()
      foreign.delete(socket)
    })
  })

  return {
    /** All open connections, and those of other servers while they have requests in flight. */
    list: (): readonly Connection[] => [...connections, ...foreign.values()],
    /** Closes connections that never carried a valid token and have been idle for too long. */
    closeExpired(now: number): void {
      const latest = now - anonymousIdleMs
      for (const { isTrusted, inFlight, since, socket } of connections) {
        if (!isTrusted && inFlight === 0 && since <= latest) socket.destroySoon()
      }
    },
    /**
     * Closes connections whose clients read their responses too slowly, since unsent data stays in memory. Must be called at
     * regular intervals; requests bear no cost in between.
     */
    closeSlow(writeTimeoutMs: number, now: number): void {
      for (const connection of [...connections, ...foreign.values()]) {
        const { socket, pendingWrite } = connection
        const { writableLength, bytesWritten } = socket
        if (writableLength === 0) connection.pendingWrite = undefined
        else if (!pendingWrite || bytesWritten - writableLength >= pendingWrite.bytes) {
          connection.pendingWrite = { bytes: bytesWritten, since: now }
        } else if (now - pendingWrite.since > writeTimeoutMs) socket.destroy()
      }
    },
    /** Returns how many connections were closed since the last call because of a connection limit. */
    takeClosedCount(): number {
      const closedCount = closed
      closed = 0
      return closedCount
    },
  }
}

/** A connection of another server, which passes requests to this one. Only its requests in flight are limited. */
function findForeign(socket: Socket, foreign: Map<Socket, Connection>): Connection {
  const connection = foreign.get(socket) ?? createConnection(socket, '', true)
  foreign.set(socket, connection)
  return connection
}

function createConnection(socket: Socket, address: string, isTrusted: boolean): Connection {
  return {
    socket,
    address,
    isTrusted,
    inFlight: 0,
    lastResponse: undefined,
    since: performance.now(),
    isReplaced: false,
    pendingWrite: undefined,
  }
}

/** The connection to close in place of a new one, in the order that `limitConnections` describes. */
function pickReplaceable(connections: Iterable<Connection>): Connection | undefined {
  const oldest: (Connection | undefined)[] = []
  for (const connection of connections) {
    const rank = connection.isReplaced ? undefined : rankReplaceable(connection)
    if (rank === undefined) continue
    const other = oldest[rank]
    if (!other || connection.since < other.since) oldest[rank] = connection
  }
  return oldest.find((connection) => connection !== undefined)
}

/** Lower values are replaced first; undefined if a connection is not replaced. */
function rankReplaceable({ isTrusted, inFlight, lastResponse }: Connection): number | undefined {
  if (inFlight === 0) return isTrusted ? 2 : 0
  return !isTrusted && lastResponse?.req.complete === false ? 1 : undefined
}

/** Marks the connection of a request with a valid token. It may stay idle longer. */
export function trustConnection(response: ServerResponse): void {
  const connection = response[connectionKey]
  if (connection) connection.isTrusted = true
}

export function isTrustedConnection(response: ServerResponse): boolean {
  return response[connectionKey]?.isTrusted ?? false
}

/** The response to the last request on a connection, until it has been sent. */
export function getLastResponse(socket: Socket): ServerResponse | undefined {
  return socket[connectionKey]?.lastResponse
}

/** The number of requests in flight on the connection of a request, including that one. */
export function countInFlight(response: ServerResponse): number {
  return response[connectionKey]?.inFlight ?? 0
}

function peerKey({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
