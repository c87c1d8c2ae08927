import type { DatabaseSync } from 'node:sqlite'
import type { AccountGaps } from '../../../intake/writer.ts'
import { kindCodes } from '../../enum-codes.ts'
import { prepareOn } from '../driver/statements.ts'

interface Row {
  readonly accounts: number
  readonly last: number | null
  readonly withoutBalance: number
  readonly withoutContact: number
}

/** How many accounts are counted at a time. */
const countedAtOnce = 1_000

/**
 * The accounts that a load put, or deleted a balance or a contact of: on disk, as there may be millions. A rollback removes
 * those that were added since the last commit.
 */
export function openLoadedAccounts(database: DatabaseSync) {
  const { query, command } = prepareOn(database)
  database.exec('create temp table loaded_account (account integer primary key) strict')
  const insert = command('insert or ignore into loaded_account values (?)')
  const count = query<Row>(`select count(*) as accounts, max(l.account) as last,
       coalesce(sum(a.kind = ${kindCodes.banking} and b.account is null), 0) as withoutBalance,
       coalesce(sum(a.kind <> 0 and c.account is null), 0) as withoutContact
     from (select account from loaded_account where account > ? order by account limit ${countedAtOnce}) l
     join account a on a.number = l.account left join balance b on b.account = l.account
     left join contact c on c.account = l.account`)
  return {
    add: (account: number): void => void insert.run(account),

    /** The gaps of some accounts at a time. */
    *gaps(): Generator<AccountGaps> {
      for (let after = 0; ; ) {
        const row = count.first(after)
        if (!row || row.last === null) return
        yield row
        if (row.accounts < countedAtOnce) return
        after = row.last
      }
    },
  }
}
