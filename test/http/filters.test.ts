import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import {
  ask,
  getAccountIds,
  getOperation,
  isEnergy,
  type Ref,
  refs,
} from '../support/operations.ts'
import { sharedProvider } from '../support/provider.ts'

/** The filter values of the interface. */
const categories = [
  'BUSINESS_LOANS',
  'CRED_AND_CHRG_CARDS',
  'LEASES',
  'MARGIN_LOANS',
  'OVERDRAFTS',
  'PERS_LOANS',
  'REGULATED_TRUST_ACCOUNTS',
  'RESIDENTIAL_MORTGAGES',
  'TERM_DEPOSITS',
  'TRADE_FINANCE',
  'TRANS_AND_SAVINGS_ACCOUNTS',
  'TRAVEL_CARDS',
]

interface Account {
  readonly id: string
  readonly isOwned: boolean
  readonly openStatus?: string
  readonly productCategory?: string
}

/** Every state of an account: open, closed, no status; every category and none; owned or not. */
const accounts: readonly Account[] = [
  ...categories.map((productCategory, index) => ({
    id: `category-${index}`,
    productCategory,
    openStatus: index % 3 === 0 ? 'CLOSED' : 'OPEN',
    isOwned: index % 2 === 0,
  })),
  { id: 'closed-deposit', openStatus: 'CLOSED', productCategory: 'TERM_DEPOSITS', isOwned: true },
  { id: 'closed-other', openStatus: 'CLOSED', productCategory: 'TERM_DEPOSITS', isOwned: false },
  { id: 'later', openStatus: 'OPEN', productCategory: 'BUY_NOW_PAY_LATER', isOwned: true },
  { id: 'no-category', openStatus: 'CLOSED', isOwned: true },
  { id: 'no-status', productCategory: 'TERM_DEPOSITS', isOwned: false },
]
const ids = accounts.map(({ id }) => id).sort()

const energyAccounts = [
  { id: 'closed', openStatus: 'CLOSED' },
  { id: 'no-status-energy' },
  { id: 'open', openStatus: 'OPEN' },
]
const energyIds = energyAccounts.map(({ id }) => id)

const provider = sharedProvider([
  lines.customer('ana'),
  lines.customer('ben'),
  ...accounts.flatMap(({ id, isOwned, ...fields }) => [
    lines.bankingAccount(id, { ana: isOwned, ben: !isOwned }, fields),
    lines.balance(id),
    lines.directDebit(id, 'd1'),
    lines.scheduledPayment(id, `payment of ${id}`),
  ]),
  ...energyAccounts.map(({ id, ...fields }) => lines.energyAccount(id, ['ana'], fields)),
])

const none = [undefined]
const openStatuses = [...none, 'ALL', 'OPEN', 'CLOSED']
const booleans = [...none, 'true', 'false']

/** All combinations of these values. */
function combine(values: Readonly<Record<string, readonly (string | undefined)[]>>) {
  let queries: Record<string, string>[] = [{}]
  for (const [name, choices] of Object.entries(values)) {
    queries = queries.flatMap((query) =>
      choices.map((value) => (value === undefined ? query : { ...query, [name]: value })),
    )
  }
  return queries
}

function matching(query: Readonly<Record<string, string>>, viewer: string): string[] {
  const { 'open-status': status = 'ALL', 'product-category': category, 'is-owned': owned } = query
  return accounts
    .filter(({ openStatus = 'OPEN' }) => status === 'ALL' || openStatus === status)
    .filter(({ productCategory }) => category === undefined || productCategory === category)
    .filter(({ isOwned }) => !owned || String(viewer === 'ana' ? isOwned : !isOwned) === owned)
    .map(({ id }) => id)
    .sort()
}

