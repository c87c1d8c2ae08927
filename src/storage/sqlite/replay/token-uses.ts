import type { DatabaseSync } from 'node:sqlite'
import type { UseOutcome } from '../../../auth/replay-store.ts'
import { isDiskFull, toAppError } from '../driver/errors.ts'
import { openFile } from '../driver/open.ts'
import { isTight } from '../driver/write-ahead-log.ts'
import { transaction } from '../driver/write-queue.ts'
import { prepareReplayTables } from './schema.ts'

/** How many records are kept in memory, and how many of the oldest are moved to the index when there are more. */
const recentMax = 65_536
const indexStep = 2048

/** How many expired records are purged at once, and how many rows of the index are examined for that. */
const purgeStep = 1000

/** How many ids one query looks up in the index. */
const lookUpMax = 16

/** How large the log may grow before its pages are copied: consecutive commits rarely change the same pages. */
const logPagesMax = 4000

/** The same on a disk with little space: a log that fills the disk can no longer be copied. */
const logPagesWhenTight = 100
const logBytesWhenTight = 512 * 1024

/** How often the free space is checked, and how often an attempt is made to gain some. */
const spaceEveryMs = 1000

export interface TokenUse {
  readonly tokenId: string
  /** In seconds since 1970. */
  readonly keptUntil: number
}

export interface TokenUses {
  /** Records the uses that are the first of their token, durably when it returns. */
  record(group: readonly TokenUse[]): Recorded
  /** Purges some of the records that are kept until before that time, in seconds since 1970. */
  purge(time: number): void
  toAppError(error: unknown): unknown
  close(): void
}

export interface Recorded {
  /** In the order of the group. */
  readonly outcomes: readonly UseOutcome[]
  /** The latest time until which a purged record was kept. */
  readonly purgedUntil: number
}

/** Uses that were recorded together, in one row. */
interface Batch {
  readonly number: number
  readonly tokenIds: readonly string[]
  /** When the last of them may be purged. */
  readonly keptUntil: number
}

/**
 * Token ids are random, so inserting each into an index would write one page of the disk per token. A group is
 * appended as one row instead, which every process that shares the file reads and keeps in memory. Most records expire
 * there. When there are too many, the oldest are sorted into the index, thousands at once.
 */
export function openTokenUses(path: string, max = recentMax): TokenUses {
  const database = openFile(path)
  prepareReplayTables(database)
  // A busy timeout would block the whole process.
  database.exec(`pragma wal_autocheckpoint = ${logPagesMax}; pragma busy_timeout = 0`)
  const statements = prepareStatements(database)
  const recent = openRecentBatches()
  const space = openSpace(database, path)
  space.adapt()
  let indexPurgedTo = ''

  const inTransaction = <Result>(work: () => Result): Result => {
    try {
      return transaction(database, work)
    } catch (error) {
      if (!isDiskFull(error) || !space.gain()) throw error
      return transaction(database, work)
    }
  }
  const readNewBatches = (): void => {
    for (const row of statements.newBatches.all(recent.newest())) {
      recent.add(Number(row['number']), parseUses(row['uses']))
    }
  }
  const findIndexed = (tokenIds: readonly string[]): Set<string> => {
    const found = new Set<string>()
    if (!statements.anyIndexed.get()) return found
    for (let start = 0; start < tokenIds.length; start += lookUpMax) {
      const part = tokenIds.slice(start, start + lookUpMax)
      const rows = statements.findIndexed.all(...part, ...Array(lookUpMax - part.length).fill(null))
      for (const row of rows) found.add(String(row['tokenId']))
    }
    return found
  }
  const moveOldestToIndex = (): void => {
    const oldest = recent.oldest(indexStep)
    const last = oldest.at(-1)?.number ?? 0
    inTransaction(() => {
      // Read again: another process may have moved them already.
      const uses = statements.oldBatches.all(last).flatMap((row) => parseUses(row['uses']))
      uses.sort((a, b) => (a.tokenId < b.tokenId ? -1 : 1))
      for (const { tokenId, keptUntil } of uses) statements.addIndexed.run(tokenId, keptUntil)
      statements.deleteBatchesBefore.run(last)
      statements.emptyBatch.run(last)
    })
    recent.remove(oldest)
  }
  const purgeRecent = (time: number): void => {
    const expired = recent.expired(time, purgeStep)
    if (expired.length === 0) return
    inTransaction(() => {
      for (const { number, keptUntil } of expired) {
        statements.notePurged.run(keptUntil)
        if (number === recent.newest()) statements.emptyBatch.run(number)
        else statements.deleteBatch.run(number)
      }
      // Also deletes rows that were emptied earlier.
      statements.deleteBatchesBefore.run(recent.firstExcept(expired) ?? recent.newest())
    })
    recent.remove(expired)
  }
  const purgeIndexed = (time: number): void => {
    const { last, expired } = statements.nextIndexed.get(indexPurgedTo, time) as {
      last: string | null
      expired: number
    }
    if (expired > 0) {
      inTransaction(() => {
        // The times of the deleted rows, as another process may have added some since they were counted.
        const purged = statements.deleteIndexed.all(indexPurgedTo, last ?? '', time)
        statements.notePurged.run(Math.max(0, ...purged.map((row) => Number(row['keptUntil']))))
      })
    }
    indexPurgedTo = last ?? ''
  }

  return {
    record(group) {
      const { number, added, recorded } = inTransaction(() => {
        readNewBatches()
        const used = findIndexed(group.map(({ tokenId }) => tokenId))
        // Read under the same lock as the records: another process may purge some at any other time.
        const purgedUntil = Number(statements.purgedUntil.get()?.['time'])
        const outcomes = group.map(({ tokenId, keptUntil }): UseOutcome => {
          if (recent.has(tokenId) || used.has(tokenId)) return 'used before'
          if (keptUntil <= purgedUntil) return 'purged'
          used.add(tokenId)
          return 'first use'
        })
        const added = group.filter((_, index) => outcomes[index] === 'first use')
        const number =
          added.length > 0 ? statements.addBatch.run(formatUses(added)).lastInsertRowid : 0
        return { number: Number(number), added, recorded: { outcomes, purgedUntil } }
      })
      if (added.length > 0) recent.add(number, added)
      return recorded
    },
    purge(time) {
      space.adapt()
      if (recent.size() > max) moveOldestToIndex()
      purgeRecent(time)
      purgeIndexed(time)
    },
    toAppError: (error) => toAppError(error, database),
    close() {
      database.close()
    },
  }
}

