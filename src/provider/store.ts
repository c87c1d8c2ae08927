import type { JsonText, PageRequest } from '../contract/index.ts'

/**
 * What the provider needs from a database. Records come back as the exact JSON text that was loaded,
 * ready to be joined into an answer; nothing is parsed on the way out. A piece of a page may hold one
 * record, or several with commas between.
 *
 * Every question names the customer who looks. What is missing is a value: which error that is depends
 * on the operation, so it is the handler that throws. Each call sees one state of the data, whole.
 */
export interface ProviderStore {
  /** A customer's accounts of one kind, by creation date and then id, each with its own `isOwned`. */
  listAccounts(query: AccountListQuery): Promise<Page<AccountText> | Missing>
  /** Energy accounts by id, in the order asked, without their users. */
  readEnergyAccounts(query: AccountsQuery): Promise<Page<JsonText> | Missing>
  /** Balances of accounts by id, in the order asked. Accounts without one are left out. */
  listBalances(query: AccountsQuery): Promise<Page<JsonText> | Missing>
  /** The entries of one account, newest first. */
  listEntries(query: EntriesQuery): Promise<Page<JsonText> | Missing>
  /** The entries of several accounts: by time over all of them, or account by account as asked. */
  listEntriesOfAccounts(query: EntriesOfAccountsQuery): Promise<Page<JsonText> | Missing>
  /** The customers with an e-mail address, whatever its case, by id. */
  findCustomers(email: string): Promise<readonly string[]>
  readCustomer(customerId: string): Promise<string | undefined>
  /** What a customer can share: accounts of both kinds, by creation date and then id. */
  listShareableAccounts(customerId: string): Promise<readonly string[] | Missing>
  readBalance(customerId: string, accountId: string): Promise<string | Missing>
  readContact(customerId: string, accountId: string): Promise<Contact | Missing>
  /** How much there is, and a customer with an account to try things with. */
  overview(): Promise<Overview>
  close(): Promise<void>
}

export interface Overview {
  readonly customers: number
  readonly accounts: number
  readonly example?: { readonly customerId: string; readonly accountId: string }
}

/** Which of the two that a question names is not there, or not this customer's. */
export interface Missing {
  readonly missing: 'customer' | 'account'
}

export interface Page<Item> {
  readonly items: readonly Item[]
  readonly total: number
}

/** A banking account's text, cut where the `isOwned` of whoever looks belongs. */
export interface AccountText {
  readonly head: string
  readonly tail: string
  readonly isOwned: boolean
}

export interface Contact {
  readonly status: string
  readonly record: string
}

export type AccountKind = 'banking' | 'energy'

/** The lists that an account can have. All are paged; three are ordered by time. */
export const entryLists = ['transaction', 'payment', 'debit', 'invoice', 'billing'] as const
export type EntryList = (typeof entryLists)[number]

/** Which kind of account has the list. */
export const accountKindByList = {
  transaction: 'banking',
  payment: 'banking',
  debit: 'banking',
  invoice: 'energy',
  billing: 'energy',
} as const satisfies Record<EntryList, AccountKind>

export interface AccountFilters {
  readonly openStatus: 'ALL' | 'OPEN' | 'CLOSED'
  readonly productCategory?: string | undefined
  readonly isOwned?: boolean | undefined
}

export interface AccountListQuery extends PageRequest {
  readonly customerId: string
  readonly kind: AccountKind
  readonly filters: AccountFilters
}

export interface AccountsQuery extends PageRequest {
  readonly customerId: string
  readonly accountIds: readonly string[]
  readonly filters: AccountFilters
}

/**
 * Both bounds inclusive. Transactions count nanoseconds since 1970, billing the same on the wall clock,
 * invoices days.
 */
export interface TimeWindow {
  readonly oldest: bigint
  readonly newest: bigint
}

export interface EntriesQuery extends PageRequest {
  readonly customerId: string
  readonly accountId: string
  readonly list: EntryList
  readonly window?: TimeWindow
  /** Amounts are decimals and compare exactly; `text` is part of a description or reference. */
  readonly minAmount?: string | undefined
  readonly maxAmount?: string | undefined
  readonly text?: string | undefined
}

export interface EntriesOfAccountsQuery extends AccountsQuery {
  readonly list: EntryList
  /** With a window the entries are ordered by time, newest first; without, account by account. */
  readonly window?: TimeWindow
}
