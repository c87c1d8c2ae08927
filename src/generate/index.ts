import { generateBankingAccount, generateLargeAccount } from './banking/lines.ts'
import { parseDay } from './calendar.ts'
import { generateProducts } from './catalogue/products.ts'
import { generateEnergyAccount } from './energy/lines.ts'
import { formatLine, type GenerationContext } from './options.ts'
import { createLargeOwnership, createOwnerships } from './ownership.ts'
import { createCustomer } from './person.ts'

export interface GenerateOptions {
  readonly customers: number
  /** The same seed and options give the same bytes. */
  readonly seed: number | string
  /** An RFC 3339 instant: histories end on the day before. */
  readonly until: string
  /** The average number of accounts per customer; every third is an energy account. */
  readonly accounts?: number
  /** The average number of transactions per banking account; an energy account has at most about as many. */
  readonly transactions?: number
  /** Adds an account with exactly this many transactions to the first customer. */
  readonly largeAccount?: number
  readonly products?: number
}

export const generateDefaults = { accounts: 3, transactions: 300, products: 26 } as const

/**
 * Generates synthetic customers, with their accounts and histories, as lines for `holdfast load`. The lines of a
 * customer do not depend on how many customers follow. Memory use is constant.
 */
export function* generateLines(options: GenerateOptions): Generator<string> {
  const {
    customers,
    seed,
    until,
    largeAccount = 0,
    products,
    ...averages
  } = { ...generateDefaults, ...options }
  const context: GenerationContext = {
    seed: String(seed),
    lastDay: parseDay(until) - 1,
    ...averages,
  }

  yield* generateProducts(context, products)
  for (let index = 0; index < customers; index += 1) {
    yield formatLine('customer', createCustomer(context, index))
    for (const ownership of createOwnerships(context, index)) {
      if (ownership.accountType) {
        yield* generateBankingAccount(context, ownership, ownership.accountType)
      } else {
        yield* generateEnergyAccount(context, ownership)
      }
    }
    if (index === 0 && largeAccount > 0) {
      yield* generateLargeAccount(context, createLargeOwnership(context), largeAccount)
    }
  }
}
