import { isUtf8 } from 'node:buffer'
import { type CsvError, type InfoRecord, parse } from 'csv-parse'
import { type ByteSource, lineBytesMax, openStream } from './lines.ts'
import type { Row, RowChunk, RowSource } from './rows.ts'
import type { ReadOptions } from './source.ts'
import type { LineProblem } from './writer.ts'

/** Rows are parsed in pieces of this size, so that they do not survive a minor garbage collection. */
const pieceBytes = 32 * 1024

/** A table with more columns is none: most likely, its rows are not separated as expected. */
const columnsMax = 5000

const delimiters = { csv: ',', tsv: '\t' } as const
export type TableFormat = keyof typeof delimiters

/**
 * A table with a header (RFC 4180). Blank lines are skipped. Rows with a wrong number of cells are errors; a syntax error
 * ends the source, because the start of the next row is unknown.
 */
export function createCsvSource(
  source: ByteSource,
  format: TableFormat,
  rowBytesMax = lineBytesMax,
): RowSource {
  return {
    isRepeatable: true,
    ...source,
    read: (options) => readRows(source, format, rowBytesMax, options),
  }
}

async function* readRows(
  source: ByteSource,
  format: TableFormat,
  rowBytesMax: number,
  options: ReadOptions = {},
): AsyncGenerator<RowChunk> {
  const table = openTable(format, rowBytesMax, options)
  for await (const read of openStream(source, options)) {
    for (let start = 0; start < read.length; start += pieceBytes) {
      yield* await table.parse(read.subarray(start, start + pieceBytes))
      if (table.hasEnded()) return
    }
  }
  yield* await table.end()
}

interface ParsedRecord {
  readonly cells: readonly string[]
  /** The offset in the source where the record ends. */
  readonly end: number
}

function openTable(format: TableFormat, rowBytesMax: number, options: ReadOptions) {
  const { withRaw = false, chunkLinesMax = Number.POSITIVE_INFINITY } = options
  const parser = openParser(format, rowBytesMax)
  const bytes = openBytes()
  let columns: readonly string[] | undefined
  let hasEnded = false

  const toChunks = (failure: CsvError | undefined): RowChunk[] => {
    const chunks: RowChunk[] = []
    let rows: Row[] = []
    let header: RowChunk['header']
    const endChunk = (): void => {
      chunks.push({ bytes: bytes.passed(), rows, ...(header && { header }) })
      rows = []
      header = undefined
    }
    for (const { cells, end } of parser.takeRecords()) {
      const { line, raw, isText } = bytes.take(end)
      const copied = withRaw ? { raw } : {}
      if (columns) {
        rows.push({ line, ...toRow(cells, columns, isText), ...copied })
        if (rows.length >= chunkLinesMax) endChunk()
        continue
      }
      const problems = isText ? findHeaderProblems(cells) : [notUtf8]
      if (problems.length > 0) {
        hasEnded = true
        return [{ bytes: bytes.passed(), rows: [{ line, problems: problems.map(endSource) }] }]
      }
      columns = cells
      header = { line, columns, ...copied }
    }
    // The parser does not count empty cells.
    const isTooLong =
      failure?.code === 'CSV_MAX_RECORD_SIZE' || bytes.length() > rowBytesMax + pieceBytes
    if (failure || isTooLong) {
      hasEnded = true
      const reason = isTooLong
        ? `must be at most ${rowBytesMax} bytes long, or a quote is not closed`
        : (failures.get(failure?.code ?? '') ?? 'is not valid CSV')
      rows.push({ line: bytes.nextLine(), problems: [endSource({ path: '', reason })] })
    }
    endChunk()
    return chunks
  }
  return {
    hasEnded: () => hasEnded,
    async parse(piece: Buffer): Promise<RowChunk[]> {
      bytes.add(piece)
      const failure = await parser.write(piece)
      return toChunks(failure ?? (bytes.endWithRow() ? await parser.completeRow() : undefined))
    },
    async end(): Promise<RowChunk[]> {
      const chunks = toChunks(await parser.finish())
      if (columns || hasEnded) return chunks
      const rows = [{ line: 1, problems: [endSource(missingHeader)] }]
      return chunks.map((chunk) => ({ ...chunk, rows }))
    },
  }
}