/**
 * The numbers of batches only rise, so that a process recognises new ones. The row with the highest number is therefore
 * emptied instead of deleted.
 */
function prepareStatements(database: DatabaseSync) {
  return {
    newBatches: database.prepare('select number, uses from batch where number > ?'),
    oldBatches: database.prepare('select uses from batch where number <= ?'),
    addBatch: database.prepare('insert into batch (uses) values (?)'),
    deleteBatch: database.prepare('delete from batch where number = ?'),
    deleteBatchesBefore: database.prepare('delete from batch where number < ?'),
    emptyBatch: database.prepare("update batch set uses = '[]' where number = ?"),
    anyIndexed: database.prepare('select 1 from token_use limit 1'),
    findIndexed: database.prepare(
      `select token_id as tokenId from token_use
       where token_id in (${Array(lookUpMax).fill('?').join()})`,
    ),
    addIndexed: database.prepare('insert or ignore into token_use values (?, ?)'),
    nextIndexed: database.prepare(
      `select max(token_id) as last, count(*) filter (where kept_until < ?2) as expired
       from (select * from token_use where token_id > ?1 order by token_id limit ${purgeStep})`,
    ),
    deleteIndexed: database.prepare(
      `delete from token_use where token_id > ? and token_id <= ? and kept_until < ?
       returning kept_until as keptUntil`,
    ),
    purgedUntil: database.prepare('select purged_until as time from replay_purge'),
    notePurged: database.prepare(
      'update replay_purge set purged_until = ?1 where purged_until < ?1',
    ),
  }
}

/** The batches that are not in the index, oldest first. */
function openRecentBatches() {
  const ids = new Set<string>()
  let batches: Batch[] = []
  let newest = 0
  let firstExpiry = Infinity
  return {
    newest: () => newest,
    size: () => ids.size,
    has: (tokenId: string) => ids.has(tokenId),
    oldest: (usesMax: number) => takeUpTo(batches, usesMax),
    expired(time: number, usesMax: number): Batch[] {
      if (firstExpiry >= time) return []
      return takeUpTo(
        batches.filter(({ keptUntil }) => keptUntil < time),
        usesMax,
      )
    },
    firstExcept: (some: readonly Batch[]) => batches.find((batch) => !some.includes(batch))?.number,
    add(number: number, uses: readonly TokenUse[]): void {
      newest = Math.max(newest, number)
      const tokenIds = uses.map(({ tokenId }) => tokenId)
      const keptUntil = uses.reduce((latest, use) => Math.max(latest, use.keptUntil), 0)
      batches.push({ number, tokenIds, keptUntil })
      firstExpiry = Math.min(firstExpiry, keptUntil)
      for (const id of tokenIds) ids.add(id)
    },
    remove(some: readonly Batch[]): void {
      const numbers = new Set(some.map(({ number }) => number))
      batches = batches.filter(({ number }) => !numbers.has(number))
      for (const { tokenIds } of some) for (const id of tokenIds) ids.delete(id)
      firstExpiry = batches.reduce((first, { keptUntil }) => Math.min(first, keptUntil), Infinity)
    },
  }
}

/** The first batches, at least one, with at most that many uses together. */
function takeUpTo(batches: readonly Batch[], usesMax: number): Batch[] {
  const taken: Batch[] = []
  let count = 0
  for (const batch of batches) {
    count += batch.tokenIds.length
    if (taken.length > 0 && count > usesMax) break
    taken.push(batch)
  }
  return taken
}

/** Keeps the log small while the disk has little space, and empties it when the disk is full. */
function openSpace(database: DatabaseSync, path: string) {
  let adaptedAt = Number.NEGATIVE_INFINITY
  let gainedAt = Number.NEGATIVE_INFINITY
  let wasTight = false
  return {
    adapt(): void {
      if (performance.now() - adaptedAt < spaceEveryMs) return
      adaptedAt = performance.now()
      const tight = isTight(path)
      if (tight === wasTight) return
      database.exec(`
        pragma wal_autocheckpoint = ${tight ? logPagesWhenTight : logPagesMax};
        pragma journal_size_limit = ${tight ? logBytesWhenTight : -1};
      `)
      wasTight = tight
    },
    /** False if the last attempt was a moment ago, or this one failed. */
    gain(): boolean {
      if (performance.now() - gainedAt < spaceEveryMs) return false
      gainedAt = performance.now()
      try {
        database.exec('pragma wal_checkpoint(truncate)')
        return true
      } catch {
        return false
      }
    },
  }
}

function formatUses(uses: readonly TokenUse[]): string {
  return JSON.stringify(uses.flatMap(({ tokenId, keptUntil }) => [tokenId, keptUntil]))
}

function parseUses(text: unknown): TokenUse[] {
  const members = JSON.parse(String(text)) as (string | number)[]
  return Array.from({ length: members.length / 2 }, (_, index) => ({
    tokenId: String(members[2 * index]),
    keptUntil: Number(members[2 * index + 1]),
  }))
}
