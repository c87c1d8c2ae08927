import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import {
  type Actor,
  batchErrorsFoundMax,
  batchErrorsMax,
  batchLineBytesMax,
} from '../contract/index.ts'
import { type CommitLimits, openCommitQueue } from './commit-queue.ts'
import {
  type BatchConflict,
  type BatchOutcome,
  type BatchResult,
  type FeedBatch,
  type FeedWriter,
  feedsMax,
} from './feed-writer.ts'
import { readLines } from './lines.ts'
import { readItem } from './load.ts'
import type { TextLine } from './source.ts'
import { isProduct, type LineError, type LocatedItem } from './writer.ts'

/** The errors of a batch with invalid lines: the first are listed. From `batchErrorsFoundMax` on, there may be more. */
export interface BatchErrors {
  readonly count: number
  readonly first: readonly LineError[]
}

export type BatchAnswer =
  | { readonly result: BatchResult }
  | { readonly conflict: BatchConflict }
  | { readonly invalid: BatchErrors }
  /** The first line that the sender has no permission for. */
  | { readonly forbidden: number }

/** Called for what changes the counters of a feed. */
export interface FeedMetrics {
  countBatch(feed: string, lines: number): void
  countErrors(feed: string, errors: number): void
  countCommit(): void
}

/** The API client that sends a batch. */
export interface Sender {
  readonly client: Actor
  readonly mayWriteProducts: boolean
}

export interface Batches {
  /** Commits the lines of a batch, or answers from the stored state of its feed. */
  commit(
    feed: string,
    number: number,
    data: Buffer<ArrayBuffer>,
    sender: Sender,
  ): Promise<BatchAnswer>
  /** Rejects further batches, and waits for those in progress. */
  close(): Promise<void>
}

/** Receives batches of feeds: checks their numbers, validates their lines and commits them. */
export function openBatches(
  writer: FeedWriter,
  metrics?: FeedMetrics,
  limits?: CommitLimits,
): Batches {
  let reading = 0
  /** The number of the next batch of each feed that was committed here. Another process may have committed more. */
  const nextNumbers = new Map<string, number>()
  const remember = (feed: string, number: number): void => {
    if (nextNumbers.size >= feedsMax) nextNumbers.clear()
    nextNumbers.set(feed, number + 1)
  }
  const onCommit = () => metrics?.countCommit()
  const queue = openCommitQueue(writer, { onCommit, isReading: () => reading > 0 }, limits)

  return {
    async commit(feed, number, data, { client, mayWriteProducts }) {
      const key = { feed, number, digest: await computeDigest(data), sender: client }
      const findOutcome = () => writer.findOutcome(key)
      // Before the lines are read: a batch that is sent again is answered quickly. What is probably the next batch is
      // checked by the commit alone.
      const isNext = nextNumbers.get(feed) === number
      const known = isNext ? undefined : await findOutcome()
      if (known) return toAnswer(known)
      reading += 1
      const batch = await readBatch(data, mayWriteProducts).finally(() => (reading -= 1))
      if (!('items' in batch)) {
        // A wrong number is a conflict whatever the lines are.
        const unexpected = isNext ? await findOutcome() : undefined
        if (unexpected) return toAnswer(unexpected)
        if ('invalid' in batch) metrics?.countErrors(feed, batch.invalid.count)
        return batch
      }
      const { lines } = batch
      const answer = toAnswer(await queue.commit({ ...key, ...batch }, data.length))
      if ('result' in answer) {
        remember(feed, number)
        metrics?.countBatch(feed, lines)
      }
      if ('invalid' in answer) metrics?.countErrors(feed, answer.invalid.count)
      return answer
    },
    close: queue.close,
  }
}

/** Not on this thread, which 16 MiB would block. */
async function computeDigest(data: Buffer<ArrayBuffer>): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', data)).toString('hex')
}

function toAnswer(outcome: BatchOutcome): BatchAnswer {
  if (!('errors' in outcome)) return outcome
  const errors = outcome.errors.toSorted((a, b) => a.line - b.line)
  return { invalid: { count: errors.length, first: errors.slice(0, batchErrorsMax) } }
}

/** How long lines are parsed before other requests are served, in milliseconds. */
const sliceMs = 5

type ReadBatch = Pick<FeedBatch, 'lines' | 'items'> | Exclude<BatchAnswer, BatchOutcome>

async function readBatch(data: Buffer, mayWriteProducts: boolean): Promise<ReadBatch> {
  let lines = 0
  let items: LocatedItem[] = []
  let count = 0
  const first: LineError[] = []
  let sliceStart = performance.now()
  const isSliceOver = () => performance.now() - sliceStart >= sliceMs
  const startSlice = async () => {
    await setImmediate()
    sliceStart = performance.now()
  }
  const source = { name: 'batch', open: () => Readable.from([data]) }

  for await (const chunk of readLines(source, { bytesMax: batchLineBytesMax })) {
    if (count >= batchErrorsFoundMax) break
    for (const line of chunk.lines) {
      if (isSliceOver()) await startSlice()
      lines += 1
      const result = readSentItem(line)
      if ('item' in result) {
        if (!mayWriteProducts && isProduct(result.item)) return { forbidden: result.item.line }
        if (count === 0) items.push(result.item)
        continue
      }
      // More errors are reported, but nothing is stored any more.
      items = []
      count += result.errors.length
      first.push(...result.errors.slice(0, batchErrorsMax - first.length))
    }
    // A chunk may be blank lines alone.
    if (isSliceOver()) await startSlice()
  }
  return count > 0 ? { invalid: { count, first } } : { lines, items }
}

/** Only an import and the restore of a dump set the origin of a product, and only a restore stores unresolved lines. */
function readSentItem(line: TextLine): ReturnType<typeof readItem> {
  const result = readItem(line, 0)
  if (!('item' in result)) return result
  const { item, isUnresolved } = result
  const hasOrigin = item.type === 'product' && item.origin !== undefined
  if (!hasOrigin && !isUnresolved) return result
  const path = hasOrigin ? 'origin' : 'unresolved'
  const { file, line: number } = item
  return { errors: [{ file, line: number, path, reason: 'is only for the restore of a dump' }] }
}
