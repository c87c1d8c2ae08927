import { closeSync, fsyncSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRejectedLines } from '../../load/rejected-lines.ts'
import type { LineSource, ReadOptions } from '../../load/source.ts'
import type { SourceLocation } from '../../load/writer.ts'
import { CommandError } from '../../server/terminal.ts'
import { openPrivateFile } from '../common/private-file.ts'

export interface RejectedRows {
  readonly rows: number
  readonly tooLong: number
}

export interface Rejects {
  /** The inputs to read: those that cannot be read twice are copied to a temporary file meanwhile. */
  readonly inputs: readonly LineSource[]
  add(location: SourceLocation): void
  /** Copies the rejected rows as they came, in order. Returns the number of rows, and of those too long to copy. */
  finish(): Promise<RejectedRows>
  close(): void
}

/** Called before anything is loaded, so that a file that cannot be written does not waste a load. */
export function openRejects(name: string, inputs: readonly LineSource[]): Rejects {
  const file = openFile(name)
  const rejected = openRejectedLines()
  const spools = inputs.map((input) => (input.isRepeatable ? undefined : openSpool()))
  const write = (raw: Buffer) => writeSync(file, Buffer.concat([raw, lineFeed]))

  const copy = async (
    index: number,
    input: LineSource,
    result: { rows: number; tooLong: number },
  ) => {
    let last = 0
    let header: Buffer | undefined
    const rows = spools[index]?.read() ?? readRaw(input)
    for await (const { line, raw } of rows) {
      if (line === 0) header = raw
      if (line === last || !rejected.has({ file: index, line })) continue
      last = line
      if (!raw) {
        result.tooLong += 1
        continue
      }
      if (header) write(header)
      header = undefined
      write(raw)
      result.rows += 1
    }
  }
  return {
    inputs: inputs.map((input, index) => {
      const spool = spools[index]
      return spool ? { ...input, read: (options) => spool.copy(input, options) } : input
    }),
    add: rejected.add,
    async finish() {
      const result = { rows: 0, tooLong: 0 }
      for (const [index, input] of inputs.entries()) await copy(index, input, result)
      fsyncSync(file)
      return result
    },
    close() {
      closeSync(file)
      for (const spool of spools) spool?.close()
    },
  }
}

const lineFeed = Buffer.from('\n')

interface RawRow {
  /** 0 for the header. */
  readonly line: number
  readonly raw: Buffer | undefined
}

function openFile(name: string): number {
  try {
    return openPrivateFile(name)
  } catch {
    throw new CommandError(2, `${name} cannot be written`)
  }
}

async function* readRaw(input: LineSource): AsyncGenerator<RawRow> {
  for await (const { header, lines } of input.read({ withRaw: true })) {
    if (header) yield { line: 0, raw: header }
    for (const { line, raw } of lines) yield { line, raw }
  }
}

/** A temporary file of rows: line, length and bytes of each. */
function openSpool() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-'))
  const file = openSync(join(folder, 'rows'), 'wx+', 0o600)
  const write = (line: number, raw: Buffer): void => {
    const head = Buffer.alloc(headBytes)
    head.writeDoubleLE(line, 0)
    head.writeUInt32LE(raw.length, 8)
    writeSync(file, Buffer.concat([head, raw]))
  }
  const readAt = (length: number, position: number): Buffer => {
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, readSync(file, bytes, 0, length, position))
  }
  return {
    async *copy(input: LineSource, options: ReadOptions = {}) {
      let last = 0
      for await (const chunk of input.read({ ...options, withRaw: true })) {
        if (chunk.header) write(0, chunk.header)
        for (const { line, raw } of chunk.lines) {
          if (raw && line !== last) write(line, raw)
          last = line
        }
        yield chunk
      }
    },
    async *read(): AsyncGenerator<RawRow> {
      for (let position = 0; ; ) {
        const head = readAt(headBytes, position)
        if (head.length === 0) return
        const length = head.readUInt32LE(8)
        yield { line: head.readDoubleLE(0), raw: readAt(length, position + headBytes) }
        position += headBytes + length
      }
    },
    close() {
      closeSync(file)
      rmSync(folder, { recursive: true })
    },
  }
}

const headBytes = 12
