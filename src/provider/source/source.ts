import type {
  AccountContact,
  BankingAccount,
  BankingBalance,
  BankingTransaction,
  Customer,
  CustomerMatch,
  DirectDebit,
  EnergyAccount,
  EnergyAccountDetail,
  EnergyBillingTransaction,
  EnergyInvoice,
  PageRequest,
  RestrictionReason,
  ScheduledPayment,
  ShareableAccount,
} from '../../contract/index.ts'
import type { Missing } from '../store.ts'

/** The customer of the request. Only the accounts that this customer holds may be returned. */
export interface CustomerQuery {
  readonly customerId: string
}

export interface AccountQuery extends CustomerQuery {
  readonly accountId: string
}

export interface AccountsQuery extends CustomerQuery {
  /** Each id once, in the order of the request. */
  readonly accountIds: readonly string[]
}

export interface StatusFilter {
  /** Only accounts with this status. An account without one is open. */
  readonly openStatus: 'ALL' | 'OPEN' | 'CLOSED'
}

export interface OwnershipFilter {
  /** Only accounts that the customer owns, or only those that the customer does not own. */
  readonly isOwned?: boolean | undefined
}

export interface CategoryFilter {
  readonly productCategory?: string | undefined
}

/** Both bounds are inclusive. */
export interface TimeBounds<Time> {
  readonly oldest: Time
  readonly newest: Time
}

export interface TransactionFilters extends TimeBounds<Temporal.Instant> {
  /** Decimals, to be compared exactly. Both bounds are inclusive. */
  readonly minAmount?: string | undefined
  readonly maxAmount?: string | undefined
  /** A part of the description or of the reference, to be compared case-insensitively. An empty text matches everything. */
  readonly text?: string | undefined
}

export interface SourcePage<Item> {
  /** The records of this page only, at most `pageSize`. After the last page, none. */
  readonly items: readonly Item[]
  /** The number of records on all pages. */
  readonly total: number
}

export interface TransactionPage extends SourcePage<BankingTransaction> {
  /** True on every page if the source cannot filter by text, whether or not the query has a text. */
  readonly isQueryParamUnsupported?: boolean | undefined
}

/**
 * The customer does not exist, the account does not exist or is not held by the customer, or an account that the customer
 * holds has no balance or no contact. The first of them in this order. With `refused`, the customer or the account exists,
 * and the provider refuses to share it for that reason.
 */
export interface MissingFrom<Kind extends Missing['missing']> {
  readonly missing: Kind
  readonly refused?: RestrictionReason
}

/** What a source returns instead of records if something that the query names is not found. */
export function missing<Kind extends Missing['missing']>(kind: Kind): MissingFrom<Kind> {
  return { missing: kind }
}

/**
 * What a source returns instead of records if the provider refuses to share the customer or the account. The first of these
 * applies: an unknown customer, a restricted customer, an unknown account, a restricted account.
 */
export function refused<Kind extends 'customer' | 'account'>(
  kind: Kind,
  reason: RestrictionReason,
): MissingFrom<Kind> {
  return { missing: kind, refused: reason }
}

/** The contact details must not be shared. */
export interface WithheldContact {
  readonly withheld: true
}

type OfCustomer<Found> = Promise<Found | MissingFrom<'customer'>>
type OfAccount<Found, Kind extends Missing['missing'] = never> = Promise<
  Found | MissingFrom<'customer' | 'account' | Kind>
>

interface SourceMethods {
  /** B1. In order of creation, then by id; `isOwned` is that of the customer. */
  listBankingAccounts(
    query: CustomerQuery & StatusFilter & OwnershipFilter & CategoryFilter & PageRequest,
  ): OfCustomer<SourcePage<BankingAccount>>

  /** B2. In the order of the accounts. Without a balance of each account that the filters select, `missing('balance')`. */
  listBankingBalances(
    query: AccountsQuery & StatusFilter & OwnershipFilter & CategoryFilter & PageRequest,
  ): OfAccount<SourcePage<BankingBalance>, 'balance'>

  /** B3. Newest first by posting time, otherwise by execution time, otherwise by the time when it became known; then by id. */
  listBankingTransactions(
    query: AccountQuery & TransactionFilters & PageRequest,
  ): OfAccount<TransactionPage>

  /** B4. In any order that does not change between two pages. */
  listScheduledPayments(query: AccountQuery & PageRequest): OfAccount<SourcePage<ScheduledPayment>>

  /** B5. In the order of the accounts. */
  listDirectDebits(
    query: AccountsQuery & StatusFilter & OwnershipFilter & CategoryFilter & PageRequest,
  ): OfAccount<SourcePage<DirectDebit>>

  /** B6. In the order of the accounts. */
  listScheduledPaymentsOfAccounts(
    query: AccountsQuery & StatusFilter & OwnershipFilter & PageRequest,
  ): OfAccount<SourcePage<ScheduledPayment>>

  /** The account as B1 lists it; `isOwned` is that of the customer. */
  getBankingAccount(query: AccountQuery): OfAccount<BankingAccount>

  /** E1. In order of creation, then by id. */
  listEnergyAccounts(
    query: CustomerQuery & StatusFilter & PageRequest,
  ): OfCustomer<SourcePage<EnergyAccount>>

  /** E2. In the order of the accounts. */
  listEnergyAccountDetails(
    query: AccountsQuery & StatusFilter & PageRequest,
  ): OfAccount<SourcePage<EnergyAccountDetail>>

  /** E3. The newest issue date first over all accounts, then by invoice number, then by account. */
  listEnergyInvoices(
    query: AccountsQuery & TimeBounds<Temporal.PlainDate> & PageRequest,
  ): OfAccount<SourcePage<EnergyInvoice>>

  /** E4. Newest first by execution time. The bounds are times in the time zone of the provider. */
  listEnergyBilling(
    query: AccountQuery & TimeBounds<Temporal.PlainDateTime> & PageRequest,
  ): OfAccount<SourcePage<EnergyBillingTransaction>>

  /** E5. The same over all accounts. */
  listEnergyBillingOfAccounts(
    query: AccountsQuery & TimeBounds<Temporal.PlainDateTime> & PageRequest,
  ): OfAccount<SourcePage<EnergyBillingTransaction>>

  /** The account as E2 returns it. */
  getEnergyAccount(query: AccountQuery): OfAccount<EnergyAccountDetail>

  /** The account may be a bank account or an energy account. */
  getAccountContact(query: AccountQuery): OfAccount<AccountContact | WithheldContact, 'contact'>

  /** C1. The customers who have this e-mail address as their own or as that of a person who may act for them, compared case-insensitively; an empty list if there are none. */
  searchCustomers(query: { readonly email: string }): Promise<readonly CustomerMatch[]>

  /** C2. Accounts of both kinds, in order of creation, then by id. */
  listShareableAccounts(query: CustomerQuery): OfCustomer<readonly ShareableAccount[]>

  /** C3. */
  getCustomer(query: CustomerQuery): OfCustomer<Customer>

  /** C4. The balance of a bank account. */
  getExampleBalance(query: AccountQuery): OfAccount<BankingBalance, 'balance'>
}

/**
 * Reads the data of a provider from what the provider already has: one function for each operation that is served, named
 * by the operation. Ids in a query are 1 to 256 printable characters; the source must check that the customer holds the
 * account. Records are served as `JSON.stringify` writes them.
 */
export type Source = Partial<SourceMethods>
