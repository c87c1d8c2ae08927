import { setTimeout as wait } from 'node:timers/promises'
import { type ByteSource, chunkLinesDefault } from '../lines.ts'
import type { Chunk, LineSource, TextLine } from '../source.ts'
import { countLineFeeds } from './position.ts'
import { LostPosition, type Segment } from './segment.ts'

export interface ReaderOptions {
  /** Reads the format of the input. */
  readonly createSource: (bytes: ByteSource) => LineSource
  /** Whether the first line of each file is the header of a table. */
  readonly hasHeader: boolean
  /** The most lines of a batch. */
  readonly batchLines: number
}

/** What ended a wait: a chunk of lines, the time to commit, the end of the segment, or a stop signal. */
type ReadEvent = 'read' | 'flush' | 'end' | 'stopped'

export type SegmentReader = ReturnType<typeof openSegmentReader>

/** Reads the lines of a segment that are not committed yet. */
export function openSegmentReader(
  segment: Segment,
  { createSource, hasHeader, batchLines }: ReaderOptions,
  withRaw: boolean,
) {
  const { name, tracker } = segment
  const preamble = hasHeader ? segment.header : undefined
  if (preamble?.length === 0) throw new LostPosition(`the header of ${name} is too long`)
  const source = createSource({
    name,
    isRepeatable: false,
    open: () => withPreamble(preamble, segment.data()),
  })
  const chunks = source
    .read({ withRaw, chunkLinesMax: Math.min(chunkLinesDefault, batchLines) })
    [Symbol.asyncIterator]()
  const lineShift = segment.line - (preamble ? countLineFeeds(preamble) : 0)
  let header: Buffer | undefined
  let lines: TextLine[] = []
  /** The end of the pending lines. */
  let end = segment.offset - (preamble?.length ?? 0)
  let start = segment.offset
  let firstAt = 0
  let isLast = false

  const read = async (): Promise<Chunk | 'end' | 'stopped'> => {
    try {
      const { value, done } = await chunks.next()
      return done ? 'end' : value
    } catch (error) {
      if ((error as Error).name === 'AbortError') return 'stopped'
      throw error
    }
  }
  let reading: ReturnType<typeof read> | undefined

  const add = (chunk: Chunk): void => {
    if (lines.length === 0) firstAt = performance.now()
    header = chunk.header ?? header
    for (const line of chunk.lines) lines.push({ ...line, line: line.line + lineShift })
    end += chunk.bytes
    // Blank lines are not committed, and may be all that is read for a long time.
    if (lines.length === 0) tracker.forget(end)
  }

  return {
    name,
    /** Of a table. */
    header: () => header,

    /** Reads a chunk, or waits until `flushMs` after the first line that is not committed. */
    async next(flushMs: number): Promise<ReadEvent> {
      reading ??= read()
      const result =
        lines.length === 0 ? await reading : await raceFlush(reading, firstAt + flushMs)
      if (result === 'flush') return result
      reading = undefined
      if (result === 'end' || result === 'stopped') {
        isLast = result === 'end'
        return result
      }
      add(result)
      return 'read'
    },

    pending: () => ({ count: lines.length, bytes: end - start }),

    /** The pending lines and the position after them. */
    take() {
      const position = JSON.stringify(tracker.at(end))
      const taken = { lines: lines as readonly TextLine[], bytes: end - start, position }
      lines = []
      start = end
      return taken
    },

    /** What was read after the last complete line. */
    bytesLeft: () => (isLast ? 0 : tracker.end() - end),
  }
}

/** Waits for the work until the deadline. */
async function raceFlush<Result>(
  work: Promise<Result>,
  deadline: number,
): Promise<Result | 'flush'> {
  const timer = new AbortController()
  const { signal } = timer
  const flush = wait(Math.max(0, deadline - performance.now()), 'flush' as const, { signal })
  try {
    return await Promise.race([work, flush])
  } finally {
    flush.catch(() => {})
    timer.abort()
  }
}

async function* withPreamble(
  preamble: Buffer | undefined,
  data: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  if (preamble) yield preamble
  yield* data
}
