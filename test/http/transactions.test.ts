import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { ProviderStore } from '../../src/provider/store.ts'
import { describe } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import { loadInProcess } from '../support/load.ts'
import { openProvider, type Provider, sharedProvider } from '../support/provider.ts'

const defaultTime = '2025-07-01T00:00:00Z'

/** For each time, the time twelve calendar months earlier. */
const windows = [
  ['the last day of March', '2025-03-31T10:00:00Z', '2024-03-31T10:00:00Z'],
  ['a leap day', '2028-02-29T10:00:00Z', '2027-02-28T10:00:00Z'],
  ['the day after a leap day', '2028-03-01T00:00:00Z', '2027-03-01T00:00:00Z'],
  ['the year after a leap day', '2025-02-28T10:00:00Z', '2024-02-28T10:00:00Z'],
  ['the last moment of a year', '2024-12-31T23:59:59.999999999Z', '2023-12-31T23:59:59.999999999Z'],
] as const

/** Upper bounds with an offset: the months are those of the local calendar. */
const windowsWithOffset = [
  ['a leap day east of UTC', '2028-02-29T05:00:00+11:00', '2027-02-28T05:00:00+11:00'],
  [
    'the day after a leap day east of UTC',
    '2028-03-01T05:00:00+11:00',
    '2027-03-01T05:00:00+11:00',
  ],
  ['a leap day west of UTC', '2028-02-29T20:00:00-05:00', '2027-02-28T20:00:00-05:00'],
] as const

function shift(time: string, nanoseconds: number): string {
  return Temporal.Instant.from(time).add({ nanoseconds }).toString()
}

const edge = '2025-06-01T12:00:00.123456789Z'
const tied = ['10', '9', 'B', 'a', 'a b', 'b', 'é', 'ｚ']

const provider = sharedProvider([
  lines.customer('ana'),
  lines.customer('ben'),
  ...['edges', 'ties', 'mixed', 'empty'].map((id) => lines.bankingAccount(id, { ana: true })),
  lines.bankingAccount('ben', { ben: true }),
  lines.energyAccount('power', ['ana']),
  ...[-1, 0, 1].map((nanoseconds) =>
    lines.transaction('edges', `${nanoseconds}`, { postingDateTime: shift(edge, nanoseconds) }),
  ),
  ...tied.toReversed().map((id) => lines.transaction('ties', id)),
  lines.transaction('ties', 'older', { postingDateTime: '2025-05-31T23:59:59.999999999Z' }),
  // The same instant in another time zone.
  lines.transaction('ties', 'c', { postingDateTime: '2025-06-01T10:00:00+10:00' }),
  lines.transaction('ties', '0 newer', { postingDateTime: '2025-06-01T00:00:00.000000001Z' }),

  lines.transaction('mixed', 'posted', {
    postingDateTime: '2025-06-05T00:00:00Z',
    executionDateTime: '2025-06-20T00:00:00Z',
  }),
  lines.transaction('mixed', 'executed', {
    ...lines.pending,
    executionDateTime: '2025-06-10T00:00:00Z',
  }),
  lines.transaction('mixed', 'posted without a posting time', {
    postingDateTime: undefined,
    executionDateTime: '2025-06-09T00:00:00Z',
  }),
  {
    ...lines.transaction('mixed', 'posted without a time', { postingDateTime: undefined }),
    effectiveTime: '2025-06-08T00:00:00Z',
  },
  {
    ...lines.transaction('mixed', 'assigned', lines.pending),
    effectiveTime: '2025-06-07T00:00:00Z',
  },
  {
    ...lines.transaction('mixed', 'posted and assigned', {
      postingDateTime: '2025-06-06T00:00:00Z',
    }),
    effectiveTime: '2025-06-30T00:00:00Z',
  },

  ...[...windows, ...windowsWithOffset].flatMap(([name, newest, oldest]) => [
    lines.bankingAccount(name, { ana: true }),
    lines.transaction(name, 'just too new', { postingDateTime: shift(newest, 1) }),
    lines.transaction(name, 'newest', { postingDateTime: newest }),
    lines.transaction(name, 'oldest', { postingDateTime: oldest }),
    lines.transaction(name, 'just too old', { postingDateTime: shift(oldest, -1) }),
  ]),
])

