import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import {
  cutHeader,
  findLineEnd,
  headerBytesMax,
  isFingerprintOf,
  openPositionTracker,
  type Position,
  type Resumed,
} from './position.ts'
import { LostPosition, type Segment, type TailOptions } from './segment.ts'

/** After a stop signal, input that has already been written is still read: until none arrives for so long. */
const drainIdleMs = 50
const drainMs = 1000

/**
 * Follows standard input. Input that begins like that of the position is taken for the same input sent again, and is
 * skipped up to the position. Any other input is new.
 */
export async function* tailStream(
  stream: Readable,
  position: Position | undefined,
  { firstLines, signal, onNotice }: TailOptions,
): AsyncGenerator<Segment> {
  let isDrained = true
  const chunks = readUntilStopped(stream, signal, () => {
    isDrained = false
  })
  const skipped = position?.offset
    ? await skipTo(position, firstLines, chunks, onNotice)
    : undefined
  const tracker = openPositionTracker(firstLines, skipped?.resumed)
  if (skipped) {
    const line = skipped.resumed?.position.line.toLocaleString('en')
    onNotice(line ? `continuing after line ${line}` : 'the input is new: reading it from its start')
  }
  yield {
    name: 'standard input',
    offset: skipped?.resumed?.position.offset ?? 0,
    line: skipped?.resumed?.position.line ?? 0,
    tracker,
    ...(skipped?.resumed && { header: skipped.resumed.header }),
    async *data() {
      for (const data of skipped?.read ?? []) {
        tracker.push(data)
        yield data
      }
      for await (const data of chunks) {
        tracker.push(data)
        yield data
      }
    },
    unread: async () => (isDrained ? 0 : undefined),
  }
}

interface Skipped {
  readonly resumed?: Resumed
  /** What was read beyond the position, or all of it if the input is new. */
  readonly read: readonly Buffer[]
}

async function skipTo(
  position: Position,
  firstLines: number,
  chunks: AsyncGenerator<Buffer>,
  onNotice: TailOptions['onNotice'],
): Promise<Skipped> {
  const { offset, first, last } = position
  let data = Buffer.alloc(0)
  /** The offset of the beginning of `data`. */
  let start = 0
  const readMore = async (): Promise<boolean> => {
    const { value, done } = await chunks.next()
    if (!done) data = Buffer.concat([data, value])
    return !done
  }
  // A shorter beginning is known to be another one without waiting for more.
  while (data.length < first.bytes && !findLineEnd(data, firstLines) && (await readMore()));
  if (!isFingerprintOf(first, data.subarray(0, first.bytes))) {
    return { read: data.length > 0 ? [data] : [] }
  }
  const line = position.line.toLocaleString('en')
  onNotice(`standard input begins like the input of the feed: skipping it up to line ${line}`)
  const skipMore = async (): Promise<void> => {
    const hasMore = await readMore().catch((error: Error) => {
      throw error.name === 'AbortError' ? stoppedBefore(position) : error
    })
    if (!hasMore) throw differentInput(position)
  }
  while (data.length < Math.min(offset, headerBytesMax) && cutHeader(data).length === 0) {
    await skipMore()
  }
  const header = cutHeader(data)
  while (start + data.length < offset) {
    const dropped = Math.max(0, data.length - last.bytes)
    data = data.subarray(dropped)
    start += dropped
    await skipMore()
  }
  const lastBytes = data.subarray(offset - last.bytes - start, offset - start)
  if (!isFingerprintOf(last, lastBytes)) throw differentInput(position)
  return { resumed: { position, lastBytes, header }, read: [data.subarray(offset - start)] }
}

function differentInput({ line }: Position): LostPosition {
  return new LostPosition(
    `standard input begins like the input of the feed, but differs before line ${(line + 1).toLocaleString('en')}, which the feed has reached`,
  )
}

/** Whether the lines that were skipped are those that the feed has committed is known only at its position. */
function stoppedBefore({ line }: Position): LostPosition {
  return new LostPosition(
    `stopped before line ${line.toLocaleString('en')} of standard input, up to which it was skipped because it begins like the input of the feed: nothing of it was loaded, so send it again`,
  )
}

/**
 * Ends at the end of the stream. Fails with an `AbortError` when it is stopped and what was written has been read, or
 * `onLeft` was called because there is too much of it.
 */
async function* readUntilStopped(
  stream: Readable,
  signal: AbortSignal,
  onLeft: () => void,
): AsyncGenerator<Buffer> {
  const iterator = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  let stoppedAt: number | undefined
  let next = iterator.next()
  for (;;) {
    const result = await (stoppedAt === undefined
      ? untilAborted(next, signal)
      : Promise.race([next, wait(drainIdleMs)]))
    if (result) {
      if (result.done) return
      yield result.value
      next = iterator.next()
      if (stoppedAt === undefined || performance.now() - stoppedAt <= drainMs) continue
      onLeft()
      break
    }
    if (stoppedAt !== undefined) break
    stoppedAt = performance.now()
  }
  // The pending read must not keep the process alive.
  stream.destroy()
  next.catch(() => {})
  throw new DOMException('the input was stopped', 'AbortError')
}

/** The result of the work, or undefined if the signal aborts before. A race with one promise would grow with each read. */
function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(undefined)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
