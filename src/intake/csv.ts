import { isUtf8 } from 'node:buffer'
import { countLineFeeds } from './follow/position.ts'
import { type ByteSource, lineBytesMax, notUtf8Reason, openStream } from './lines.ts'
import type { Row, RowChunk, RowSource } from './rows.ts'
import type { ReadOptions } from './source.ts'
import type { LineProblem } from './writer.ts'

/** Rows are parsed in pieces of this size, so that they do not survive a minor garbage collection. */
const pieceBytes = 32 * 1024

export const unclosedQuote = 'has a quote that is not closed'

/** A table with more columns is none: most likely, its rows are not separated as expected. */
const columnsMax = 5000

const delimiters = { csv: ',', tsv: '\t' } as const
type TableFormat = keyof typeof delimiters

interface TableOptions {
  /** One ASCII character, instead of that of the format. */
  readonly delimiter?: string | undefined
  readonly rowBytesMax?: number
}

/**
 * A table with a header (RFC 4180). Blank lines are skipped. Rows with a wrong number of cells are errors; a syntax error
 * ends the source, because the start of the next row is unknown.
 */
export function createCsvSource(
  source: ByteSource,
  format: TableFormat,
  { delimiter = delimiters[format], rowBytesMax = lineBytesMax }: TableOptions = {},
): RowSource {
  return {
    isRepeatable: true,
    ...source,
    read: (options) => readRows(source, delimiter, rowBytesMax, options),
  }
}

async function* readRows(
  source: ByteSource,
  delimiter: string,
  rowBytesMax: number,
  options: ReadOptions = {},
): AsyncGenerator<RowChunk> {
  const table = openTable(delimiter, rowBytesMax, options)
  for await (const read of openStream(source, options)) {
    for (let start = 0; start < read.length; start += pieceBytes) {
      yield* table.parse(read.subarray(start, start + pieceBytes), false)
      if (table.hasEnded()) return
    }
  }
  yield* table.parse(Buffer.alloc(0), true)
}

function openTable(delimiter: string, rowBytesMax: number, options: ReadOptions) {
  const { withRaw = false, chunkLinesMax = Number.POSITIVE_INFINITY } = options
  const tooLong = `must be at most ${rowBytesMax} bytes long, or a quote is not closed`
  const findRow = openRowParser(delimiter)
  /** The bytes after the last row, and the line where they start. */
  let rest: Buffer = Buffer.alloc(0)
  let line = 1
  let columns: readonly string[] | undefined
  let hasEnded = false

  function* parse(piece: Buffer, isLast: boolean): Generator<RowChunk> {
    let bytes = 0
    let rows: Row[] = []
    let header: RowChunk['header']
    const endWith = (problems: readonly LineProblem[]): void => {
      hasEnded = true
      rows.push({ line, problems: problems.map((problem) => ({ ...problem, endsSource: true })) })
    }
    const addRow = (cells: readonly string[], row: Buffer): void => {
      const raw = row.at(-1) === lineFeed ? row.subarray(0, -1) : row
      const copied = withRaw ? { raw } : {}
      if (columns) {
        rows.push({ line, ...toRow(cells, columns, isUtf8(raw)), ...copied })
        return
      }
      const problems = isUtf8(raw) ? findHeaderProblems(cells) : [notUtf8]
      if (problems.length > 0) endWith(problems)
      else {
        columns = cells
        header = { line, columns, ...copied }
      }
    }

    rest = rest.length > 0 ? Buffer.concat([rest, piece]) : piece
    while (rest.length > 0 && !hasEnded) {
      const found = findRow(rest, isLast)
      if ((found?.end ?? rest.length) > rowBytesMax) endWith([{ path: '', reason: tooLong }])
      else if (!found) break
      else if (found.failure !== undefined) endWith([{ path: '', reason: found.failure }])
      else {
        const row = rest.subarray(0, found.end)
        if (found.cells) addRow(found.cells, row)
        line += countLineFeeds(row)
        bytes += row.length
        rest = rest.subarray(row.length)
        if (rows.length < chunkLinesMax) continue
        yield { bytes, rows, ...(header && { header }) }
        bytes = 0
        rows = []
        header = undefined
      }
    }
    if (isLast && !columns && !hasEnded) {
      line = 1
      endWith([missingHeader])
    }
    yield { bytes, rows, ...(header && { header }) }
  }
  return { parse, hasEnded: () => hasEnded }
}

interface FoundRow {
  /** Undefined for a blank line. */
  readonly cells?: readonly string[]
  readonly failure?: string
  /** The number of its bytes, with the line feed. */
  readonly end: number
}

/** Parses the row at the start of the bytes. If it is not complete, the next call continues with more bytes of it. */
function openRowParser(delimiter: string) {
  const delimiterByte = delimiter.charCodeAt(0)
  let isFirst = true
  /** The cells so far, and where the next one starts. */
  let cells: string[] = []
  let start = 0
  /** Where to search for the end of its quotes. */
  let searched = 0

  const finish = (row: FoundRow): FoundRow => {
    isFirst = false
    cells = []
    start = 0
    searched = 0
    return row
  }
  return (bytes: Buffer, isLast: boolean): FoundRow | undefined => {
    if (isFirst && start === 0 && bytes.subarray(0, 3).equals(byteOrderMark)) start = 3
    /** Found once for all cells of a line: a row may have millions. */
    let lineEnd = -1
    for (;;) {
      const fail = (failure: string) => finish({ failure, end: 0 })
      if (bytes[start] !== quote) {
        if (lineEnd < start) lineEnd = bytes.indexOf(lineFeed, start)
        if (lineEnd < 0 && !isLast) return undefined
        const hasReturn = lineEnd > start && bytes[lineEnd - 1] === carriageReturn
        const textEnd = lineEnd < 0 ? bytes.length : hasReturn ? lineEnd - 1 : lineEnd
        const end = lineEnd < 0 ? bytes.length : lineEnd + 1
        if (start === textEnd && cells.length === 0) return finish({ end })
        const length = bytes.subarray(start, textEnd).indexOf(quote)
        const text = bytes.toString('utf8', start, length < 0 ? textEnd : start + length - 1)
        for (const cell of text.split(delimiter)) cells.push(cell)
        if (length < 0) return finish({ cells, end })
        start += length
        if (bytes[start - 1] === delimiterByte) continue
        return fail('has a quote in a cell that does not start with one')
      }
      let close = bytes.indexOf(quote, Math.max(searched, start + 1))
      while (close >= 0 && bytes[close + 1] === quote) close = bytes.indexOf(quote, close + 2)
      searched = close < 0 ? bytes.length : close
      const hasReturn = close >= 0 && bytes[close + 1] === carriageReturn
      const after = close + (hasReturn ? 2 : 1)
      if (!isLast && (close < 0 || after >= bytes.length)) return undefined
      if (close < 0) return fail(unclosedQuote)
      cells.push(bytes.toString('utf8', start + 1, close).replaceAll('""', '"'))
      if (bytes[after] === lineFeed) return finish({ cells, end: after + 1 })
      if (after === bytes.length && !hasReturn) return finish({ cells, end: after })
      if (hasReturn || bytes[after] !== delimiterByte) return fail('has text after a closing quote')
      start = after + 1
    }
  }
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const quote = 0x22
const byteOrderMark = Buffer.from('\ufeff')

const notUtf8: LineProblem = { path: '', reason: notUtf8Reason }
const missingHeader: LineProblem = { path: '', reason: 'must be a header with the column names' }

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
