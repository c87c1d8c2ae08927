import type {
  BatchOutcome,
  FeedBatch,
  FeedWriter,
  FeedWriterOptions,
} from '../../../intake/feed-writer.ts'
import { emptyCounts } from '../../../intake/line-counts.ts'
import { isProduct, type LineError, type LocatedItem } from '../../../intake/writer.ts'
import { loader } from '../../../platform/catalogue/store.ts'
import type { DatabaseOptions } from '../../database.ts'
import { commitValid, decideBatches } from '../../feed-states.ts'
import { openTurns } from '../../in-turn.ts'
import { isDenied } from '../driver/denied.ts'
import { lockLoadsAndShareFeeds } from '../driver/locks.ts'
import { makePool, openPool } from '../driver/pool.ts'
import { runStatement, toAppError } from '../driver/statements.ts'
import { abortDefaultMs } from '../driver/timeouts.ts'
import { endsAborted } from '../loads/load-failure.ts'
import { batchValues, confirmCommits, readStates, stateValues, writeBatches } from './feed-rows.ts'
import { type FeedSession, openFeedSession } from './feed-session.ts'
import { findEntryKey, mergeBatches } from './merge-batches.ts'

const waitMaxDefaultMs = 3_600_000

/** Indexing a block takes as long as so many lines, and other batches wait for it. */
const linesPerBlock = 200

/** How many connections answer `findOutcome` while a commit uses another. */
const checkConnections = 2

/**
 * How long a connection is used. PostgreSQL cannot vacuum the temporary tables of a connection: for as long as they
 * exist, it cannot reuse the transaction IDs after theirs, also if no batch arrives.
 */
const sessionMs = 3_600_000

/** Merges batches with the statements of a load, on a connection that keeps its temporary tables and its plans. */
export async function openPostgresFeedWriter(
  database: string,
  writing: FeedWriterOptions,
  options: DatabaseOptions = {},
): Promise<FeedWriter> {
  const { clock, storesUnresolved = false, onWait, signal, waitMaxMs = waitMaxDefaultMs } = writing
  // From the primary: a replica may lag behind the last commit.
  const { pool: checks, layout } = await openPool(database, 'read', {
    ...options,
    connections: checkConnections,
  })
  const isDistributed = layout === 'citus'
  const { abortMs = abortDefaultMs } = options
  const pool = makePool(database, 'feed', { ...options, connections: 1 })
  const watching = makePool(database, 'read', { ...options, connections: 1 })
  const sessionOptions = { isDistributed, watching, onWait, signal, abortMs, waitMaxMs }
  /** Lines that allow to index a block later, as each commit may have few. */
  let linesWithoutBlock = 0
  let session: FeedSession | undefined
  const { inTurn, settle } = openTurns()

  const endSession = (): void => {
    session?.end()
    session = undefined
  }

  const renewal = setInterval(() => void inTurn(async () => endSession()), sessionMs)
  renewal.unref()

  /** Whatever fails, the next call uses a new connection: this one may be lost, or the server no longer the primary. */
  const onSession = async <Result>(
    work: (session: FeedSession) => Promise<Result>,
  ): Promise<Result> => {
    signal?.throwIfAborted()
    if (session?.isLost()) endSession()
    try {
      session ??= await openFeedSession(pool, sessionOptions)
      signal?.throwIfAborted()
      return await work(session)
    } catch (error) {
      const failure = await toFailure(error, session)
      endSession()
      throw failure
    }
  }

  const toFailure = async (error: unknown, failed: FeedSession | undefined): Promise<unknown> => {
    if (error instanceof TypeError || error instanceof RangeError) return error
    if (signal?.aborted && endsAborted(error)) return signal.reason
    // A failed transaction runs no other statement.
    if (isDenied(error)) await failed?.client.query('rollback').catch(() => {})
    return toAppError(failed?.client ?? pool, error)
  }

  const confirm = async (outcomes: (BatchOutcome | undefined)[]): Promise<BatchOutcome[]> => {
    const known = outcomes.filter((outcome) => outcome !== undefined)
    if (known.some((outcome) => 'result' in outcome)) {
      await runStatement(checks, confirmCommits, [])
    }
    return known
  }

  /** The outcomes of batches of different feeds. Undefined if one of several is invalid: then nothing is changed. */
  const commitTogether = (batches: readonly FeedBatch[]) =>
    onSession(async (session) => {
      const { staging } = session
      const locks = ['begin', lockLoadsAndShareFeeds]
      const states = await session.readLocked(locks, readStates, stateValues(batches))
      const outcomes = decideBatches(batches, states)
      const accepted = batches.flatMap((batch, index) =>
        outcomes[index] ? [] : [{ batch, index }],
      )
      for (const [file, { batch }] of accepted.entries()) {
        await staging.put(batch.items, file)
      }
      if (accepted.length === 0) {
        await session.rollback()
        return confirm(outcomes)
      }
      const time = clock()
      const items = accepted.flatMap(({ batch }) => batch.items)
      const merged = await mergeBatches({
        ...(await session.finishStaging()),
        items,
        staging,
        isDistributed,
        storesUnresolved,
        loadTime: time,
        author: accepted.find(({ batch }) => hasProducts(batch))?.batch.sender ?? loader,
        blocksMax: Math.floor((linesWithoutBlock + items.length) / linesPerBlock),
      })
      if ('errors' in merged) {
        await session.rollback()
        const [batch] = batches
        return batch && batches.length === 1
          ? [{ errors: locateErrors(merged.errors, 0, batch) }]
          : undefined
      }
      const written = accepted.map(({ batch, index }, file) => {
        const result = { lines: batch.lines, ...emptyCounts() }
        for (const counted of merged.counts) {
          if (counted.file === file) result[counted.outcome] += counted.lines
        }
        const unresolved = locateErrors(merged.unresolved, file, batch)
        outcomes[index] = { result, ...(unresolved.length > 0 && { unresolved }) }
        return { batch, result }
      })
      const numbered = written.filter(({ batch }) => batch.feed !== undefined)
      if (numbered.length > 0) {
        await session.sendPrepared(writeBatches, batchValues(numbered, time))
      }
      await session.commit(merged.tables)
      linesWithoutBlock += items.length - merged.blocks * linesPerBlock
      // Those that completed no block do not allow more than one.
      linesWithoutBlock = Math.min(linesWithoutBlock, linesPerBlock)
      return outcomes.filter((outcome) => outcome !== undefined)
    })

  return {
    async findOutcome(batch) {
      const states = await runStatement(checks, readStates, stateValues([batch]))
      const [outcome] = await confirm(decideBatches([batch], states))
      return outcome
    },

    commit: (batches) =>
      inTurn(async () => {
        const groups = groupsOfDifferentFeeds(batches)
        return (await Array.fromAsync(groups, (group) => commitValid(group, commitTogether))).flat()
      }),

    async close() {
      clearInterval(renewal)
      await settle()
      endSession()
      await Promise.all([checks.end(), watching.end(), pool.end()])
    },
  }
}

