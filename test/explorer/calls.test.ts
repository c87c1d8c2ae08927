import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { makeSigningKey } from '../../src/auth/signing.ts'
import {
  type Explorer,
  type ExplorerOptions,
  openExplorer,
} from '../../src/platform/explorer/explorer.ts'
import { openSigningKeyStore } from '../../src/storage/open.ts'
import { type FixedResponse, respondWith } from '../client/respond.ts'
import { openTrustingProvider } from '../client/trusting-provider.ts'
import {
  createScope,
  describe,
  describeOnce,
  newDatabase,
  type Scope,
  shareOnEachEngine,
  withScope,
} from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import { bankingAccount, customer } from '../support/lines.ts'
import { loadInProcess } from '../support/load.ts'
import { patientMs } from '../support/patience.ts'
import { openPlatform, type Platform } from '../support/platform.ts'
import { until } from '../support/until.ts'

const callsPath = '/v1/explorer/calls'
const params = { customerId: 'c1', accountId: 'a1' }
const name = '<img src=x onerror=alert(1)> O’Neill'

interface ExplorerPlatform extends Platform {
  readonly providerUrl: string
  call(body: unknown, token?: string): Promise<Answer>
}

/** A platform whose explorer calls a provider that trusts its keys, or the provider of the options. */
async function openExplorerPlatform(
  scope: Scope,
  options: Partial<ExplorerOptions> = {},
): Promise<ExplorerPlatform> {
  const inner = createScope(scope)
  const database = await newDatabase(inner)
  await loadInProcess(database, [
    customer('c1', { name, email: 'ana@example.com' }),
    bankingAccount('a1', { c1: true }, { displayName: 'Everyday' }),
    {
      type: 'banking.transaction',
      record: {
        accountId: 'a1',
        transactionId: 't1',
        amount: '-12345678901234567890.10',
        description: name,
        status: 'POSTED',
        type: 'PAYMENT',
        isDetailAvailable: false,
        reference: '',
        postingDateTime: '2026-06-01T00:00:00Z',
      },
    },
  ])
  const signingKeys = await openSigningKeyStore(database)
  inner.after(() => signingKeys.close())
  await signingKeys.add(await makeSigningKey('ES256', Temporal.Now.instant()))
  let explorer: Explorer | undefined
  const platform = await openPlatform(inner, {
    database,
    explorer: async (call) => explorer?.(call) ?? assert.fail('not open yet'),
  })
  const jwksUrl = `http://127.0.0.1:${platform.port}/.well-known/jwks.json`
  const providerUrl = options.providerUrl ?? (await openTrustingProvider(inner, database, jwksUrl))
  explorer = openExplorer({
    providerUrl,
    resourceUrl: providerUrl,
    subdomain: 's',
    signingKeys,
    ...options,
  })
  const reader = await platform.issueToken(await platform.register(['data.read']))
  return {
    ...platform,
    providerUrl,
    call: (body, token = reader) =>
      platform.send(callsPath, {
        method: 'POST',
        body,
        headers: { authorization: `Bearer ${token}` },
      }),
  }
}

const shared = shareOnEachEngine((scope) => openExplorerPlatform(scope))

describe('a call through the explorer', () => {
  it('returns the request and the exact response of the provider, without the token', async () => {
    const { call, log, providerUrl } = await shared()

    const answer = await call({
      operation: 'listBankingTransactions',
      params,
      query: { 'page-size': 1, 'oldest-time': '2026-01-01T00:00:00Z' },
    })

    assert.equal(answer.status, 200, answer.text)
    const { request, response, provider, durationMs } = answer.body
    const path = '/v1/banking/customer/c1/accounts/a1/transactions'
    assert.deepEqual(request, {
      method: 'GET',
      url: `${providerUrl}${path}?page-size=1&oldest-time=2026-01-01T00%3A00%3A00Z`,
      headers: [
        { name: 'accept', value: 'application/json' },
        { name: 'authorization', value: 'Bearer …' },
        { name: 'user-agent', value: 'holdfast-console' },
      ],
    })
    assert.equal(response.status, 200, response.body)
    assert.match(response.body, /"amount":"-12345678901234567890\.10"/)
    assert.equal(JSON.parse(response.body).data.transactions[0].description, name)
    assert.ok(response.headers.some((each: { name: string }) => each.name === 'content-type'))
    assert.deepEqual(provider, { providerUrl, resourceUrl: providerUrl, subdomain: 's' })
    assert.ok(durationMs > 0)
    assert.doesNotMatch(answer.text, /eyJ/)
    await until(() => log.some((line) => line.includes('"operation":"X1"')))
    assert.doesNotMatch(log.join(''), /eyJ|O’Neill|\bc1\b|\ba1\b|ana@/)
  })

  it('sends a body, and returns error responses of the provider as they are', async () => {
    const { call } = await shared()

    const found = await call({ operation: 'searchCustomers', body: { email: 'ana@example.com' } })
    assert.equal(found.body.request.body, '{"email":"ana@example.com"}')
    assert.equal(JSON.parse(found.body.response.body).data[0].id, 'c1')

    const balances = await call({
      operation: 'listBankingBalances',
      params: { customerId: 'c1' },
      body: { data: { accountIds: ['nope'] } },
    })
    assert.deepEqual([balances.status, balances.body.response.status], [200, 422])
    assert.equal(balances.body.response.body, '{"error":"Account in query not found"}')

    const path = await call({ operation: 'getCustomer', params: { customerId: 'x?y=1#/é' } })
    assert.equal(path.body.response.status, 404)
    assert.match(path.body.request.url, /customer\/x%3Fy%3D1%23%2F%C3%A9$/)
  })

  it('requires the scope data.read', async () => {
    const { call, issueToken, register, send } = await shared()
    const body = { operation: 'getCustomer', params: { customerId: 'c1' } }

    for (const scopes of [['products.write'], ['data.write', 'consent.write']] as const) {
      const answer = await call(body, await issueToken(await register(scopes)))
      assert.deepEqual([answer.status, answer.text], [403, '{"error":"Insufficient scope"}'])
    }
    assert.equal((await send(callsPath, { method: 'POST', body })).status, 401)
  })
})

