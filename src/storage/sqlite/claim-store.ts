import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { type ClaimStore, clockSkewSeconds } from '../../provider/claims.ts'
import { openFile } from './open.ts'
import { isBusy } from './told.ts'

/** As often as this, so many of those that are too old to matter are forgotten. */
const purgeEveryMs = 200
const purgeStep = 1000

/** How many claims are written before others are served again. */
const groupMax = 1000

/** How long a claim waits for a file that another process holds, and how long between two tries. */
const busyMaxMs = 5000
const busyRetryMs = 5

/** Ids are random, so nearly each goes to a page of its own, which is written whole. */
const pageBytes = 1024

interface Waiting {
  readonly tokenId: string
  readonly keptUntil: number
  readonly since: number
  readonly resolve: (won: boolean) => void
  readonly reject: (error: unknown) => void
}

/**
 * Claims in a file of their own, so that a long load never holds up a request. Those that arrive together
 * are committed together: one wait for the disk serves them all.
 */
export function openSqliteClaimStore(path: string, clock: () => Temporal.Instant): ClaimStore {
  const database = openFile(path, pageBytes)
  database.exec(`
    create table if not exists claim (
      token_id text primary key, kept_until integer not null
    ) strict, without rowid;
    create index if not exists claim_kept_until on claim (kept_until);
  `)
  // SQLite waits by holding up the whole process, so whatever waits from here on does it in `write`.
  database.exec('pragma busy_timeout = 0')
  const insert = database.prepare('insert or ignore into claim values (?, ?)')
  const purge = database.prepare(
    `delete from claim where token_id in
       (select token_id from claim where kept_until < ? order by kept_until limit ${purgeStep})`,
  )
  const waiting: Waiting[] = []
  let writing: Promise<void> | undefined

  const commit = (group: readonly Waiting[]): boolean[] => {
    database.exec('begin immediate')
    try {
      const won = group.map(
        ({ tokenId, keptUntil }) => insert.run(tokenId, keptUntil).changes === 1,
      )
      database.exec('commit')
      return won
    } catch (error) {
      if (database.isTransaction) database.exec('rollback')
      throw error
    }
  }
  const write = async (): Promise<void> => {
    await nextTurn()
    while (waiting.length > 0) {
      const group = waiting.splice(0, groupMax)
      try {
        const won = commit(group)
        for (const [index, { resolve }] of group.entries()) resolve(won[index] ?? false)
        if (waiting.length > 0) await nextTurn()
      } catch (error) {
        const now = performance.now()
        const isPatient = ({ since }: Waiting) => isBusy(error) && now - since < busyMaxMs
        waiting.unshift(...group.filter(isPatient))
        for (const each of group) if (!isPatient(each)) each.reject(error)
        if (waiting.length > 0) await wait(busyRetryMs)
      }
    }
    writing = undefined
  }
  const timer = setInterval(() => {
    try {
      purge.run(Math.floor(clock().epochMilliseconds / 1000) - clockSkewSeconds)
    } catch {
      // What is kept too long does no harm, and the next time is soon.
    }
  }, purgeEveryMs)
  timer.unref()

  return {
    claim(tokenId, keptUntil) {
      return new Promise((resolve, reject) => {
        waiting.push({ tokenId, keptUntil, since: performance.now(), resolve, reject })
        writing ??= write()
      })
    },
    async close() {
      clearInterval(timer)
      await writing
      database.close()
    },
  }
}
