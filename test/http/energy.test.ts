import assert from 'node:assert/strict'
import { it } from 'node:test'
import { energyAccount as example } from '../../src/contract/examples/energy.ts'
import { describe } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import { ask, getAccountIds, getRecords } from '../support/operations.ts'
import { type Provider, sharedProvider } from '../support/provider.ts'

const defaultTime = '2025-07-01T00:00:00Z'

/** For each time, today and the date twenty-four months earlier. */
const windows = [
  ['the last day of March', '2025-03-31T23:59:59Z', '2025-03-31', '2023-03-31'],
  ['a leap day', '2028-02-29T00:00:00Z', '2028-02-29', '2026-02-28'],
  ['a day before a leap day', '2026-02-28T12:00:00Z', '2026-02-28', '2024-02-28'],
  ['the first moment of a year', '2026-01-01T00:00:00Z', '2026-01-01', '2024-01-01'],
] as const

function addDays(date: string, days: number): string {
  return Temporal.PlainDate.from(date).add({ days }).toString()
}

const { users, complexAccountType, ...detail } = example

const data = [
  lines.customer('ana'),
  ...['days', 'first', 'second', 'third'].map((id) => lines.energyAccount(id, ['ana'])),
  ...['2025-06-09', '2025-06-10', '2025-06-11'].map((date) => lines.invoice('days', date, date)),
  {
    type: 'energy.invoice',
    record: {
      accountId: 'days',
      invoiceNumber: 'due on the 10th',
      issueDate: '2025-05-01',
      dueDate: '2025-06-10',
      period: { startDate: '2025-06-10', endDate: '2025-06-10' },
    },
  },
  lines.invoice('first', 'i2', '2025-06-10'),
  lines.invoice('first', 'i9', '2025-06-01'),
  lines.invoice('first', 'B', '2025-06-10'),
  lines.invoice('second', 'i1', '2025-06-10'),
  lines.invoice('second', 'i10', '2025-06-10'),
  lines.invoice('second', 'i9', '2025-06-20'),
  lines.invoice('third', 'i2', '2025-06-10'),
  ...windows.flatMap(([name, , newest, oldest]) => [
    lines.energyAccount(name, ['ana']),
    lines.invoice(name, 'just too new', addDays(newest, 1)),
    lines.invoice(name, 'newest', newest),
    lines.invoice(name, 'oldest', oldest),
    lines.invoice(name, 'just too old', addDays(oldest, -1)),
  ]),
  lines.customer('eva'),
  lines.customer('ben'),
  lines.customer('cy'),
  lines.energyAccount(example.accountId, ['eva'], { ...example }),
  lines.energyAccount('plain', ['eva'], { creationDate: '2020-01-01T00:00:00Z' }),
  lines.energyAccount('joint', ['eva', 'ben'], {
    complexAccountType: 'JOINT',
    users,
    creationDate: '2022-01-01T00:00:00Z',
  }),
  lines.bankingAccount('bank', { eva: true }),
  // Neither in the order of creation nor of ids.
  lines.energyAccount('unknown', ['cy']),
  lines.energyAccount('b', ['cy'], { creationDate: '2021-01-01T11:00:00+11:00' }),
  lines.energyAccount('late', ['cy'], { creationDate: '2022-01-01T00:00:00Z' }),
  lines.energyAccount('a', ['cy'], { creationDate: '2021-01-01T00:00:00Z' }),
  lines.energyAccount('z', ['cy'], { creationDate: '2020-12-31T23:59:59Z' }),
]

const provider = sharedProvider(data)
const sydney = sharedProvider([], async () => ({
  database: (await provider()).database,
  timeZone: 'Australia/Sydney',
}))

async function readNumbers(here: Provider, accounts: readonly string[], query = '') {
  const answer = await ask(here, 'E3', { accounts, query })
  assert.equal(answer.status, 200, answer.text)
  return getRecords('E3', answer).map(({ invoiceNumber }) => invoiceNumber)
}

describe('E1, the energy accounts of a customer', () => {
  it('lists all of them, with their users and types', async () => {
    const answer = await ask(await provider(), 'E1', { customer: 'eva' })

    assert.equal(answer.status, 200)
    assert.deepEqual(Object.keys(answer.body), ['data', 'links', 'meta'])
    assert.deepEqual(getAccountIds('E1', answer), ['plain', example.accountId, 'joint'])
    assert.deepEqual(getRecords('E1', answer)[1], example)
    assert.deepEqual(answer.body.meta, { totalRecords: 3, totalPages: 1 })
  })

  it('orders by creation date and then by id, accounts without a creation date last', async () => {
    const answer = await ask(await provider(), 'E1', { customer: 'cy' })

    assert.deepEqual(getAccountIds('E1', answer), ['z', 'a', 'b', 'late', 'unknown'])
  })

  it('returns a joint account to each of its holders, without isOwned', async () => {
    const answer = await ask(await provider(), 'E1', { customer: 'ben' })

    assert.deepEqual(getRecords('E1', answer), [
      {
        accountId: 'joint',
        users,
        complexAccountType: 'JOINT',
        creationDate: '2022-01-01T00:00:00Z',
      },
    ])
  })
})

