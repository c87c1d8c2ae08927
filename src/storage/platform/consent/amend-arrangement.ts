import type { ArrangementStore } from '../../../platform/consent/store.ts'
import type { Sql } from '../../sql.ts'
import { insert } from '../rows.ts'
import { lockActive } from './end-arrangements.ts'
import { addReceipts } from './outbox.ts'

export function createAmendment(sql: Sql): ArrangementStore['amend'] {
  /** Each of the two with the other one. Both are read before the first one is changed. */
  const isPair = (column: string) =>
    `a.${column} in ($1, $2) and b.${column} in ($1, $2) and a.${column} <> b.${column}`

  return (id, agreed, now) =>
    sql.transaction(async (transaction) => {
      const active = await lockActive(transaction, sql, [id, agreed], now)
      if (active.length !== 2) return false
      const exchanged = await transaction.run(
        `update arrangement as a set accounts = b.accounts, scopes = b.scopes, starts = b.starts,
           ends = b.ends, updated = $3,
           status = case a.id when $1 then 'active' else 'withdrawn' end,
           version_of = case a.id when $1 then a.version_of else $1 end
         from arrangement b
         where ${isPair('id')} and a.third_party = b.third_party and a.customer = b.customer`,
        [id, agreed, now],
      )
      if (exchanged !== 2) return false
      const ids = [id, agreed]
      await transaction.run(
        `update arrangement_change as a set time = b.time from arrangement_change b
         where ${isPair('arrangement')} and a.status = 'active' and b.status = 'active'`,
        ids,
      )
      const last = { arrangement: agreed, time: now, status: 'withdrawn', reason: 'amended' }
      await transaction.run(...insert('arrangement_change', last))
      // What was seen of the accounts since the customer agreed.
      await transaction.run(
        `update account_change as a set arrangement = $1
         where arrangement = $2 and not exists (select 1 from account_change b
           where b.arrangement = $1 and b.account = a.account and b.time >= a.time)`,
        ids,
      )
      await transaction.run('delete from account_change where arrangement = $1', [agreed])
      await addReceipts(transaction, sql.dialect, 'receipt_amended', [id], now)
      await transaction.run('delete from artifact where grant_id = $1', [id])
      await transaction.run(
        `update artifact
         set grant_id = $1, uid = replace(uid, $2, $1), payload = replace(payload, $2, $1)
         where grant_id = $2`,
        ids,
      )
      return true
    })
}
