import type { Socket } from 'node:net'
import pg from 'pg'

/** How long a request to cancel may take. */
const cancelRequestMs = 5000

/** How long the process does not exit before such a request is sent. */
const cancelSendMs = 1000

/** Closes a connection at a deadline and cancels the statement that it runs. Returns a function that clears the deadline. */
export function abandonAt(client: pg.ClientBase, deadline: number): () => void {
  const remainingMs = Math.max(0, deadline - performance.now())
  const timer = setTimeout(abandon, remainingMs, client, 'the database did not answer in time')
  return () => clearTimeout(timer)
}

export interface AbortOptions {
  readonly signal: AbortSignal | undefined
  /** Whether the statement is cancelled immediately. */
  isCancelled(): boolean
  /** After how many milliseconds the connection is closed. */
  closeMs(): number
}

/** Ends the statement of a connection when a signal aborts. Returns a function that leaves the connection as it is. */
export function abandonOnAbort(
  client: pg.ClientBase,
  { signal, isCancelled, closeMs }: AbortOptions,
): () => void {
  const reason = 'the transaction was aborted'
  let timer: NodeJS.Timeout | undefined
  const onAbort = (): void => {
    if (isCancelled()) cancelStatement(client)
    timer = setTimeout(abandon, closeMs(), client, reason)
  }
  signal?.addEventListener('abort', onAbort)
  // It may have aborted while the connection was opened.
  if (signal?.aborted) onAbort()
  return () => {
    signal?.removeEventListener('abort', onAbort)
    clearTimeout(timer)
  }
}

/** Closes a connection and cancels the statement that it runs. The driver reports this like any broken connection. */
export function abandon(client: pg.ClientBase, reason: string): void {
  cancelStatement(client)
  streamOf(client).destroy(new Error(reason))
}

export function streamOf(client: pg.ClientBase): Socket {
  return (client as pg.Client).connection.stream as Socket
}

/** Members of the driver that its types lack. */
interface CancelKey {
  /** Null before the connection is established. */
  readonly processID: number | null
  readonly secretKey: number | null
}
interface CancelConnection extends pg.Connection {
  readonly stream: Socket
  connect(portOrSocket: number | string, host?: string): void
  requestSsl(): void
  cancel(processId: number, secretKey: number): void
}

/**
 * Asks the server to cancel the statement of a connection. A backend that waits for a lock or a synchronous standby does
 * not notice that its connection is closed, and would keep running.
 */
function cancelStatement(client: pg.ClientBase): void {
  const { host, port, ssl, processID, secretKey } = client as pg.Client & CancelKey
  if (processID === null || secretKey === null) return
  const connection = new pg.Connection({ ssl } as pg.ConnectionConfig) as CancelConnection
  const end = () => connection.stream.destroy()
  const timers = [
    setTimeout(end, cancelRequestMs).unref(),
    setTimeout(() => connection.stream.unref(), cancelSendMs).unref(),
  ]
  connection.once('end', () => {
    for (const timer of timers) clearTimeout(timer)
  })
  // If the server is unreachable, the timeouts of the session end the backend.
  connection.on('error', end)
  if (ssl) connection.once('connect', () => connection.requestSsl())
  connection.once(ssl ? 'sslconnect' : 'connect', () => {
    connection.cancel(processID, secretKey)
    // The server closes the connection. If it does not respond, the process need not wait for it.
    connection.stream.unref()
  })
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
  else connection.connect(port, host)
}
