import type { Chunk, LineSource, ReadOptions, TextLine } from './source.ts'
import type { LineProblem } from './writer.ts'

/** An input of rows, which a converter makes lines from. */
export interface RowSource extends Omit<LineSource, 'read'> {
  read(options?: ReadOptions): AsyncIterable<RowChunk>
}

export interface RowChunk {
  readonly bytes: number
  readonly rows: readonly Row[]
  /** In the first chunk of a table. */
  readonly header?: Header
}

export interface Header {
  readonly line: number
  readonly columns: readonly string[]
  readonly raw?: Buffer
}

export interface Row {
  readonly line: number
  /** By column, or the object of an NDJSON line. Undefined if the row cannot be read. */
  readonly values?: RowValues
  readonly problems?: readonly LineProblem[]
  readonly raw?: Buffer
}

export type RowValues = Readonly<Record<string, unknown>>

export interface RowConverter {
  /** Finds columns that are unknown or missing. */
  readonly checkColumns?: (columns: readonly string[]) => LineProblem[]
  convert(values: RowValues, line: number, file: string): Converted | Promise<Converted>
}

/** The lines of a row, or why there are none. */
export type Converted =
  | { readonly texts: readonly string[] }
  | { readonly problems: readonly LineProblem[] }

/** A source of the lines that a converter makes from rows. It ends at a header with problems: each row would repeat them. */
export function createConvertedSource(rows: RowSource, converter: RowConverter): LineSource {
  let count = 0
  const counting: RowConverter = {
    ...converter,
    convert(...row) {
      count += 1
      return converter.convert(...row)
    },
  }
  return {
    ...rows,
    countRows: () => count,
    read: (options) => convertRows(rows, counting, options),
  }
}

async function* convertRows(
  source: RowSource,
  converter: RowConverter,
  options: ReadOptions | undefined,
): AsyncGenerator<Chunk> {
  for await (const { bytes, rows, header } of source.read(options)) {
    const columnProblems = header ? (converter.checkColumns?.(header.columns) ?? []) : []
    if (header && columnProblems.length > 0) {
      const ending = columnProblems.map((problem) => ({ ...problem, endsSource: true as const }))
      yield { bytes, lines: [{ line: header.line, problems: ending }] }
      return
    }
    const lines: TextLine[] = []
    for (const row of rows) {
      const { line, values, problems = [] } = row
      const converted =
        values === undefined
          ? { problems }
          : converter.convert(values, line, source.file ?? source.name)
      addLines(lines, row, converted instanceof Promise ? await converted : converted)
    }
    yield { bytes, lines, ...(header?.raw && { header: header.raw }) }
  }
}

function addLines(lines: TextLine[], { line, raw }: Row, converted: Converted): void {
  const copied = raw && { raw }
  if ('problems' in converted) {
    lines.push({ line, problems: converted.problems, ...copied })
    return
  }
  const { texts } = converted
  for (const [part, text] of texts.entries()) {
    lines.push({ line, ...(texts.length > 1 && { part }), text, ...copied })
  }
}
