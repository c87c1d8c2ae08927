import type { Copy } from '../driver/copy.ts'

/** How many bytes of rows are buffered before they are sent. */
const chunkBytes = 1024 * 1024

/** The initial size of a buffer. It grows with the rows: a load may have few of them, and up to six tables. */
const initialBytes = 16 * 1024

/** The most bytes of UTF-8 per UTF-16 code unit. */
const bytesPerUnitMax = 3

const nullLength = -1

/**
 * Copies rows into tables in PostgreSQL's binary format. A chunk is sent while the next ones are encoded; a caller that
 * encodes faster than the database receives has to wait. Until `finish` or `discard` resolves, the caller sends no other
 * statement on the connection.
 */
export function openCopyEncoder(openCopy: (statement: string) => Copy) {
  const buffers = new Map<string, RowBuffer>()
  let copied: { readonly table: string; readonly copy: Copy } | undefined
  let sending: Promise<void> = Promise.resolve()
  let failure: unknown

  const send = async (table: string, buffer: RowBuffer): Promise<void> => {
    await allSent()
    let copy = copied?.table === table ? copied.copy : undefined
    const header = copy ? [] : [copyHeader]
    if (!copy) {
      await end()
      copy = openCopy(`copy ${table} from stdin (format binary)`)
      copied = { table, copy }
    }
    sending = copy.write(...header, buffer.take()).catch((error: unknown) => {
      failure = error
    })
  }
  const allSent = async (): Promise<void> => {
    await sending
    if (failure !== undefined) throw failure
  }
  const end = async (): Promise<void> => {
    const last = copied?.copy
    copied = undefined
    await last?.write(copyTrailer)
    await last?.end()
  }

  return {
    into: (table: string): RowBuffer => buffers.getOrInsertComputed(table, openRowBuffer),

    isAnyFull(): boolean {
      for (const buffer of buffers.values()) if (buffer.isFull()) return true
      return false
    },

    async advance(): Promise<void> {
      for (const [table, buffer] of buffers) if (buffer.isFull()) await send(table, buffer)
    },

    /** Sends the rest. When it resolves, every copy has ended (`Copy.end`). */
    async finish(): Promise<void> {
      for (const [table, buffer] of buffers) if (!buffer.isEmpty()) await send(table, buffer)
      await allSent()
      await end()
    },

    async discard(): Promise<void> {
      buffers.clear()
      await allSent()
      await end()
    },
  }
}

/** The bytes around rows in binary format: signature, no flags, no extension. */
const copyHeader = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const copyTrailer = Buffer.from([0xff, 0xff])

type RowBuffer = ReturnType<typeof openRowBuffer>

/** The types of columns, with the number of bytes of their values. */
const valueBytes = { text: 0, boolean: 1, smallint: 2, integer: 4, bigint: 8 }
export type ColumnType = keyof typeof valueBytes
export type CopyValue = string | number | bigint | boolean | undefined

function openRowBuffer() {
  let buffer = Buffer.allocUnsafe(initialBytes)
  let length = 0

  const ensure = (bytes: number): void => {
    if (length + bytes <= buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(2 * buffer.length, length + bytes))
    buffer.copy(larger, 0, 0, length)
    buffer = larger
  }
  const addText = (value: string): void => {
    ensure(4 + value.length * bytesPerUnitMax)
    const bytes = buffer.write(value, length + 4)
    buffer.writeInt32BE(bytes, length)
    length += 4 + bytes
  }
  const addValue = (type: ColumnType, value: CopyValue): void => {
    if (typeof value === 'string') {
      addText(value)
      return
    }
    const bytes = valueBytes[type]
    ensure(4 + bytes)
    length = buffer.writeInt32BE(value === undefined ? nullLength : bytes, length)
    if (typeof value === 'bigint') length = buffer.writeBigInt64BE(value, length)
    else if (value !== undefined) length = buffer.writeIntBE(Number(value), length, bytes)
  }

  return {
    /** Adds a row. The first column is a bigint, of which the two halves are given; values at the end may be missing. */
    add(
      [high, low]: readonly [number, number],
      types: readonly ColumnType[],
      values: readonly CopyValue[],
    ): void {
      ensure(2 + 4 + valueBytes.bigint)
      length = buffer.writeInt16BE(1 + types.length, length)
      length = buffer.writeInt32BE(valueBytes.bigint, length)
      length = buffer.writeInt32BE(high, length)
      length = buffer.writeUInt32BE(low, length)
      for (let index = 0; index < types.length; index += 1) {
        addValue(types[index] as ColumnType, values[index])
      }
    },

    isEmpty: () => length === 0,
    /** Leaves room for the next rows, so that the buffer rarely grows. */
    isFull: () => length > 0.75 * chunkBytes,
    /** The bytes of all rows, valid until the next row. */
    take(): Buffer {
      const taken = buffer.subarray(0, length)
      if (buffer.length > chunkBytes) buffer = Buffer.allocUnsafe(chunkBytes)
      length = 0
      return taken
    },
  }
}