const accountIds = (ids: unknown) => ({
  operation: 'listBankingBalances',
  params: { customerId: 'c1' },
  body: { data: { accountIds: ids } },
})
const listTransactions = (query: object) => ({
  operation: 'listBankingTransactions',
  params,
  query,
})

/** Invalid calls, and the field that the error names. */
const invalidCalls: readonly (readonly [unknown, RegExp])[] = [
  [{}, /^operation is required$/],
  [{ operation: 'createProduct' }, /^operation must be one of getBankingAccount, /],
  [{ operation: '__proto__' }, /^operation must be one of/],
  [{ operation: 'constructor' }, /^operation must be one of/],
  [{ operation: 7 }, /^operation must be one of/],
  [{ operation: 'getCustomer', url: 'http://127.0.0.1' }, /^url is not a field of this record$/],
  [{ operation: 'getCustomer' }, /^params\.customerId is required$/],
  [{ operation: 'getCustomer', params: [] }, /^params must be an object$/],
  ...['', '..', '../../c2', 'a\\b', 'a\u0001', '\ud800', 'x'.repeat(257)].map(
    (customerId) =>
      [
        { operation: 'getCustomer', params: { customerId } },
        /^params\.customerId must be a string of 1 to 256 printable characters, without \\ and /,
      ] as const,
  ),
  [
    { operation: 'getCustomer', params: { customerId: {} } },
    /^params\.customerId must be a string$/,
  ],
  [
    { operation: 'getCustomer', params: { customerId: 'c1', constructor: 'x' } },
    /^params\.constructor is not a parameter of this operation$/,
  ],
  [listTransactions({ text: 'a\udc00' }), /^query\.text must be well-formed Unicode$/],
  ['{"operation":"getCustomer","params":{"customerId":"c1","__proto__":"x"}}', /params\.__proto__/],
  [
    { operation: 'getCustomer', params: { customerId: 'c1' }, body: {} },
    /^body is not part of this operation$/,
  ],
  [
    listTransactions({ 'page-size': 0 }),
    /^query\.page-size must be a whole number from 1 to 1000$/,
  ],
  [listTransactions({ 'page-size': '1001' }), /^query\.page-size must be a whole number/],
  [listTransactions({ 'page-size': [1] }), /^query\.page-size must be a whole number/],
  [listTransactions({ 'page-size': null }), /^query\.page-size must be a whole number/],
  [listTransactions({ text: 'x'.repeat(1001) }), /^query\.text must be a string of 0 to 1000/],
  [listTransactions({ 'min-amount': 'all' }), /^query\.min-amount must be a decimal string$/],
  [listTransactions({ 'oldest-time': 'now' }), /^query\.oldest-time must be an RFC 3339/],
  [
    listTransactions({ toString: 1, pageSize: 2 }),
    /^query\.toString is not a parameter of this operation; query\.pageSize is not/,
  ],
  [{ operation: 'searchCustomers' }, /^body is required$/],
  [{ operation: 'searchCustomers', body: {} }, /^body\.email is required$/],
  [{ operation: 'searchCustomers', body: { email: 'x' } }, /^body\.email must be an e-mail/],
  [accountIds('a1'), /^body\.data\.accountIds must be a list/],
  [accountIds([1]), /^body\.data\.accountIds\[0\] must be a string$/],
  [accountIds(Array(1001).fill('a')), /^body\.data\.accountIds must be a list of 0 to 1000/],
]