describe('E2, energy accounts by id', () => {
  it('returns them with their plans, without users and type', async () => {
    assert.ok(complexAccountType)

    const answer = await ask(await provider(), 'E2', {
      customer: 'eva',
      accounts: [example.accountId],
    })

    assert.equal(answer.status, 200)
    assert.deepEqual(getRecords('E2', answer), [detail])
  })

  it('returns them in the requested order', async () => {
    const answer = await ask(await provider(), 'E2', {
      customer: 'cy',
      accounts: ['unknown', 'z', 'late', 'a'],
    })

    assert.deepEqual(getAccountIds('E2', answer), ['unknown', 'z', 'late', 'a'])
  })

  it('returns a joint account to each of its holders', async () => {
    const here = await provider()

    const first = await ask(here, 'E2', { customer: 'eva', accounts: ['joint'] })
    const second = await ask(here, 'E2', { customer: 'ben', accounts: ['joint'] })

    assert.equal(second.status, 200)
    assert.deepEqual(second.body, first.body)
    assert.doesNotMatch(second.text, /users|complexAccountType|isOwned/)
  })
})

describe('E3, the invoices of energy accounts', () => {
  it('are in an envelope, newest issue date first', async () => {
    const answer = await ask(await provider(), 'E3', { accounts: ['days'] })

    assert.equal(answer.status, 200)
    assert.deepEqual(Object.keys(answer.body), ['data', 'links', 'meta'])
    assert.deepEqual(
      getRecords('E3', answer).map(({ invoiceNumber }) => invoiceNumber),
      ['2025-06-11', '2025-06-10', '2025-06-09', 'due on the 10th'],
    )
    assert.deepEqual(answer.body.meta, { totalRecords: 4, totalPages: 1 })
  })

  it('are sorted across all accounts: by issue date, then by number', async () => {
    const numbers = await readNumbers(await provider(), ['first', 'second'])

    assert.deepEqual(numbers, ['i9', 'B', 'i1', 'i10', 'i2', 'i9'])
  })

  it('include both of two accounts with the same number on the same day', async () => {
    const here = await provider()
    const accounts = ['third', 'first']

    const whole = await ask(here, 'E3', { accounts })
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => ask(here, 'E3', { accounts, query: `page=${page}&page-size=1` })),
    )

    assert.deepEqual(
      getRecords('E3', whole).map(({ invoiceNumber }) => invoiceNumber),
      ['B', 'i2', 'i2', 'i9'],
    )
    assert.deepEqual(
      pages.flatMap((page) => getRecords('E3', page)),
      getRecords('E3', whole),
    )
  })

  for (const [query, expected] of [
    ['newest-date=2025-06-10', ['2025-06-10', '2025-06-09', 'due on the 10th']],
    ['oldest-date=2025-06-10', ['2025-06-11', '2025-06-10']],
    ['oldest-date=2025-06-10&newest-date=2025-06-10', ['2025-06-10']],
    ['oldest-date=2025-06-11&newest-date=2025-06-10', []],
    [
      'oldest-date=0000-01-01&newest-date=9999-12-31',
      ['2025-06-11', '2025-06-10', '2025-06-09', 'due on the 10th'],
    ],
    [
      'oldest-time=2025-06-11T00:00:00Z&newest-time=2025-06-10T00:00:00Z',
      ['2025-06-11', '2025-06-10', '2025-06-09', 'due on the 10th'],
    ],
  ] as const) {
    it(`are selected by issue date, both bounds included: ${query}`, async () => {
      assert.deepEqual(await readNumbers(await provider(), ['days'], query), expected)
    })
  }

  for (const [name, now, newest, oldest] of windows) {
    it(`are those of the twenty-four months up to today by default: ${name}`, async (t) => {
      const here = await provider()
      t.after(() => here.setClock(defaultTime))

      here.setClock(now)
      const answer = await ask(here, 'E3', { accounts: [name] })

      assert.deepEqual(
        getRecords('E3', answer).map(({ invoiceNumber }) => invoiceNumber),
        ['newest', 'oldest'],
      )
      const pinned = new URLSearchParams(answer.body.links.first)
      assert.deepEqual([pinned.get('newest-date'), pinned.get('oldest-date')], [newest, oldest])
    })

    it(`are those of the twenty-four months up to newest-date: ${name}`, async () => {
      const numbers = await readNumbers(await provider(), [name], `newest-date=${newest}`)

      assert.deepEqual(numbers, ['newest', 'oldest'])
    })
  }

  it('are those from oldest-date to today if only that is given', async (t) => {
    const here = await provider()
    t.after(() => here.setClock(defaultTime))

    here.setClock('2028-02-29T00:00:00Z')
    const numbers = await readNumbers(here, ['a leap day'], 'oldest-date=2020-01-01')

    assert.deepEqual(numbers, ['newest', 'oldest', 'just too old'])
  })

  it('end with today in the time zone of the provider', async (t) => {
    const here = await sydney()
    t.after(() => here.setClock(defaultTime))

    here.setClock('2025-03-31T12:59:59Z')
    const evening = await readNumbers(here, ['the last day of March'])
    here.setClock('2025-03-31T13:00:00Z')
    const midnight = await readNumbers(here, ['the last day of March'])

    assert.deepEqual(evening, ['newest', 'oldest'])
    assert.deepEqual(midnight, ['just too new', 'newest'])
  })

  for (const name of ['oldest-date', 'newest-date']) {
    for (const value of [
      '',
      '2025-6-1',
      '2025-02-29',
      '2025-13-01',
      '20250601',
      '2025-06-01T00:00:00Z',
      'today',
      '+002025-06-01',
      '2025-06-00',
    ]) {
      it(`reject ${name}=${value}`, async () => {
        const query = new URLSearchParams({ [name]: value }).toString()

        const answer = await ask(await provider(), 'E3', { accounts: ['days'], query })

        assert.equal(answer.status, 400)
        assert.deepEqual(answer.body, { error: `${name} must be a date (YYYY-MM-DD)` })
      })
    }
  }
})
