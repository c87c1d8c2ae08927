import { isUtf8 } from 'node:buffer'
import { createCsvSource, unclosedQuote } from './csv.ts'

/** How much of a file is read to recognise its format. */
export const sampleBytesMax = 256 * 1024
const sampleRowsMax = 1000

/** In the order of preference if several fit. */
const delimiters = [',', ';', '\t', '|'] as const

export type Encoding = 'UTF-8' | 'Windows-1252'

/** The first rows of a table. */
export interface TableSample {
  readonly encoding: Encoding
  readonly hasByteOrderMark: boolean
  readonly delimiter: string
  readonly columns: readonly string[]
  readonly rows: readonly Readonly<Record<string, string>>[]
  readonly failures: number
  /** The first row that cannot be read. */
  readonly failure?: { readonly line: number; readonly reason: string } | undefined
}

/** The start of a file as a table; or why it is none, as a sentence about the file. */
export async function sampleTable(
  start: Buffer,
  isWhole: boolean,
  delimiter?: string,
): Promise<TableSample | string> {
  if (/^(\xff\xfe|\xfe\xff)/.test(start.toString('latin1', 0, 2))) {
    return 'is UTF-16: convert it to UTF-8, for example with iconv'
  }
  if (start.length === 0) return 'is empty'
  if (start.includes(0)) return 'is not text: it contains NUL bytes'
  const end = isWhole ? start.length : start.lastIndexOf('\n') + 1
  const bytes = start.subarray(0, end)
  if (end === 0) return `has no complete line in its first ${start.length} bytes`
  const encoding = isUtf8(bytes) ? 'UTF-8' : 'Windows-1252'
  const text =
    encoding === 'UTF-8' ? bytes : Buffer.from(new TextDecoder('windows-1252').decode(bytes))

  const tables = await Promise.all(
    (delimiter === undefined ? delimiters : [delimiter]).map((each) =>
      readTable(text, each, isWhole),
    ),
  )
  const [best] = tables
    .filter(({ columns }) => columns.length > 1)
    .sort((a, b) => a.failures - b.failures || b.columns.length - a.columns.length)
  if (!best) {
    const separated =
      delimiter === undefined ? 'a comma, a semicolon, a tab or |' : JSON.stringify(delimiter)
    return tables[0]?.problem ?? `has no header with several columns, separated by ${separated}`
  }
  const hasByteOrderMark = start.subarray(0, 3).equals(Buffer.from('\ufeff'))
  return { encoding, hasByteOrderMark, ...best }
}

async function readTable(text: Buffer, delimiter: string, isWhole: boolean) {
  const open = async function* () {
    yield text
  }
  const rows: Readonly<Record<string, string>>[] = []
  let columns: readonly string[] = []
  let failures = 0
  let failure: TableSample['failure']
  let problem: string | undefined
  read: for await (const chunk of createCsvSource({ name: '', open }, 'csv', {
    delimiter,
  }).read()) {
    columns = chunk.header?.columns ?? columns
    for (const { line, values, problems: [first] = [] } of chunk.rows) {
      if (rows.length >= sampleRowsMax) break read
      if (values) rows.push(values as Readonly<Record<string, string>>)
      // A cell may have several lines, the last of which are not in the sample.
      else if (isWhole || first?.reason !== unclosedQuote) {
        failures += 1
        failure ??= { line, reason: first?.reason ?? 'is no row' }
      }
      if (columns.length === 0) problem = `has an invalid header: ${first?.reason}`
    }
  }
  return { delimiter, columns, rows, failures, failure, problem }
}
