import type { AccountKind, JsonText, PageRequest, RestrictionReason } from '../contract/index.ts'

/**
 * What the handlers read. Records are JSON text, ready to be joined into a response without parsing. An item of a page
 * may contain several records, separated by commas.
 *
 * Every query names the requesting customer. A missing customer or account is a return value: which error it becomes
 * depends on the operation, so the handler throws.
 */
export interface ProviderReads {
  /** A customer's accounts of one kind, ordered by creation date and then id. Banking accounts have the customer's `isOwned`. */
  listAccounts(query: AccountListQuery): Promise<Page<string> | Missing>
  /** One account, as the lists of accounts have it: a banking account as `listAccounts`, an energy account as `readEnergyAccounts`. */
  readAccount(query: AccountQuery): Promise<string | Missing>
  /** Energy accounts by id, in the requested order, without their users. */
  readEnergyAccounts(query: AccountsQuery): Promise<Page<JsonText> | Missing>
  /** Balances of accounts by id, in the requested order. Missing if an account that passes the filters has none. */
  listBalances(query: AccountsQuery): Promise<Page<JsonText> | Missing>
  /** The entries of one account, newest first. */
  listEntries(query: EntriesQuery): Promise<Page<JsonText> | Missing>
  /** The entries of several accounts: by time across all of them, or account by account in the requested order. */
  listEntriesOfAccounts(query: EntriesOfAccountsQuery): Promise<Page<JsonText> | Missing>
  /** The customers with an email address, their own or a further one, compared case-insensitively, ordered by id. */
  findCustomers(email: string): Promise<readonly string[]>
  readCustomer(customerId: string): Promise<string | Missing>
  /** Accounts of both kinds, ordered by creation date and then id. */
  listShareableAccounts(customerId: string): Promise<readonly string[] | Missing>
  readBalance(customerId: string, accountId: string): Promise<string | Missing>
  readContact(customerId: string, accountId: string): Promise<Contact | Missing>
}

/** The reads from a database: records are the exact text that was loaded, and each call reads a consistent snapshot. */
export interface ProviderStore extends ProviderReads {
  /** Counts, and an example customer with an account. */
  overview(): Promise<Overview>
  close(): Promise<void>
}

export interface Overview {
  readonly customers: number
  readonly accounts: number
  readonly example?: { readonly customerId: string; readonly accountId: string }
}

/**
 * The customer does not exist, the account does not exist or is not visible to the customer, or the account lacks the
 * record. With `refused`, the customer or the account exists, and the provider refuses to share it for that reason. The
 * first of these applies: an unknown customer, a restricted customer, an unknown account, a restricted account, a missing
 * record.
 */
export type Missing =
  | { readonly missing: 'customer' | 'account'; readonly refused?: RestrictionReason }
  | { readonly missing: 'balance' | 'contact'; readonly refused?: undefined }

export interface Page<Item> {
  readonly items: readonly Item[]
  readonly total: number
  /** True on every page of transactions if the store cannot filter by text, whether or not the query has a text. */
  readonly isQueryParamUnsupported?: boolean
}

export interface Contact {
  readonly status: string
  readonly record: string
}

/** The lists of an account. All are paged; three are ordered by time. */
export const entryLists = ['transaction', 'payment', 'debit', 'invoice', 'billing'] as const
export type EntryList = (typeof entryLists)[number]

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

export interface AccountQuery {
  readonly customerId: string
  readonly accountId: string
  readonly kind: AccountKind
}

export interface AccountsQuery extends PageRequest {
  readonly customerId: string
  readonly accountIds: readonly string[]
  readonly filters: AccountFilters
}

/**
 * Both bounds are inclusive. Units since 1970: nanoseconds for transactions, nanoseconds of local time for billing, days
 * for invoices.
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
  /** Decimals, compared exactly. */
  readonly minAmount?: string | undefined
  readonly maxAmount?: string | undefined
  /** A substring of the description or reference. */
  readonly text?: string | undefined
}

export interface EntriesOfAccountsQuery extends AccountsQuery {
  readonly list: EntryList
  /** With a window the entries are ordered by time, newest first; without, account by account. */
  readonly window?: TimeWindow
}
