import {
  createTransactionsRequest,
  findCustomers,
  findFirstProduct,
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
  /** Whether the hand-written server implements it. */
  readonly isHandWritten: boolean
  /** Requests per round: fewer for expensive requests. */
  readonly requestCount: number
}

export const everything = 'oldest-time=1970-01-01T00:00:00Z'

/** The size of the account for requests with 1000 records per page. */
export const thousand = 1000

/** The request that most targets refer to. */
export function createPageCase(): Case {
  return {
    name: 'B3',
    about: 'transactions, 25 per page',
    request: createTransactionsRequest(largeCustomer, 'b-000001-1'),
    role: 'provider',
    isHandWritten: true,
    requestCount: 500,
  }
}

/** A large page. */
export function createThousandCase(): Case {
  return {
    ...createPageCase(),
    name: 'B3 × 1000',
    about: 'transactions, 1000 per page',
    request: requestThousand('page-size=1000'),
    requestCount: 600,
  }
}

function requestThousand(query: string): BenchRequest {
  const account = getLargeAccountId(thousand)
  return createTransactionsRequest(largeCustomer, account, `${everything}&${query}`)
}

/** The number of accounts of E2, E3 and E5. */
const energyAccountCount = 5

/** The other operations. `database` is a SQLite URL, used to look up ids. */
export function createOperationCases(database: string): Case[] {
  const [bank] = findCustomers(database, 'banking', 1)
  const [energy] = findCustomers(database, 'energy', 1)
  const energyIds = energy?.accounts.slice(0, energyAccountCount) ?? []
  if (!bank || !energy || energyIds.length < energyAccountCount) {
    throw new Error('no customer has enough accounts')
  }
  const banking = `/v1/banking/customer/${bank.customer}/accounts`
  const energyPath = `/v1/energy/customer/${energy.customer}/accounts`
  const get = (path: string): BenchRequest => ({ method: 'GET', path, algorithm: 'ES256' })
  const post = (path: string, accounts: readonly string[]): BenchRequest => ({
    method: 'POST',
    path,
    body: formatAccountsBody(accounts),
    algorithm: 'ES256',
  })
  const provider = { role: 'provider', isHandWritten: false, requestCount: 500 } as const
  const handWritten = { ...provider, isHandWritten: true }
  const bankAccounts = `${bank.accounts.length} accounts`
  const energyAccounts = `${energyAccountCount} accounts`

  return [
    {
      ...provider,
      name: 'B1',
      about: `bank accounts of a customer, ${bankAccounts}`,
      request: get(banking),
    },
    {
      ...provider,
      name: 'B2',
      about: `balances of ${bankAccounts}`,
      request: post(`${banking}/balances`, bank.accounts),
    },
    createThousandCase(),
    {
      ...handWritten,
      name: 'B3 text',
      about: 'transactions filtered by text and amount, out of 1000, 25 per page',
      request: requestThousand('text=a&min-amount=-200.00&max-amount=500.00'),
      requestCount: 300,
    },
    {
      ...provider,
      name: 'E2',
      about: `energy accounts with their plans, ${energyAccounts}`,
      request: post(energyPath, energyIds),
    },
    {
      ...provider,
      name: 'E3',
      about: `invoices of ${energyAccounts}, 25 per page`,
      request: post(`${energyPath}/invoices`, energyIds),
    },
    {
      ...provider,
      name: 'E5',
      about: `billing transactions of ${energyAccounts}, 25 per page`,
      request: post(`${energyPath}/billing`, energyIds),
    },
    {
      ...provider,
      name: 'C2',
      about: `accounts that a customer can share, ${bankAccounts} and more`,
      request: get(`/auth/v1/customer/${bank.customer}/accounts`),
    },
    createProductCase(database),
  ]
}

/** The only request here that the platform answers. */
export function createProductCase(database: string): Case {
  return {
    name: 'P3',
    about: 'one product, without a token',
    request: {
      method: 'GET',
      path: `/v1/data-provider/cdr/products/${findFirstProduct(database)}`,
    },
    role: 'platform',
    isHandWritten: false,
    // A round of fewer is too short for its CPU time.
    requestCount: 5000,
  }
}
