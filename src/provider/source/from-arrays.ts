import { foldCase } from '../../contract/case-folding.ts'
import { epochNanoseconds } from '../../contract/date-time.ts'
import { compareDecimals } from '../../contract/decimal.ts'
import { emailKey } from '../../contract/email-key.ts'
import type {
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
  ScheduledPayment,
  ShareableAccount,
} from '../../contract/index.ts'
import {
  toCustomerMatch,
  toShareableBankingAccount,
  toShareableEnergyAccount,
  undetailedFields,
} from '../derived-records.ts'
import {
  compareBytes,
  createKey,
  type EntryOrder,
  newestFirst,
  transactionTime,
} from '../entry-order.ts'
import { parseEpochDay, parseLocalTime } from '../time-window.ts'
import {
  type AccountQuery,
  type AccountsQuery,
  type CategoryFilter,
  type MissingFrom,
  missing,
  type OwnershipFilter,
  type SourcePage,
  type StatusFilter,
  type TimeBounds,
  type TransactionFilters,
} from './source.ts'

type Filters = StatusFilter & OwnershipFilter & CategoryFilter
type Account = BankingAccount | EnergyAccount
type Found<Item> = SourcePage<Item> | MissingFrom<'account'>

/** A record without a key field. Its id orders it among records with the same time. */
type IdOf<Item> = (record: Item) => string | undefined

/**
 * Answers of a source that has its records in arrays: with the filters, the order and the pages of the interface. Each
 * function is named by its operation. `accounts` are those of the requesting customer; the other records may be those of
 * any account.
 */
