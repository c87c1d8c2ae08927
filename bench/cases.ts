import {
  accountsBody,
  customersOf,
  firstProduct,
  largeAccount,
  largeCustomer,
  transactionsAsk,
} from './data.ts'
import type { Ask } from './load.ts'

/** One thing to ask, of every server that can answer it. */
export interface Case {
  readonly name: string
  readonly about: string
  readonly ask: Ask
  /** Who answers: the provider's process or the platform's. */
  readonly role: 'provider' | 'platform'
  /** Whether the hand-made server has it. */
  readonly isHandMade: boolean
  /** How many requests a round has: fewer where one costs more. */
  readonly requests: number
}

export const everything = 'oldest-time=1970-01-01T00:00:00Z'

/** How many transactions the account has that whole thousands are asked of. */
export const thousand = 1000

/** The page of 25 that the targets speak of. */
export function pageCase(): Case {
  return {
    name: 'B3',
    about: 'transactions, 25 per page',
    ask: transactionsAsk(largeCustomer, 'b-000001-1'),
    role: 'provider',
    isHandMade: true,
    requests: 500,
  }
}

/** The other operations, on the bank in a SQLite file. */
export function operationCases(database: string): Case[] {
  const [bank] = customersOf(database, 'banking', 1)
  const [energy] = customersOf(database, 'energy', 1)
  if (!bank || !energy) throw new Error('nobody has accounts')
  const banking = `/v1/banking/customer/${bank.customer}/accounts`
  const energyPath = `/v1/energy/customer/${energy.customer}/accounts`
  const get = (path: string): Ask => ({ method: 'GET', path, algorithm: 'ES256' })
  const post = (path: string, accounts: readonly string[]): Ask => ({
    method: 'POST',
    path,
    body: accountsBody(accounts),
    algorithm: 'ES256',
  })
  const provider = { role: 'provider', isHandMade: false, requests: 500 } as const
  const byHand = { ...provider, isHandMade: true }
  const ofThousand = (query: string) =>
    transactionsAsk(largeCustomer, largeAccount(thousand), `${everything}&${query}`)
  const ofBank = `${bank.accounts.length} accounts`
  const ofEnergy = `${energy.accounts.length} accounts`

  return [
    {
      ...provider,
      name: 'B1',
      about: `bank accounts of a customer, ${ofBank}`,
      ask: get(banking),
    },
    {
      ...provider,
      name: 'B2',
      about: `balances of ${ofBank}`,
      ask: post(`${banking}/balances`, bank.accounts),
    },
    {
      ...byHand,
      name: 'B3 × 1000',
      about: 'transactions, 1000 per page',
      ask: ofThousand('page-size=1000'),
      requests: 150,
    },
    {
      ...byHand,
      name: 'B3 text',
      about: 'transactions filtered by text and amount, out of 1000, 25 per page',
      ask: ofThousand('text=a&min-amount=-200.00&max-amount=500.00'),
      requests: 300,
    },
    {
      ...provider,
      name: 'E2',
      about: `energy accounts with their plans, ${ofEnergy}`,
      ask: post(energyPath, energy.accounts),
    },
    {
      ...provider,
      name: 'E3',
      about: `invoices of ${ofEnergy}, 25 per page`,
      ask: post(`${energyPath}/invoices`, energy.accounts),
    },
    {
      ...provider,
      name: 'E5',
      about: `billing transactions of ${ofEnergy}, 25 per page`,
      ask: post(`${energyPath}/billing`, energy.accounts),
    },
    {
      ...provider,
      name: 'C2',
      about: `accounts that a customer can share, ${ofBank} and more`,
      ask: get(`/auth/v1/customer/${bank.customer}/accounts`),
    },
    {
      name: 'P3',
      about: 'one product, without a token',
      ask: { method: 'GET', path: `/v1/data-provider/cdr/products/${firstProduct(database)}` },
      role: 'platform',
      isHandMade: false,
      requests: 500,
    },
  ]
}
