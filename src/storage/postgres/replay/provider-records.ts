import type { UseOutcome } from '../../../auth/replay-store.ts'
import type { DatabaseOptions, ReplayOptions } from '../../database.ts'
import { createSigningKeyStore } from '../../platform/signing-key-store.ts'
import type { ProviderRecords } from '../../provider-records.ts'
import { createRecordStore, toKeyColumns } from '../../record-store.ts'
import { providerRecords } from '../../record-tables.ts'
import { openPool } from '../driver/pool.ts'
import { openPostgresSql } from '../driver/sql.ts'
import { runInOrder } from '../driver/statements.ts'
import { encodeTokenId, insertUses } from './token-uses.ts'

/** Tells the next statement of the transaction how many of the uses are first uses. */
const insertAndCountUses = `with used as (${insertUses}),
  noted as (select set_config('holdfast.first_uses', cast((select count(*) from used) as text), true))
  select token_id from used, noted`

/**
 * A statement of its own, as `readPurged` of the replay store is: only then does it see the time that a purge stored for
 * which the statement before had to wait.
 */
const insertBlock = `with block as (
    insert into ${providerRecords.block} (chain, number, time, previous, hash, lines)
    select cast($1 as text), cast($2 as bigint), cast($3 as bigint), cast($4 as text),
      cast($5 as text), cast($6 as text)
    where current_setting('holdfast.first_uses', true) = cast($7 as text)
      and (select purged_until from replay_purge) < cast($8 as bigint)
    returning chain),
  keys as (
    insert into ${providerRecords.key} (kind, id, time, chain, number)
    select k.kind, k.id, cast($3 as bigint), cast($1 as text), cast($2 as bigint)
    from block, unnest(cast($9 as text[]), cast($10 as bigint[])) as k (id, kind))
  select purged_until from replay_purge`

/** The records of a provider, on connections of their own, as the replay store has them. */
export async function openPostgresProviderRecords(
  database: string,
  options: DatabaseOptions & Pick<ReplayOptions, 'onPurgedToken'> = {},
): Promise<ProviderRecords> {
  const sql = await openPostgresSql(database, { ...options, connections: 1 })
  const { pool } = await openPool(database, 'write', { ...options, connections: 1 })

  return {
    store: {
      ...createRecordStore(sql, { tables: providerRecords }),
      async appendWithUses({ chain, number, time, previous, hash, lines }, records, uses) {
        const stored = uses.map(({ tokenId, keptUntil }) => ({
          id: encodeTokenId(tokenId),
          keptUntil,
        }))
        const sorted = [...stored].sort((a, b) => (a.id < b.id ? -1 : 1))
        const firstKept = Math.min(...uses.map(({ keptUntil }) => keptUntil))
        const [inserted = [], [[purged] = []] = []] = await runInOrder(pool, [
          [insertAndCountUses, [sorted.map(({ id }) => id), sorted.map((each) => each.keptUntil)]],
          [
            insertBlock,
            [
              ...[chain, number, time.epochMilliseconds, previous, hash, lines],
              ...[String(uses.length), firstKept],
              ...toKeyColumns(records),
            ],
          ],
        ])
        const purgedUntil = Number(purged)
        const added = new Set(inserted.map(([id]) => id))
        const outcomes = stored.map(({ id, keptUntil }): UseOutcome => {
          if (!added.has(id)) return 'used before'
          return keptUntil > purgedUntil ? 'first use' : 'purged'
        })
        if (outcomes.includes('purged')) options.onPurgedToken?.(purgedUntil)
        return outcomes
      },
    },
    signingKeys: createSigningKeyStore(sql, providerRecords),
    async close() {
      await sql.close()
      await pool.end()
    },
  }
}