/** Parses records. An error ends parsing. */
function openParser(format: TableFormat, rowBytesMax: number) {
  let records: ParsedRecord[] = []
  /** The number of bytes that were written and are not in the source. */
  let added = 0
  const parser = parse({
    bom: true,
    delimiter: delimiters[format],
    max_record_size: rowBytesMax,
    record_delimiter: ['\r\n', '\n'],
    // A row with another number of cells than the header is an error of that row.
    relax_column_count: true,
    skip_empty_lines: true,
    on_record(cells: string[], { bytes }: InfoRecord) {
      records.push({ cells, end: bytes - added })
      return null
    },
  })
  parser.on('error', () => {})
  /** Resolves once the records of the piece are parsed. */
  const write = (piece: Buffer): Promise<CsvError | undefined> =>
    new Promise((resolve) => {
      parser.write(piece, (error) => resolve((error as CsvError | null) ?? undefined))
    })
  return {
    write,
    /** The parser reads ahead, and would keep the last row until others follow. It skips blank lines. */
    async completeRow(): Promise<CsvError | undefined> {
      const failure = await write(blankLines)
      added += blankLines.length
      return failure
    },
    finish: (): Promise<CsvError | undefined> =>
      new Promise((resolve) => {
        parser.once('error', resolve)
        parser.end(() => resolve(undefined))
      }),
    takeRecords(): readonly ParsedRecord[] {
      const taken = records
      records = []
      return taken
    },
  }
}

/** More than the parser reads ahead. */
const blankLines = Buffer.from('\n'.repeat(8))

/** The bytes after the last record, which locate the next ones: the line numbers of the parser count line breaks in quotes twice. */
function openBytes() {
  let rest: Buffer = Buffer.alloc(0)
  /** The offset of `rest` in the source, and its line. */
  let offset = 0
  let line = 1
  let counted = 0

  const skipBlankLines = (): void => {
    let start = 0
    for (;;) {
      const length = rest[start] === carriageReturn ? 2 : 1
      if (rest[start + length - 1] !== lineFeed) break
      start += length
      line += 1
    }
    offset += start
    rest = rest.subarray(start)
  }
  return {
    add(piece: Buffer): void {
      skipBlankLines()
      rest = rest.length > 0 ? Buffer.concat([rest, piece]) : piece
    },
    length: () => rest.length,
    /** Whether the last row is complete: a line feed in quotes does not end it. */
    endWithRow: () => rest.at(-1) === lineFeed && countQuotes(rest) % 2 === 0,
    /** The number of bytes of the records since the last call. */
    passed(): number {
      const passed = offset - counted
      counted = offset
      return passed
    },
    take(end: number): { line: number; raw: Buffer; isText: boolean } {
      skipBlankLines()
      const record = rest.subarray(0, end - offset)
      const start = line
      for (let at = record.indexOf(lineFeed); at >= 0; at = record.indexOf(lineFeed, at + 1)) {
        line += 1
      }
      rest = rest.subarray(end - offset)
      offset = end
      const raw = record.at(-1) === lineFeed ? record.subarray(0, -1) : record
      return { line: start, raw, isText: isUtf8(record) }
    },
    nextLine(): number {
      skipBlankLines()
      return line
    },
  }
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const quote = 0x22

function countQuotes(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(quote); at >= 0; at = bytes.indexOf(quote, at + 1)) count += 1
  return count
}

const notUtf8: LineProblem = { path: '', reason: 'must be UTF-8' }
const missingHeader: LineProblem = { path: '', reason: 'must be a header with the column names' }

function endSource(problem: LineProblem): LineProblem {
  return { ...problem, endsSource: true }
}

/** Columns have numbers instead of names: without a header, the first row has values, which may be personal data. */
function findHeaderProblems(columns: readonly string[]): LineProblem[] {
  if (columns.length > columnsMax) {
    return [{ path: '', reason: `must be a header with at most ${columnsMax} columns` }]
  }
  const numbers = new Map<string, number>()
  return columns.flatMap((column, index) => {
    const number = index + 1
    const reject = (reason: string) => [{ path: '', reason: `column ${number} ${reason}` }]
    const earlier = numbers.get(column)
    numbers.set(column, earlier ?? number)
    if (column === '') return reject('has no name')
    // The lines of the file end with it, so that all of them are one row.
    if (/\r(?!\n)/.test(column)) return reject('has a carriage return without a line feed')
    return earlier === undefined ? [] : reject(`has the name of column ${earlier}`)
  })
}

function toRow(
  cells: readonly string[],
  columns: readonly string[],
  isText: boolean,
): Pick<Row, 'values' | 'problems'> {
  if (!isText) return { problems: [notUtf8] }
  if (cells.length !== columns.length) {
    const reason = `has ${cells.length} cells, but the header has ${columns.length}`
    return { problems: [{ path: '', reason }] }
  }
  return { values: Object.fromEntries(columns.map((column, index) => [column, cells[index]])) }
}

/** The messages of the parser contain values. */
const failures = new Map<string, string>([
  ['CSV_QUOTE_NOT_CLOSED', 'has a quote that is not closed'],
  ['CSV_INVALID_CLOSING_QUOTE', 'has text after a closing quote'],
  ['INVALID_OPENING_QUOTE', 'has a quote in a cell that does not start with one'],
])
