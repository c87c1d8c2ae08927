import type { Actor } from '../../../contract/index.ts'
import type { Staging } from './staging.ts'

/** Runs a statement in the transaction of the merge, after the statements that were passed before it. */
export type Run = (
  sql: string,
  values?: unknown[],
  // biome-ignore lint/suspicious/noExplicitAny: the statement determines the columns
) => Promise<{ readonly rows: any[]; readonly rowCount: number | null }>

/** Sends a statement without a result. It may resolve before the statement has run: a failure then rejects the next `Run`. */
export type Send = (sql: string, values?: unknown[]) => Promise<unknown>

/** The rows of a query in groups, as there may be many, or one row may be megabytes long. */
export type ReadGroups = <Row extends object>(sql: string, size: number) => AsyncIterable<Row[]>

export interface Merging {
  readonly run: Run
  readonly send: Send
  readonly readGroups: ReadGroups
  readonly staging: Staging
  /** Whether the load has other commits. */
  readonly inBatches: boolean
  /** Whether the entries are on the data nodes of a Citus cluster. */
  readonly isDistributed: boolean
}

export interface RecordMerging extends Merging {
  readonly loadTime: Temporal.Instant
  /** The author of the products in their history. */
  readonly author: Actor
  /** Whether statements keep their plans, for small batches. */
  readonly isPrepared: boolean
  /** Whether each entry is known to have one line. */
  readonly areEntriesDistinct?: boolean
}

export interface EntryMerging extends RecordMerging {
  readonly hasDeletedAccounts: boolean
}
