import type { AccountKind, JsonText, PageRequest } from '../../src/contract/index.ts'
import type { Source, TimeBounds } from '../../src/provider/source/source.ts'
import type {
  AccountFilters,
  EntryList,
  Missing,
  Page,
  ProviderReads,
  TimeWindow,
} from '../../src/provider/store.ts'
import { parseEpochDay, parseLocalTime } from '../../src/provider/time-window.ts'

/** A source that answers with the records of a store. */
export function sourceOver(store: ProviderReads): Source {
  const entriesOf = async (list: EntryList, query: AccountRequest, window?: TimeWindow) =>
    parsePage(await store.listEntries({ ...query, list, ...(window && { window }) }))
  const entriesOfAccounts = async (list: EntryList, query: AccountsRequest, window?: TimeWindow) =>
    parsePage(
      await store.listEntriesOfAccounts({
        ...query,
        list,
        filters: filtersOf(query),
        ...(window && { window }),
      }),
    )

  const accountOf = async (kind: AccountKind, { customerId, accountId }: AccountRequest) => {
    const account = await store.readAccount({ customerId, accountId, kind })
    return typeof account === 'string' ? JSON.parse(account) : account
  }

  const source: { readonly [Id in keyof Source]-?: (query: never) => Promise<unknown> } = {
    listBankingAccounts: async (query: CustomerRequest) =>
      parsePage(await store.listAccounts({ ...query, kind: 'banking', filters: filtersOf(query) })),
    getBankingAccount: (query: AccountRequest) => accountOf('banking', query),
    listBankingBalances: async (query: AccountsRequest) =>
      parsePage(await store.listBalances({ ...query, filters: filtersOf(query) })),
    listBankingTransactions: (query: AccountRequest & TimeBounds<Temporal.Instant>) =>
      entriesOf('transaction', query, {
        oldest: query.oldest.epochNanoseconds,
        newest: query.newest.epochNanoseconds,
      }),
    listScheduledPayments: (query: AccountRequest) => entriesOf('payment', query),
    listDirectDebits: (query: AccountsRequest) => entriesOfAccounts('debit', query),
    listScheduledPaymentsOfAccounts: (query: AccountsRequest) =>
      entriesOfAccounts('payment', query),
    listEnergyAccounts: async (query: CustomerRequest) =>
      parsePage(await store.listAccounts({ ...query, kind: 'energy', filters: filtersOf(query) })),
    listEnergyAccountDetails: async (query: AccountsRequest) =>
      parsePage(await store.readEnergyAccounts({ ...query, filters: filtersOf(query) })),
    getEnergyAccount: (query: AccountRequest) => accountOf('energy', query),
    listEnergyInvoices: (query: AccountsRequest & TimeBounds<Temporal.PlainDate>) =>
      entriesOfAccounts('invoice', query, {
        oldest: parseEpochDay(query.oldest.toString()),
        newest: parseEpochDay(query.newest.toString()),
      }),
    listEnergyBilling: (query: AccountRequest & TimeBounds<Temporal.PlainDateTime>) =>
      entriesOf('billing', query, localWindow(query)),
    listEnergyBillingOfAccounts: (query: AccountsRequest & TimeBounds<Temporal.PlainDateTime>) =>
      entriesOfAccounts('billing', query, localWindow(query)),
    async getAccountContact({ customerId, accountId }: AccountRequest) {
      const contact = await store.readContact(customerId, accountId)
      if ('missing' in contact) return contact
      return contact.status === 'RESTRICTED' ? { withheld: true } : JSON.parse(contact.record)
    },
    searchCustomers: async ({ email }: { readonly email: string }) =>
      parseRecords(await store.findCustomers(email)),
    async listShareableAccounts({ customerId }: CustomerRequest) {
      const accounts = await store.listShareableAccounts(customerId)
      return 'missing' in accounts ? accounts : parseRecords(accounts)
    },
    async getCustomer({ customerId }: CustomerRequest) {
      const customer = await store.readCustomer(customerId)
      return typeof customer === 'string' ? JSON.parse(customer) : customer
    },
    async getExampleBalance({ customerId, accountId }: AccountRequest) {
      const balance = await store.readBalance(customerId, accountId)
      return typeof balance === 'string' ? JSON.parse(balance) : balance
    },
  }
  // The answers have the types of the records that were loaded.
  return source as Source
}

type CustomerRequest = PageRequest & Partial<AccountFilters> & { readonly customerId: string }
type AccountRequest = CustomerRequest & { readonly accountId: string }
type AccountsRequest = CustomerRequest & { readonly accountIds: readonly string[] }

function filtersOf({
  openStatus = 'ALL',
  productCategory,
  isOwned,
}: Partial<AccountFilters>): AccountFilters {
  return { openStatus, productCategory, isOwned }
}

function localWindow({ oldest, newest }: TimeBounds<Temporal.PlainDateTime>): TimeWindow {
  return { oldest: parseLocalTime(oldest.toString()), newest: parseLocalTime(newest.toString()) }
}

function parsePage(page: Page<JsonText> | Missing) {
  return 'missing' in page ? page : { ...page, items: parseRecords(page.items) }
}

/** An item may be several records. */
function parseRecords(items: readonly JsonText[]): object[] {
  const texts = items.map((item) =>
    typeof item === 'string' ? item : Buffer.from(item).toString(),
  )
  return JSON.parse(`[${texts.join(',')}]`)
}
