import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import * as lines from '../support/lines.ts'
import { ask, getRecords } from '../support/operations.ts'
import { sharedProvider } from '../support/provider.ts'

const defaultTime = '2025-07-01T00:00:00Z'
const both = ['E4', 'E5'] as const

/** For each time, the time twelve calendar months earlier. */
const windows = [
  ['the last day of March', '2025-03-31T10:00:00', '2024-03-31T10:00:00'],
  ['a leap day', '2028-02-29T10:00:00', '2027-02-28T10:00:00'],
  ['the year after a leap day', '2025-02-28T10:00:00', '2024-02-28T10:00:00'],
] as const

function shift(time: string, nanoseconds: number): string {
  return Temporal.PlainDateTime.from(time).add({ nanoseconds }).toString()
}

const edge = '2025-06-01T12:00:00.123456789'
const tie = '2025-06-01T12:00:00'

/** Identified by its amount, since the record has no id. */
function numbered(account: string, id: string, time: string, number: number) {
  return lines.billing(account, id, time, `${number}`)
}

function readNumbers(answer: Answer): number[] {
  assert.equal(answer.status, 200, answer.text)
  return getRecords('E4', answer).map(({ payment }) => Number(payment.amount))
}

const provider = sharedProvider([
  lines.customer('ana'),
  lines.customer('ben'),
  ...['edges', 'ties', 'more', 'empty', 'nameless'].map((id) => lines.energyAccount(id, ['ana'])),
  lines.energyAccount('bens', ['ben']),
  lines.bankingAccount('bank', { ana: true }),
  ...[-1, 0, 1].map((step) => numbered('edges', `${step}`, shift(edge, step), step)),
  numbered('ties', 'c', tie, 3),
  numbered('ties', 'a', tie, 1),
  numbered('ties', 'B', tie, 0),
  numbered('ties', 'same', tie, 9),
  numbered('ties', 'first of all', '2025-06-01T12:00:00.000000001', 100),
  numbered('ties', 'last of all', '2025-06-01T11:59:59.999999999', -100),
  numbered('more', 'd', tie, 4),
  numbered('more', 'b', tie, 2),
  numbered('more', 'same', tie, 9),
  numbered('more', 'z', '2025-06-02T00:00:00', 200),
  ...windows.flatMap(([name, newest, oldest]) => [
    lines.energyAccount(name, ['ana']),
    numbered(name, 'a', shift(newest, 1), 4),
    numbered(name, 'b', newest, 3),
    numbered(name, 'c', oldest, 2),
    numbered(name, 'd', shift(oldest, -1), 1),
  ]),
])

describe('E4, the billing transactions of an account', () => {
  it('are in an envelope, newest first, and by id for equal times', async () => {
    const answer = await ask(await provider(), 'E4', { accounts: ['ties'] })

    assert.equal(answer.status, 200)
    assert.deepEqual(Object.keys(answer.body), ['data', 'links', 'meta'])
    assert.deepEqual(Object.keys(answer.body.data), ['transactions'])
    assert.deepEqual(readNumbers(answer), [100, 0, 1, 3, 9, -100])
    assert.deepEqual(answer.body.meta, { totalRecords: 6, totalPages: 1 })
  })

  for (const [name, customer, account, error] of [
    ['an unknown customer', 'missing', 'ties', 'Customer not found'],
    ['an unknown account', 'ana', 'nothing', 'Account not found'],
    ['another customer’s account', 'ana', 'bens', 'Account not found'],
    ['a bank account', 'ana', 'bank', 'Account not found'],
  ] as const) {
    it(`are rejected for ${name}`, async () => {
      const answer = await ask(await provider(), 'E4', { customer, accounts: [account] })

      assert.equal(answer.status, 404)
      assert.deepEqual(answer.body, { error })
    })
  }
})

