import type { Duplex } from 'node:stream'
import pg from 'pg'
import { Parser } from 'pg-protocol/dist/parser.js'
import { createMessageReader, ProtocolError } from './message-reader.ts'

/** From this many bytes on, a value is returned as bytes: it is a page that is passed on without being read. */
const bytesMin = 32 * 1024

/** The type code of a DataRow message. */
const dataRow = 0x44

/** The length of a null value. */
const nullLength = -1

interface Message {
  readonly name: string
}

/** The part of the driver's parser that is used and replaced here. */
export interface MessageParser {
  parse(bytes: Buffer, onMessage: (message: Message) => void): void
  handlePacket(start: number, code: number, length: number, bytes: Buffer): Message
}

/** Members of the driver's connection that its types lack. */
interface Connection {
  attachListeners(stream: Duplex): void
  emit(name: string, message: Message): boolean
}

/**
 * A client that returns long values as bytes. The driver decodes each value to a string, and the string of a page would
 * be encoded again: for a thousand records, that costs more than the rest of the request.
 */
export class BufferClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    const { connection } = this as unknown as { readonly connection: Connection }
    connection.attachListeners = (stream) => {
      const parser = new Parser() as unknown as MessageParser
      const original = parser.handlePacket.bind(parser)
      parser.handlePacket = (start, code, length, bytes) =>
        code === dataRow ? readRow(bytes, start) : original(start, code, length, bytes)
      const onMessage = (message: Message): void => {
        // An `error` event would be an error of the connection itself.
        connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message)
      }
      const read = createMessageReader((bytes) => parser.parse(bytes, onMessage))
      stream.on('data', (bytes: Buffer) => {
        try {
          read(bytes)
        } catch (error) {
          if (!(error instanceof ProtocolError)) throw error
          stream.destroy(error)
        }
      })
    }
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
