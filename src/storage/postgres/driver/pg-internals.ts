import { readFileSync } from 'node:fs'
import { createRequire, findPackageJSON } from 'node:module'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import pg from 'pg'
import { DatabaseError } from '../../database.ts'

/** The only file that uses undocumented members of the driver. */

/** The versions whose members are known. `package.json` names the same. */
export const knownVersions = { pg: '8.23.1', 'pg-protocol': '1.16.1' }

/** The parser is that of the driver: another copy of it would have an error class of its own. */
const driverPackage = findPackageJSON('pg', import.meta.url) ?? ''
const { Parser } = createRequire(driverPackage)('pg-protocol/dist/parser.js') as {
  readonly Parser: new () => MessageParser
}

const installedVersions = {
  pg: readVersion(driverPackage),
  'pg-protocol': readVersion(findPackageJSON('pg-protocol', driverPackage) ?? ''),
}

function readVersion(file: string): string {
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version
}

/** Rejects a driver whose members are unknown, before a statement is sent. */
export function requireKnownDriver(installed = installedVersions): void {
  for (const name of ['pg', 'pg-protocol'] as const) {
    if (installed[name] === knownVersions[name]) continue
    throw new DatabaseError(
      `the installed PostgreSQL driver cannot be used: ${name} is ${installed[name]} instead of ${knownVersions[name]}. Install the exact versions of pg and pg-protocol that the package.json of Holdfast names`,
    )
  }
}

interface Message {
  readonly name: string
}

interface MessageParser {
  parse(bytes: Buffer, onMessage: (message: Message) => void): void
  handlePacket(start: number, code: number, length: number, bytes: Buffer): Message
}

/** From this many bytes on, a value is returned as bytes: it is a page that is passed on without being read. */
const bytesMin = 32 * 1024

/** The type code of a DataRow message. */
const dataRow = 0x44

const nullLength = -1

/**
 * A client that returns long values as bytes. The driver decodes each value to a string, and the string of a page would
 * be encoded again: for a thousand records, that costs more than the rest of the request.
 */
export class BufferClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    const connection = this.connection as unknown as {
      attachListeners(stream: Duplex): void
      emit(name: string, message: Message): boolean
    }
    connection.attachListeners = (stream) => {
      const parser = new Parser()
      const handlePacket = parser.handlePacket.bind(parser)
      parser.handlePacket = (start, code, length, bytes) =>
        code === dataRow ? readRow(bytes, start) : handlePacket(start, code, length, bytes)
      const onMessage = (message: Message): void => {
        // An `error` event would be an error of the connection itself.
        connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message)
      }
      const read = createMessageReader((bytes) => parser.parse(bytes, onMessage))
      stream.on('data', (bytes: Buffer) => {
        if (!read(bytes)) stream.destroy(new Error('the server does not use the protocol'))
      })
    }
  }
}

/** Of a message: its type code, and its length, which includes itself. */
const headBytes = 5

/** The largest message of PostgreSQL, and more: a longer one is not from a PostgreSQL server. */
const messageBytesMax = 2 ** 30

/**
 * Splits what a connection receives into whole messages. A message that arrives in parts is collected in a buffer of its
 * own length: the parser would double its buffer for every few parts, and reuse it, so that values must be copied.
 * Returns false if the length of a message is invalid.
 */
export function createMessageReader(
  onMessages: (bytes: Buffer) => void,
): (received: Buffer) => boolean {
  let head: Buffer | undefined
  let partial: Buffer | undefined
  let filled = 0

  return (received) => {
    let rest = head ? Buffer.concat([head, received]) : received
    head = undefined
    if (partial) {
      const copied = rest.copy(partial, filled)
      filled += copied
      if (filled < partial.length) return true
      const whole = partial
      partial = undefined
      onMessages(whole)
      rest = rest.subarray(copied)
    }
    let end = 0
    while (rest.length - end >= headBytes) {
      const length = 1 + rest.readUInt32BE(end + 1)
      if (length < headBytes || length > messageBytesMax) return false
      if (length > rest.length - end) {
        partial = Buffer.allocUnsafe(length)
        break
      }
      end += length
    }
    if (end > 0) onMessages(rest.subarray(0, end))
    if (partial) filled = rest.copy(partial, 0, end)
    else if (rest.length > end) head = rest.subarray(end)
    return true
  }
}

function readRow(bytes: Buffer, start: number) {
  const fields: (string | Buffer | null)[] = []
  const count = bytes.readInt16BE(start)
  let offset = start + 2
  for (let index = 0; index < count; index += 1) {
    const length = bytes.readInt32BE(offset)
    offset += 4
    if (length === nullLength) {
      fields.push(null)
      continue
    }
    const end = offset + length
    fields.push(
      length < bytesMin ? bytes.toString('utf8', offset, end) : bytes.subarray(offset, end),
    )
    offset = end
  }
  return { name: 'dataRow', fields }
}

/**
 * A `COPY` whose rows are written to the stream of its connection. In pipeline mode, the driver accepts no query of another
 * class than its own, which would answer the server that there are no rows.
 */
export class CopyQuery extends pg.Query {
  /** Undefined until the statement is sent. */
  stream: Duplex | undefined
  override submit: (connection: pg.Connection) => void

  constructor(statement: string, callback: (error: Error | undefined) => void) {
    super(statement, callback)
    this.submit = (connection) => {
      this.stream = connection.stream
      connection.query(statement)
    }
  }

  handleCopyInResponse(): void {}
}

/** All connections share one encoding buffer: the start of a message that failed would be sent before the next one. */
export function discardUnsent(connection: pg.Connection): void {
  connection.bind({}, true)
}

/** How long a request to cancel may take. */
const cancelRequestMs = 5000

/** How long the process does not exit before such a request is sent. */
const cancelSendMs = 1000

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
export function cancelStatement(client: pg.ClientBase): void {
  const { host, port, ssl, processID, secretKey } = client as pg.Client & CancelKey
  if (processID === null || secretKey === null) return
  const connection = new pg.Connection({ ssl }) as CancelConnection
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