export const fromArrays = {
  listBankingAccounts: (
    accounts: readonly BankingAccount[],
    query: Filters & PageRequest,
  ): SourcePage<BankingAccount> =>
    paginate(sortByCreation(accounts.filter(matching(query))).map(withOwnership), query),

  getBankingAccount(
    accounts: readonly BankingAccount[],
    query: AccountQuery,
  ): BankingAccount | MissingFrom<'account'> {
    const account = findAccount(accounts, query)
    return account ? withOwnership(account) : missing('account')
  },

  listBankingBalances(
    accounts: readonly BankingAccount[],
    balances: readonly BankingBalance[],
    query: AccountsQuery & Filters & PageRequest,
  ): Found<BankingBalance> | MissingFrom<'balance'> {
    const byAccount = new Map(balances.map((balance) => [balance.accountId, balance]))
    const selected = findHeld(accounts, query)?.filter(matching(query))
    if (!selected) return missing('account')
    const found = selected.map(({ accountId }) => byAccount.get(accountId))
    return found.every((balance) => balance !== undefined)
      ? paginate(found, query)
      : missing('balance')
  },

  /** `timeOf` is required for transactions with neither a posting time nor an execution time. */
  listBankingTransactions(
    accounts: readonly BankingAccount[],
    transactions: readonly BankingTransaction[],
    query: AccountQuery & TransactionFilters & PageRequest,
    timeOf?: (transaction: BankingTransaction) => Temporal.Instant,
  ): Found<BankingTransaction> {
    const entries = toEntries(
      transactions.filter((record) => record.accountId === query.accountId),
      (record) => effectiveTime(record, timeOf),
      (record) => record.transactionId,
    )
    const { oldest, newest } = query
    const bounds = { oldest: oldest.epochNanoseconds, newest: newest.epochNanoseconds }
    return ofAccount(accounts, query, () =>
      sortWithin(entries, bounds).filter(matchingTransaction(query)),
    )
  },

  listScheduledPayments: (
    accounts: readonly BankingAccount[],
    payments: readonly ScheduledPayment[],
    query: AccountQuery & PageRequest,
  ): Found<ScheduledPayment> =>
    ofAccount(accounts, query, ({ accountId }) => paymentsOf(payments, accountId)),

  listScheduledPaymentsOfAccounts: (
    accounts: readonly BankingAccount[],
    payments: readonly ScheduledPayment[],
    query: AccountsQuery & StatusFilter & OwnershipFilter & PageRequest,
  ): Found<ScheduledPayment> =>
    ofAccounts(accounts, query, (held) =>
      held.filter(matching(query)).flatMap(({ accountId }) => paymentsOf(payments, accountId)),
    ),

  /** Direct debits have no key field: those of an account are ordered by `idOf`, or by their content. */
  listDirectDebits: (
    accounts: readonly BankingAccount[],
    debits: readonly DirectDebit[],
    query: AccountsQuery & Filters & PageRequest,
    idOf: IdOf<DirectDebit> = () => undefined,
  ): Found<DirectDebit> =>
    ofAccounts(accounts, query, (held) =>
      held.filter(matching(query)).flatMap(({ accountId }) => {
        const own = debits.filter((record) => record.accountId === accountId)
        return sortEntries(toEntries(own, noTime, (record) => createKey(idOf(record), record)))
      }),
    ),

  listEnergyAccounts: (
    accounts: readonly EnergyAccount[],
    query: StatusFilter & PageRequest,
  ): SourcePage<EnergyAccount> => paginate(sortByCreation(accounts.filter(matching(query))), query),

  listEnergyAccountDetails: (
    accounts: readonly EnergyAccount[],
    query: AccountsQuery & StatusFilter & PageRequest,
  ): Found<EnergyAccountDetail> =>
    ofAccounts(accounts, query, (held) => held.filter(matching(query)).map(toDetail)),

  getEnergyAccount(
    accounts: readonly EnergyAccount[],
    query: AccountQuery,
  ): EnergyAccountDetail | MissingFrom<'account'> {
    const account = findAccount(accounts, query)
    return account ? toDetail(account) : missing('account')
  },

  listEnergyInvoices(
    accounts: readonly EnergyAccount[],
    invoices: readonly EnergyInvoice[],
    query: AccountsQuery & TimeBounds<Temporal.PlainDate> & PageRequest,
  ): Found<EnergyInvoice> {
    const bounds = {
      oldest: parseEpochDay(query.oldest.toString()),
      newest: parseEpochDay(query.newest.toString()),
    }
    const entries = toEntries(
      invoices,
      ({ issueDate }) => parseEpochDay(issueDate),
      ({ invoiceNumber }) => invoiceNumber,
    )
    return ofAccounts(accounts, query, (held) => sortWithin(entriesOf(held, entries), bounds))
  },

  /** Billing transactions have no key field: those with the same time are ordered by `idOf`, or by their content. */
  listEnergyBilling(
    accounts: readonly EnergyAccount[],
    transactions: readonly EnergyBillingTransaction[],
    query: AccountQuery & TimeBounds<Temporal.PlainDateTime> & PageRequest,
    idOf?: IdOf<EnergyBillingTransaction>,
  ): Found<EnergyBillingTransaction> {
    const entries = billingEntries(transactions, idOf)
    return ofAccount(accounts, query, (account) =>
      sortWithin(entriesOf([account], entries), localBounds(query)),
    )
  },

  listEnergyBillingOfAccounts(
    accounts: readonly EnergyAccount[],
    transactions: readonly EnergyBillingTransaction[],
    query: AccountsQuery & TimeBounds<Temporal.PlainDateTime> & PageRequest,
    idOf?: IdOf<EnergyBillingTransaction>,
  ): Found<EnergyBillingTransaction> {
    const entries = billingEntries(transactions, idOf)
    return ofAccounts(accounts, query, (held) =>
      sortWithin(entriesOf(held, entries), localBounds(query)),
    )
  },

  /** `emailsOf` returns the further addresses of a customer, of people who may act for it. */
  searchCustomers(
    customers: readonly Customer[],
    { email }: { readonly email: string },
    emailsOf: (customer: Customer) => readonly string[] = () => [],
  ): CustomerMatch[] {
    const key = emailKey(email)
    const addressesOf = (customer: Customer) => [customer.email ?? [], emailsOf(customer)].flat()
    return customers
      .filter((customer) => addressesOf(customer).some((address) => emailKey(address) === key))
      .toSorted((a, b) => compareBytes(a.id, b.id))
      .map(toCustomerMatch)
  },

  listShareableAccounts(
    banking: readonly BankingAccount[],
    energy: readonly EnergyAccount[] = [],
  ): ShareableAccount[] {
    const shareable = new Map<Account, ShareableAccount>([
      ...banking.map((account) => [account, toShareableBankingAccount(account)] as const),
      ...energy.map((account) => [account, toShareableEnergyAccount(account)] as const),
    ])
    return sortByCreation([...shareable.keys()]).flatMap((account) => shareable.get(account) ?? [])
  },
}

interface Entry<Item> extends EntryOrder {
  readonly record: Item
}

interface Bounds {
  readonly oldest: bigint
  readonly newest: bigint
}

const noTime = () => 0n

function toEntries<Item>(
  records: readonly Item[],
  timeOf: (record: Item) => bigint,
  idOf: (record: Item) => string,
): Entry<Item>[] {
  return records.map((record) => ({ record, time: timeOf(record), id: idOf(record) }))
}

function sortEntries<Item>(entries: readonly Entry<Item>[]): Item[] {
  return entries.toSorted(newestFirst).map(({ record }) => record)
}

function sortWithin<Item>(entries: readonly Entry<Item>[], { oldest, newest }: Bounds): Item[] {
  return sortEntries(entries.filter(({ time }) => oldest <= time && time <= newest))
}

/** The account decides the order of entries with the same time and id. */
function entriesOf<Item extends { readonly accountId: string }>(
  accounts: readonly Account[],
  entries: readonly Entry<Item>[],
): Entry<Item>[] {
  const ids = accounts.map(({ accountId }) => accountId).toSorted(compareBytes)
  return ids.flatMap((id) => entries.filter(({ record }) => record.accountId === id))
}

