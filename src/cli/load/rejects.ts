import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { openLineSet } from '../../intake/line-set.ts'
import type { LineSource, ReadOptions } from '../../intake/source.ts'
import { CommandError } from '../../server/terminal.ts'
import { systemReason } from '../../storage/system-reason.ts'
import { openPrivateFile } from '../common/private-file.ts'
import { requireNoInput } from './inputs.ts'

export interface RejectedRows {
  readonly rows: number
  readonly tooLong: number
}

/**
 * Called before anything is loaded, so that a file that cannot be written does not waste a load. In a folder, each input gets
 * a file with its name: tables have different headers, and a mapping function may depend on the name.
 */
export function openRejects(name: string, inputs: readonly LineSource[], isFolder: boolean) {
  const targets = (isFolder ? listPaths(name, inputs) : [name]).map((path) =>
    openTarget(path, inputs),
  )
  const rejected = openLineSet()
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
    /** The inputs to read: those that cannot be read twice are copied to a temporary file meanwhile. */
    inputs: inputs.map((input, index): LineSource => {
      const spool = spools[index]
      return spool ? { ...input, read: (options) => spool.copy(input, options) } : input
    }),
    add: rejected.add,
    /** Copies the rejected rows as they came, in order. Returns the number of rows, and of those too long to copy. */
    async finish(): Promise<RejectedRows> {
      const total = { rows: 0, tooLong: 0 }
      for (const [index, input] of inputs.entries()) {
        const target = targets[isFolder ? index : 0] as Target
        const { rows, tooLong } = await copy(index, input, target)
        total.rows += rows
        total.tooLong += tooLong
      }
      for (const { file, path } of targets) writeOrFail(path, () => synchronize(file))
      return total
    },
    close(): void {
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
  requireNoInput(
    '--rejects',
    path,
    inputs.map(({ name }) => name),
  )
  try {
    const file = openPrivateFile(path)
    const write = (raw: Buffer) => writeFileSync(file, Buffer.concat([raw, lineFeed]))
    return { path, file, write: (raw) => writeOrFail(path, () => write(raw)) }
  } catch {
    throw new CommandError(2, `${path} cannot be written`)
  }
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

/** Makes what was written durable. A device such as /dev/null has nothing to store. */
export function synchronize(file: number): void {
  if (fstatSync(file).isFile()) fsyncSync(file)
}

/** Runs a function that writes all of its data: a full disk may end a single write early, without an error. */
export function writeOrFail(name: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    const reason = systemReason((error as NodeJS.ErrnoException).code)
    throw new CommandError(1, `${name} cannot be written: ${reason}`, { cause: error })
  }
}

/**
 * A temporary file of rows: line, length and bytes of each. A row that is too long has no bytes. The file has no name, so
 * that nothing remains of it, however the process ends.
 */
function openSpool() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-'))
  const file = openSync(join(folder, 'rows'), 'wx+', 0o600)
  rmSync(folder, { recursive: true })
  const write = (line: number, raw: Buffer): void => {
    const head = Buffer.alloc(headBytes)
    head.writeDoubleLE(line, 0)
    head.writeUInt32LE(raw.length, 8)
    writeOrFail(`the temporary file in ${tmpdir()}`, () =>
      writeFileSync(file, Buffer.concat([head, raw])),
    )
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
          if (line !== last) write(line, raw ?? Buffer.alloc(0))
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
        const raw = length > 0 ? readAt(length, position + headBytes) : undefined
        yield { line: head.readDoubleLE(0), raw }
        position += headBytes + length
      }
    },
    close: () => closeSync(file),
  }
}

const headBytes = 12