describe('E5, the billing transactions of accounts', () => {
  it('are sorted across all accounts: newest first, and by id for equal times', async () => {
    const here = await provider()

    const answer = await ask(here, 'E5', { accounts: ['ties', 'empty', 'more'] })
    const reversed = await ask(here, 'E5', { accounts: ['more', 'ties', 'empty', 'more'] })

    assert.deepEqual(readNumbers(answer), [200, 100, 0, 1, 2, 3, 4, 9, 9, -100])
    assert.deepEqual(getRecords('E5', reversed), getRecords('E5', answer))
    assert.deepEqual(answer.body.meta, { totalRecords: 10, totalPages: 1 })
  })

  it('are sorted by account for equal times and ids', async () => {
    const answer = await ask(await provider(), 'E5', { accounts: ['ties', 'more'] })

    const equal = getRecords('E5', answer).filter(({ payment }) => Number(payment.amount) === 9)
    assert.deepEqual(
      equal.map(({ accountId }) => accountId),
      ['more', 'ties'],
    )
  })

  it('are empty without accounts, except for an unknown customer', async () => {
    const here = await provider()

    const none = await ask(here, 'E5', { accounts: [] })
    const unknown = await ask(here, 'E5', { customer: 'missing', accounts: [] })

    assert.deepEqual(none.body.meta, { totalRecords: 0, totalPages: 0 })
    assert.equal(unknown.status, 404)
    assert.deepEqual(unknown.body, { error: 'Customer not found' })
  })

  it('are each on one page, even if two accounts have the same time and id', async () => {
    const here = await provider()
    const accounts = ['ties', 'more']

    const whole = await ask(here, 'E5', { accounts })
    const pages = []
    for (let page = 1; page <= 10; page += 1) {
      pages.push(await ask(here, 'E5', { accounts, query: `page=${page}&page-size=1` }))
    }

    assert.deepEqual(
      pages.flatMap((page) => getRecords('E5', page)),
      getRecords('E5', whole),
    )
  })

  it('are the same as on E4 for one account', async () => {
    const here = await provider()

    const one = await ask(here, 'E4', { accounts: ['ties'], query: 'page-size=2&page=2' })
    const many = await ask(here, 'E5', { accounts: ['ties'], query: 'page-size=2&page=2' })

    assert.deepEqual(many.body, one.body)
  })
})

for (const ref of both) {
  describe(`the window of ${ref}`, () => {
    for (const [name, times, expected] of [
      ['newest-time on a record', { 'newest-time': `${edge}Z` }, [0, -1]],
      ['newest-time just before it', { 'newest-time': `${shift(edge, -1)}Z` }, [-1]],
      ['newest-time just after it', { 'newest-time': `${shift(edge, 1)}Z` }, [1, 0, -1]],
      ['oldest-time on a record', { 'oldest-time': `${edge}Z` }, [1, 0]],
      ['oldest-time just before it', { 'oldest-time': `${shift(edge, -1)}Z` }, [1, 0, -1]],
      ['oldest-time just after it', { 'oldest-time': `${shift(edge, 1)}Z` }, [1]],
      ['both on it', { 'oldest-time': `${edge}Z`, 'newest-time': `${edge}Z` }, [0]],
      [
        'oldest-time after newest-time',
        { 'oldest-time': `${shift(edge, 1)}Z`, 'newest-time': `${shift(edge, -1)}Z` },
        [],
      ],
      [
        'bounds in other zones',
        {
          'oldest-time': '2025-06-01T22:00:00.123456789+10:00',
          'newest-time': '2025-06-01T06:30:00.123456789-05:30',
        },
        [0],
      ],
      [
        'distant bounds',
        { 'oldest-time': '0001-01-01T00:00:00Z', 'newest-time': '9999-12-31T23:59:59Z' },
        [1, 0, -1],
      ],
    ] as const) {
      it(`includes both bounds: ${name}`, async () => {
        const query = new URLSearchParams(times).toString()

        const answer = await ask(await provider(), ref, { accounts: ['edges'], query })

        assert.deepEqual(readNumbers(answer), expected)
      })
    }

    for (const [name, newest, oldest] of windows) {
      it(`is the twelve months up to now by default: ${name}`, async (t) => {
        const here = await provider()
        t.after(() => here.setClock(defaultTime))

        here.setClock(`${newest}Z`)
        const answer = await ask(here, ref, { accounts: [name] })

        assert.deepEqual(readNumbers(answer), [3, 2])
        const pinned = new URLSearchParams(answer.body.links.first)
        assert.equal(pinned.get('newest-time'), `${newest}Z`)
        assert.equal(pinned.get('oldest-time'), `${oldest}Z`)
      })

      it(`is the twelve months up to newest-time: ${name}`, async () => {
        const query = `newest-time=${newest}Z`

        const answer = await ask(await provider(), ref, { accounts: [name], query })

        assert.deepEqual(readNumbers(answer), [3, 2])
      })
    }

    it('is from oldest-time to now if only that is given', async (t) => {
      const here = await provider()
      t.after(() => here.setClock(defaultTime))

      here.setClock('2028-02-29T10:00:00Z')
      const answer = await ask(here, ref, {
        accounts: ['a leap day'],
        query: 'oldest-time=2001-01-01T00:00:00Z',
      })

      assert.deepEqual(readNumbers(answer), [3, 2, 1])
    })
  })
}

describe('a billing transaction without an id', () => {
  it('is identified by its content: loaded twice, it is stored once', async () => {
    const { id: _, ...line } = numbered('nameless', '', tie, 1)
    const other = { ...line, record: { ...line.record, payment: { amount: '2' } } }
    const here = await provider()

    await here.load([line, other, line, other, numbered('nameless', 'own', tie, 1)])

    const answer = await ask(here, 'E4', { accounts: ['nameless'] })
    assert.deepEqual(readNumbers(answer).sort(), [1, 1, 2])
    assert.equal(answer.body.meta.totalRecords, 3)
  })
})
