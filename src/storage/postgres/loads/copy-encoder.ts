import { finished } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { toText } from '../driver/escape-nul.ts'

/** How many bytes of rows are gathered before they are sent. */
const chunkBytes = 1024 * 1024

/** The most bytes of UTF-8 that one unit of a JavaScript text becomes. */
const bytesPerUnitMax = 3

/** The beginning of every COPY in binary: a signature, no flags, no extension. */
const header = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const trailer = Buffer.from([0xff, 0xff])

/**
 * Rows on their way into tables, in PostgreSQL's binary format. A chunk is sent while the next ones are
 * made; whoever makes them faster than the database takes them has to wait. Until `finish` or `forget`, the
 * connection can be asked nothing else.
 */
export function openCopyEncoder(client: pg.ClientBase) {
  const buffers = new Map<string, RowBuffer>()
  let copy: Copy | undefined
  let sending: Promise<void> = Promise.resolve()
  let failure: unknown

  const send = async (table: string, buffer: RowBuffer): Promise<void> => {
    await settled()
    if (copy?.table !== table) {
      await end()
      copy = openCopy(client, table)
    }
    sending = copy.write(buffer.take()).catch((error: unknown) => {
      failure = error
    })
  }
  const settled = async (): Promise<void> => {
    await sending
    if (failure !== undefined) throw failure
  }
  const end = async (): Promise<void> => {
    const last = copy
    copy = undefined
    await last?.end()
  }

  return {
    /** Where the next row of a table goes. */
    into(table: string): RowBuffer {
      let buffer = buffers.get(table)
      if (!buffer) {
        buffer = openRowBuffer()
        buffers.set(table, buffer)
      }
      return buffer
    },

    isAnyFull(): boolean {
      for (const buffer of buffers.values()) if (buffer.isFull()) return true
      return false
    },

    /** Sends what is worth it. */
    async advance(): Promise<void> {
      for (const [table, buffer] of buffers) if (buffer.isFull()) await send(table, buffer)
    },

    /** Sends the rest; when it resolves, the database has every row. */
    async finish(): Promise<void> {
      for (const [table, buffer] of buffers) if (!buffer.isEmpty()) await send(table, buffer)
      await settled()
      await end()
    },

    /** Rows that were not sent yet are none. */
    async forget(): Promise<void> {
      for (const buffer of buffers.values()) buffer.clear()
      await settled()
      await end()
    },
  }
}

interface Copy {
  readonly table: string
  /** When it resolves, the bytes are on their way and may change. */
  write(bytes: Buffer): Promise<void>
  end(): Promise<void>
}

function openCopy(client: pg.ClientBase, table: string): Copy {
  const stream = client.query(copyFrom(`copy ${table} from stdin (format binary)`))
  const ended = finished(stream)
  // Whoever writes or ends is told.
  ended.catch(() => {})
  stream.write(header)
  return {
    table,
    // What was written before the stream failed is never called back.
    write: (bytes) =>
      Promise.race([ended, new Promise<void>((done) => stream.write(bytes, () => done()))]),
    end() {
      stream.end(trailer)
      return ended
    },
  }
}

type RowBuffer = ReturnType<typeof openRowBuffer>

/** Rows of one table. Each begins with `row`, and then has a value for every column, in order. */
function openRowBuffer() {
  // Two, in turn: the one is filled while the other is sent.
  let buffer = Buffer.allocUnsafe(chunkBytes)
  let other = Buffer.allocUnsafe(chunkBytes)
  let length = 0

  const ensure = (bytes: number): void => {
    if (length + bytes <= buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(2 * buffer.length, length + bytes))
    buffer.copy(larger, 0, 0, length)
    buffer = larger
  }
  const none = (): void => {
    ensure(4)
    length = buffer.writeInt32BE(-1, length)
  }
  const sized = (bytes: number): void => {
    ensure(4 + bytes)
    length = buffer.writeInt32BE(bytes, length)
  }
  const json = (value: string | undefined): void => {
    if (value === undefined) {
      none()
      return
    }
    ensure(4 + value.length * bytesPerUnitMax)
    const bytes = buffer.write(value, length + 4)
    buffer.writeInt32BE(bytes, length)
    length += 4 + bytes
  }

  return {
    row(columns: number): void {
      ensure(2)
      length = buffer.writeInt16BE(columns, length)
    },
    /** A text that is known to hold no U+0000. */
    json,
    text(value: string | undefined): void {
      json(value === undefined ? undefined : toText(value))
    },
    small(value: number | undefined): void {
      if (value === undefined) none()
      else {
        sized(2)
        length = buffer.writeInt16BE(value, length)
      }
    },
    integer(value: number): void {
      sized(4)
      length = buffer.writeInt32BE(value, length)
    },
    big(value: bigint | undefined): void {
      if (value === undefined) none()
      else {
        sized(8)
        length = buffer.writeBigInt64BE(value, length)
      }
    },
    /** A big number of two halves. */
    pair(high: number, low: number): void {
      sized(8)
      length = buffer.writeInt32BE(high, length)
      length = buffer.writeUInt32BE(low, length)
    },
    truth(value: boolean | undefined): void {
      if (value === undefined) none()
      else {
        sized(1)
        length = buffer.writeUInt8(Number(value), length)
      }
    },

    isEmpty: () => length === 0,
    /** Almost: the next rows should not make it grow. */
    isFull: () => length > 0.75 * chunkBytes,
    clear(): void {
      length = 0
    },
    /** The bytes of all rows. They stay as they are until it is asked the next time. */
    take(): Buffer {
      const full = buffer
      const taken = full.subarray(0, length)
      buffer = other
      other = full.length > chunkBytes ? Buffer.allocUnsafe(chunkBytes) : full
      length = 0
      return taken
    },
  }
}
