import { type AccountReason, accountChangesMax } from '../../../contract/account-states.ts'
import { type AccountChange, selectChanges } from '../../../platform/consent/account-changes.ts'
import { oneOf, type Session, type Sql, text, time } from '../../sql.ts'
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
    for (const { accountId, time, state, reason } of selectChanges(earlier, observed)) {
      await transaction.run(
        `insert into account_change (arrangement, account, time, state, reason)
         values ($1, $2, $3, $4, $5)`,
        [arrangementId, accountId, time, state, reason],
      )
      const kept = earlier.filter((each) => each.accountId === accountId).at(1 - accountChangesMax)
      if (!kept) continue
      await transaction.run(
        'delete from account_change where arrangement = $1 and account = $2 and time < $3',
        [arrangementId, accountId, kept.time],
      )
    }
  })
}
