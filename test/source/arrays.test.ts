import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import type {
  BankingAccount,
  BankingBalance,
  BankingTransaction,
  Customer,
  DirectDebit,
  EnergyAccount,
  EnergyBillingTransaction,
  EnergyInvoice,
  Restriction,
  ScheduledPayment,
} from '../../src/contract/index.ts'
import { toProviderReads } from '../../src/provider/source/to-provider-reads.ts'
import { fromArrays, missing, type Source, withRestrictions } from '../../src/server/index.ts'
import { describeOnce, newDatabase, type Scope, shareOnEachEngine } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import { loadInProcess } from '../support/load.ts'
import { ask, isEnergy, type Ref, refs } from '../support/operations.ts'
import { propertyRuns } from '../support/properties.ts'
import { openProvider } from '../support/provider.ts'

const range = (length: number) => Array.from({ length }, (_, index) => index)

/** Ids whose order as UTF-8 differs from that of JavaScript, and names of Object.prototype. */
const oddIds = ['\uffee', '\u{1f600}', '__proto__', 'constructor', 'A', 'a', 'é', 'Z']
const idAt = (index: number) => oddIds[index] ?? `n${index}`
const minute = (index: number) => `2025-05-01T00:${String((index * 37) % 19).padStart(2, '0')}:00`

const customers = ['ana', 'ben', 'cat'].map((id) => lines.customer(id, { phoneNumber: '1' }))
const emailsOf: Record<string, string[]> = { ben: ['Agent@example.com', 'ana@example.com'] }
const banking = range(12).map((index) =>
  lines.bankingAccount(
    `b${idAt(index)}`,
    index === 11 ? { ben: true } : { ana: index % 3 !== 0, ben: index % 3 === 0 },
    {
      openStatus: ['OPEN', 'CLOSED', undefined][index % 3],
      productCategory: ['LEASES', 'OVERDRAFTS', undefined][index % 3],
      productName: index % 2 ? 'Product' : undefined,
      displayName: index % 4 ? 'Display' : undefined,
      creationDate: index % 5 === 0 ? undefined : `201${index % 3}-01-01T00:00:00Z`,
      ...(index % 2 && { isOwned: index % 4 === 1 }),
      features: [],
    },
  ),
)
const energy = range(6).map((index) =>
  lines.energyAccount(`e${idAt(index)}`, index % 2 ? ['ana', 'ben'] : ['ana'], {
    openStatus: ['OPEN', 'CLOSED', undefined][index % 3],
    creationDate: index % 2 ? '2011-01-01T00:00:00+11:00' : undefined,
    complexAccountType: index % 2 ? 'JOINT' : undefined,
    plans: index % 3 ? [{ nickname: 'Plan' }] : undefined,
  }),
)
const bankingIds = banking.map(({ record }) => record.accountId)
const energyIds = energy.map(({ record }) => record.accountId)
const loadTime = '2025-05-01T00:07:00Z'
const balances = bankingIds.filter((_, index) => index !== 3).map((id) => lines.balance(id))
const transactions = range(90).map((index) =>
  lines.transaction(bankingIds[index % 3] ?? '', idAt(index), {
    postingDateTime: index % 4 ? `${minute(index)}${index % 2 ? 'Z' : '+00:00'}` : undefined,
    executionDateTime: index % 8 === 0 ? `${minute(index)}.123456789Z` : undefined,
    status: index % 4 ? 'POSTED' : 'PENDING',
    amount: `${((index * 29) % 41) - 20}.${(index * 3) % 10}${index % 2 ? '' : '0'}`,
    description: ['Rent for May', 'STRASSE ß', 'Salary 100%', undefined][index % 4],
    reference: index % 3 ? undefined : `Ref #${index} Σς`,
  }),
)
const payments = range(30).map((index) =>
  lines.scheduledPayment(bankingIds[index % 5] ?? '', idAt(index)),
)
const debits = range(24).map((index) => ({
  ...lines.directDebit(bankingIds[index % 5] ?? '', idAt(index)),
  ...(index % 2 && { id: undefined }),
}))
/** Several accounts have records with the same time and the same id. */
const invoices = range(60).map((index) => {
  const number = Math.floor(index / 6)
  return lines.invoice(energyIds[index % 6] ?? '', idAt(number), `2025-05-${10 + (number % 4)}`)
})
const billing = range(60).map((index) => {
  const number = Math.floor(index / 6)
  const account = energyIds[index % 6] ?? ''
  const line = lines.billing(account, idAt(number), minute(number % 4), `${number}.00`)
  // The content is the key of a record without an id.
  return number % 2 ? line : { ...line, id: undefined }
})

const [free = '', ...refusedIds] = [0, 5, 6, 7].map((index) => bankingIds[index] ?? '')
const restrictions = [
  ...refusedIds.map((accountId, index) =>
    lines.restriction(
      { accountId },
      ['blocked', 'harm'][index] ?? 'harm',
      index === 2 ? '2020-01-01T00:00:00Z' : undefined,
    ),
  ),
  lines.restriction({ accountId: energyIds[5] ?? '' }, 'suspended', '2100-01-01T00:00:00Z'),
  lines.restriction({ customerId: 'cat' }, 'harm'),
]

