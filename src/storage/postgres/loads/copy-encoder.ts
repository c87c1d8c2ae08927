import { finished } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'

/** How many bytes of rows are buffered before they are sent. */
const chunkBytes = 1024 * 1024

/** The initial size of a buffer. It grows with the rows: a load may have few of them, and up to six tables. */
const initialBytes = 16 * 1024

/** The most bytes of UTF-8 per UTF-16 code unit. */
const bytesPerUnitMax = 3

/**
 * Copies rows into tables in PostgreSQL's binary format. A chunk is sent while the next ones are encoded; a caller that
 * encodes faster than the database receives has to wait. Until `finish` or `discard` resolves, the caller sends no other
 * statement on the connection.
 */
export function openCopyEncoder(openCopy: (table: string) => Copy) {
  const buffers = new Map<string, RowBuffer>()
  let copy: Copy | undefined
  let sending: Promise<void> = Promise.resolve()
  let failure: unknown

  const send = async (table: string, buffer: RowBuffer): Promise<void> => {
    await allSent()
    if (copy?.table !== table) {
      await end()
      copy = openCopy(table)
    }
    sending = copy.write(buffer.take()).catch((error: unknown) => {
      failure = error
    })
  }
  const allSent = async (): Promise<void> => {
    await sending
    if (failure !== undefined) throw failure
  }
  const end = async (): Promise<void> => {
    const last = copy
    copy = undefined
    await last?.end()
  }

  return {
    /** The buffer for the next row of a table. */
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

    /** Sends the full buffers. */
    async advance(): Promise<void> {
      for (const [table, buffer] of buffers) if (buffer.isFull()) await send(table, buffer)
    },

    /** Sends the rest. When it resolves, every copy has ended (`Copy.end`). */
    async finish(): Promise<void> {
      for (const [table, buffer] of buffers) if (!buffer.isEmpty()) await send(table, buffer)
      await allSent()
      await end()
    },

    /** Discards unsent rows. */
    async discard(): Promise<void> {
      for (const buffer of buffers.values()) buffer.clear()
      await allSent()
      await end()
    },
  }
}

export interface Copy {
  readonly table: string
  /** When it resolves, the bytes have been sent and the buffer may change. */
  write(bytes: Buffer): Promise<void>
  /** Statements that are sent after it resolves see the rows. Whether the copy has failed may be known only from them. */
  end(): Promise<void>
}

/** The statement that receives rows in binary format, and the bytes around them: signature, no flags, no extension. */
export const copyStatement = (table: string) => `copy ${table} from stdin (format binary)`
export const copyHeader = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
export const copyTrailer = Buffer.from([0xff, 0xff])

/** Copies on a connection that sends one statement at a time. */
export function openCopyStream(client: pg.ClientBase, table: string): Copy {
  const stream = client.query(copyFrom(copyStatement(table)))
  const ended = finished(stream)
  // `write` and `end` report the failure.
  ended.catch(() => {})
  stream.write(copyHeader)
  return {
    table,
    // A stream that fails does not call back for earlier writes.
    write: (bytes) =>
      Promise.race([ended, new Promise<void>((done) => stream.write(bytes, () => done()))]),
    end() {
      stream.end(copyTrailer)
      return ended
    },
  }
}

type RowBuffer = ReturnType<typeof openRowBuffer>

/** Rows of one table. Each begins with `row`, followed by a value for every column in order. */
function openRowBuffer() {
  // Two buffers in turn: one is filled while the other is sent.
  let buffer = Buffer.allocUnsafe(initialBytes)
  let other = Buffer.allocUnsafe(initialBytes)
  let length = 0

  const ensure = (bytes: number): void => {
    if (length + bytes <= buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(2 * buffer.length, length + bytes))
    buffer.copy(larger, 0, 0, length)
    buffer = larger
  }
  const nullValue = (): void => {
    ensure(4)
    length = buffer.writeInt32BE(-1, length)
  }
  const lengthPrefix = (bytes: number): void => {
    ensure(4 + bytes)
    length = buffer.writeInt32BE(bytes, length)
  }
  const json = (value: string | undefined): void => {
    if (value === undefined) {
      nullValue()
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
    /** A text that is known not to contain U+0000. */
    json,
    text(value: string | undefined): void {
      json(value === undefined ? undefined : value)
    },
    smallint(value: number | undefined): void {
      if (value === undefined) nullValue()
      else {
        lengthPrefix(2)
        length = buffer.writeInt16BE(value, length)
      }
    },
    integer(value: number): void {
      lengthPrefix(4)
      length = buffer.writeInt32BE(value, length)
    },
    bigint(value: bigint | undefined): void {
      if (value === undefined) nullValue()
      else {
        lengthPrefix(8)
        length = buffer.writeBigInt64BE(value, length)
      }
    },
    /** A bigint from its two halves. */
    pair(high: number, low: number): void {
      lengthPrefix(8)
      length = buffer.writeInt32BE(high, length)
      length = buffer.writeUInt32BE(low, length)
    },
    boolean(value: boolean | undefined): void {
      if (value === undefined) nullValue()
      else {
        lengthPrefix(1)
        length = buffer.writeUInt8(Number(value), length)
      }
    },

    isEmpty: () => length === 0,
    /** Leaves room for the next rows, so that the buffer rarely grows. */
    isFull: () => length > 0.75 * chunkBytes,
    clear(): void {
      length = 0
    },
    /** The bytes of all rows, valid until the next call. */
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
