import type { JsonText, RestrictionReason } from '../../src/contract/index.ts'
import { missing, refused } from '../../src/provider/source/source.ts'
import type { EntryList, ProviderStore } from '../../src/provider/store.ts'
import { listRecords } from '../support/list-records.ts'
import type { State } from '../support/load-state.ts'
import { nanoseconds } from '../support/parse-line.ts'

const customers = ['c1', 'c2', 'c3'] as const
const accountIds = ['x1', 'x2', 'x3'] as const
const lists = {
  banking: {
    transaction: 'banking.transaction',
    payment: 'banking.scheduledPayment',
    debit: 'banking.directDebit',
  },
  energy: { invoice: 'energy.invoice', billing: 'energy.billing' },
} as const

const addresses = ['a@example.com', 'b@example.com', 'f@example.com'] as const

const page = { page: 1, pageSize: 1000 }
const always = { oldest: -(2n ** 62n), newest: 2n ** 62n }

/** Everything that a store serves to the customers: their records, and their accounts with everything in them. */
export async function readServed(store: ProviderStore): Promise<unknown> {
  const served: Record<string, unknown> = {}
  for (const customerId of customers) {
    const record = await store.readCustomer(customerId)
    const accounts: unknown[] = []
    const missingAccounts: unknown[] = []
    for (const accountId of accountIds)
      missingAccounts.push(await readMissing(store, customerId, accountId))
    for (const kind of ['banking', 'energy'] as const) {
      const found = await store.listAccounts({
        customerId,
        kind,
        filters: { openStatus: 'ALL' },
        ...page,
      })
      for (const account of 'items' in found ? parseItems(found.items) : []) {
        accounts.push([account, ...(await readAccount(store, customerId, account, kind))])
      }
    }
    served[customerId] =
      typeof record === 'string'
        ? [JSON.parse(record), accounts.sort(byText), missingAccounts]
        : [record, [], missingAccounts]
  }
  for (const address of addresses) {
    const matches = await store.findCustomers(address)
    served[address] = matches.map((match) => JSON.parse(match).id)
  }
  const { customers: customerCount, accounts: accountCount } = await store.overview()
  return { ...served, customerCount, accountCount }
}

/** Why an account of either kind is not served. Undefined if it is. */
async function readMissing(store: ProviderStore, customerId: string, accountId: string) {
  const found = await Promise.all(
    (['payment', 'invoice'] as const).map((list) =>
      store.listEntries({ customerId, accountId, list, ...page }),
    ),
  )
  const [first, second] = found.filter((each) => 'missing' in each)
  return second && (first && 'refused' in first ? first : second)
}

async function readAccount(
  store: ProviderStore,
  customerId: string,
  account: object,
  kind: 'banking' | 'energy',
) {
  const { accountId } = account as { accountId: string }
  const balance = kind === 'banking' ? await store.readBalance(customerId, accountId) : ''
  const contact = await store.readContact(customerId, accountId)
  const entries = Object.keys(lists[kind]).map(async (list) => {
    const window = list === 'payment' || list === 'debit' ? {} : { window: always }
    const found = await store.listEntries({
      customerId,
      accountId,
      list: list as EntryList,
      ...window,
      ...page,
    })
    return 'items' in found ? parseItems(found.items) : found
  })
  return [
    typeof balance === 'string' && balance !== '' ? JSON.parse(balance) : undefined,
    'status' in contact
      ? [contact.status, contact.record && JSON.parse(contact.record)]
      : undefined,
    ...(await Promise.all(entries)),
  ]
}

/** What the provider must serve, by the model. */
export function expectServed(state: State): unknown {
  const served: Record<string, unknown> = {}
  for (const customerId of customers) {
    const record = state.customers.get(customerId)?.record
    const missingCustomer = record
      ? expectRefusal(state, 'customer', customerId)
      : missing('customer')
    const accounts = [...state.accounts].flatMap(([id, account]) => {
      const isOwned = account.holders.get(customerId)
      const isListed = !missingCustomer && !expectRefusal(state, 'account', id)
      return isListed && isOwned !== undefined ? [expectAccount(state, id, isOwned)] : []
    })
    const missingAccounts = accountIds.map((id) => {
      if (missingCustomer) return missingCustomer
      const isHeld = state.accounts.get(id)?.holders.has(customerId)
      return isHeld ? expectRefusal(state, 'account', id) : missing('account')
    })
    served[customerId] = [missingCustomer ?? record, accounts.sort(byText), missingAccounts]
  }
  for (const address of addresses) {
    served[address] = customers.filter((id) => {
      const { record, emails = [] } = state.customers.get(id) ?? {}
      return record && [record['email'], ...emails].some((each) => each?.toLowerCase() === address)
    })
  }
  const customerCount = [...state.customers.values()].filter(({ record }) => record).length
  return { ...served, customerCount, accountCount: state.accounts.size }
}

function expectRefusal({ restrictions }: State, of: 'account' | 'customer', id: string) {
  const { reason, until } = restrictions.get(`${of} ${id}`) ?? {}
  const isOver = until !== undefined && nanoseconds(until) <= nanoseconds(new Date().toISOString())
  return reason === undefined || isOver ? undefined : refused(of, reason as RestrictionReason)
}

function expectAccount(state: State, id: string, isOwned: boolean): unknown[] {
  const { kind = 'banking', record } = state.accounts.get(id) ?? {}
  const [balance] = listRecords(state, id, 'banking.balance')
  const [contact] = listRecords(state, id, 'account.contact')
  return [
    kind === 'banking' ? { ...record, isOwned } : record,
    balance?.record,
    contact && [contact.status, contact.record],
    ...Object.values(lists[kind]).map((type) =>
      listRecords(state, id, type).map((entry) => entry.record),
    ),
  ]
}

function parseItems(items: readonly JsonText[]): object[] {
  const texts = items.map((item) =>
    typeof item === 'string' ? item : Buffer.from(item).toString(),
  )
  return JSON.parse(`[${texts.join()}]`)
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1
}
