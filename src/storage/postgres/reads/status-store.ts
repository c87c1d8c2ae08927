import { DatabaseError, type DatabaseOptions } from '../../database.ts'
import type { CountName, StatusStore } from '../../status-store.ts'
import { abandonAt, abandonOnAbort } from '../driver/abandon.ts'
import { isDenied } from '../driver/denied.ts'
import type { Statement, Value } from '../driver/pipeline.ts'
import { openPool } from '../driver/pool.ts'
import { runStatement, toAppError } from '../driver/statements.ts'
import { longTimeoutMs } from '../driver/timeouts.ts'
import { listFeeds, toFeed } from '../feeds/feed-rows.ts'

const counts: Readonly<Record<CountName, Statement>> = {
  products: { name: 'count-products', text: 'select count(*) from product' },
  drafts: { name: 'count-drafts', text: 'select count(*) from product_draft' },
  activeConsents: {
    name: 'count-consents',
    text: `select count(*) from arrangement where status = 'active' and ends > $1`,
  },
  // The role of the platform may have no right to these tables.
  customers: {
    name: 'count-customers',
    text: 'select count(*) from customer where record is not null',
  },
  accounts: { name: 'count-accounts', text: 'select count(*) from account where kind <> 0' },
}
const readLastLoad: Statement = {
  name: 'read-last-load',
  text: 'select committed, created, changed, unchanged, deleted from last_load',
}

export async function openPostgresStatusStore(
  database: string,
  options: DatabaseOptions,
): Promise<StatusStore> {
  const pool = await openPool(database, 'read', options)
  const closing = new AbortController()

  /** Closing the pool does not wait for it: the statement is cancelled. */
  const runLong = async (statement: Statement, values: readonly Value[]) => {
    const client = await pool.connect().catch(async (error: unknown) => {
      throw await toAppError(pool, error)
    })
    const clearDeadline = abandonAt(client, performance.now() + longTimeoutMs)
    const leave = abandonOnAbort(client, {
      signal: closing.signal,
      isCancelled: () => true,
      closeMs: () => 0,
    })
    let isBroken = true
    try {
      const rows = await runStatement(client, statement, values)
      isBroken = false
      return rows
    } finally {
      leave()
      clearDeadline()
      client.release(isBroken)
    }
  }

  return {
    async count(name, now) {
      const values = name === 'activeConsents' ? [now.epochMilliseconds] : []
      try {
        const [[count] = []] = await runLong(counts[name], values)
        return Number(count)
      } catch (error) {
        if (error instanceof DatabaseError && isDenied(error.cause)) return undefined
        throw error
      }
    },
    async read() {
      const feeds = await runStatement(pool, listFeeds, [])
      const [load] = await runStatement(pool, readLastLoad, [])
      const [committed, created, changed, unchanged, deleted] = load?.map(Number) ?? []
      return {
        feeds: feeds.map(toFeed),
        lastLoad:
          committed === undefined
            ? undefined
            : {
                committed,
                created: created ?? 0,
                changed: changed ?? 0,
                unchanged: unchanged ?? 0,
                deleted: deleted ?? 0,
              },
      }
    },
    async close() {
      closing.abort()
      await pool.end()
    },
  }
}