function transactionsPath(account: string): string {
  return `/v1/banking/customer/ana/accounts/${encodeURIComponent(account)}/transactions`
}

async function findIds({ get }: Provider, account: string, query = ''): Promise<string[]> {
  const { status, body, text } = await get(`${transactionsPath(account)}?${query}`)
  assert.equal(status, 200, text)
  assert.equal(body.meta.totalRecords, body.data.transactions.length)
  return body.data.transactions.map(({ transactionId }: { transactionId: string }) => transactionId)
}

function timeQuery(times: Readonly<Record<string, string>>): string {
  return new URLSearchParams(times).toString()
}

describe('B3, the transactions of an account', () => {
  it('are in an envelope that reports no parameter as unsupported', async () => {
    const { get } = await provider()

    const { status, body } = await get(`${transactionsPath('ties')}?text=none`)
    const plain = await get(transactionsPath('ties'))

    assert.equal(status, 200)
    assert.deepEqual(body, {
      data: { transactions: [] },
      links: {},
      meta: { totalRecords: 0, totalPages: 0 },
    })
    assert.deepEqual(Object.keys(plain.body), ['data', 'links', 'meta'])
    assert.deepEqual(plain.body.meta, { totalRecords: tied.length + 3, totalPages: 1 })
  })

  for (const text of ['none', undefined]) {
    it(`say that a store cannot filter by text, ${text ? 'with' : 'without'} a text`, async (t) => {
      const { database } = await provider()
      const around = (store: ProviderStore): ProviderStore => ({
        ...store,
        async listEntries({ text: _text, ...query }) {
          const page = await store.listEntries(query)
          return 'missing' in page ? page : { ...page, isQueryParamUnsupported: true }
        },
      })
      const { get } = await openProvider(t, [], { database, around })

      const { body } = await get(`${transactionsPath('ties')}?${text ? `text=${text}` : ''}`)

      assert.equal(body.data.transactions.length, tied.length + 3)
      assert.deepEqual(body.meta, {
        totalRecords: tied.length + 3,
        totalPages: 1,
        isQueryParamUnsupported: true,
      })
    })
  }

  it('are newest first, and by id for equal times', async () => {
    const ids = await findIds(await provider(), 'ties')

    const expected = ['10', '9', 'B', 'a', 'a b', 'b', 'c', 'é', 'ｚ']
    assert.deepEqual(ids, ['0 newer', ...expected, 'older'])
  })

  it('are ordered by posting time, else execution time, else the time in the envelope of the line', async () => {
    const ids = await findIds(await provider(), 'mixed')

    assert.deepEqual(ids, [
      'executed',
      'posted without a posting time',
      'posted without a time',
      'assigned',
      'posted and assigned',
      'posted',
    ])
  })

  it('are selected by the same time that orders them', async () => {
    const here = await provider()

    const day = (date: string) => ({
      'oldest-time': `${date}T00:00:00Z`,
      'newest-time': `${date}T23:59:59Z`,
    })

    assert.deepEqual(await findIds(here, 'mixed', timeQuery(day('2025-06-20'))), [])
    assert.deepEqual(await findIds(here, 'mixed', timeQuery(day('2025-06-30'))), [])
    assert.deepEqual(await findIds(here, 'mixed', timeQuery(day('2025-06-05'))), ['posted'])
    assert.deepEqual(await findIds(here, 'mixed', timeQuery(day('2025-06-10'))), ['executed'])
    assert.deepEqual(await findIds(here, 'mixed', timeQuery(day('2025-06-07'))), ['assigned'])
  })

  it('may be empty', async () => {
    assert.deepEqual(await findIds(await provider(), 'empty'), [])
  })

  for (const [name, customer, account, error] of [
    ['an unknown customer', 'missing', 'edges', 'Customer not found'],
    ['an unknown customer and account', 'missing', 'nothing', 'Customer not found'],
    ['an unknown account', 'ana', 'nothing', 'Account not found'],
    ['another customer’s account', 'ana', 'ben', 'Account not found'],
    ['an energy account', 'ana', 'power', 'Account not found'],
  ] as const) {
    it(`are rejected for ${name}`, async () => {
      const { get } = await provider()

      const answer = await get(`/v1/banking/customer/${customer}/accounts/${account}/transactions`)

      assert.equal(answer.status, 404)
      assert.deepEqual(answer.body, { error })
    })
  }
})

