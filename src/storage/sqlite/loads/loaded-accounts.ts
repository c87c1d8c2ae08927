import type { DatabaseSync } from 'node:sqlite'
import type { AccountGaps } from '../../../intake/writer.ts'
import { countGaps } from '../../loaded-accounts.ts'
import { prepareOn } from '../driver/statements.ts'

/** On disk, as there may be millions. */
export function openLoadedAccounts(database: DatabaseSync) {
  database.exec('create temp table loaded_account (account integer primary key) strict')
  const { query, command } = prepareOn(database)
  const insert = command('insert or ignore into loaded_account values (?)')
  const count = query<AccountGaps>(countGaps)
  return {
    add: (account: number): void => void insert.run(account),
    countGaps: () => count.first() ?? { withoutBalance: 0, withoutContact: 0 },
  }
}
