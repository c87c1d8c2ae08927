import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { BatchConflict, FeedWriter } from '../feed-writer.ts'
import type { UnknownFields } from '../line.ts'
import { type Counts, emptyCounts, lineOutcomes } from '../line-counts.ts'
import { type LineWarnings, openLineWarnings } from '../line-warnings.ts'
import { type ReadItem, readItem } from '../load.ts'
import type { TextLine } from '../source.ts'
import type { LineError, LocatedItem } from '../writer.ts'
import type { Segment } from './segment.ts'
import { openSegmentReader, type ReaderOptions, type SegmentReader } from './segment-reader.ts'

/** A batch ends with this many bytes, whatever its number of lines. */
const batchBytesMax = 16 * 1024 * 1024

/** The pause before a batch is sent again after a failure; doubled each time, up to the maximum. */
const retryMs = 500
const retryMsMax = 10_000

interface FollowOptions extends ReaderOptions {
  /** The feed that remembers the position, and the number of its next batch: 0 if it does not know the input yet. */
  readonly feed?: { readonly name: string; readonly next: number } | undefined
  readonly flushMs: number
  readonly unknownFields: UnknownFields
  /** Stores rejected lines durably, as they came. Without it, the first invalid line ends following. */
  readonly reject?: ((lines: readonly TextLine[], header: Buffer | undefined) => void) | undefined
  /** Called with the errors of a batch, or with the lines that are stored all the same, and with its lines. */
  readonly onErrors: (
    name: string,
    errors: readonly LineError[],
    lines: readonly TextLine[],
  ) => void
  readonly onCommit: (progress: FollowProgress) => void
  /** Whether a failed commit is tried again, as the database may become available. */
  readonly isTemporary: (error: unknown) => boolean
  readonly onRetry: (error: unknown) => void
  readonly signal: AbortSignal
}

interface FollowProgress extends Counts {
  readonly lines: number
  readonly rejected: number
  readonly bytes: number
}

/** Warnings are about committed lines. */
export interface FollowResult extends FollowProgress, LineWarnings {
  /** What a stop left: bytes that were read and not committed, an incomplete line, and bytes that were not read. */
  readonly left: { readonly read: number; readonly unread: number | undefined }
}

/** Another process has written the feed, or the database has too many feeds. */
export class FeedConflict extends Error {
  override readonly name = 'FeedConflict'
  readonly reason: BatchConflict['reason']

  constructor(reason: BatchConflict['reason']) {
    super()
    this.reason = reason
  }
}

/** A line is invalid, and invalid lines are not skipped. */
export class InvalidBatch extends Error {
  override readonly name = 'InvalidBatch'
}

/** The rest of an input cannot be read: after a syntax error of a table, the start of the next row is unknown. */
export class UnreadableInput extends Error {
  override readonly name = 'UnreadableInput'

  constructor(name: string, line: number) {
    super(`${name} was not read from line ${line} on`)
  }
}

interface Batch {
  readonly lines: readonly TextLine[]
  readonly items: readonly LocatedItem[]
}

/**
 * Commits the lines of a followed input in batches, each with the position after it. Ends when the input ends or is
 * stopped. A follower that is killed and started again neither loses nor repeats a line.
 */
