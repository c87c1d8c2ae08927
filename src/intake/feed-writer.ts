import type { Actor } from '../contract/index.ts'
import type { Counts } from './line-counts.ts'
import type { LineError, LocatedItem } from './writer.ts'

/** How many batches of a feed are remembered, to answer a batch that is sent again. */
export const rememberedBatches = 1000

/** How many feeds a database has at most: each has rows and metrics of its own. */
export const feedsMax = 1000

/** How many of them an API client can create, so that it leaves some to others. Followers are not limited by it. */
export const clientFeedsMax = 100

/** A sequence of batches, numbered from 1 without gaps: sent over HTTP, or read by a follower. */
export interface Feed {
  readonly name: string
  /** The number of the last batch. 0 if a follower has stored where it begins, and has not committed a line yet. */
  readonly batch: number
  /** When it was committed, in milliseconds since 1970. */
  readonly time: number
  /** The number of lines of all batches. */
  readonly lines: number
  /** Where a follower continues. Only the feed of a follower has one. */
  readonly position?: string
  /** The id of the API client that may send batches. Without one, the sender of the next batch becomes the owner. */
  readonly owner?: string
  /** Milliseconds between the last batches. Only a feed with two of them has it. */
  readonly usual?: number
}

export interface FeedBatch {
  /** Undefined for a follower without a feed: nothing is checked or stored but the lines. */
  readonly feed: string | undefined
  /** 0 for the position at which a follower begins: it has no lines, and creates the feed. */
  readonly number: number
  /** Of the lines, to recognise a batch that is sent again. */
  readonly digest: string
  readonly lines: number
  readonly items: readonly LocatedItem[]
  /** Stored with the feed, in the same transaction. */
  readonly position?: string
  /** The API client that sent the batch: the owner of the feed, and the author of its products. */
  readonly sender?: Actor
}

/** Identifies a batch before its lines are read. */
export type BatchKey = Pick<FeedBatch, 'number' | 'digest' | 'position' | 'sender'> & {
  readonly feed: string
}

/** The stored answer to a batch. */
export interface BatchResult extends Counts {
  readonly lines: number
}

interface RememberedBatch {
  readonly digest: string
  readonly result: BatchResult
}

export interface BatchConflict {
  /**
   * `gap`: an earlier batch is missing. `different`: the number was committed with other lines. `forgotten`: it was
   * committed too long ago to know the lines. `follower`: the feed belongs to a follower, or a follower uses a feed of
   * the HTTP interface. `client`: the feed belongs to another API client. `limit`: the database has too many feeds.
   * `client-limit`: the API client has too many.
   */
  readonly reason:
    | 'gap'
    | 'different'
    | 'forgotten'
    | 'follower'
    | 'client'
    | 'limit'
    | 'client-limit'
  /** The number of the next batch. */
  readonly expected: number
}

export type BatchOutcome =
  | {
      readonly result: BatchResult
      /** The first lines that were stored although they refer to what does not exist. */
      readonly unresolved?: readonly LineError[]
    }
  | { readonly conflict: BatchConflict }
  /** The first errors: no more are searched for after `batchErrorsFoundMax`. */
  | { readonly errors: readonly LineError[] }

/**
 * Commits the batches of feeds. Each is a load in one piece, whose lines apply in their order. A failed call changes nothing, or everything if the connection was lost during the commit: the same batches can be sent again. It does not
 * end the writer, which reconnects if necessary.
 */
export interface FeedWriter {
  /** The outcome of a batch that cannot be committed or was committed before. Undefined if it is the next one. */
  findOutcome(batch: BatchKey): Promise<BatchOutcome | undefined>
  /**
   * Commits batches of different feeds in one transaction, with their numbers. Each is accepted or rejected for itself.
   * Returns the outcomes in the same order, once they are durable and visible to every reader.
   */
  commit(batches: readonly FeedBatch[]): Promise<BatchOutcome[]>
  close(): Promise<void>
}

export interface FeedWriterOptions {
  /** The effective time of transactions that have none is the time of their commit. */
  readonly clock: () => Temporal.Instant
  /**
   * Whether lines that refer to an account or a customer that does not exist after their batch are stored, and invisible
   * until it exists. Otherwise, they are errors.
   */
  readonly storesUnresolved?: boolean
  /** Called once per noticeable wait for a load. */
  readonly onWait?: (() => void) | undefined
  /** Aborts waiting immediately, and everything else that does not end soon. The writer is not used afterwards. */
  readonly signal?: AbortSignal | undefined
  /** How long a commit waits for loads. The default is an hour. */
  readonly waitMaxMs?: number | undefined
}

/** Lists feeds. */
export interface FeedStore {
  /** Sorted by name. */
  list(): Promise<Feed[]>
  find(name: string): Promise<Feed | undefined>
  /** Gives a feed that an API client sends to another one. Returns whether there is such a feed. */
  assign(name: string, owner: string): Promise<boolean>
  /** Forgets a feed, not its data: its next batch has the number 1. Returns whether it existed. */
  remove(name: string): Promise<boolean>
  close(): Promise<void>
}

/** Decides about a batch by the state of its feed. Undefined: it can be committed. */
export function findBatchOutcome(
  { number, digest, position, sender }: BatchKey,
  feed: Pick<Feed, 'batch' | 'position' | 'owner'> | undefined,
  remembered: RememberedBatch | undefined,
): BatchOutcome | undefined {
  const expected = (feed?.batch ?? 0) + 1
  const reject = (reason: BatchConflict['reason']) => ({ conflict: { reason, expected } })
  if (feed && (feed.position === undefined) !== (position === undefined)) return reject('follower')
  if (feed?.owner !== undefined && feed.owner !== sender?.id) return reject('client')
  if (number > expected) return reject('gap')
  if (number === expected || (number === 0 && !feed)) return undefined
  if (!remembered) return reject('forgotten')
  return remembered.digest === digest ? { result: remembered.result } : reject('different')
}

/** Decides about the first batch of a feed by the number of feeds in the database, and of those that its sender owns. */
export function findNewFeedConflict(
  { sender }: Pick<FeedBatch, 'sender'>,
  feeds: number,
  owned: number,
): BatchOutcome | undefined {
  const reject = (reason: BatchConflict['reason']) => ({ conflict: { reason, expected: 1 } })
  if (feeds >= feedsMax) return reject('limit')
  return sender && owned >= clientFeedsMax ? reject('client-limit') : undefined
}
