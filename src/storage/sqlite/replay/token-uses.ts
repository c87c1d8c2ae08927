import type { DatabaseSync } from 'node:sqlite'
import type { UseOutcome } from '../../../auth/replay-store.ts'
import { isDiskFull, toAppError } from '../driver/errors.ts'
import { openFile } from '../driver/open.ts'
import { isTight } from '../driver/write-ahead-log.ts'

/** How many claims are held in memory, and how many of the oldest go to the index when there are more. */
const heldMax = 65_536
const settleStep = 2048

/** How many expired claims are forgotten at once, and how many of the index are looked at for that. */
const forgetStep = 1000

/** How many ids one look into the index asks for. */
const lookUpMax = 16

/** How large the log may grow before its pages are copied: they are rarely the same ones. */
const logPagesMax = 4000

/** The same on a disk with little space: a log that fills it could not be copied any more. */
const logPagesWhenTight = 100
const logBytesWhenTight = 512 * 1024

/** How often the free space is looked at, and how often an attempt is made to gain some. */
const spaceEveryMs = 1000

export interface TokenUse {
  readonly tokenId: string
  readonly keptUntil: number
}

export interface TokenUses {
  /** Writes the new ones, durably when it returns, and gives the outcome of each. */
  claim(group: readonly TokenUse[]): Recorded
  /** Purges some of those that are kept until before that time, in seconds since 1970. */
  forget(time: number): void
  /** What a failure of the file means to callers. */
  toAppError(error: unknown): unknown
  close(): void
}

export interface Recorded {
  readonly outcomes: readonly UseOutcome[]
  /** The latest time until which a purged claim was kept. */
  readonly purgedUntil: number
}

/** Claims that were written together. */
interface Batch {
  readonly number: number
  readonly tokenIds: readonly string[]
  /** When the last of them may be forgotten. */
  readonly keptUntil: number
}

/**
 * Ids are random: each that went to its place in an index would have a page of the disk written for it alone.
 * So a group is appended as one row, which every process that shares the file reads and holds in memory. Most
 * expire there. Only when there are too many, the oldest are sorted into the index, thousands at once.
 */
