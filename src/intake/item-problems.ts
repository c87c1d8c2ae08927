import type { AccountKind, Problem } from '../contract/index.ts'
import type { LineError } from './writer.ts'

/** Reasons why an item is rejected, the same for both engines. */

/** A line error without its location. */
type ItemProblem = Pick<LineError, 'path' | 'reason' | 'missing'>

/** The kind is undefined if an account of either kind is valid. */
export function missingAccount(
  path: string,
  kind: AccountKind | undefined,
  id: string,
): ItemProblem {
  const reason = `${kind ? `${kind} ` : ''}account not found`
  return { path, reason, missing: { type: 'account', ...(kind && { kind }), id } }
}

export function missingCustomer(path: string, id: string): ItemProblem {
  return { path, reason: 'customer not found', missing: { type: 'customer', id } }
}

/** For an account of this kind whose id belongs to an account of the other kind. */
export function otherKind(kind: AccountKind): Problem {
  const other = kind === 'banking' ? 'an energy' : 'a banking'
  return { path: 'accountId', reason: `is already the id of ${other} account` }
}

export const anotherPerson = {
  path: 'id',
  reason:
    'belonged to another person, with another e-mail and another name: an id cannot be reused',
} satisfies Problem
