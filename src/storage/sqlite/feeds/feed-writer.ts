import { setImmediate } from 'node:timers/promises'
import { batchErrorsFoundMax, ContractError } from '../../../contract/index.ts'
import type {
  BatchOutcome,
  BatchResult,
  FeedBatch,
  FeedWriter,
  FeedWriterOptions,
} from '../../../intake/feed-writer.ts'
import { totalCounts } from '../../../intake/line-counts.ts'
import type { LineError, LocatedItem } from '../../../intake/writer.ts'
import { commitValid } from '../../feed-states.ts'
import { openTurns } from '../../in-turn.ts'
import { toAppError } from '../driver/errors.ts'
import { fileIdentity } from '../driver/files.ts'
import { openDatabase } from '../driver/open.ts'
import { commitWithinSpace, openLogLimit, releaseLog } from '../driver/write-ahead-log.ts'
import { withWriteLock } from '../driver/write-lock.ts'
import { openItemWriter } from '../loads/item-writer.ts'
import { openFeedRows } from './feed-rows.ts'

/** Pages of the log that are copied at once. More than by default: small batches change the same pages again. */
const checkpointPages = 4000

/** How many lines are written in one turn of the event loop: more would delay requests. */
const groupSize = 200

/** Checks use a connection of their own, which does not see batches that are not committed yet. */
export function openSqliteFeedWriter(path: string, options: FeedWriterOptions): FeedWriter {
  const { clock, storesUnresolved = false, onWait, signal, waitMaxMs } = options
  const opened = fileIdentity(path)
  const database = openDatabase(path, 'write')
  // `takeWriteLock` waits for loads, without blocking the process.
  database.exec(`pragma busy_timeout = 0; pragma wal_autocheckpoint = ${checkpointPages}`)
  const reading = openDatabase(path, 'serve')
  const committed = openFeedRows(reading)
  let now = clock()
  const items = openItemWriter(database, () => now)
  const feeds = openFeedRows(database)
  const limitLog = openLogLimit(database, path)
  const { inTurn, settle } = openTurns()

  /** A commit to a file that was deleted or replaced would be lost. */
  const requireSameFile = (): void => {
    if (fileIdentity(path) === opened) return
    throw new ContractError('unavailable', `the database ${path} was deleted or replaced`)
  }

  const writeItems = async (all: readonly LocatedItem[]): Promise<LineError[]> => {
    const errors: LineError[] = []
    for (const [at, item] of all.entries()) {
      if (errors.length >= batchErrorsFoundMax) break
      if (at > 0 && at % groupSize === 0) await setImmediate()
      const error = items.write(item)
      if (error) errors.push(error)
    }
    return errors
  }

  const writeBatch = async (batch: FeedBatch): Promise<BatchOutcome> => {
    const known = feeds.check(batch)
    if (known) return known
    const errors = await writeItems(batch.items)
    const unresolved = items
      .findUnresolved()
      .take(batchErrorsFoundMax - errors.length)
      .toArray()
    items.clearReferences()
    if (!storesUnresolved) errors.push(...unresolved)
    if (errors.length > 0) return { errors }
    const counts = items.finish(batch.sender).values()
    const result: BatchResult = { lines: batch.lines, ...totalCounts(counts) }
    items.forgetAssignedTimes()
    feeds.put(batch, now.epochMilliseconds, result)
    return { result, ...(unresolved.length > 0 && { unresolved }) }
  }

  /** A late entry removes the index after it: a commit indexes at most one block for each group of its lines. */
  const commit = async (batches: readonly FeedBatch[]): Promise<void> => {
    items.writeCorrections()
    const lines = batches.reduce((sum, batch) => sum + batch.items.length, 0)
    for (const _ of items.writeIndex(Math.ceil(lines / groupSize))) await setImmediate()
    requireSameFile()
    commitWithinSpace(database, path)
  }

  /** Undefined if one of several batches is invalid: then nothing is changed. */
  const commitTogether = (batches: readonly FeedBatch[]) =>
    withWriteLock(database, { onWait, signal, waitMaxMs }, async () => {
      try {
        now = clock()
        const outcomes = await Array.fromAsync(batches, writeBatch)
        const hasErrors = outcomes.some((outcome) => 'errors' in outcome)
        if (!hasErrors) await commit(batches)
        return hasErrors && batches.length > 1 ? undefined : outcomes
      } catch (error) {
        throw toAppError(error, database)
      } finally {
        items.discard()
      }
    })

  return {
    async findOutcome(batch) {
      requireSameFile()
      return committed.check(batch)
    },

    commit(batches) {
      const outcomes = inTurn(() => commitValid(batches, commitTogether))
      inTurn(async () => limitLog()).catch(() => {})
      return outcomes
    },

    async close() {
      await settle()
      reading.close()
      database.close()
      releaseLog(path)
    },
  }
}
