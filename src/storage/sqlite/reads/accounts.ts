import type { DatabaseSync } from 'node:sqlite'
import type { AccountFilters, AccountKind } from '../../../provider/store.ts'
import { kindCodes } from '../../enum-codes.ts'
import { query } from '../driver/statements.ts'

/** An account as one customer sees it. */
export interface SeenAccount {
  readonly number: number
  readonly is_open: number
  readonly category: string | null
  readonly is_owned: number
}

/** Whose account is whose: no question about accounts goes past here without a customer. */
export function openAccounts(database: DatabaseSync) {
  const customer = query<{ number: number }>(
    database,
    'select number from customer where id = ? and record is not null',
  )
  const seen = query<SeenAccount & { kind: number }>(
    database,
    `select a.number, a.kind, a.is_open, a.category, h.is_owned
     from account a join holder h on h.account = a.number and h.customer = ?
     where a.id = ? and a.head is not null`,
  )

  const find = (
    customer: number,
    accountId: string,
    kind?: AccountKind,
  ): SeenAccount | undefined => {
    // The database would take half a character for the mark that stands for an unknown one.
    const account = accountId.isWellFormed() ? seen.first(customer, accountId) : undefined
    return kind === undefined || account?.kind === kindCodes[kind] ? account : undefined
  }

  return {
    customer: (id: string): number | undefined => customer.first(id)?.number,
    find,

    /** All that are named, in order, each once; undefined where one is not this customer's. */
    findAll(
      customer: number,
      accountIds: readonly string[],
      kind: AccountKind,
    ): SeenAccount[] | undefined {
      const found: SeenAccount[] = []
      for (const accountId of new Set(accountIds)) {
        const account = find(customer, accountId, kind)
        if (!account) return undefined
        found.push(account)
      }
      return found
    },
  }
}

export function passes(account: SeenAccount, filters: AccountFilters): boolean {
  const { openStatus, productCategory, isOwned } = filters
  return (
    (openStatus === 'ALL' || (openStatus === 'OPEN') === (account.is_open === 1)) &&
    (productCategory === undefined || productCategory === account.category) &&
    (isOwned === undefined || isOwned === (account.is_owned === 1))
  )
}
