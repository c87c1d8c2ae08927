import type { LineProblem } from './writer.ts'

/** An input of a load: a file, standard input or a query. */
export interface LineSource {
  /** Names the source in messages. */
  readonly name: string
  /** The name of its file, if that is another one. */
  readonly file?: string
  /** Undefined if the size is unknown, as that of a pipe, whose lines may arrive slowly. */
  readonly bytes?: number
  /** Whether `read` can be called again, and reads the same lines then. */
  readonly isRepeatable: boolean
  /** How many rows were read, each of which may have become no line. Undefined if the source has lines and no rows. */
  readonly countRows?: () => number
  read(options?: ReadOptions): AsyncIterable<Chunk>
}

export interface ReadOptions {
  /** Ends reading with an `AbortError`. */
  readonly signal?: AbortSignal | undefined
  /** Whether lines have `raw`. */
  readonly withRaw?: boolean | undefined
  /** The longest line in bytes; the default is 8 MiB. Only for NDJSON. */
  readonly bytesMax?: number | undefined
  /** The most lines or rows per chunk; the default is 100, and without limit in a table. */
  readonly chunkLinesMax?: number | undefined
}

/**
 * Consecutive lines, and the number of bytes that were read for them: the sum of all chunks so far is the offset of the
 * end of the last line.
 */
export interface Chunk {
  readonly bytes: number
  readonly lines: readonly TextLine[]
  /** With `withRaw`, in the first chunk of a table: its header, which a copy of its rows needs too. */
  readonly header?: Buffer
}

export interface TextLine {
  /** The number of the line in the source, starting at 1. A row that has several lines is located by the first. */
  readonly line: number
  /** Numbers the lines that were made from one row, starting at 0. */
  readonly part?: number
  /** A line of the NDJSON import format, or undefined; `problems` then contains the reasons. */
  readonly text?: string
  readonly problems?: readonly LineProblem[]
  /**
   * The bytes that the line was read from, without the last line feed. All lines of a row have the same. Undefined
   * without `withRaw`, and if the line is too long.
   */
  readonly raw?: Buffer
}