/** Removes the fields that a line omits, as JSON does. */
function recordsOf<Item>(all: readonly { readonly record: object }[]): Item[] {
  return JSON.parse(JSON.stringify(all.map(({ record }) => record)))
}

/** The envelope id of each record that has one. */
function idsOf<Item>(
  all: readonly { readonly id?: string | undefined; readonly record: object }[],
) {
  const ids = new Map(all.map(({ id, record }) => [JSON.stringify(record), id]))
  return (record: Item) => ids.get(JSON.stringify(record))
}

function held<Item extends object>(
  all: readonly { readonly holders: readonly Holder[]; readonly record: object }[],
  customerId: string,
): Item[] {
  const own = all.flatMap((line) => {
    const holder = line.holders.find((each) => each.customerId === customerId)
    const owned = holder?.isOwned === undefined ? {} : { isOwned: holder.isOwned }
    return holder ? [{ record: { ...line.record, ...owned } }] : []
  })
  return recordsOf(own)
}
interface Holder {
  readonly customerId: string
  readonly isOwned?: boolean
}

function arraySource(): Source {
  const people = recordsOf<Customer>(customers)
  const bankingOf = (id: string) => held<BankingAccount>(banking, id)
  const energyOf = (id: string) => held<EnergyAccount>(energy, id)
  const refusals = recordsOf<Restriction>(restrictions)
  /** Answers only if the customer exists, with the accounts that are not restricted. */
  const withAccounts =
    <Account extends { readonly accountId: string }>(accountsOf: (id: string) => Account[]) =>
    <Query extends { readonly customerId: string }, Found>(
      answer: (accounts: readonly Account[], query: Query) => Found,
    ) =>
    async (query: Query) =>
      people.some(({ id }) => id === query.customerId)
        ? withRestrictions(refusals, accountsOf(query.customerId), query, answer)
        : missing('customer')
  const withBanking = withAccounts(bankingOf)
  const withEnergy = withAccounts(energyOf)

  return {
    listBankingAccounts: withBanking((accounts, query) =>
      fromArrays.listBankingAccounts(accounts, query),
    ),
    getBankingAccount: withBanking(fromArrays.getBankingAccount),
    listBankingBalances: withBanking((accounts, query) =>
      fromArrays.listBankingBalances(accounts, recordsOf<BankingBalance>(balances), query),
    ),
    listBankingTransactions: withBanking((accounts, query) =>
      fromArrays.listBankingTransactions(
        accounts,
        recordsOf<BankingTransaction>(transactions),
        query,
        () => Temporal.Instant.from(loadTime),
      ),
    ),
    listScheduledPayments: withBanking((accounts, query) =>
      fromArrays.listScheduledPayments(accounts, recordsOf<ScheduledPayment>(payments), query),
    ),
    listScheduledPaymentsOfAccounts: withBanking((accounts, query) =>
      fromArrays.listScheduledPaymentsOfAccounts(
        accounts,
        recordsOf<ScheduledPayment>(payments),
        query,
      ),
    ),
    listDirectDebits: withBanking((accounts, query) =>
      fromArrays.listDirectDebits(accounts, recordsOf<DirectDebit>(debits), query, idsOf(debits)),
    ),
    listEnergyAccounts: withEnergy((accounts, query) =>
      fromArrays.listEnergyAccounts(accounts, query),
    ),
    listEnergyAccountDetails: withEnergy(fromArrays.listEnergyAccountDetails),
    getEnergyAccount: withEnergy(fromArrays.getEnergyAccount),
    listEnergyInvoices: withEnergy((accounts, query) =>
      fromArrays.listEnergyInvoices(accounts, recordsOf<EnergyInvoice>(invoices), query),
    ),
    listEnergyBilling: withEnergy((accounts, query) =>
      fromArrays.listEnergyBilling(
        accounts,
        recordsOf<EnergyBillingTransaction>(billing),
        query,
        idsOf(billing),
      ),
    ),
    listEnergyBillingOfAccounts: withEnergy((accounts, query) =>
      fromArrays.listEnergyBillingOfAccounts(
        accounts,
        recordsOf<EnergyBillingTransaction>(billing),
        query,
        idsOf(billing),
      ),
    ),
    searchCustomers: async (query) =>
      fromArrays.searchCustomers(people, query, ({ id }) => emailsOf[id] ?? []),
    listShareableAccounts: withBanking((shared, query) =>
      withRestrictions(refusals, energyOf(query.customerId), query, (sharedEnergy) =>
        fromArrays.listShareableAccounts(shared, sharedEnergy),
      ),
    ),
    getCustomer: withBanking(
      (_accounts, { customerId }) =>
        people.find(({ id }) => id === customerId) ?? missing('customer'),
    ),
  }
}