describe('the window of B3', () => {
  const before = shift(edge, -1)
  const after = shift(edge, 1)
  for (const [name, times, expected] of [
    ['newest-time on a record', { 'newest-time': edge }, ['0', '-1']],
    ['newest-time a nanosecond before it', { 'newest-time': before }, ['-1']],
    ['newest-time a nanosecond after it', { 'newest-time': after }, ['1', '0', '-1']],
    ['oldest-time on a record', { 'oldest-time': edge }, ['1', '0']],
    ['oldest-time a nanosecond before it', { 'oldest-time': before }, ['1', '0', '-1']],
    ['oldest-time a nanosecond after it', { 'oldest-time': after }, ['1']],
    ['both on one record', { 'oldest-time': edge, 'newest-time': edge }, ['0']],
    ['oldest-time after newest-time', { 'oldest-time': after, 'newest-time': before }, []],
    [
      'bounds in other zones',
      {
        'oldest-time': '2025-06-01T22:00:00.123456789+10:00',
        'newest-time': '2025-06-01T06:30:00.123456789-05:30',
      },
      ['0'],
    ],
    ['bounds in lower case', { 'newest-time': edge.toLowerCase() }, ['0', '-1']],
    [
      'distant bounds',
      { 'oldest-time': '0001-01-01T00:00:00Z', 'newest-time': '9999-12-31T23:59:59Z' },
      ['1', '0', '-1'],
    ],
    [
      'a window before all records',
      { 'oldest-time': '0000-01-01T00:00:00Z', 'newest-time': '1600-01-01T00:00:00Z' },
      [],
    ],
    [
      'a window after all records',
      { 'oldest-time': '2500-01-01T00:00:00Z', 'newest-time': '9999-12-31T00:00:00Z' },
      [],
    ],
  ] as const) {
    it(`includes both bounds: ${name}`, async () => {
      assert.deepEqual(await findIds(await provider(), 'edges', timeQuery(times)), expected)
    })
  }

  it('accepts an unescaped plus sign', async () => {
    const query = 'newest-time=2025-06-01T22:00:00.123456789+10:00'

    assert.deepEqual(await findIds(await provider(), 'edges', query), ['0', '-1'])
  })

  for (const [name, newest] of windows) {
    it(`is the twelve months up to now by default: ${name}`, async (t) => {
      const here = await provider()
      t.after(() => here.setClock(defaultTime))

      here.setClock(newest)
      const ids = await findIds(here, name)

      assert.deepEqual(ids, ['newest', 'oldest'])
    })

    it(`is the twelve months up to newest-time: ${name}`, async () => {
      const ids = await findIds(await provider(), name, timeQuery({ 'newest-time': newest }))

      assert.deepEqual(ids, ['newest', 'oldest'])
    })

    it(`is from oldest-time to now if only that is given: ${name}`, async (t) => {
      const here = await provider()
      t.after(() => here.setClock(defaultTime))

      here.setClock(newest)
      const ids = await findIds(here, name, timeQuery({ 'oldest-time': '2000-01-01T00:00:00Z' }))

      assert.deepEqual(ids, ['newest', 'oldest', 'just too old'])
    })
  }

  for (const [name, newest] of windowsWithOffset) {
    it(`is the twelve months up to newest-time, in the calendar of its offset: ${name}`, async () => {
      const ids = await findIds(await provider(), name, timeQuery({ 'newest-time': newest }))

      assert.deepEqual(ids, ['newest', 'oldest'])
    })
  }

  it('is the twelve months up to now in the calendar of the provider’s time zone', async (t) => {
    const { database } = await provider()
    const [[name, now]] = windowsWithOffset
    const here = await openProvider(t, [], { database, now, timeZone: 'Australia/Sydney' })

    assert.deepEqual(await findIds(here, name), ['newest', 'oldest'])
  })

  it('may start more than twelve months ago', async () => {
    const here = await provider()

    const ids = await findIds(
      here,
      'a leap day',
      timeQuery({ 'newest-time': '2029-01-01T00:00:00Z', 'oldest-time': '2001-01-01T00:00:00Z' }),
    )

    assert.deepEqual(ids, ['just too new', 'newest', 'oldest', 'just too old'])
  })
})

