import { type ChangeReason, informsThirdParty } from '../../../contract/consent-statuses.ts'
import type { Actor } from '../../../contract/index.ts'
import { withdrawnMax } from '../../../platform/consent/store.ts'
import { type Sql, type Transaction, text } from '../../sql.ts'
import { addReceipts, addRevocations } from './outbox.ts'

interface End {
  readonly status: 'expired' | 'withdrawn'
  readonly reason: ChangeReason
  readonly now: Temporal.Instant
  readonly by?: Actor | undefined
}

/** Ends locked arrangements and their tokens. One issued meanwhile is invalid, as its arrangement is not active. */
async function endArrangements(
  transaction: Transaction,
  { dialect }: Sql,
  ids: readonly string[],
  { status, reason, now, by }: End,
): Promise<void> {
  if (ids.length === 0) return
  if (informsThirdParty[reason]) await addRevocations(transaction, dialect, ids, now)
  await addReceipts(transaction, dialect, 'receipt_ended', ids, now)
  await transaction.run(
    `insert into arrangement_change
       (arrangement, time, status, reason, changed_by, changed_by_name, changed_by_issuer)
     select id, ${status === 'expired' ? 'ends' : 'cast($7 as bigint)'}, $2, $3, $4, $5, $6
     from arrangement where ${dialect.isOneOf('id', '$1')} on conflict do nothing`,
    [
      ...[ids, status, reason, by?.id, by?.name, by?.issuer],
      ...(status === 'expired' ? [] : [now]),
    ],
  )
  await transaction.run(
    `update arrangement set status = $2, updated = $3 where ${dialect.isOneOf('id', '$1')}`,
    [ids, status, now],
  )
  await transaction.run(`delete from artifact where ${dialect.isOneOf('grant_id', '$1')}`, [ids])
}

/** Records that arrangements have expired. They are not active even before this is recorded. */
export async function expireArrangements(sql: Sql, now: Temporal.Instant): Promise<void> {
  const { useIndex, skipLocked } = sql.dialect
  const expired = `select id from arrangement ${useIndex('arrangement_active')}
    where status = 'active' and ends <= $1 order by ends`
  const next = `${expired} limit ${withdrawnMax} ${skipLocked}`
  const end = { status: 'expired', reason: 'sharing_ended', now } as const
  while (await sql.first({ id: text }, `${expired} limit 1`, [now])) {
    const count = await sql.transaction(async (transaction) => {
      const rows = await transaction.all({ id: text }, next, [now])
      const ids = rows.map(({ id }) => id)
      await endArrangements(transaction, sql, ids, end)
      return ids.length
    })
    // Another transaction ends the others.
    if (count === 0) return
  }
}

export function withdrawArrangement(
  sql: Sql,
  id: string,
  reason: ChangeReason,
  now: Temporal.Instant,
  by?: Actor,
): Promise<boolean> {
  return sql.transaction(async (transaction) => {
    const active = await lockActive(transaction, sql, [id], now)
    await endArrangements(transaction, sql, active, { status: 'withdrawn', reason, now, by })
    return active.length === 1
  })
}

/** Withdraws the arrangements of a third party, which must have been removed. Returns how many they were. */
export async function withdrawAll(
  sql: Sql,
  thirdPartyId: string,
  now: Temporal.Instant,
): Promise<number> {
  const end = { status: 'withdrawn', reason: 'third_party_removed', now } as const
  const next = `select id from arrangement
    where third_party = $1 and status = 'active' and ends > $2
    order by updated, id limit ${withdrawnMax}`
  for (let total = 0; ; ) {
    const count = await sql.transaction(async (transaction) => {
      const rows = await transaction.all({ id: text }, next, [thirdPartyId, now])
      const ids = rows.map(({ id }) => id)
      await endArrangements(transaction, sql, await lockActive(transaction, sql, ids, now), end)
      return ids.length
    })
    total += count
    if (count < withdrawnMax) return total
  }
}

/**
 * Locks those that are active, in order of their ids: otherwise, two transactions could wait for each other. They are
 * looked up by their ids: an expression is not looked up in an index.
 */
export async function lockActive(
  transaction: Transaction,
  { dialect: { isOneOf, forUpdate } }: Sql,
  ids: readonly string[],
  now: Temporal.Instant,
): Promise<string[]> {
  const rows = await transaction.all(
    { id: text },
    `select id from arrangement
     where ${isOneOf('id', '$1')} and (status || '') = 'active' and ends > $2
     order by id ${forUpdate}`,
    [ids, now],
  )
  return rows.map(({ id }) => id)
}
