import type { Problem } from '../contract/index.ts'
import type { AccountKind } from '../provider/store.ts'

/** Why a database does not take an item: the same sentences, whichever it is. */

export const noCustomer = 'names no customer that exists'

/** Undefined where an account of either kind would do. */
export function noAccount(kind: AccountKind | undefined): string {
  return `names no ${kind ? `${kind} ` : ''}account that exists`
}

/** For an account of this kind, whose id is that of one of the other kind. */
export function otherKind(kind: AccountKind): Problem {
  const other = kind === 'banking' ? 'an energy' : 'a banking'
  return { path: 'accountId', reason: `is the id of ${other} account already` }
}

export const anotherPerson = {
  path: 'id',
  reason: 'was another person’s, with another e-mail and another name: an id is for life',
} satisfies Problem