describe('a transaction without a time', () => {
  /** Each test loads data, so it has its own account. */
  const writable = sharedProvider([
    lines.customer('ana'),
    ...['loaded', 'again', 'posted', 'removed'].map((id) =>
      lines.bankingAccount(id, { ana: true }),
    ),
  ])
  const early = (account: string) =>
    lines.transaction(account, 'early', { postingDateTime: '2001-01-01T00:00:00Z' })
  const pending = (account: string) => lines.transaction(account, 'pending', lines.pending)
  const day = (date: string) =>
    timeQuery({ 'oldest-time': `${date}T00:00:00Z`, 'newest-time': `${date}T23:59:59Z` })
  const always = timeQuery({
    'oldest-time': '2000-01-01T00:00:00Z',
    'newest-time': '2200-01-01T00:00:00Z',
  })

  it('gets the time of its load', async () => {
    const here = await writable()

    const before = Temporal.Now.instant().toString()
    await here.load([early('loaded'), pending('loaded')])
    const after = Temporal.Now.instant().toString()

    const during = timeQuery({ 'oldest-time': before, 'newest-time': after })
    assert.deepEqual(await findIds(here, 'loaded', during), ['pending'])
    assert.deepEqual(await findIds(here, 'loaded', always), ['pending', 'early'])
  })

  it('keeps the time of its first load if it is loaded again', async () => {
    const here = await writable()

    await loadInProcess(here.database, [early('again'), pending('again')], '2025-06-01T10:00:00Z')
    const later = lines.transaction('again', 'later', lines.pending)
    await loadInProcess(here.database, [pending('again'), later], '2025-06-02T10:00:00Z')
    const changed = lines.transaction('again', 'pending', { ...lines.pending, amount: '2.00' })
    await loadInProcess(here.database, [changed], '2025-06-03T10:00:00Z')

    assert.deepEqual(await findIds(here, 'again', day('2025-06-01')), ['pending'])
    assert.deepEqual(await findIds(here, 'again', day('2025-06-02')), ['later'])
    assert.deepEqual(await findIds(here, 'again', always), ['later', 'pending', 'early'])
    assert.deepEqual(await findIds(here, 'again', `min-amount=2&${always}`), ['pending'])
  })

  it('moves to its posting time when it is posted', async () => {
    const here = await writable()

    await loadInProcess(here.database, [early('posted'), pending('posted')], '2025-06-01T10:00:00Z')
    const posted = lines.transaction('posted', 'pending', {
      postingDateTime: '2000-06-01T00:00:00Z',
    })
    await loadInProcess(here.database, [posted], '2025-06-02T10:00:00Z')

    assert.deepEqual(await findIds(here, 'posted', day('2025-06-01')), [])
    assert.deepEqual(await findIds(here, 'posted', day('2000-06-01')), ['pending'])
    assert.deepEqual(await findIds(here, 'posted', always), ['early', 'pending'])
  })

  it('gets the time of the load that removes its own time', async () => {
    const here = await writable()

    const posted = lines.transaction('removed', 'pending', {
      postingDateTime: '2001-01-01T00:00:00Z',
    })
    await loadInProcess(here.database, [posted], '2025-06-01T10:00:00Z')
    await loadInProcess(here.database, [pending('removed')], '2025-06-02T10:00:00Z')

    assert.deepEqual(await findIds(here, 'removed', day('2025-06-02')), ['pending'])
    assert.deepEqual(await findIds(here, 'removed', always), ['pending'])
  })
})
