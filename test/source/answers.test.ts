import assert from 'node:assert/strict'
import { it } from 'node:test'
import { toProviderReads } from '../../src/provider/source/to-provider-reads.ts'
import { missing, type Source, SourceUnavailable } from '../../src/server/index.ts'
import { describeOnce, type Scope } from '../support/engines.ts'
import { ask as askOperation } from '../support/operations.ts'
import { openProvider } from '../support/provider.ts'
import { accountsPath, openSourceProvider, smallSource } from './source-provider.ts'

const examplePath = '/customer/c1/accounts/a1/balances'
const secret = 'secret-of-the-record'
const record = { accountId: secret }
const cyclic: Record<string, unknown> = { ...record }
cyclic['self'] = cyclic

class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
}

/** An answer of listBankingAccounts, and the reason that is logged. */
const invalidAnswers: Record<string, readonly [answer: () => unknown, reason: string]> = {
  'throws an error': [
    () => {
      throw new Error(secret, { cause: new DatabaseError(secret) })
    },
    'listBankingAccounts: failed',
  ],
  'throws an error that is named like one of Holdfast': [
    () => {
      throw new DatabaseError(`${secret}\n    at ${secret} (file:1:1)`)
    },
    'listBankingAccounts: failed',
  ],
  'throws a text': [
    () => {
      throw secret
    },
    'listBankingAccounts: failed',
  ],
  'answers nothing': [() => undefined, 'listBankingAccounts: the answer is undefined'],
  'answers null': [() => null, 'listBankingAccounts: the answer is null'],
  'answers a text': [() => secret, 'listBankingAccounts: the answer is string'],
  'answers an array': [() => [record], 'listBankingAccounts: items is not an array'],
  'answers no items': [() => ({ total: 1 }), 'listBankingAccounts: items is not an array'],
  'answers no total': [
    () => ({ items: [record] }),
    'listBankingAccounts: total is not a whole number',
  ],
  'answers a total that is a text': [
    () => ({ items: [record], total: '1' }),
    'listBankingAccounts: total is not a whole number',
  ],
  'answers a negative total': [
    () => ({ items: [], total: -1 }),
    'listBankingAccounts: total is not a whole number',
  ],
  'answers more items than a page has': [
    () => ({ items: Array.from({ length: 26 }, () => record), total: 26 }),
    'listBankingAccounts: more items than pageSize',
  ],
  'answers a sparse array': [
    () => ({ items: new Array(1), total: 1 }),
    'listBankingAccounts: a record is not an object',
  ],
  'answers a record that is a text': [
    () => ({ items: [secret], total: 1 }),
    'listBankingAccounts: a record is not an object',
  ],
  'answers a record that becomes a text': [
    () => ({ items: [new Date(0)], total: 1 }),
    'listBankingAccounts: a record is not an object',
  ],
  'answers a record with a bigint': [
    () => ({ items: [{ ...record, amount: 1n }], total: 1 }),
    'listBankingAccounts: a record cannot be written as JSON',
  ],
  'answers a record that contains itself': [
    () => ({ items: [cyclic], total: 1 }),
    'listBankingAccounts: a record cannot be written as JSON',
  ],
  'has a getter that throws': [
    () => ({
      get items() {
        throw new Error(secret)
      },
    }),
    'listBankingAccounts: failed',
  ],
  'says that an account is missing that the request does not name': [
    () => missing('account'),
    'listBankingAccounts: missing is not something that the query names',
  ],
  'says that a record is missing that the operation does not return': [
    () => missing('balance'),
    'listBankingAccounts: missing is not something that the query names',
  ],
  'says that something unknown is missing': [
    () => ({ missing: 'constructor' }),
    'listBankingAccounts: missing is not something that the query names',
  ],
}

