import pg from 'pg'
import { Parser } from 'pg-protocol/dist/parser.js'

/** From so many bytes on, a value of a row is given as it came: a page is passed on, and read by nobody here. */
const bytesMin = 32 * 1024

/** The code of a message that is a row. */
const dataRow = 0x44

const nothing = -1

interface Message {
  readonly name: string
}

/** What the driver reads messages with, as far as it is changed here. */
export interface MessageParser {
  parse(bytes: Buffer, take: (message: Message) => void): void
  handlePacket(start: number, code: number, length: number, bytes: Buffer): Message
}

/** What the driver has of a connection that messages come on. */
interface Connection {
  attachListeners(stream: NodeJS.ReadableStream): void
  emit(name: string, message: Message): boolean
}

/**
 * A connection that gives long values as bytes. The driver makes a text of each, and the text of a page would be
 * made bytes again: for a thousand records that costs more than all the rest.
 */
export class BufferClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    const { connection } = this as unknown as { readonly connection: Connection }
    connection.attachListeners = (stream) => {
      const parser = new Parser() as unknown as MessageParser
      const usual = parser.handlePacket.bind(parser)
      parser.handlePacket = (start, code, length, bytes) =>
        code === dataRow ? rowIn(bytes, start) : usual(start, code, length, bytes)
      stream.on('data', (bytes: Buffer) =>
        parser.parse(bytes, (message) => {
          // An event of that other name would be one of the connection itself.
          connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message)
        }),
      )
    }
  }
}

function rowIn(bytes: Buffer, start: number) {
  const fields: (string | Buffer | null)[] = []
  const count = bytes.readInt16BE(start)
  let place = start + 2
  for (let index = 0; index < count; index += 1) {
    const length = bytes.readInt32BE(place)
    place += 4
    if (length === nothing) {
      fields.push(null)
      continue
    }
    const end = place + length
    // Copied: the driver uses its memory again.
    fields.push(
      length < bytesMin
        ? bytes.toString('utf8', place, end)
        : Buffer.from(bytes.subarray(place, end)),
    )
    place = end
  }
  return { name: 'dataRow', fields }
}
