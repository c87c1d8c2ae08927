import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { makeSigningKey, toPublicKeySet } from '../../src/auth/signing.ts'
import { createClient, ResponseError, type SigningKey } from '../../src/client/index.ts'
import { generateLines } from '../../src/generate/index.ts'
import { createScope, describe, newDatabase } from '../support/engines.ts'
import { openKeyServer } from '../support/key-server.ts'
import { loadInProcess } from '../support/load.ts'
import { respondWith } from './respond.ts'
import { openTrustingProvider } from './trusting-provider.ts'

const now = Temporal.Now.instant()
const customerId = 'c-000001'

describe('the client', () => {
  const scope = createScope({ after })
  let database = ''
  let key: SigningKey
  let providerUrl = ''

  const open = (options = {}) => createClient({ providerUrl, subdomain: 's', key, ...options })

  before(async () => {
    database = await newDatabase(scope)
    const made = await makeSigningKey('ES256', now)
    key = { ...made.privateKey, kid: made.id, alg: made.algorithm }
    const jwks = await openKeyServer(toPublicKeySet([made]).keys)
    scope.after(() => jwks.close())

    const lines = generateLines({ customers: 3, seed: 1, until: now.toString() })
    await loadInProcess(database, [...lines], now.toString())
    providerUrl = await openTrustingProvider(scope, database, jwks.url)
    versionThreeUrl = await openTrustingProvider(scope, database, jwks.url, 3)
  })
  let versionThreeUrl = ''

  it('calls an operation by name, with a new token for each call', async () => {
    const client = open()

    const first = await client.getCustomer({ params: { customerId } })
    const second = await client.getCustomer({ params: { customerId } })

    assert.equal(first.id, customerId)
    assert.deepEqual(second, first)
  })

  it('sends a body and a query', async () => {
    const { accounts } = await open().listShareableAccounts({ params: { customerId } })
    const accountIds = accounts.filter(({ id }) => id.startsWith('b-')).map(({ id }) => id)

    const { data, meta } = await open().listBankingBalances({
      params: { customerId },
      query: { 'page-size': 1 },
      body: { data: { accountIds } },
    })

    assert.equal(data.balances.length, 1)
    assert.equal(meta.totalRecords, accountIds.length)
  })

  it('follows the links through all pages', async () => {
    const accountId = 'b-000001-2'
    const seen = new Set<string>()
    let total = 0

    const input = { params: { customerId, accountId }, query: { 'page-size': 7 } }
    for await (const { data, meta } of open().listBankingTransactions.pages(input)) {
      for (const { transactionId } of data.transactions) seen.add(transactionId)
      total = meta.totalRecords
    }

    assert.ok(total > 20)
    assert.equal(seen.size, total)
  })

  it('iterates over the records of all pages', async () => {
    const input = {
      params: { customerId, accountId: 'b-000001-2' },
      query: { 'page-size': 7, 'oldest-time': '2020-01-01T00:00:00Z' },
    }
    const pages = await Array.fromAsync(open().listBankingTransactions.pages(input))

    const items = await Array.fromAsync(open().listBankingTransactions.items(input))

    assert.ok(pages.length > 2)
    assert.deepEqual(
      items.map(({ transactionId }) => transactionId),
      pages.flatMap(({ data }) => data.transactions.map(({ transactionId }) => transactionId)),
    )
  })

  it('escapes path parameters', async () => {
    const odd = { params: { customerId: 'a/b c?d#e%' } }

    await assert.rejects(open().getCustomer(odd), { status: 404, message: 'Customer not found' })
  })

  for (const odd of [
    ...['', '.', '..', '../../C1002/accounts/30000005', 'a/..', './a', 'a/./b', '\\', '..\\a'],
    ...['\u0000', 'x\r\ny', '\u007f', '\ud83d', 'x'.repeat(257)],
  ]) {
    it(`rejects ${JSON.stringify(odd).slice(0, 40)} as an id, which could request another resource`, async () => {
      let count = 0
      const other = await respondWith(scope, () => {
        count += 1
        return { status: 200, body: '{}' }
      })
      const client = open({ providerUrl: other.url })

      await assert.rejects(
        client.getCustomer({ params: { customerId: odd } }),
        /^RangeError: customerId must be /,
      )
      const input = { params: { customerId, accountId: odd } }
      await assert.rejects(
        client.listBankingTransactions.pages(input).next(),
        /^RangeError: accountId must be /,
      )
      assert.equal(count, 0)
    })
  }

  it('accepts a base URL with a trailing slash, as the provider does', async () => {
    const client = open({ providerUrl: `${providerUrl}/` })

    assert.equal((await client.getCustomer({ params: { customerId } })).id, customerId)
  })

  it('rejects the call, not the creation, if the key is invalid', async () => {
    const client = open({ key: { kty: 'none', kid: 'k', alg: 'ES256' } })
    // By now, an unhandled rejection would have ended the process.
    await new Promise((resolve) => setImmediate(resolve))

    await assert.rejects(client.getCustomer({ params: { customerId } }), /kty/i)
    await assert.rejects(client.getCustomer({ params: { customerId } }), /kty/i)
  })

  it('returns one page for a response without a body', async () => {
    const restricted = await respondWith(scope, () => ({ status: 200, body: '' }))
    const client = open({ providerUrl: restricted.url })
    const pages = client.getAccountContact.pages({ params: { customerId, accountId: 'a' } })

    assert.deepEqual(await Array.fromAsync(pages), [undefined])
  })

  for (const body of ['<html>', '', 'null', '[]', '{"message":"no"}', '{"error":{"code":1}}']) {
    it(`reports an error response that is not the provider’s: ${body || 'an empty body'}`, async () => {
      const gateway = await respondWith(scope, () => ({ status: 403, body }))

      await assert.rejects(
        open({ providerUrl: gateway.url }).getCustomer({ params: { customerId } }),
        { status: 403, message: 'the response has no error text of the interface' },
      )
    })
  }

  it('reports an error with its status, text, operation and interaction id', async () => {
    const error = await open()
      .listEnergyBilling({ params: { customerId, accountId: 'nope' } })
      .catch((caught: unknown) => caught)

    assert.ok(error instanceof ResponseError)
    assert.equal(error.status, 404)
    assert.equal(error.message, 'Account not found')
    assert.equal(error.operation, 'listEnergyBilling')
    assert.match(error.interactionId ?? '', /^[0-9a-f-]{36}$/)
  })

  it('returns accounts in version 4 from a provider of either version', async () => {
    const four = await open().listBankingAccounts({ params: { customerId } })
    const three = await open({
      providerUrl: versionThreeUrl,
      accountVersion: 3,
    }).listBankingAccounts({
      params: { customerId },
    })
    const moved = await open({ accountVersion: 3 }).listBankingAccounts({ params: { customerId } })

    const activations = (page: typeof four) =>
      page.data.accounts.flatMap(({ features = [] }) => features.map((each) => each.isActivated))
    assert.deepEqual(moved, four)
    assert.ok(activations(three).every((value) => value === undefined || typeof value === 'string'))
    assert.equal(three.meta.totalRecords, four.meta.totalRecords)
  })

  it('returns one account in version 4 from a provider of either version', async () => {
    const four = await open().listBankingAccounts({ params: { customerId } })
    const clients = [
      open({ providerUrl: versionThreeUrl, accountVersion: 3 }),
      open({ accountVersion: 3 }),
      open(),
    ]

    const activations = []
    for (const account of four.data.accounts) {
      const params = { customerId, accountId: account.accountId }
      const [three, ...others] = await Promise.all(
        clients.map((client) => client.getBankingAccount({ params })),
      )

      for (const other of others) assert.deepEqual(other, { data: account })
      activations.push(...(three?.data.features ?? []).map(({ isActivated }) => isActivated))
    }
    const stated = activations.filter((value) => value !== undefined)
    assert.deepEqual(new Set(stated.map((value) => typeof value)), new Set(['string']))
  })

  it('rejects a bank account that is not an object', async () => {
    for (const body of ['{}', '{"data":null}', '{"data":["a1"]}']) {
      const { url } = await respondWith(scope, () => ({ status: 200, body }))
      const client = open({ providerUrl: url, accountVersion: 3 })

      await assert.rejects(client.getBankingAccount({ params: { customerId, accountId: 'a1' } }), {
        name: 'InvalidResponseError',
        message: 'invalid response: data is not an object',
      })
    }
  })

  it('retries a 503 with a new token, up to the maximum number of retries', async () => {
    const tokens: (string | undefined)[] = []
    const busy = await respondWith(scope, ({ authorization }) => {
      tokens.push(authorization)
      return tokens.length < 3
        ? { status: 503, body: '{"error":"Service unavailable"}', headers: { 'retry-after': '0' } }
        : { status: 200, body: '{"data":[]}' }
    })

    const client = open({ providerUrl: busy.url })
    const found = await client.searchCustomers({ params: {}, body: { email: 'a@example.com' } })
    tokens.length = 0
    const once = open({ providerUrl: busy.url, retriesMax: 1 })

    assert.deepEqual(found, { data: [] })
    await assert.rejects(once.searchCustomers({ params: {}, body: { email: 'a@example.com' } }), {
      status: 503,
    })
    assert.equal(new Set(tokens).size, 2)
  })

  it('does not retry a 401', async () => {
    let count = 0
    const closed = await respondWith(scope, () => {
      count += 1
      return { status: 401, body: '{"error":"Unauthorized"}' }
    })

    await assert.rejects(
      open({ providerUrl: closed.url }).getCustomer({ params: { customerId } }),
      {
        status: 401,
      },
    )
    assert.equal(count, 1)
  })
})
