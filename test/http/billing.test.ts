import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import * as lines from '../support/lines.ts'
import { ask, getRecords } from '../support/operations.ts'
import { sharedProvider } from '../support/provider.ts'

const usual = '2025-07-01T00:00:00Z'
const both = ['E4', 'E5'] as const

/** For each clock, where the window of twelve months opens by the calendar. */
const windows = [
  ['the last day of March', '2025-03-31T10:00:00', '2024-03-31T10:00:00'],
  ['a leap day', '2028-02-29T10:00:00', '2027-02-28T10:00:00'],
  ['the year after a leap day', '2025-02-28T10:00:00', '2024-02-28T10:00:00'],
] as const

function shifted(time: string, nanoseconds: number): string {
  return Temporal.PlainDateTime.from(time).add({ nanoseconds }).toString()
}

const edge = '2025-06-01T12:00:00.123456789'
const tie = '2025-06-01T12:00:00'

/** Whose name is its amount, for the record has no id to show. */
function named(account: string, id: string, time: string, name: number) {
  return lines.billing(account, id, time, `${name}`)
}

function namesOf(answer: Answer): number[] {
  assert.equal(answer.status, 200, answer.text)
  return getRecords('E4', answer).map(({ payment }) => Number(payment.amount))
}

const provider = sharedProvider([
  lines.customer('ana'),
  lines.customer('ben'),
  ...['edges', 'ties', 'more', 'empty', 'nameless'].map((id) => lines.energyAccount(id, ['ana'])),
  lines.energyAccount('bens', ['ben']),
  lines.bankingAccount('bank', { ana: true }),
  ...[-1, 0, 1].map((step) => named('edges', `${step}`, shifted(edge, step), step)),
  named('ties', 'c', tie, 3),
  named('ties', 'a', tie, 1),
  named('ties', 'B', tie, 0),
  named('ties', 'same', tie, 9),
  named('ties', 'first of all', '2025-06-01T12:00:00.000000001', 100),
  named('ties', 'last of all', '2025-06-01T11:59:59.999999999', -100),
  named('more', 'd', tie, 4),
  named('more', 'b', tie, 2),
  named('more', 'same', tie, 9),
  named('more', 'z', '2025-06-02T00:00:00', 200),
  ...windows.flatMap(([name, newest, oldest]) => [
    lines.energyAccount(name, ['ana']),
    named(name, 'a', shifted(newest, 1), 4),
    named(name, 'b', newest, 3),
    named(name, 'c', oldest, 2),
    named(name, 'd', shifted(oldest, -1), 1),
  ]),
])

describe('E4, the billing transactions of an account', () => {
  it('come in an envelope, newest first, and at the same time by id', async () => {
    const answer = await ask(await provider(), 'E4', { accounts: ['ties'] })

    assert.equal(answer.status, 200)
    assert.deepEqual(Object.keys(answer.body), ['data', 'links', 'meta'])
    assert.deepEqual(Object.keys(answer.body.data), ['transactions'])
    assert.deepEqual(namesOf(answer), [100, 0, 1, 3, 9, -100])
    assert.deepEqual(answer.body.meta, { totalRecords: 6, totalPages: 1 })
  })

  for (const [name, customer, account, error] of [
    ['an unknown customer', 'missing', 'ties', 'Customer not found'],
    ['an unknown account', 'ana', 'nothing', 'Account not found'],
    ['another customer’s account', 'ana', 'bens', 'Account not found'],
    ['a bank account', 'ana', 'bank', 'Account not found'],
  ] as const) {
    it(`are refused to ${name}`, async () => {
      const answer = await ask(await provider(), 'E4', { customer, accounts: [account] })

      assert.equal(answer.status, 404)
      assert.deepEqual(answer.body, { error })
    })
  }
})

