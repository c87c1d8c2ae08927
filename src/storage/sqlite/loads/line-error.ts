import type { AccountKind } from '../../../contract/index.ts'
import type { LineError, SourceLocation } from '../../../intake/writer.ts'
import { noAccount, noCustomer } from '../../load-errors.ts'

/** A line error without its location. */
export type ItemProblem = Pick<LineError, 'path' | 'reason' | 'missing'>

export function missingAccount(
  path: string,
  kind: AccountKind | undefined,
  id: string,
): ItemProblem {
  return { path, reason: noAccount(kind), missing: { type: 'account', ...(kind && { kind }), id } }
}

export function missingCustomer(path: string, id: string): ItemProblem {
  return { path, reason: noCustomer, missing: { type: 'customer', id } }
}

export function toLineError({ file, line, part }: SourceLocation, problem: ItemProblem): LineError {
  return { file, line, ...(part !== undefined && { part }), ...problem }
}