describeOnce('a source', () => {
  for (const [name, [answer, reason]] of Object.entries(invalidAnswers)) {
    it(`that ${name} is a 500, and its reason is logged without any value`, async (t) => {
      const listBankingAccounts = (async () => answer()) as Source['listBankingAccounts']
      const source = { ...smallSource, ...(listBankingAccounts && { listBankingAccounts }) }
      const { provider, ask, log } = await openSourceProvider(t, source)
      const address = await provider.listen({ port: 0 })

      const { status, text } = await ask(address, accountsPath)

      assert.deepEqual([status, text], [500, '{"error":"Internal error"}'])
      const line = JSON.parse(log.find((each) => each.includes('request failed')) ?? '{}')
      assert.equal(line.err.message, reason)
      assert.equal(log.join('').includes(secret), false, 'a value is logged')
      assert.equal(log.join('').includes('"c1"'), false, 'an id is logged')
    })
  }

  it('that throws before it returns a promise is a 500', async (t) => {
    const source = {
      ...smallSource,
      listBankingAccounts() {
        throw new Error(secret)
      },
    }
    const { provider, ask } = await openSourceProvider(t, source)

    assert.equal((await ask(await provider.listen({ port: 0 }), accountsPath)).status, 500)
  })

  it('that throws an error whose members throw is a 500', async (t) => {
    const hostile = Object.defineProperty(new Error(secret), 'code', {
      get() {
        throw new Error(secret)
      },
    })
    const listBankingAccounts = () => Promise.reject(hostile)
    const { provider, ask, log } = await openSourceProvider(t, {
      ...smallSource,
      listBankingAccounts,
    })
    const address = await provider.listen({ port: 0 })

    const answers = [await ask(address, accountsPath), await ask(address, accountsPath)]

    assert.deepEqual(
      answers.map(({ status }) => status),
      [500, 500],
    )
    assert.ok(log.some((line) => line.includes('request failed')))
    assert.equal(log.join('').includes(secret), false, 'a value is logged')
  })

  it('that is unavailable is a 503 with the time to wait, and its cause is not logged', async (t) => {
    const source = {
      ...smallSource,
      async listBankingAccounts(): Promise<never> {
        throw new SourceUnavailable({ retryAfterSeconds: 30, cause: new Error(secret) })
      },
    }
    const { provider, ask, log } = await openSourceProvider(t, source)

    const { status, text, headers } = await ask(await provider.listen({ port: 0 }), accountsPath)

    assert.deepEqual(
      [status, text, headers['retry-after']],
      [503, '{"error":"Service unavailable"}', '30'],
    )
    const line = JSON.parse(log.find((each) => each.includes('request failed')) ?? '{}')
    assert.equal(line.reason, 'the source is unavailable')
    assert.equal(log.join('').includes(secret), false, 'a value is logged')
  })

  for (const [retryAfterSeconds, expected] of [
    [0, '0'],
    [1.5, '2'],
    [-5, '1'],
    [Number.NaN, '1'],
    [Number.POSITIVE_INFINITY, '1'],
    [1e300, '1'],
  ] as const) {
    it(`that is unavailable for ${retryAfterSeconds} seconds has Retry-After: ${expected}`, async (t) => {
      const listBankingAccounts = () => Promise.reject(new SourceUnavailable({ retryAfterSeconds }))
      const provider = await openReads(t, { ...smallSource, listBankingAccounts })

      const { headers } = await provider.get(accountsPath)

      assert.equal(headers['retry-after'], expected)
    })
  }

  for (const [name, balance, reason] of [
    ['a text', { availableBalance: secret }, 'availableBalance must be a decimal string'],
    ['members', { availableBalance: '1,"current":9' }, 'availableBalance must be a decimal string'],
    ['no digits', { currentBalance: '' }, 'currentBalance must be a decimal string'],
    ['a number', { currentBalance: 5 }, 'currentBalance must be a decimal string'],
    ['no account', { accountId: undefined }, 'accountId is required'],
    ['a currency that is a number', { currency: 36 }, 'currency must be a string'],
  ] as const) {
    it(`that answers a balance with ${name} is a 500`, async (t) => {
      const valid = { accountId: 'a1', availableBalance: '1.00', currentBalance: '2.00' }
      const getExampleBalance = async () => ({ ...valid, ...balance })
      const source = { ...smallSource, getExampleBalance } as unknown as Source
      const { provider, ask, log } = await openSourceProvider(t, source)

      const { status, text } = await ask(await provider.listen({ port: 0 }), examplePath)

      assert.deepEqual([status, text], [500, '{"error":"Internal error"}'])
      const line = JSON.parse(log.find((each) => each.includes('request failed')) ?? '{}')
      assert.equal(line.err.message, `getExampleBalance: ${reason}`)
      assert.equal(log.join('').includes(secret), false, 'a value is logged')
    })
  }

  it('that counted its records before others were added has a total of all that it answers', async (t) => {
    const listBankingAccounts = (async ({ page }) => ({
      items: page < 3 ? [{ accountId: 'a1' }, { accountId: 'a2' }] : [],
      total: 3,
    })) as Source['listBankingAccounts']
    const source = { ...smallSource, ...(listBankingAccounts && { listBankingAccounts }) }
    const provider = await openReads(t, source)

    const totals = []
    for (const page of [1, 2, 3]) {
      const { body } = await provider.get(`${accountsPath}?page-size=2&page=${page}`)
      totals.push(body.meta.totalRecords)
    }
    assert.deepEqual(totals, [3, 4, 3])
  })

  it('that never answers is a 503 after the timeout of a handler', async (t) => {
    const source = { ...smallSource, listBankingAccounts: () => new Promise<never>(() => {}) }
    const provider = await openReads(t, source, {
      limits: { handlerTimeoutMs: 1, checkIntervalMs: 20 },
    })

    const { status, headers } = await provider.get(accountsPath)
    assert.deepEqual([status, headers['retry-after']], [503, '1'])
  })

  it('can leave members undefined, and answer with dates and values of Temporal', async (t) => {
    const source = {
      ...smallSource,
      getCustomer: async () => ({
        id: 'c1',
        name: 'Ana\u2028\ud800',
        email: undefined,
        updatedAt: Temporal.Instant.from('2025-01-01T00:00:00Z'),
        birthday: new Date(0),
      }),
    } as unknown as Source
    const provider = await openReads(t, source)

    assert.equal(
      (await provider.get('/auth/v1/customer/c1')).text,
      '{"id":"c1","name":"Ana\u2028\\ud800","updatedAt":"2025-01-01T00:00:00Z","birthday":"1970-01-01T00:00:00.000Z"}',
    )
  })

  it('can say that it cannot filter by text', async (t) => {
    const source: Source = {
      ...smallSource,
      listBankingTransactions: async () => ({ items: [], total: 0, isQueryParamUnsupported: true }),
    }
    const provider = await openReads(t, source)

    const { body } = await askOperation(provider, 'B3', { customer: 'c1', accounts: ['a1'] })
    assert.equal(body.meta.isQueryParamUnsupported, true)
  })

  it('can withhold the contact details of an account, which are then empty', async (t) => {
    const source = {
      ...smallSource,
      getAccountContact: async () => ({ withheld: true }) as const,
    }
    const provider = await openReads(t, source)

    const request = { customer: 'c1', accounts: ['a1'] }
    const { status, text } = await askOperation(provider, 'contact', request)
    assert.deepEqual([status, text], [200, ''])
  })

  it('can answer that an account has no balance or no contact', async (t) => {
    const source: Source = {
      ...smallSource,
      listBankingBalances: async () => missing('balance'),
      getExampleBalance: async () => missing('balance'),
      getAccountContact: async () => missing('contact'),
    }
    const provider = await openReads(t, source)
    const request = { customer: 'c1', accounts: ['a1'] }

    for (const [ref, status, error] of [
      ['B2', 422, 'Balance of account in query not found'],
      ['C4', 404, 'Balance not found'],
      ['contact', 404, 'Contact not found'],
    ] as const) {
      const answer = await askOperation(provider, ref, request)
      assert.deepEqual([answer.status, answer.body], [status, { error }])
    }
  })

  it('gets each account once, the filters and the resolved bounds', async (t) => {
    const queries: unknown[] = []
    const list = async (query: unknown) => {
      queries.push(query)
      return { items: [], total: 0 }
    }
    const source: Source = {
      ...smallSource,
      listBankingTransactions: list,
      listDirectDebits: list,
      listEnergyInvoices: list,
      listEnergyBilling: list,
    }
    const now = '2025-07-01T00:00:00Z'
    const provider = await openReads(t, source, { now, timeZone: 'Australia/Sydney' })
    const request = { customer: 'c1', accounts: ['a2', 'a1', 'a2'] }
    const query = 'is-owned=false&open-status=OPEN&page=2&page-size=3'
    await askOperation(provider, 'B3', { ...request, query: 'min-amount=1.0&text=x' })
    await askOperation(provider, 'B5', { ...request, query })
    await askOperation(provider, 'E3', { ...request, query: 'oldest-date=2025-01-31' })
    await askOperation(provider, 'E4', request)

    const [page, accountIds] = [{ page: 1, pageSize: 25 }, ['a2', 'a1']]
    assert.deepEqual(JSON.parse(JSON.stringify(queries)), [
      {
        customerId: 'c1',
        accountId: 'a2',
        minAmount: '1.0',
        text: 'x',
        ...page,
        oldest: '2024-07-01T00:00:00Z',
        newest: '2025-07-01T00:00:00Z',
      },
      { customerId: 'c1', accountIds, page: 2, pageSize: 3, openStatus: 'OPEN', isOwned: false },
      { customerId: 'c1', accountIds, ...page, oldest: '2025-01-31', newest: '2025-07-01' },
      {
        customerId: 'c1',
        accountId: 'a2',
        ...page,
        oldest: '2024-07-01T10:00:00',
        newest: '2025-07-01T10:00:00',
      },
    ])
    assert.ok((queries[2] as { oldest: unknown }).oldest instanceof Temporal.PlainDate)
  })

  it('never gets an id that no record can have', async (t) => {
    const ids: string[] = []
    const source: Source = {
      ...smallSource,
      async getCustomer({ customerId }) {
        ids.push(customerId)
        return customerId === 'c1' ? { id: 'c1', name: 'Ana' } : missing('customer')
      },
      async listBankingBalances({ customerId, accountIds }) {
        ids.push(customerId, ...accountIds)
        return missing('account')
      },
    }
    const provider = await openReads(t, source)
    const answerFor = async (customer: string, account: string) =>
      (await askOperation(provider, 'B2', { customer, accounts: [account] })).text

    for (const id of ['nul\0', 'x'.repeat(257), '']) {
      assert.equal(await answerFor('c1', id), '{"error":"Account in query not found"}')
      assert.equal(await answerFor('c2', id), '{"error":"Customer not found"}')
    }
    assert.equal(await answerFor('c1', '\ud800'), '{"error":"Account in query not found"}')
    assert.equal(await answerFor('nul\0', 'a1'), '{"error":"Customer not found"}')
    assert.deepEqual([...new Set(ids)], ['c1', 'c2'])
  })

  it('never gets an e-mail address that databases reject', async (t) => {
    const emails: string[] = []
    const provider = await openReads(t, {
      ...smallSource,
      async searchCustomers({ email }) {
        emails.push(email)
        return []
      },
    })
    const search = (email: string) => provider.post('/auth/v1/customer/search', { email })

    for (const email of ['ana\0@example.com', 'ana\ud800@example.com', 'ana@example.com']) {
      assert.equal((await search(email)).text, '{"data":[]}')
    }
    assert.deepEqual(emails, ['ana@example.com'])
  })
})

function openReads(scope: Scope, source: Source, options: Parameters<typeof openProvider>[2] = {}) {
  const around = (store: object) => ({ ...store, ...toProviderReads(source) }) as never
  return openProvider(scope, [], { ...options, around })
}