export function openTokenUses(path: string, most = heldMax): TokenUses {
  const database = openFile(path)
  database.exec(`
    create table if not exists claim (
      token_id text primary key, kept_until integer not null
    ) strict, without rowid;
    drop index if exists claim_kept_until;
    create table if not exists batch (
      number integer primary key,
      claims text not null  -- in JSON: an id, until when it is kept, the next id, and so on
    ) strict;
    -- One row: the latest time until which a purged claim was kept. A token that is kept no longer than that may
    -- have been used before, whatever the clock says now.
    create table if not exists replay_purge (
      id integer primary key check (id = 1), purged_until integer not null
    ) strict;
    insert or ignore into replay_purge values (1, 0);
    pragma wal_autocheckpoint = ${logPagesMax};
    -- SQLite would wait by holding up the whole process.
    pragma busy_timeout = 0;
  `)
  const begin = database.prepare('begin immediate')
  const commit = database.prepare('commit')
  const newBatches = database.prepare('select number, claims from batch where number > ?')
  const oldBatches = database.prepare('select claims from batch where number <= ?')
  const addBatch = database.prepare('insert into batch (claims) values (?)')
  const dropBatch = database.prepare('delete from batch where number = ?')
  const dropBatches = database.prepare('delete from batch where number < ?')
  const emptyBatch = database.prepare("update batch set claims = '[]' where number = ?")
  const anyIndexed = database.prepare('select 1 from claim limit 1')
  const indexedOf = database.prepare(
    `select token_id as tokenId from claim where token_id in (${Array(lookUpMax).fill('?').join()})`,
  )
  const index = database.prepare('insert or ignore into claim values (?, ?)')
  const stretch = database.prepare(
    `select max(token_id) as last, count(*) filter (where kept_until < ?2) as expired
     from (select * from claim where token_id > ?1 order by token_id limit ${forgetStep})`,
  )
  const dropIndexed = database.prepare(
    `delete from claim where token_id > ? and token_id <= ? and kept_until < ?
     returning kept_until as keptUntil`,
  )
  const purgedUntil = database.prepare('select purged_until as time from replay_purge')
  const notePurged = database.prepare(
    'update replay_purge set purged_until = ?1 where purged_until < ?1',
  )

  const held = new Set<string>()
  let batches: Batch[] = []
  let newest = 0
  let firstExpiry = Infinity
  let looked = ''

  const space = openSpace(database, path)
  space.adapt()
  const inTransaction = <Result>(work: () => Result): Result => {
    try {
      return attempt(work)
    } catch (error) {
      if (!isDiskFull(error) || !space.gain()) throw error
      return attempt(work)
    }
  }
  const attempt = <Result>(work: () => Result): Result => {
    begin.run()
    try {
      const result = work()
      commit.run()
      return result
    } catch (error) {
      if (database.isTransaction) database.exec('rollback')
      throw error
    }
  }
  const hold = (number: number, claims: readonly TokenUse[]): void => {
    newest = Math.max(newest, number)
    const tokenIds = claims.map(({ tokenId }) => tokenId)
    const keptUntil = claims.reduce((latest, claim) => Math.max(latest, claim.keptUntil), 0)
    batches.push({ number, tokenIds, keptUntil })
    firstExpiry = Math.min(firstExpiry, keptUntil)
    for (const id of tokenIds) held.add(id)
  }
  const release = (gone: readonly Batch[]): void => {
    const numbers = new Set(gone.map(({ number }) => number))
    batches = batches.filter(({ number }) => !numbers.has(number))
    for (const { tokenIds } of gone) for (const id of tokenIds) held.delete(id)
  }
  /** What other processes have written since, or earlier ones left. */
  const catchUp = (): void => {
    for (const row of newBatches.all(newest)) hold(Number(row['number']), usesIn(row['claims']))
  }
  const indexed = (tokenIds: readonly string[]): Set<string> => {
    const found = new Set<string>()
    if (!anyIndexed.get()) return found
    for (let start = 0; start < tokenIds.length; start += lookUpMax) {
      const asked = tokenIds.slice(start, start + lookUpMax)
      const rows = indexedOf.all(...asked, ...Array(lookUpMax - asked.length).fill(null))
      for (const row of rows) found.add(String(row['tokenId']))
    }
    return found
  }
  /** Numbers only rise, also when all is forgotten: the last row stays, though without its claims. */
  const dropUpTo = (number: number): void => {
    dropBatches.run(number)
    emptyBatch.run(number)
  }
  const settle = (): void => {
    const oldest = firstFew(batches, settleStep)
    const upTo = oldest.at(-1)?.number ?? 0
    inTransaction(() => {
      // Read again: another process may have done so first.
      const claims = oldBatches.all(upTo).flatMap((row) => usesIn(row['claims']))
      claims.sort((a, b) => (a.tokenId < b.tokenId ? -1 : 1))
      for (const { tokenId, keptUntil } of claims) index.run(tokenId, keptUntil)
      dropUpTo(upTo)
    })
    release(oldest)
  }
  const forgetHeld = (time: number): void => {
    if (firstExpiry >= time) return
    const expired = firstFew(
      batches.filter(({ keptUntil }) => keptUntil < time),
      forgetStep,
    )
    inTransaction(() => {
      for (const { number, keptUntil } of expired) {
        notePurged.run(keptUntil)
        if (number === newest) emptyBatch.run(number)
        else dropBatch.run(number)
      }
      // And what was emptied earlier.
      dropBatches.run(batches.find((batch) => !expired.includes(batch))?.number ?? newest)
    })
    release(expired)
    firstExpiry = batches.reduce((first, { keptUntil }) => Math.min(first, keptUntil), Infinity)
  }
  const forgetIndexed = (time: number): void => {
    const { last, expired } = stretch.get(looked, time) as { last: string | null; expired: number }
    if (expired > 0) {
      inTransaction(() => {
        // Of the rows that are deleted, not of those seen before: another process may have added some since.
        const purged = dropIndexed.all(looked, last ?? '', time)
        notePurged.run(Math.max(0, ...purged.map((row) => Number(row['keptUntil']))))
      })
    }
    looked = last ?? ''
  }

  return {
    claim(group) {
      const { number, added, recorded } = inTransaction(() => {
        catchUp()
        const used = indexed(group.map(({ tokenId }) => tokenId))
        // Read behind the same lock as the claims: another process may have purged some meanwhile.
        const purged = Number(purgedUntil.get()?.['time'])
        const outcomes = group.map(({ tokenId, keptUntil }): UseOutcome => {
          if (held.has(tokenId) || used.has(tokenId)) return 'used before'
          if (keptUntil <= purged) return 'purged'
          used.add(tokenId)
          return 'first use'
        })
        const added = group.filter((_, index) => outcomes[index] === 'first use')
        const number = added.length > 0 ? addBatch.run(textOf(added)).lastInsertRowid : 0
        return { number: Number(number), added, recorded: { outcomes, purgedUntil: purged } }
      })
      if (added.length > 0) hold(number, added)
      return recorded
    },
    forget(time) {
      space.adapt()
      if (held.size > most) settle()
      forgetHeld(time)
      forgetIndexed(time)
    },
    toAppError: (error) => toAppError(error, database),
    close() {
      database.close()
    },
  }
}

/** Keeps the log small where there is little space, and makes some by emptying it where there is none. */
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
    /** False where it was tried a moment ago, or was of no use. */
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

/** As many as have no more claims than that together, and one at least. */
function firstFew(batches: readonly Batch[], most: number): Batch[] {
  const few: Batch[] = []
  let count = 0
  for (const batch of batches) {
    count += batch.tokenIds.length
    if (few.length > 0 && count > most) break
    few.push(batch)
  }
  return few
}

function textOf(claims: readonly TokenUse[]): string {
  return JSON.stringify(claims.flatMap(({ tokenId, keptUntil }) => [tokenId, keptUntil]))
}

function usesIn(text: unknown): TokenUse[] {
  const members = JSON.parse(String(text)) as (string | number)[]
  return Array.from({ length: members.length / 2 }, (_, index) => ({
    tokenId: String(members[2 * index]),
    keptUntil: Number(members[2 * index + 1]),
  }))
}
