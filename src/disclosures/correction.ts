import type { correctableTypes } from '../contract/index.ts'

/** A record of a customer that was wrong, and was corrected or deleted. It has no data apart from ids. */
export interface Correction {
  /** Those of one commit are in the order of the customers. */
  readonly number: number
  /** Of its commit: when the holder had learned of it. */
  readonly time: Temporal.Instant
  readonly type: (typeof correctableTypes)[number]
  /** Also if the customer does not hold the account any longer. */
  readonly isDeleted: boolean
  /** A holder of the account before. */
  readonly customerId: string
  /** Missing for the record of the customer. */
  readonly accountId?: string | undefined
  /** Of a transaction or another record that an account has many of, if it has one. */
  readonly recordId?: string | undefined
  /**
   * Of a record in a list that is in the order of time. A local time or a date is that time in UTC, or the start of the day.
   */
  readonly timeBefore?: Temporal.Instant | undefined
  readonly timeAfter?: Temporal.Instant | undefined
}

export interface CorrectionQuery {
  readonly from?: Temporal.Instant | undefined
  /** Excluded. */
  readonly to?: Temporal.Instant | undefined
  readonly customerId?: string | undefined
  /** The last one of the previous page. */
  readonly after?: Pick<Correction, 'time' | 'number'> | undefined
  readonly limit: number
}

export interface CorrectionStore {
  /** In order of time, then number. */
  list(query: CorrectionQuery): Promise<readonly Correction[]>
  /** Removes what is older. */
  remove(before: Temporal.Instant): Promise<void>
}
