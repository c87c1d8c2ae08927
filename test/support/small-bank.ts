import { copyDatabase } from './copy-database.ts'

/** A GET and a POST operation that most tests use. */
export const accountsPath = '/v1/banking/customer/c1/accounts'
export const balancesPath = '/v1/banking/customer/c1/accounts/balances'

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

/** Creates a database with two customers and an account each. */
export const createSmallBank = copyDatabase(smallBankLines)
