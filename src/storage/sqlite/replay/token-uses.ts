import type { DatabaseSync } from 'node:sqlite'
import type { TokenUse, UseOutcome } from '../../../auth/replay-store.ts'
import type { Call } from '../../sql.ts'
import { isDiskFull, toAppError } from '../driver/errors.ts'
import { openStatements } from '../driver/sql.ts'
import { transaction } from '../driver/statements.ts'
import { isTight } from '../driver/write-ahead-log.ts'
import { openReplayFile } from './open-file.ts'

/** How many rows are examined for expired records at once. */
const purgeStep = 1000

/** How large the log may grow before its pages are copied: consecutive commits rarely change the same pages. */
const logPagesMax = 4000

/** How large it may grow on a disk with little space: a log that fills the disk can no longer be copied. */
const logPagesWhenTight = 100
const logBytesWhenTight = 512 * 1024

/** How often the free space is checked, and how often an attempt is made to gain some. */
const spaceEveryMs = 1000

export function openTokenUses(path: string) {
  const database = openReplayFile(path)
  // A busy timeout would block the whole process.
  database.exec(`pragma wal_autocheckpoint = ${logPagesMax}; pragma busy_timeout = 0`)
  const statements = prepareStatements(database)
  const others = openStatements(database)
  const space = openSpace(database, path)
  space.adapt()
  let examinedTo = ''

  const inTransaction = <Result>(work: () => Result): Result => {
    try {
      return transaction(database, work)
    } catch (error) {
      if (!isDiskFull(error) || !space.gain()) throw error
      return transaction(database, work)
    }
  }

  return {
    /**
     * Records first uses, durably when it returns. If all are first uses, it runs the calls in the same commit. No purged
     * record was kept for longer than until `purgedUntil`.
     */
    record: (group: readonly TokenUse[], calls: readonly Call[] = []) =>
      inTransaction(() => {
        // Read under the same lock as the records: another process may purge some at any other time.
        const purgedUntil = Number(statements.purgedUntil.get()?.['time'])
        const outcomes = group.map(({ tokenId, keptUntil }): UseOutcome => {
          if (keptUntil <= purgedUntil)
            return statements.find.get(tokenId) ? 'used before' : 'purged'
          return statements.add.run(tokenId, keptUntil).changes === 0 ? 'used before' : 'first use'
        })
        if (outcomes.every((outcome) => outcome === 'first use')) {
          for (const [text, values = []] of calls) others.run(text, values)
        }
        return { outcomes, purgedUntil }
      }),
    /** Purges some of the records that are kept until before that time, in seconds since 1970. */
    purge(time: number): void {
      space.adapt()
      const { last, expired } = statements.examine.get(examinedTo, time) as {
        last: string | null
        expired: number
      }
      if (expired > 0) {
        inTransaction(() => {
          // The times of the deleted rows, as another process may have added some since they were counted.
          const purged = statements.delete.all(examinedTo, last ?? '', time)
          statements.notePurged.run(Math.max(0, ...purged.map((row) => Number(row['keptUntil']))))
        })
      }
      examinedTo = last ?? ''
    },
    toAppError: (error: unknown) => toAppError(error, database),
    close: () => database.close(),
  }
}

function prepareStatements(database: DatabaseSync) {
  return {
    find: database.prepare('select 1 from token_use where token_id = ?'),
    add: database.prepare('insert or ignore into token_use values (?, ?)'),
    examine: database.prepare(
      `select max(token_id) as last, count(*) filter (where kept_until < ?2) as expired
       from (select * from token_use where token_id > ?1 order by token_id limit ${purgeStep})`,
    ),
    delete: database.prepare(
      `delete from token_use where token_id > ? and token_id <= ? and kept_until < ?
       returning kept_until as keptUntil`,
    ),
    purgedUntil: database.prepare('select purged_until as time from replay_purge'),
    notePurged: database.prepare(
      'update replay_purge set purged_until = ?1 where purged_until < ?1',
    ),
  }
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
