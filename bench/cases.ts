import {
  createTransactionsRequest,
  findCustomers,
  formatAccountsBody,
  getLargeAccountId,
  largeCustomer,
} from './data.ts'
import type { BenchRequest } from './load-driver.ts'

/** A request that is measured on every server that implements it. */
export interface Case {
  readonly name: string
  readonly about: string
  readonly request: BenchRequest
  /** The server that implements it. */
  readonly role: 'provider' | 'platform'
  /** Requests per round: more for cheap requests, whose round would be too short for its CPU time. */
  readonly requestCount: number
}

export const everything = 'oldest-time=1970-01-01T00:00:00Z'

/** The size of the account for requests with 1000 records per page. */
export const thousand = 1000

/** The request that most targets refer to. */
export function createPageCase(): Case {
  return {
    name: 'B3',
    about: '25 transactions',
    request: createTransactionsRequest(largeCustomer, 'b-000001-1'),
    role: 'provider',
    requestCount: 500,
  }
}

/** A large page. */
export function createThousandCase(): Case {
  const account = getLargeAccountId(thousand)
  return {
    ...createPageCase(),
    name: 'B3 × 1000',
    about: '1000 transactions',
    request: createTransactionsRequest(largeCustomer, account, `${everything}&page-size=1000`),
  }
}

/** The number of accounts of E3. */
const energyAccountCount = 5

/** The other frequent operations. `database` is a SQLite URL, used to look up ids. */
export function createOperationCases(database: string): Case[] {
  const [bank] = findCustomers(database, 'banking', 1)
  const [energy] = findCustomers(database, 'energy', 1)
  const energyIds = energy?.accounts.slice(0, energyAccountCount) ?? []
  if (!bank || !energy || energyIds.length < energyAccountCount) {
    throw new Error('no customer has enough accounts')
  }
  const banking = `/v1/banking/customer/${bank.customer}/accounts`
  const energyPath = `/v1/energy/customer/${energy.customer}/accounts`
  const post = (path: string, accounts: readonly string[]): BenchRequest => ({
    method: 'POST',
    path,
    body: formatAccountsBody(accounts),
    algorithm: 'ES256',
  })
  const provider = { role: 'provider', requestCount: 500 } as const
  const bankAccounts = `${bank.accounts.length} accounts`

  return [
    {
      ...provider,
      name: 'B1',
      about: `${bankAccounts} of a customer`,
      request: { method: 'GET', path: banking, algorithm: 'ES256' },
    },
    {
      ...provider,
      name: 'B2',
      about: `balances of ${bankAccounts}`,
      request: post(`${banking}/balances`, bank.accounts),
    },
    {
      ...provider,
      name: 'E3',
      about: `25 invoices of ${energyAccountCount} accounts`,
      request: post(`${energyPath}/invoices`, energyIds),
    },
    createProductsCase(),
  ]
}

/** The only request here that the platform answers, without a token. */
export function createProductsCase(): Case {
  return {
    name: 'public products',
    about: '25 of 1000 public products, version 5, without a token',
    request: { method: 'GET', path: '/cds-au/v1/banking/products', headers: { 'x-v': '5' } },
    role: 'platform',
    requestCount: 2000,
  }
}
