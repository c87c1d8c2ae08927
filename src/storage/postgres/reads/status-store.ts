import { DatabaseError, type DatabaseOptions } from '../../database.ts'
import type { StatusStore } from '../../status-store.ts'
import { isDenied } from '../driver/denied.ts'
import type { Statement } from '../driver/pipeline.ts'
import { openPool } from '../driver/pool.ts'
import { runStatement } from '../driver/statements.ts'
import { listFeeds, toFeed } from '../feeds/feed-rows.ts'

/** The role of the platform may have no right to these tables. */
const countProvider: Statement = {
  name: 'count-provider',
  isLong: true,
  text: 'select (select count(*) from customer where record is not null), (select count(*) from account)',
}
const countPlatform: Statement = {
  name: 'count-platform',
  isLong: true,
  text: `select (select count(*) from product), (select count(*) from product_draft),
    (select count(*) from arrangement where status = 'active' and ends > $1)`,
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
  const ifPermitted = async (statement: Statement) => {
    try {
      return await runStatement(pool, statement, [])
    } catch (error) {
      if (error instanceof DatabaseError && isDenied(error.cause)) return []
      throw error
    }
  }

  return {
    async read(now) {
      const [[customers, accounts] = []] = await ifPermitted(countProvider)
      const [[products, drafts, activeConsents] = []] = await runStatement(pool, countPlatform, [
        now.epochMilliseconds,
      ])
      const feeds = await runStatement(pool, listFeeds, [])
      const [load] = await runStatement(pool, readLastLoad, [])
      const [committed, created, changed, unchanged, deleted] = load?.map(Number) ?? []
      return {
        customers: toNumber(customers),
        accounts: toNumber(accounts),
        products: Number(products),
        drafts: Number(drafts),
        activeConsents: Number(activeConsents),
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
      await pool.end()
    },
  }
}

function toNumber(text: string | null | undefined): number | undefined {
  return text == null ? undefined : Number(text)
}