export async function follow(
  segments: AsyncIterable<Segment>,
  writer: FeedWriter,
  options: FollowOptions,
): Promise<FollowResult> {
  const { feed, batchLines, flushMs, unknownFields } = options
  const result = { ...emptyCounts(), lines: 0, rejected: 0, bytes: 0 }
  const warnings = openLineWarnings()
  let next = feed?.next ?? 1

  /** Returns the errors because of which nothing was committed. */
  const send = async (
    batch: Batch,
    position: string,
    name: string,
  ): Promise<readonly LineError[]> => {
    const { items, lines } = batch
    // Two followers may begin with the same feed and different files.
    const content = next === 0 ? position : lines
    const sent = { feed: feed?.name, number: next, digest: digest(content), items, position }
    const [outcome] = await retry(() => writer.commit([{ ...sent, lines: items.length }]), options)
    if (!outcome) throw new TypeError('a batch has one outcome')
    if ('conflict' in outcome) throw new FeedConflict(outcome.conflict.reason)
    if ('errors' in outcome) return outcome.errors
    next += 1
    result.lines += items.length
    for (const each of lineOutcomes) result[each] += outcome.result[each]
    const unresolved = outcome.unresolved?.map((error) => ({ ...error, isStored: true as const }))
    if (unresolved) options.onErrors(name, unresolved, lines)
    return []
  }

  const skip = (reader: SegmentReader, batch: Batch, errors: readonly LineError[]): Batch => {
    options.onErrors(reader.name, errors, batch.lines)
    const ending = errors.find(({ endsSource }) => endsSource)
    if (ending) throw new UnreadableInput(reader.name, ending.line)
    if (!options.reject) throw new InvalidBatch()
    const invalid = new Set(errors.map(({ line }) => line))
    const isValid = ({ line }: { readonly line: number }) => !invalid.has(line)
    const rejected = batch.lines.filter((line) => !isValid(line))
    options.reject(rejected, reader.header())
    result.rejected += rejected.length
    return { lines: batch.lines.filter(isValid), items: batch.items.filter(isValid) }
  }

  /** Repeated until no line is rejected, as others may refer to a rejected one. */
  const commit = async (reader: SegmentReader): Promise<void> => {
    const { lines, position, bytes } = reader.take()
    const valid: ReadItem[] = []
    let errors: readonly LineError[] = lines.flatMap((line) => {
      const read = readItem(line, 0, unknownFields)
      if ('errors' in read) return read.errors
      valid.push(read)
      return []
    })
    let batch: Batch = { lines, items: valid.map(({ item }) => item) }
    do {
      if (errors.length > 0) batch = skip(reader, batch, errors)
      errors = await send(batch, position, reader.name)
    } while (errors.length > 0)
    const committed = new Set(batch.items)
    for (const each of valid) if (committed.has(each.item)) warnings.add(each)
    result.bytes += bytes
    options.onCommit(result)
  }

  for await (const segment of untilStopped(segments)) {
    const reader = openSegmentReader(segment, options, options.reject !== undefined)
    // Before a line is waited for: a follower that is started again finds the file, also if it was rotated meanwhile.
    if (next === 0) await send({ lines: [], items: [] }, reader.take().position, reader.name)
    for (;;) {
      const event = await reader.next(flushMs)
      const { count, bytes } = reader.pending()
      const isDue = event !== 'read' || count >= batchLines || bytes >= batchBytesMax
      if (isDue && count > 0) await commit(reader)
      if (event === 'stopped') {
        const left = { read: reader.bytesLeft(), unread: await segment.unread() }
        return { ...result, ...warnings.result(), left }
      }
      if (event === 'end') break
    }
  }
  return { ...result, ...warnings.result(), left: { read: 0, unread: 0 } }
}

/** A stop may arrive before there is a segment. */
async function* untilStopped(segments: AsyncIterable<Segment>): AsyncGenerator<Segment> {
  try {
    yield* segments
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error
  }
}

async function retry<Result>(
  work: () => Promise<Result>,
  { isTemporary, onRetry, signal }: FollowOptions,
): Promise<Result> {
  for (let pause = retryMs; ; pause = Math.min(2 * pause, retryMsMax)) {
    try {
      return await work()
    } catch (error) {
      if (!isTemporary(error) || signal.aborted) throw error
      onRetry(error)
      // A stop signal makes the next failure the last.
      await wait(pause, undefined, { signal }).catch(() => {})
    }
  }
}

function digest(content: string | readonly TextLine[]): string {
  const hash = createHash('sha256')
  if (typeof content === 'string') hash.update(content)
  else for (const { text = '' } of content) hash.update(text).update('\n')
  return hash.digest('base64url')
}
