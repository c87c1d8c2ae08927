import { bankingLines, largeAccountLines } from './banking/lines.ts'
import { dayOfInstant } from './calendar.ts'
import { productLines } from './catalogue/products.ts'
import { energyLines } from './energy/lines.ts'
import { type GenerationContext, lineOf } from './options.ts'
import { largeOwnership, ownershipsOf } from './ownership.ts'
import { customerOf } from './people.ts'

export interface GenerateOptions {
  readonly customers: number
  /** The same seed and options give the same bytes. */
  readonly seed: number | string
  /** An RFC 3339 instant: every history is past by then, and reaches the day before. */
  readonly until: string
  /** Accounts a customer, on average; one in three is for energy. */
  readonly accounts?: number
  /** Transactions a banking account, on average. Billing of an energy account stays near or below it. */
  readonly transactions?: number
  /** Gives the first customer one more account, with exactly that many transactions. */
  readonly largeAccount?: number
  readonly products?: number
}

export const generateDefaults = { accounts: 3, transactions: 300, products: 26 } as const

/**
 * Synthetic customers with everything that they have, as lines that `holdfast load` reads. The lines of a
 * customer are the same however many follow. Nothing is kept: memory does not grow with the size.
 */
export function* generateLines(options: GenerateOptions): Generator<string> {
  const {
    customers,
    seed,
    until,
    largeAccount = 0,
    products,
    ...averages
  } = {
    ...generateDefaults,
    ...options,
  }
  const world: GenerationContext = {
    seed: String(seed),
    lastDay: dayOfInstant(until) - 1,
    ...averages,
  }

  yield* productLines(world, products)
  for (let index = 0; index < customers; index += 1) {
    yield lineOf('customer', customerOf(world, index))
    for (const holding of ownershipsOf(world, index)) {
      if (holding.kind) yield* bankingLines(world, holding, holding.kind)
      else yield* energyLines(world, holding)
    }
    if (index === 0 && largeAccount > 0) {
      yield* largeAccountLines(world, largeOwnership(world), largeAccount)
    }
  }
}
