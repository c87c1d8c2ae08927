import type { DatabaseSync } from 'node:sqlite'
import type { AccountKind } from '../../../contract/index.ts'
import type { AccountFilters } from '../../../provider/store.ts'
import { kindCodes } from '../../enum-codes.ts'
import { query } from '../driver/statements.ts'

/** An account of one customer. */
export interface HeldAccount {
  readonly number: number
  readonly is_open: number
  readonly category: string | null
  readonly is_owned: number
}

/** Access control: accounts are found only through a customer who holds them. */
export function openAccounts(database: DatabaseSync) {
  const customer = query<{ number: number }>(
    database,
    'select number from customer where id = ? and record is not null',
  )
  const held = query<HeldAccount & { kind: number }>(
    database,
    `select a.number, a.kind, a.is_open, a.category, h.is_owned
     from account a join holder h on h.account = a.number and h.customer = ?
     where a.id = ? and a.head is not null`,
  )

  const find = (
    customer: number,
    accountId: string,
    kind?: AccountKind,
  ): HeldAccount | undefined => {
    // A lone surrogate would be encoded as U+FFFD, and could match another id.
    const account = accountId.isWellFormed() ? held.first(customer, accountId) : undefined
    return kind === undefined || account?.kind === kindCodes[kind] ? account : undefined
  }

  return {
    customer: (id: string): number | undefined => customer.first(id)?.number,
    find,

    /** The requested accounts in order, without duplicates. Undefined if the customer does not hold one of them. */
    findAll(
      customer: number,
      accountIds: readonly string[],
      kind: AccountKind,
    ): HeldAccount[] | undefined {
      const found: HeldAccount[] = []
      for (const accountId of new Set(accountIds)) {
        const account = find(customer, accountId, kind)
        if (!account) return undefined
        found.push(account)
      }
      return found
    },
  }
}

export function matchesFilters(account: HeldAccount, filters: AccountFilters): boolean {
  const { openStatus, productCategory, isOwned } = filters
  return (
    (openStatus === 'ALL' || (openStatus === 'OPEN') === (account.is_open === 1)) &&
    (productCategory === undefined || productCategory === account.category) &&
    (isOwned === undefined || isOwned === (account.is_owned === 1))
  )
}