/**
 * A batch depends on the one before it of the same feed. A batch with lines of customers or accounts is alone: references
 * are checked at the end of each batch. At most one batch of a group has products, whose author is its sender. An entry
 * without a time gets another one than before an earlier batch removed it.
 */
function groupsOfDifferentFeeds(batches: readonly FeedBatch[]): FeedBatch[][] {
  const groups: FeedBatch[][] = []
  let entries = new Set<string | undefined>()
  const hasUndated = batches.length > 1 && batches.some(({ items }) => items.some(isUndated))
  for (const batch of batches) {
    const { feed, items } = batch
    const last = groups.at(-1)
    if (
      last &&
      !(feed !== undefined && last.some((other) => other.feed === feed)) &&
      !(hasOwners(batch) || last.some(hasOwners)) &&
      !(hasProducts(batch) && last.some(hasProducts)) &&
      !items.some((item) => isUndated(item) && entries.has(findEntryKey(item)))
    ) {
      last.push(batch)
    } else {
      groups.push([batch])
      entries = new Set()
    }
    if (hasUndated) for (const item of items) entries.add(findEntryKey(item))
  }
  return groups
}

function isUndated(item: LocatedItem): boolean {
  return item.type === 'entry' && item.time === undefined
}

function hasOwners({ items }: FeedBatch): boolean {
  return items.some((item) => {
    const type = item.type === 'removal' ? item.of : item.type
    return type === 'customer' || type === 'account'
  })
}

function hasProducts({ items }: FeedBatch): boolean {
  return items.some(isProduct)
}

/** The errors of a batch, in order and with the locations of its items. */
function locateErrors(errors: readonly LineError[], index: number, batch: FeedBatch): LineError[] {
  return errors
    .filter(({ file }) => file === index)
    .sort((one, other) => one.line - other.line)
    .map((error) => {
      const { file = 0, line = 0, part } = batch.items[error.line - 1] ?? {}
      return { ...error, file, line, ...(part !== undefined && { part }) }
    })
}
