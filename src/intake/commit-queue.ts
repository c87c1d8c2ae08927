import { setImmediate } from 'node:timers/promises'
import { ContractError } from '../contract/index.ts'
import type { BatchKey, BatchOutcome, FeedBatch, FeedWriter } from './feed-writer.ts'

export interface CommitLimits {
  /** How many batches share a commit at most, and how many bytes of lines they have together. */
  readonly batchesMax: number
  readonly bytesMax: number
  /** How long a commit waits for batches that are being read, so that they share it. */
  readonly readWaitMs: number
}

/** Bounds how long a batch waits for the commit before its own. */
export const commitLimits: CommitLimits = {
  batchesMax: 100,
  bytesMax: 16 * 1024 * 1024,
  readWaitMs: 0,
}

/** For a database that writes on this thread: reading further batches during a commit only delays both. */
export const limitsOnThread: CommitLimits = { ...commitLimits, readWaitMs: 100 }

/** A batch of a feed. */
type QueuedBatch = FeedBatch & BatchKey

interface Waiting {
  readonly batch: QueuedBatch
  readonly bytes: number
  /** The time of its first entry. */
  readonly since: bigint | number
  readonly resolve: (outcome: BatchOutcome) => void
  readonly reject: (error: unknown) => void
}

/**
 * Commits one group of batches at a time. Batches that arrive during a commit wait for the next one, which they share
 * unless they are of the same feed. `isReading`: whether the lines of further batches are being read.
 */
export function openCommitQueue(
  writer: Pick<FeedWriter, 'commit'>,
  { onCommit, isReading }: { onCommit(): void; isReading(): boolean },
  limits: CommitLimits = commitLimits,
) {
  let waiting: Waiting[] = []
  let running: Promise<void> | undefined
  let isClosed = false

  const commitGroup = async (group: readonly Waiting[]): Promise<void> => {
    try {
      const outcomes = await writer.commit(group.map(({ batch }) => batch))
      onCommit()
      for (const [index, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[index]
        if (outcome) resolve(outcome)
        else reject(new TypeError('the writer returned no outcome for a batch'))
      }
    } catch (error) {
      if (group.length === 1 || isOutage(error)) {
        for (const { reject } of group) reject(error)
        return
      }
      // One of the batches may be the cause, which must not affect the others.
      for (const each of group) await commitGroup([each])
    }
  }
  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      // A commit may block the event loop: batches that arrived during it are read first, so that they share the next.
      const until = performance.now() + limits.readWaitMs
      do {
        await setImmediate()
      } while (isReading() && performance.now() < until)
      const group = selectGroup(waiting, limits)
      waiting = waiting.filter((each) => !group.has(each))
      await commitGroup([...group].toSorted(compareTimes))
    }
    running = undefined
  }

  return {
    /** `bytes` is the length of the lines. Rejects if the commit fails: the batch was then committed or not, as a whole. */
    commit(batch: QueuedBatch, bytes: number): Promise<BatchOutcome> {
      if (isClosed)
        return Promise.reject(new ContractError('unavailable', 'the server is stopping'))
      const { promise, resolve, reject } = Promise.withResolvers<BatchOutcome>()
      waiting.push({ batch, bytes, since: findTime(batch), resolve, reject })
      running ??= run()
      return promise
    },
    /** Rejects further batches. Resolves when the batches in the queue are committed or have failed. */
    async close(): Promise<void> {
      isClosed = true
      await running
    },
  }
}

/** A batch without entries is first: the entries of other feeds may depend on its accounts. */
function findTime({ items }: QueuedBatch): bigint | number {
  return items.find((item) => item.type === 'entry')?.time ?? Number.NEGATIVE_INFINITY
}

/** Feeds are not ordered among each other. Oldest first, most entries are appended to their lists, which is fastest. */
function compareTimes(a: Waiting, b: Waiting): number {
  if (a.since === b.since) return 0
  return a.since < b.since ? -1 : 1
}

/** Whether the database fails for every batch. */
function isOutage(error: unknown): boolean {
  return error instanceof ContractError && error.code === 'unavailable'
}

/** The first batch of each feed, in the order of arrival, up to the limits. A batch that exceeds them is alone. */
function selectGroup(waiting: readonly Waiting[], { batchesMax, bytesMax }: CommitLimits) {
  const group = new Set<Waiting>()
  const feeds = new Set<string>()
  let bytes = 0
  for (const each of waiting) {
    if (feeds.has(each.batch.feed)) continue
    if (group.size > 0 && (group.size >= batchesMax || bytes + each.bytes > bytesMax)) break
    group.add(each)
    feeds.add(each.batch.feed)
    bytes += each.bytes
  }
  return group
}
