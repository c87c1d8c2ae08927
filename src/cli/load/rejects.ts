import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
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

/**
 * Called before anything is loaded, so that a file that cannot be written does not waste a load. In a folder, each input gets
 * a file with its name: tables have different headers, and a mapping function may depend on the name.
 */
export function openRejects(
  name: string,
  inputs: readonly LineSource[],
  isFolder: boolean,
): Rejects {
  const targets = (isFolder ? listPaths(name, inputs) : [name]).map((path) =>
    openTarget(path, inputs),
  )
  const rejected = openRejectedLines()
  const spools = inputs.map((input) => (input.isRepeatable ? undefined : openSpool()))

  const copy = async (index: number, input: LineSource, { write }: Target) => {
    const result = { rows: 0, tooLong: 0 }
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
    return result
  }
  return {
    inputs: inputs.map((input, index) => {
      const spool = spools[index]
      return spool ? { ...input, read: (options) => spool.copy(input, options) } : input
    }),
    add: rejected.add,
    async finish() {
      const total = { rows: 0, tooLong: 0 }
      for (const [index, input] of inputs.entries()) {
        const target = targets[isFolder ? index : 0] as Target
        const { rows, tooLong } = await copy(index, input, target)
        total.rows += rows
        total.tooLong += tooLong
      }
      for (const { file } of targets) fsyncSync(file)
      return total
    },
    close() {
      for (const { file, path } of targets) {
        // An empty file is not a table.
        if (isFolder && fstatSync(file).size === 0) rmSync(path)
        closeSync(file)
      }
      for (const spool of spools) spool?.close()
    },
  }
}

const lineFeed = Buffer.from('\n')

interface Target {
  readonly path: string
  readonly file: number
  readonly write: (raw: Buffer) => void
}

function openTarget(path: string, inputs: readonly LineSource[]): Target {
  if (inputs.some((input) => isSameFile(path, input.name))) {
    throw new CommandError(2, `--rejects would overwrite ${path}, which is an input`)
  }
  try {
    const file = openPrivateFile(path)
    return { path, file, write: (raw) => writeSync(file, Buffer.concat([raw, lineFeed])) }
  } catch {
    throw new CommandError(2, `${path} cannot be written`)
  }
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }))
  return a !== undefined && b !== undefined && a.isFile() && a.ino === b.ino && a.dev === b.dev
}

/** Creates the folder. */
function listPaths(folder: string, inputs: readonly LineSource[]): string[] {
  const names = inputs.map(({ name, file = name }) => basename(file))
  if (names.includes('-')) {
    throw new CommandError(2, '--rejects of several inputs are named after them: use a file for -')
  }
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) {
    throw new CommandError(2, `--rejects cannot have two files with the name ${repeated}`)
  }
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch {
    throw new CommandError(2, `${folder} cannot be created as a folder`)
  }
  return names.map((name) => join(folder, name))
}

interface RawRow {
  /** 0 for the header. */
  readonly line: number
  readonly raw: Buffer | undefined
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