function billingEntries(
  transactions: readonly EnergyBillingTransaction[],
  idOf: IdOf<EnergyBillingTransaction> = () => undefined,
): Entry<EnergyBillingTransaction>[] {
  return toEntries(
    transactions,
    ({ executionDateTime }) => parseLocalTime(executionDateTime),
    (record) => createKey(idOf(record), record),
  )
}

function localBounds({ oldest, newest }: TimeBounds<Temporal.PlainDateTime>): Bounds {
  return { oldest: parseLocalTime(oldest.toString()), newest: parseLocalTime(newest.toString()) }
}

function paymentsOf(payments: readonly ScheduledPayment[], accountId: string): ScheduledPayment[] {
  const own = payments.filter(({ from }) => from.accountId === accountId)
  return sortEntries(toEntries(own, noTime, (record) => record.scheduledPaymentId))
}

function effectiveTime(
  record: BankingTransaction,
  timeOf?: (transaction: BankingTransaction) => Temporal.Instant,
): bigint {
  const own = transactionTime(record)
  if (own !== undefined) return epochNanoseconds(own)
  if (timeOf) return timeOf(record).epochNanoseconds
  throw new TypeError('a transaction has no time: listBankingTransactions needs a timeOf')
}

function matchingTransaction({ minAmount, maxAmount, text = '' }: TransactionFilters) {
  const part = foldCase(text)
  return ({ amount, description = '', reference = '' }: BankingTransaction): boolean =>
    (minAmount === undefined || compareDecimals(amount, minAmount) >= 0) &&
    (maxAmount === undefined || compareDecimals(amount, maxAmount) <= 0) &&
    [description, reference].some((field) => foldCase(field).includes(part))
}

function matching({ openStatus, isOwned, productCategory }: Filters) {
  return (account: Account): boolean =>
    (openStatus === 'ALL' || (openStatus === 'OPEN') === (account.openStatus !== 'CLOSED')) &&
    (productCategory === undefined || productCategory === categoryOf(account)) &&
    (isOwned === undefined || isOwned === ownershipOf(account))
}

function categoryOf(account: Account): string | undefined {
  return 'productCategory' in account ? account.productCategory : undefined
}

/** A customer owns an account unless the record says otherwise. */
function ownershipOf(account: Account): boolean {
  return ('isOwned' in account ? account.isOwned : undefined) ?? true
}

function withOwnership(account: BankingAccount): BankingAccount {
  return account.isOwned === undefined ? { ...account, isOwned: true } : account
}

/** Accounts without a creation date come last. */
function sortByCreation<Item extends Account>(accounts: readonly Item[]): Item[] {
  return accounts
    .map((account) => ({ account, created: createdAt(account) }))
    .toSorted((a, b) => {
      if (a.created !== b.created) return a.created < b.created ? -1 : 1
      return compareBytes(a.account.accountId, b.account.accountId)
    })
    .map(({ account }) => account)
}

function createdAt({ creationDate }: Account): bigint | number {
  return creationDate === undefined ? Number.POSITIVE_INFINITY : epochNanoseconds(creationDate)
}

function toDetail(account: EnergyAccount): EnergyAccountDetail {
  const hidden: readonly string[] = undetailedFields
  const fields = Object.entries(account).filter(([field]) => !hidden.includes(field))
  return Object.fromEntries(fields) as EnergyAccountDetail
}

function findAccount<A extends Account>(accounts: readonly A[], query: AccountQuery) {
  return accounts.find(({ accountId }) => accountId === query.accountId)
}

function ofAccount<A extends Account, Item>(
  accounts: readonly A[],
  query: AccountQuery & PageRequest,
  list: (account: A) => readonly Item[],
): Found<Item> {
  const account = findAccount(accounts, query)
  return account ? paginate(list(account), query) : missing('account')
}

function ofAccounts<A extends Account, Item>(
  accounts: readonly A[],
  query: AccountsQuery & PageRequest,
  list: (accounts: readonly A[]) => readonly Item[],
): Found<Item> {
  const held = findHeld(accounts, query)
  return held ? paginate(list(held), query) : missing('account')
}

/** The requested accounts in the order of the request. Undefined if one of them is not held. */
function findHeld<A extends Account>(
  accounts: readonly A[],
  { accountIds }: AccountsQuery,
): A[] | undefined {
  const byId = new Map(accounts.map((account) => [account.accountId, account]))
  const held = accountIds.flatMap((id) => byId.get(id) ?? [])
  return held.length === accountIds.length ? held : undefined
}

function paginate<Item>(all: readonly Item[], { page, pageSize }: PageRequest): SourcePage<Item> {
  const start = (page - 1) * pageSize
  return { items: all.slice(start, start + pageSize), total: all.length }
}
