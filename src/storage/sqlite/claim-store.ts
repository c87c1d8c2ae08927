import type { ClaimStore } from '../../provider/claims.ts'
import { openFile } from './open.ts'

const purgeEveryMs = 1000
const purgeStep = 1000

interface Waiting {
  readonly tokenId: string
  readonly keptUntil: number
  readonly resolve: (won: boolean) => void
  readonly reject: (error: unknown) => void
}

/**
 * Claims in a file of their own, so that a long load never holds up a request. Those that arrive together
 * are committed together: one wait for the disk serves them all.
 */
export function openSqliteClaimStore(path: string, clock: () => Temporal.Instant): ClaimStore {
  const database = openFile(path)
  database.exec(`
    create table if not exists claim (
      token_id text primary key, kept_until integer not null
    ) strict, without rowid;
    create index if not exists claim_kept_until on claim (kept_until);
  `)
  const insert = database.prepare('insert or ignore into claim values (?, ?)')
  const purge = database.prepare(
    `delete from claim where token_id in
       (select token_id from claim where kept_until < ? order by kept_until limit ${purgeStep})`,
  )
  let waiting: Waiting[] = []

  const commit = (): void => {
    const group = waiting
    waiting = []
    if (group.length === 0) return
    try {
      database.exec('begin immediate')
      const won = group.map(
        ({ tokenId, keptUntil }) => insert.run(tokenId, keptUntil).changes === 1,
      )
      database.exec('commit')
      for (const [index, { resolve }] of group.entries()) resolve(won[index] ?? false)
    } catch (error) {
      if (database.isTransaction) database.exec('rollback')
      for (const { reject } of group) reject(error)
    }
  }
  const timer = setInterval(() => {
    try {
      purge.run(Math.floor(clock().epochMilliseconds / 1000))
    } catch {
      // What is kept too long does no harm, and the next time is soon.
    }
  }, purgeEveryMs)
  timer.unref()

  return {
    claim(tokenId, keptUntil) {
      return new Promise((resolve, reject) => {
        waiting.push({ tokenId, keptUntil, resolve, reject })
        if (waiting.length === 1) setImmediate(commit)
      })
    },
    async close() {
      clearInterval(timer)
      if (waiting.length > 0) commit()
      database.close()
    },
  }
}
