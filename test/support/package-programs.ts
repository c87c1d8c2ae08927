/** A program that uses what the package exports, and compiles. */
export const rightProgram = `import { type BankingBalance, type Input, type Operation, operations } from 'holdfast/contract'
export const balance: BankingBalance = {
  accountId: 'a1', currentBalance: '10.00', availableBalance: '9.00',
}
export const first: Operation = operations.listBankingBalances
export const size = (input: Input<typeof operations.listBankingBalances>): number =>
  input.query['page-size'] + input.body.data.accountIds.length
import { createClient, type SigningKey } from 'holdfast/client'
declare const key: SigningKey
const client = createClient({ providerUrl: 'https://bank.example', subdomain: 's', key })
export const name = async (): Promise<string> =>
  (await client.getCustomer({ params: { customerId: 'c1' } })).name
export const amounts = (): Promise<string[]> => {
  const params = { customerId: 'c1', accountId: 'a1' }
  return Array.fromAsync(client.listBankingTransactions.items({ params }), ({ amount }) => amount)
}
import { type ClientError, ResponseError } from 'holdfast/client'
export const status = (error: ClientError): number | undefined =>
  error instanceof ResponseError ? error.status : undefined
import type { MapRow } from 'holdfast/contract'
export const map: MapRow<{ no: string }> = ({ no }, { file }) =>
  file === 'restricted.csv'
    ? [{ type: 'account.contact', accountId: no, status: 'RESTRICTED' }]
    : { type: 'banking.account', holders: [{ customerId: 'c1' }], record: { accountId: no } }
import { type CheckOptions, checkProvider, type Report } from 'holdfast/check'
export const failures = async (options: CheckOptions): Promise<number> => {
  const report: Report = await checkProvider(options)
  return report.results.filter(({ judgement }) => judgement === 'fail').length
}
import { createProvider, fromArrays, missing, type Source } from 'holdfast/server'
export const source: Source = {
  searchCustomers: async ({ email }) => [{ id: email, name: 'Ana' }],
  getCustomer: async () => missing('customer'),
  listBankingBalances: async (query) => fromArrays.listBankingBalances([], [balance], query),
  listEnergyBilling: async ({ oldest }) => ({ items: [], total: oldest.year }),
}
export const provider = createProvider({
  source,
  guard: { subdomain: 's', providerUrl: 'u', jwksUrl: 'u', database: 'd', create: true },
  settings: { port: 0, timeZone: 'UTC' },
})`

/** A program with an error in each of its statements. */
export const wrongProgram = `import { type BankingBalance, type Input, operations } from 'holdfast/contract'
export const balance: BankingBalance = { accountId: 'a1', currentBalance: 10 }
export const size = (input: Input<typeof operations.listBankingBalances>): string =>
  input.query['page-size']
export const { frobnicate } = operations
import { createClient } from 'holdfast/client'
export const client = createClient({ providerUrl: 'https://bank.example' })
export const one = client.getCustomer.items({ params: { customerId: 'c1' } })
import type { Line } from 'holdfast/contract'
export const account: Line = { type: 'banking.account', record: { accountId: 'a1' } }
export const removed: Line = { type: 'customer', delete: { accountId: 'a1' } }
import { createProvider, missing, type Source } from 'holdfast/server'
export const misspelt: Source = { listBankBalances: async () => missing('customer') }
export const noAccount: Source = { getCustomer: async () => missing('account') }
export const numbers: Source = { getExampleBalance: async () =>
  ({ accountId: 'a1', currentBalance: 1, availableBalance: '1' }) }
export const provider = createProvider({ source: {}, guard: { subdomain: 's' } })`
