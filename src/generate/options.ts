import type { RecordType } from '../contract/index.ts'

/** The options that apply to everything in one run. */
export interface GenerationContext {
  readonly seed: string
  /** The last complete day in Sydney before `until`. */
  readonly lastDay: number
  /** The average number per customer. */
  readonly accounts: number
  /** The average number per banking account. */
  readonly transactions: number
}

/** Formats one line for `holdfast load`; `envelope` contains the fields beside the record. */
export function formatLine(type: RecordType, record: object, envelope: object = {}): string {
  return JSON.stringify({ type, ...envelope, record })
}
