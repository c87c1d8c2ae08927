import {
  closeSync,
  createReadStream,
  fstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, extname } from 'node:path'
import { recordTypes } from '../../contract/index.ts'
import { createCsvSource } from '../../intake/csv.ts'
import { isRecordType } from '../../intake/line.ts'
import { type ByteSource, createNdjsonSource } from '../../intake/lines.ts'
import { createMappingConverter } from '../../intake/mapped-rows.ts'
import { createNdjsonRows } from '../../intake/ndjson-rows.ts'
import { createConvertedSource, type RowConverter } from '../../intake/rows.ts'
import type { LineSource } from '../../intake/source.ts'
import { createTypedConverter } from '../../intake/typed-rows.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'
import { systemReason } from '../../storage/system-reason.ts'
import type { InputFormat, LoadFlags } from './flags.ts'
import { importMap } from './map-file.ts'
import { openQueries } from './query-inputs.ts'

/** Opens the inputs. Whatever is wrong with the command is reported before anything is loaded. */
export async function openInputs(
  names: readonly string[],
  flags: LoadFlags,
  { environment }: Terminal,
): Promise<LineSource[]> {
  const { from, query } = flags
  if (query !== undefined) {
    if (names.length > 0) throw new CommandError(2, '--query and files exclude each other')
    const converter = await openConverter(flags)
    if (!converter) throw new CommandError(2, '--query needs --type or --map')
    const rows = await openQueries(from ?? environment['HOLDFAST_LOAD_FROM'], query)
    return rows.map((each) => createConvertedSource(each, converter))
  }
  if (from !== undefined) throw new CommandError(2, '--from needs --query')
  if (names.length === 0) {
    throw new CommandError(2, 'name the files to load, or - for standard input')
  }
  const converter = await openConverter(flags)
  return names.map((name) => {
    const bytes = openBytes(name)
    requireText(name, bytes)
    return selectFormat(name, flags, converter).createSource(bytes)
  })
}

/** How the bytes of an input become lines. */
interface Format {
  /** Whether the input is a table, which begins with a header. */
  readonly hasHeader: boolean
  readonly createSource: (bytes: ByteSource) => LineSource
}

/** The format of one input whose bytes come in several files. */
export async function openFormat(name: string, flags: LoadFlags): Promise<Format> {
  return selectFormat(name, flags, await openConverter(flags))
}

function selectFormat(
  name: string,
  { format = formatOf(name), type, delimiter }: LoadFlags,
  converter: RowConverter | undefined,
): Format {
  const hasHeader = format !== 'ndjson'
  if (!converter) {
    if (format === 'ndjson') {
      requireNoDelimiter(name, delimiter)
      return { hasHeader, createSource: createNdjsonSource }
    }
    const initialise = name === '-' ? '' : `, which holdfast map init ${name} writes`
    throw new CommandError(
      2,
      `${name} is a table: add --type or --map with a mapping function${initialise}`,
    )
  }
  if (format === 'ndjson' && type !== undefined) {
    const hint = '--type is for tables: add --format csv or tsv, or use --map'
    throw new CommandError(2, `${name}: ${hint}`)
  }
  if (format === 'ndjson') requireNoDelimiter(name, delimiter)
  const createRows = (bytes: ByteSource) =>
    format === 'ndjson' ? createNdjsonRows(bytes) : createCsvSource(bytes, format, { delimiter })
  return { hasHeader, createSource: (bytes) => createConvertedSource(createRows(bytes), converter) }
}

function requireNoDelimiter(name: string, delimiter: string | undefined): void {
  if (delimiter === undefined) return
  throw new CommandError(2, `${name}: --delimiter is for tables: add --format csv`)
}

async function openConverter({ type, map }: LoadFlags): Promise<RowConverter | undefined> {
  if (type !== undefined && map !== undefined) {
    throw new CommandError(2, '--type and --map exclude each other')
  }
  if (type !== undefined) {
    if (isRecordType(type)) return createTypedConverter(type)
    throw new CommandError(2, `--type must be one of ${Object.keys(recordTypes).join(', ')}`)
  }
  if (map === undefined) return undefined
  const file = await importMap(map)
  return createMappingConverter(file.map, file.findPosition)
}