describe('the account filters', () => {
  const all = {
    'open-status': openStatuses,
    'product-category': [...none, ...categories],
    'is-owned': booleans,
  }
  for (const [ref, customer, values] of [
    ['B1', 'ana', all],
    ['B2', 'ben', all],
    ['B5', 'ana', all],
    ['B6', 'ana', { 'open-status': openStatuses, 'is-owned': booleans }],
    ['B6', 'ben', { 'open-status': openStatuses, 'is-owned': booleans }],
  ] as const) {
    it(`select, in every combination on ${ref}, what matches all of them for ${customer}`, async () => {
      const here = await provider()

      for (const query of combine(values)) {
        const text = new URLSearchParams({ ...query, 'page-size': '100' }).toString()
        const answer = await ask(here, ref, { customer, accounts: ids, query: text })

        const expected = matching(query, customer)
        assert.deepEqual(getAccountIds(ref, answer).sort(), expected, text)
        assert.equal(answer.body.meta.totalRecords, expected.length, text)
      }
    })
  }

  for (const ref of ['E1', 'E2'] as const) {
    for (const [query, expected] of [
      ['', ['closed', 'no-status-energy', 'open']],
      ['open-status=ALL', ['closed', 'no-status-energy', 'open']],
      ['open-status=OPEN', ['no-status-energy', 'open']],
      ['open-status=CLOSED', ['closed']],
    ] as const) {
      it(`select on ${ref} with ${query || 'no filter'} the accounts ${expected.join(', ')}`, async () => {
        const here = await provider()

        const answer = await ask(here, ref, { accounts: energyIds, query })

        assert.deepEqual(getAccountIds(ref, answer).sort(), expected)
        assert.equal(answer.body.meta.totalRecords, expected.length)
      })
    }
  }

  it('do not support BUY_NOW_PAY_LATER, which unfiltered lists include', async () => {
    const here = await provider()

    const all = await ask(here, 'B1', { query: 'page-size=100' })
    const filtered = await ask(here, 'B1', { query: 'product-category=BUY_NOW_PAY_LATER' })

    assert.ok(getAccountIds('B1', all).includes('later'))
    assert.equal(filtered.status, 400)
    assert.match(filtered.body.error, /^product-category must be one of /)
  })

  for (const ref of ['B1', 'B2', 'B5', 'B6', 'E1', 'E2'] as const) {
    it(`are repeated by the links of ${ref}`, async () => {
      const here = await provider()
      const query = { 'open-status': 'CLOSED', ...(ref.startsWith('B') && { 'is-owned': 'true' }) }
      const text = new URLSearchParams({ ...query, 'page-size': '1' }).toString()
      const accounts = ref.startsWith('B') ? ids : energyIds

      const { body } = await ask(here, ref, { accounts, query: text })

      for (const link of Object.values<string>(body.links)) {
        const { page, ...rest } = Object.fromEntries(new URLSearchParams(link))
        assert.deepEqual(rest, { ...query, 'page-size': '1' })
      }
      assert.ok(body.links.last)
    })
  }

  const values = {
    'is-owned': ['', 'TRUE', '1', 'yes', 'null', ' true'],
    'open-status': ['', 'open', 'RESTRICTED', 'ALL,OPEN'],
    'product-category': ['', 'term_deposits', 'SAVINGS', 'TERM_DEPOSITS,LEASES'],
  }
  const filterNames = Object.keys(values) as (keyof typeof values)[]
  const declares = (ref: Ref, name: string) => getOperation(ref).parameters.includes(name)
  for (const ref of refs) {
    for (const name of filterNames.filter((filter) => declares(ref, filter))) {
      it(`reject any other value of ${name} on ${ref}`, async () => {
        const here = await provider()

        for (const value of values[name]) {
          const query = `${name}=${encodeURIComponent(value)}`
          const { status, body } = await ask(here, ref, { accounts: [], query })

          assert.equal(status, 400, query)
          assert.match(body.error, new RegExp(`^${name} must be `), query)
        }
      })
    }
  }

  for (const ref of refs) {
    const undeclared = filterNames.filter((name) => !declares(ref, name))
    if (undeclared.length === 0) continue
    it(`have no effect on ${ref} if it does not declare them: ${undeclared.join(', ')}`, async () => {
      const here = await provider()
      const accounts = isEnergy(ref) ? energyIds : ids
      const plain = await ask(here, ref, { accounts })

      for (const name of undeclared) {
        for (const value of ['CLOSED', 'false', 'LEASES', 'nonsense']) {
          const answer = await ask(here, ref, { accounts, query: `${name}=${value}` })

          assert.equal(answer.status, plain.status)
          assert.deepEqual(answer.body.data ?? answer.body, plain.body.data ?? plain.body)
          assert.deepEqual(answer.body.meta, plain.body.meta)
        }
      }
    })
  }
})
