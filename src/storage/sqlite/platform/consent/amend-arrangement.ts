import type { DatabaseSync } from 'node:sqlite'
import type { ArrangementStore } from '../../../../platform/consent/store.ts'
import { command } from '../../driver/statements.ts'
import type { Write } from '../../driver/write-queue.ts'

export function openAmendments(database: DatabaseSync, write: Write): ArrangementStore['amend'] {
  const isPair = (column: string) =>
    `((a.${column} = :id and b.${column} = :agreed) or (a.${column} = :agreed and b.${column} = :id))`
  // The rows of the join are read before the first one is changed.
  const exchange = command(
    database,
    `update arrangement set (accounts, scopes, starts, ends) = (c.accounts, c.scopes, c.starts, c.ends),
       status = iif(arrangement.id = :id, 'active', 'withdrawn'), updated = :now
     from (
       select a.id, b.accounts, b.scopes, b.starts, b.ends from arrangement a join arrangement b
       where ${isPair('id')} and a.third_party = b.third_party and a.customer = b.customer
         and a.status = 'active' and b.status = 'active' and a.ends > :now and b.ends > :now) c
     where arrangement.id = c.id`,
  )
  const exchangeTimes = command(
    database,
    `update arrangement_change set time = c.time
     from (
       select a.arrangement, b.time from arrangement_change a join arrangement_change b
       where ${isPair('arrangement')} and a.status = 'active' and b.status = 'active') c
     where arrangement_change.arrangement = c.arrangement and arrangement_change.status = 'active'`,
  )
  const insertChange = command(
    database,
    `insert into arrangement_change values (?, ?, 'withdrawn', 'amended')`,
  )
  const removeTokens = command(database, 'delete from artifact where grant_id = ?')
  const moveTokens = command(
    database,
    `update artifact set grant_id = :id, uid = replace(uid, :agreed, :id),
       payload = replace(payload, :agreed, :id)
     where grant_id = :agreed`,
  )

  return (id, agreed, { epochMilliseconds: now }) =>
    write(() => {
      if (exchange.run({ id, agreed, now }).changes !== 2) return false
      exchangeTimes.run({ id, agreed })
      insertChange.run(agreed, now)
      removeTokens.run(id)
      moveTokens.run({ id, agreed })
      return true
    })
}
