import type { PositionTracker } from './position.ts'

/** One file of a followed input, or standard input. The next segment begins at offset 0. */
export interface Segment {
  readonly name: string
  readonly offset: number
  /** The number of lines before the offset. */
  readonly line: number
  readonly tracker: PositionTracker
  /** The header, if the offset is after it and the input is a table. */
  readonly header?: Buffer
  /** Bytes from the offset on. Ends when no more can follow; fails with an `AbortError` when it is stopped. */
  data(): AsyncIterable<Buffer>
  /** After a stop: the number of bytes that could have been read. Undefined if there are some, but it is unknown how many. */
  unread(): Promise<number | undefined>
}

export interface TailOptions {
  /** How often a file is checked for new data. */
  readonly pollMs: number
  /** How many lines identify the beginning of an input. Tables have the same header. */
  readonly firstLines: 1 | 2
  readonly signal: AbortSignal
  /** Called with a sentence about the input that the operator should know. */
  readonly onNotice: (text: string) => void
}

/** The input that a feed has read so far cannot be continued without losing lines. */
export class LostPosition extends Error {
  override readonly name = 'LostPosition'
}
