import type { AccountKind, Problem } from '../contract/index.ts'

/** Reasons why an item is rejected, the same for both engines. */

export const noCustomer = 'customer not found'

/** The kind is undefined if an account of either kind is valid. */
export function noAccount(kind: AccountKind | undefined): string {
  return `${kind ? `${kind} ` : ''}account not found`
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
