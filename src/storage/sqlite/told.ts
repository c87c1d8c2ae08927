import { ContractError } from '../../contract/index.ts'

/**
 * Kinds of failure that speak of the file, the disk or another process, and not of the statement: busy, locked,
 * no memory, read only, input and output, corrupt, full, cannot be opened, the protocol of locks, no database.
 */
const outages: ReadonlySet<number> = new Set([5, 6, 7, 8, 10, 11, 13, 14, 15, 26])
const busy = 5

/** What went wrong, as whoever asked the database should take it. */
export function told(error: unknown): unknown {
  if (!outages.has(kindOf(error))) return error
  return new ContractError('unavailable', (error as Error).message, { cause: error })
}

/** Whether another process holds the file: it is worth trying again. */
export function isBusy(error: unknown): boolean {
  return kindOf(error) === busy
}

/** The lowest byte of SQLite's result codes is the kind. */
function kindOf(error: unknown): number {
  const { errcode, cause } = error as { readonly errcode?: number; readonly cause?: unknown }
  if (errcode !== undefined) return errcode % 256
  return cause instanceof Error ? kindOf(cause) : 0
}