const allLines = [
  ...customers.map((line) => ({ ...line, emails: emailsOf[line.record.id] })),
  ...banking,
  ...balances,
  ...transactions,
  ...payments,
  ...debits,
  ...energy,
  ...invoices,
  ...billing,
  ...restrictions,
]

const providers = shareOnEachEngine(async (scope: Scope) => {
  const options = { now: '2025-05-20T00:00:00Z', timeZone: 'Australia/Sydney' }
  const database = await newDatabase(scope)
  await loadInProcess(database, allLines, loadTime)
  const stored = await openProvider(scope, [], { ...options, database })
  const fromSource = await openProvider(scope, [], {
    ...options,
    database,
    around: (store) => ({ ...store, ...toProviderReads(arraySource()) }),
  })
  return { stored, fromSource }
})

const served = refs.filter((ref) => ref !== 'C4' && ref !== 'contact')

const someQuery = fc.record(
  {
    page: fc.constantFrom('1', '2', '3', '40'),
    'page-size': fc.constantFrom('1', '3', '7', '25', '1000'),
    'open-status': fc.constantFrom('ALL', 'OPEN', 'CLOSED'),
    'is-owned': fc.constantFrom('true', 'false'),
    'product-category': fc.constantFrom('LEASES', 'OVERDRAFTS'),
    'oldest-time': fc.constantFrom('2025-05-01T00:04:00Z', '2025-04-30T14:09:00+00:00'),
    'newest-time': fc.constantFrom('2025-05-01T00:07:00Z', '2025-05-01T00:12:00.123456788Z'),
    'oldest-date': fc.constantFrom('2025-05-11', '2025-05-13'),
    'newest-date': fc.constantFrom('2025-05-14', '2025-05-17'),
    'min-amount': fc.constantFrom('-15', '0', '3.30', '-0.50'),
    'max-amount': fc.constantFrom('-0.5', '0', '12', '7.10'),
    text: fc.constantFrom('rent', '%', 'SS', 'σ', 'ref #', '', 'strasse SS'),
  },
  { requiredKeys: [] },
)

describeOnce('a source over arrays', () => {
  it('answers every operation byte for byte as a database that was loaded with the same lines', async () => {
    const { stored, fromSource } = await providers()
    const some = (ids: readonly string[]) =>
      fc.array(fc.constantFrom(...ids), { minLength: 1, maxLength: 8 })
    const someRequest = fc.constantFrom(...served).chain((ref: Ref) =>
      fc.record({
        ref: fc.constant(ref),
        customer: fc.constantFrom('ana', 'ana', 'ana', 'ben', 'cat', '__proto__', 'unknown'),
        accounts: fc.oneof(
          { weight: 5, arbitrary: some((isEnergy(ref) ? energyIds : bankingIds).slice(0, 5)) },
          { weight: 1, arbitrary: some([...energyIds, ...bankingIds, 'unknown', '__proto__']) },
          { weight: 1, arbitrary: some([...energyIds.slice(4), free, ...refusedIds]) },
        ),
        query: someQuery,
      }),
    )
    let [found, refusals] = [0, 0]

    await fc.assert(
      fc.asyncProperty(someRequest, async ({ ref, query, ...request }) => {
        const asked = { ...request, query: new URLSearchParams({ ...query }).toString() }
        const expected = await ask(stored, ref, asked)
        const actual = await ask(fromSource, ref, asked)

        assert.equal(actual.text, expected.text, `${ref} ${JSON.stringify(asked)}`)
        assert.equal(actual.status, expected.status)
        assert.equal(actual.headers['x-sharing-refused'], expected.headers['x-sharing-refused'])
        if (actual.headers['x-sharing-refused']) refusals += 1
        if (actual.status === 200) found += 1
      }),
      propertyRuns(600),
    )
    assert.ok(found > 250, `${found} found`)
    assert.ok(refusals > 30, `${refusals} refused`)
  })

  it('finds customers by their own and by further addresses, as a database does', async () => {
    const { stored, fromSource } = await providers()

    for (const email of ['ana@example.com', 'AGENT@example.com', 'gent@example.com']) {
      const expected = await stored.post('/auth/v1/customer/search', { email })
      const actual = await fromSource.post('/auth/v1/customer/search', { email })

      assert.equal(actual.text, expected.text)
      assert.equal(actual.body.data.length > 0, email !== 'gent@example.com')
    }
  })

  it('needs a time for a transaction that states none', () => {
    const [account] = recordsOf<BankingAccount>(banking)
    const pending = { accountId: account?.accountId ?? '', transactionId: 't1', amount: '1.00' }
    const query = {
      customerId: 'ana',
      accountId: pending.accountId,
      oldest: Temporal.Instant.from('2025-01-01T00:00:00Z'),
      newest: Temporal.Instant.from('2025-06-01T00:00:00Z'),
      page: 1,
      pageSize: 25,
    }

    assert.throws(
      () =>
        fromArrays.listBankingTransactions(
          account ? [account] : [],
          [{ ...pending, status: 'PENDING' }],
          query,
        ),
      /a transaction has no time: listBankingTransactions needs a timeOf/,
    )
  })
})
