import type { PositionTracker } from './position.ts'

/** One file of a followed input, or standard input. The next segment begins at offset 0. */
export interface Segment {
  readonly name: string
  readonly offset: number
  /** The number of lines before the offset. */
  readonly line: number
  readonly tracker: PositionTracker
  /** The first line, if the offset is after it: a table needs its header. */
  readonly firstLine?: Buffer
  /** Bytes from the offset on. Ends when no more can follow; fails with an `AbortError` when it is stopped. */
  data(): AsyncIterable<Buffer>
}

export interface TailOptions {
  /** How often a file is checked for new data. */
  readonly pollMs: number
  readonly signal: AbortSignal
  /** Called with a sentence about the input that the operator should know. */
  readonly onNotice: (text: string) => void
}

/** The input that a feed has read so far cannot be continued without losing lines. */
export class LostPosition extends Error {
  override readonly name = 'LostPosition'
}