describe('E5, the billing transactions of accounts', () => {
  it('are sorted over all accounts: newest first, and at the same time by id', async () => {
    const here = await provider()

    const answer = await ask(here, 'E5', { accounts: ['ties', 'empty', 'more'] })
    const turned = await ask(here, 'E5', { accounts: ['more', 'ties', 'empty', 'more'] })

    assert.deepEqual(namesOf(answer), [200, 100, 0, 1, 2, 3, 4, 9, 9, -100])
    assert.deepEqual(namesOf(turned), namesOf(answer))
    assert.deepEqual(answer.body.meta, { totalRecords: 10, totalPages: 1 })
  })

  it('are each on one page, also where two accounts have the same time and id', async () => {
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

  it('are of one account what E4 shows', async () => {
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
      ['newest-time just before it', { 'newest-time': `${shifted(edge, -1)}Z` }, [-1]],
      ['newest-time just behind it', { 'newest-time': `${shifted(edge, 1)}Z` }, [1, 0, -1]],
      ['oldest-time on a record', { 'oldest-time': `${edge}Z` }, [1, 0]],
      ['oldest-time just before it', { 'oldest-time': `${shifted(edge, -1)}Z` }, [1, 0, -1]],
      ['oldest-time just behind it', { 'oldest-time': `${shifted(edge, 1)}Z` }, [1]],
      ['both on it', { 'oldest-time': `${edge}Z`, 'newest-time': `${edge}Z` }, [0]],
      [
        'the older bound behind the newer',
        { 'oldest-time': `${shifted(edge, 1)}Z`, 'newest-time': `${shifted(edge, -1)}Z` },
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
        'bounds far away',
        { 'oldest-time': '0001-01-01T00:00:00Z', 'newest-time': '9999-12-31T23:59:59Z' },
        [1, 0, -1],
      ],
    ] as const) {
      it(`takes both ends in: ${name}`, async () => {
        const query = new URLSearchParams(times).toString()

        const answer = await ask(await provider(), ref, { accounts: ['edges'], query })

        assert.deepEqual(namesOf(answer), expected)
      })
    }

    for (const [name, newest, oldest] of windows) {
      it(`is the twelve months up to now where nothing is given: ${name}`, async (t) => {
        const here = await provider()
        t.after(() => here.setClock(usual))

        here.setClock(`${newest}Z`)
        const answer = await ask(here, ref, { accounts: [name] })

        assert.deepEqual(namesOf(answer), [3, 2])
        const pinned = new URLSearchParams(answer.body.links.first)
        assert.equal(pinned.get('newest-time'), `${newest}Z`)
        assert.equal(pinned.get('oldest-time'), `${oldest}Z`)
      })

      it(`is the twelve months up to newest-time where that is given: ${name}`, async () => {
        const query = `newest-time=${newest}Z`

        const answer = await ask(await provider(), ref, { accounts: [name], query })

        assert.deepEqual(namesOf(answer), [3, 2])
      })
    }

    it('reaches from oldest-time to now where that alone is given', async (t) => {
      const here = await provider()
      t.after(() => here.setClock(usual))

      here.setClock('2028-02-29T10:00:00Z')
      const answer = await ask(here, ref, {
        accounts: ['a leap day'],
        query: 'oldest-time=2001-01-01T00:00:00Z',
      })

      assert.deepEqual(namesOf(answer), [3, 2, 1])
    })
  })
}

describe('a billing transaction without an id', () => {
  it('is known by its content: loaded twice it is there once', async () => {
    const { id: _, ...line } = named('nameless', '', tie, 1)
    const other = { ...line, record: { ...line.record, payment: { amount: '2' } } }
    const here = await provider()

    await here.load([line, other, line, other, named('nameless', 'own', tie, 1)])

    const answer = await ask(here, 'E4', { accounts: ['nameless'] })
    assert.deepEqual(namesOf(answer).sort(), [1, 1, 2])
    assert.equal(answer.body.meta.totalRecords, 3)
  })
})
