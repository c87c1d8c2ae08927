import { type AccountReason, accountChangesMax } from '../../../contract/account-states.ts'
import { type AccountChange, selectChanges } from '../../../platform/consent/account-changes.ts'
import {
  type Dialect,
  oneOf,
  type Session,
  type Sql,
  type Transaction,
  text,
  time,
} from '../../sql.ts'
import { lockActive } from './end-arrangements.ts'

const change = {
  accountId: text,
  time,
  state: oneOf<AccountChange['state']>(),
  reason: oneOf<AccountReason>(),
}

/** Oldest first. */
export function listAccountChanges(
  session: Session,
  arrangementId: string,
): Promise<AccountChange[]> {
  return session.all(
    change,
    `select account, time, state, reason from account_change where arrangement = $1
     order by time, account`,
    [arrangementId],
  )
}

/** The arrangement is locked before its changes are read, as by every transaction that changes both. */
export async function recordAccounts(
  sql: Sql,
  arrangementId: string,
  observed: readonly AccountChange[],
  now: Temporal.Instant,
): Promise<void> {
  await sql.transaction(async (transaction) => {
    const [active] = await lockActive(transaction, sql, [arrangementId], now)
    if (active === undefined) return
    const earlier = await listAccountChanges(transaction, arrangementId)
    const changes = selectChanges(earlier, observed)
    await addChanges(transaction, sql.dialect, arrangementId, changes)
    const byAccount = Map.groupBy([...earlier, ...changes], ({ accountId }) => accountId)
    const full = [...byAccount].filter(([, { length }]) => length > accountChangesMax)
    if (full.length === 0) return
    const accountIds = full.map(([id]) => id)
    await transaction.run(
      `delete from account_change where arrangement = $1 and (account, time) in (
         select account, time from (
           select account, time, row_number() over (partition by account order by time desc) as place
           from account_change
           where arrangement = $1 and ${sql.dialect.isOneOf('account', '$2')}) as numbered
         where place > ${accountChangesMax})`,
      [arrangementId, accountIds],
    )
  })
}

/** Adds those that differ only in the account together: a consent may have thousands, which change at once. */
async function addChanges(
  transaction: Transaction,
  { elements }: Dialect,
  arrangementId: string,
  changes: readonly AccountChange[],
): Promise<void> {
  const alike = Map.groupBy(changes, ({ time, state, reason }) => `${time} ${state} ${reason}`)
  for (const group of alike.values()) {
    const [first] = group
    const accountIds = group.map(({ accountId }) => accountId)
    await transaction.run(
      `insert into account_change (arrangement, account, time, state, reason)
       select $1, text, cast($3 as bigint), $4, $5 from ${elements('$2')} as account`,
      [arrangementId, accountIds, first?.time, first?.state, first?.reason],
    )
  }
}