describeOnce('the explorer', () => {
  it('rejects an invalid call, and names the field', async () => {
    const { call } = await shared()

    for (const [body, expected] of invalidCalls) {
      const answer = await call(body)
      assert.equal(answer.status, 400, JSON.stringify(body).slice(0, 200) + answer.text)
      assert.match(answer.body.error, expected)
    }
  })

  it('rejects a body that is too large', async () => {
    const { call } = await shared()

    assert.equal((await call(accountIds(['x'.repeat(5 * 1024 * 1024)]))).status, 413)
  })

  it('is disabled by default, and names the setting', async (t) => {
    const { issueToken, register, send } = await openPlatform(t)
    const token = await issueToken(await register(['data.read']))
    const answer = await send(callsPath, {
      method: 'POST',
      body: { operation: 'getCustomer', params: { customerId: 'c1' } },
      headers: { authorization: `Bearer ${token}` },
    })

    assert.equal(answer.status, 404)
    assert.match(answer.body.error, /HOLDFAST_EXPLORER=true/)
  })

  const getCustomer = { operation: 'getCustomer', params: { customerId: 'secret-1' } }
  const respond = async (scope: Scope, response: FixedResponse) =>
    (await respondWith(createScope(scope), () => response)).url

  it('reports a provider that is unreachable, redirects or sends too much', async (t) => {
    let closed = ''
    await withScope(async (scope) => {
      closed = await respond(scope, { status: 200, body: '' })
    })
    const location = { location: 'http://127.0.0.1:1/' }
    const cases: readonly (readonly [string, RegExp])[] = [
      [closed, /^no response from http:\/\/127\.0\.0\.1:\d+: ECONNREFUSED$/],
      [
        await respond(t, { status: 302, body: '', headers: location }),
        /^invalid response: a redirect/,
      ],
      [await respond(t, { status: 200, body: 'x'.repeat(101) }), /larger than 100 bytes/],
      [
        await respond(t, { status: 200, body: '\0'.repeat(100) }),
        /larger than 200 bytes as a JSON string$/,
      ],
    ]
    for (const [providerUrl, expected] of cases) {
      const { call, log } = await openExplorerPlatform(t, { providerUrl, responseBytesMax: 100 })
      const answer = await call(getCustomer)

      assert.equal(answer.status, 502, answer.text)
      assert.match(answer.body.error, expected)
      await until(() => log.some((line) => line.includes('"status":502')))
      assert.doesNotMatch(log.join(''), /secret-1|eyJ/)
      assert.ok(log.some((line) => /"level":40,.*provider_failed/.test(line)))
    }
  })

  it('hides the token in a response that repeats it', async (t) => {
    const { url, seen } = await respondWith(createScope(t), ({ authorization }) => ({
      status: 400,
      body: JSON.stringify({ authorization, again: authorization.slice('Bearer '.length) }),
      headers: { 'x-echo': `<${authorization}>` },
    }))
    const { call } = await openExplorerPlatform(t, { providerUrl: url })
    const { body, text } = await call(getCustomer)

    assert.match(seen[0]?.authorization ?? '', /^Bearer eyJ/)
    assert.equal(body.response.body, '{"authorization":"Bearer …","again":"…"}')
    assert.doesNotMatch(text, /eyJ/)
    assert.equal(
      body.response.headers.find(({ name }: { name: string }) => name === 'x-echo').value,
      '<Bearer …>',
    )
  })

  it('reports a provider that is slow, and limits the calls that wait for it', async (t) => {
    const scope = createScope(t)
    let requests = 0
    const server = createServer(() => {
      requests += 1
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    scope.after(async () => {
      server.close()
      server.closeAllConnections()
    })
    const providerUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const patient = await openExplorerPlatform(scope, {
      providerUrl,
      timeoutMs: patientMs,
      callsMax: 1,
    })
    const { call } = await openExplorerPlatform(scope, { providerUrl, timeoutMs: 100, callsMax: 1 })

    const waiting = patient.call(getCustomer)
    await until(() => requests === 1)
    assert.equal((await patient.call(getCustomer)).status, 503)
    server.closeAllConnections()
    assert.equal((await waiting).status, 502)
    // A call that has ended makes room for the next.
    for (let count = 0; count < 2; count += 1) {
      const answer = await call(getCustomer)
      assert.equal(answer.status, 504)
      assert.match(answer.body.error, /^no response from http:\/\/127\.0\.0\.1:\d+ within 100 ms$/)
    }
  })

  it('returns a response that is not JSON as text, and reports a missing signing key', async (t) => {
    const providerUrl = await respond(t, { status: 500, body: '\ufeff<script>alert(1)</script>' })
    const { call } = await openExplorerPlatform(t, { providerUrl })
    assert.deepEqual(
      (await call(getCustomer)).body.response.body,
      '\ufeff<script>alert(1)</script>',
    )

    const none = await openExplorerPlatform(t, { signingKeys: { list: async () => [] } })
    const answer = await none.call(getCustomer)
    assert.equal(answer.status, 502)
    assert.match(answer.body.error, /no signing key: create one with holdfast keys add/)
  })
})
