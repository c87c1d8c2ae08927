import { ContractError } from '../../../contract/index.ts'
import type { ProviderStore } from '../../../provider/store.ts'
import { countAll, createAccountStatements } from '../../account-statements.ts'
import type { DatabaseOptions } from '../../database.ts'
import { listCodes } from '../../enum-codes.ts'
import { createProviderStore } from '../../provider-store.ts'
import { openPool } from '../driver/pool.ts'
import { openReplica } from '../driver/replica.ts'
import { dialect } from '../driver/sql.ts'
import { openQuery, type Query } from '../driver/statements.ts'
import { openDistributedLists } from './distributed-lists.ts'
import { openPartitionedLists } from './partitioned-lists.ts'

/** An account that has transactions. In the layout `citus`, only the data nodes know: it has had entries. */
const hasTransactions = {
  partitions: `exists (select from entry e where e.account = a.number and e.list = ${listCodes.transaction})`,
  citus: 'exists (select from account_state s where s.account = a.number)',
}

/** The provider's data in PostgreSQL. Each method reads one snapshot: it is one statement, except in the layout `citus`. */
export async function openPostgresProviderStore(
  database: string,
  options: DatabaseOptions = {},
): Promise<ProviderStore> {
  const { pool, layout, partitions } = await openPool(database, 'read', options)
  const replica = options.replica ? openReplica(options.replica, pool, options) : undefined

  const queryPrimary = openQuery(pool)
  const query: Query = async (statement, values) => {
    const queryReplica = replica?.current()
    if (!queryReplica) return queryPrimary(statement, values)
    try {
      return await queryReplica(statement, values)
    } catch (error) {
      if (!(error instanceof ContractError)) throw error
      replica?.distrust()
      return queryPrimary(statement, values)
    }
  }
  const lists =
    layout === 'citus'
      ? await openDistributedLists(database, pool, options)
      : openPartitionedLists(query, partitions)

  return createProviderStore({
    statements: createAccountStatements(dialect),
    overview: countAll(hasTransactions[layout]),
    query,
    ...lists,
    async close() {
      await replica?.close()
      await lists.close()
      await pool.end()
    },
  })
}