function formatOf(name: string): InputFormat {
  const extension = extname(name).slice(1).toLowerCase()
  return extension === 'csv' || extension === 'tsv' ? extension : 'ndjson'
}

export function openBytes(name: string): ByteSource {
  const stats = findInput(name)
  if (!stats) throw inputNotFound(name)
  const size = stats.isFile() ? { bytes: stats.size } : {}
  if (name === '-') return { name, ...size, isRepeatable: false, open: () => process.stdin }
  return {
    name,
    ...size,
    isRepeatable: stats.isFile(),
    open: () => createReadStream(name, { highWaterMark: 1024 * 1024 }),
  }
}

/** What the first bytes of a file say that is no text in UTF-8, and how it becomes one. */
const otherEncodings = [
  ['1f8b', 'is compressed with gzip', 'gunzip --stdout'],
  ['fffe', 'is UTF-16', 'iconv --from-code UTF-16 --to-code UTF-8'],
  ['feff', 'is UTF-16', 'iconv --from-code UTF-16 --to-code UTF-8'],
] as const

function requireText(name: string, { bytes }: ByteSource): void {
  // A pipe could be read only once.
  if (name === '-' || bytes === undefined) return
  const start = readFirstBytes(name)
  const found = otherEncodings.find(([magic]) => magic === start)
  if (!found) return
  const [, what, program] = found
  throw new CommandError(1, `${name} ${what}: convert it first, for example with ${program}`)
}

/** Two bytes in hexadecimal digits; fewer if the file is shorter or cannot be read, which the load reports. */
function readFirstBytes(name: string): string {
  const buffer = Buffer.alloc(2)
  try {
    const file = openSync(name, 'r')
    try {
      return buffer.toString('hex', 0, readSync(file, buffer))
    } finally {
      closeSync(file)
    }
  } catch {
    return ''
  }
}

/** Undefined if there is no such file. Rejects a directory. */
export function findInput(name: string): Stats | undefined {
  const stats = name === '-' ? fstatSync(0) : statSync(name, { throwIfNoEntry: false })
  if (!stats?.isDirectory()) return stats
  const input = name === '-' ? 'standard input' : basename(name)
  throw new CommandError(2, `${input} is a directory, not a file`)
}

export function inputNotFound(name: string): CommandError {
  return new CommandError(2, `${name}: file not found`)
}

/** Opening a file for writing would destroy what is to be loaded from it. */
export function requireNoInput(flag: string, file: string, names: readonly string[]): void {
  const written = statSync(file, { bigint: true, throwIfNoEntry: false })
  const isWritten = (name: string): boolean => {
    const read =
      name === '-'
        ? fstatSync(0, { bigint: true })
        : statSync(name, { bigint: true, throwIfNoEntry: false })
    return read?.isFile() === true && read.ino === written?.ino && read.dev === written.dev
  }
  if (!names.some(isWritten)) return
  throw new CommandError(2, `${flag} would overwrite ${file}, which is an input`)
}

/** Undefined if the size of an input is unknown. */
export function totalSize(inputs: readonly LineSource[]): number | undefined {
  const sizes = inputs.map(({ bytes }) => bytes)
  return sizes.every((bytes) => bytes !== undefined)
    ? sizes.reduce((sum, bytes) => sum + bytes, 0)
    : undefined
}

const inputCalls: readonly unknown[] = ['open', 'read', 'scandir', 'stat']

/** A file that exists may still not be readable. */
export function toInputError(error: unknown): unknown {
  const { syscall, code, path = 'the input' } = error as NodeJS.ErrnoException
  if (!inputCalls.includes(syscall)) return error
  return new CommandError(1, `${path} cannot be read: ${systemReason(code)}`, { cause: error })
}
