import { copyFileSync } from 'node:fs'
import {
  copyPostgres,
  currentEngine,
  currentLayout,
  newDatabase,
  type Scope,
  shareOnEachEngine,
} from './engines.ts'
import { loadInProcess } from './load.ts'

/** A GET and a POST operation that most tests use. */
export const accountsPath = '/v1/banking/customer/c1/accounts'
export const balancesPath = '/v1/banking/customer/c1/accounts/balances'

const createOriginal = shareOnEachEngine(async (scope) => {
  const database = await newDatabase(scope)
  await loadInProcess(database, smallBankLines)
  return database
})

/** A database with two customers and an account each. It is loaded once and then copied, except on Citus. */
export async function createSmallBank(scope: Scope): Promise<string> {
  if (currentLayout() === 'citus') {
    const database = await newDatabase(scope)
    await loadInProcess(database, smallBankLines)
    return database
  }
  const original = await createOriginal()
  if (currentEngine() === 'postgres') return copyPostgres(scope, original)
  const database = await newDatabase(scope)
  copyFileSync(original.slice('sqlite:'.length), database.slice('sqlite:'.length))
  return database
}

export const smallBankLines = ['1', '2'].flatMap((number) => {
  const [customerId, accountId] = [`c${number}`, `a${number}`]
  return [
    { type: 'customer', record: { id: customerId, name: 'Ana Silva', email: 'ana@example.com' } },
    { type: 'banking.account', holders: [{ customerId, isOwned: true }], record: { accountId } },
    {
      type: 'banking.balance',
      record: { accountId, currentBalance: '10.00', availableBalance: '9.00' },
    },
  ]
})
