import type { RecordType } from '../contract/index.ts'

/** What holds for everything that one run makes. */
export interface GenerationContext {
  readonly seed: string
  /** The last whole day in Sydney before the histories end. */
  readonly lastDay: number
  /** Averages: accounts a customer, transactions a banking account. */
  readonly accounts: number
  readonly transactions: number
}

/** One line as `holdfast load` reads it; `beside` is what stands next to the record. */
export function lineOf(type: RecordType, record: object, beside: object = {}): string {
  return JSON.stringify({ type, ...beside, record })
}
