import assert from 'node:assert/strict'
import { scryptSync } from 'node:crypto'
import { it } from 'node:test'
import { openClientStore } from '../../src/storage/open.ts'
import { readCredentials } from '../support/deployment.ts'
import { describe } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import { callPlatform, openPlatform, type Platform, sharedPlatform } from '../support/platform.ts'
import { runInProcess } from '../support/process.ts'
import { plain } from './products.ts'
import { type Ask, askInJson, forms, isOauth } from './token-forms.ts'

const askWithJson = forms['JSON']

/** A wrong secret for a client id, sent through proxies that name these addresses. */
function fail(
  platform: Platform,
  id: string,
  forwarded: Record<string, string> = {},
): Promise<Answer> {
  return askInJson(platform, { client_id: id, client_secret: 'wrong' }, forwarded)
}

/** Statuses of wrong secrets for ids that nobody else uses, one after another. */
async function failures(
  platform: Platform,
  count: number,
  forwarded: Record<string, string> = {},
): Promise<number[]> {
  const ids = Array.from({ length: count }, () => crypto.randomUUID())
  return Promise.all(ids.map(async (id) => (await fail(platform, id, forwarded)).status))
}

const countOf = (statuses: readonly number[], status: number) =>
  statuses.filter((each) => each === status).length

describe('wrong credentials', () => {
  const open = sharedPlatform()

  for (const [form, ask] of Object.entries<Ask>(forms)) {
    it(`in ${form} are a 401 that is the same whether the client exists or not`, async () => {
      const platform = await open()
      const { id, secret } = await platform.register(['products.read'])

      const answers = [
        await ask(platform, id, `${secret}x`),
        await ask(platform, id, ''),
        await ask(platform, crypto.randomUUID(), secret),
        await ask(platform, "' or 1=1 --", secret),
      ]

      for (const { status, text, headers } of answers) {
        const error = isOauth(form) ? 'invalid_client' : 'Unauthorized'
        assert.deepEqual([status, text], [401, JSON.stringify({ error })])
        assert.equal(headers['www-authenticate'], 'Basic realm="holdfast", charset="UTF-8"')
      }
      assert.equal((await ask(platform, id, secret)).status, 200)
    })
  }

  for (const who of ['a client', 'an unknown client']) {
    it(`of ${who} are a 429 after ten, and one more is a 401 every six seconds`, async (t) => {
      const platform = await openPlatform(t)
      const id = who === 'a client' ? platform.client.id : 'nobody'

      const first = await Promise.all(Array.from({ length: 13 }, () => fail(platform, id)))
      platform.pass(6)
      const later = [await fail(platform, id), await fail(platform, id)]

      const statuses = first.map(({ status }) => status)
      assert.deepEqual([countOf(statuses, 401), countOf(statuses, 429)], [10, 3])
      const limited = first.find(({ status }) => status === 429)
      assert.deepEqual(limited?.body, { error: 'Too many requests' })
      assert.equal(limited?.headers['retry-after'], '6')
      assert.deepEqual(
        later.map(({ status }) => status),
        [401, 429],
      )
    })
  }

  it('of an attacker keep no client with the right secret out', async (t) => {
    const platform = await openPlatform(t)
    const { id, secret } = platform.client

    const guesses = await Promise.all(Array.from({ length: 20 }, () => fail(platform, id)))
    const right = await Promise.all(
      Object.values<Ask>(forms).map(async (ask) => (await ask(platform, id, secret)).status),
    )

    assert.equal(guesses.at(-1)?.status, 429)
    assert.deepEqual(right, [200, 200, 200])
    assert.equal((await platform.create(plain)).status, 201, 'tokens are not affected')
  })

  it('of other clients at the same address keep no client with the right secret out', async (t) => {
    const platform = await openPlatform(t)
    const { id, secret } = platform.client

    const neighbours = await failures(platform, 120)
    const right = Array.from({ length: 20 }, () => askWithJson(platform, id, secret))
    const statuses = (await Promise.all(right)).map(({ status }) => status)

    assert.deepEqual([countOf(neighbours, 401), countOf(neighbours, 429)], [100, 20])
    assert.deepEqual(statuses, Array(20).fill(200))
  })
})

describe('failures behind a proxy', () => {
  const behind = (address: string) => ({ 'x-forwarded-for': address })

  it('are counted for the address that a trusted proxy names', async (t) => {
    const platform = await openPlatform(t, { trustedProxies: '127.0.0.1, 10.0.0.0/8' })

    const many = await failures(platform, 101, behind('203.0.113.1, 10.1.2.3'))
    const named = [
      await failures(platform, 1, behind('203.0.113.1')),
      await failures(platform, 1, behind('198.51.100.7, 203.0.113.1')),
      await failures(platform, 1, { forwarded: 'for=203.0.113.1;proto=https' }),
      await failures(platform, 1, behind('203.0.113.2')),
      await failures(platform, 1, { forwarded: 'for="[2001:db8::1]:4711"' }),
      await failures(platform, 1),
    ]

    assert.deepEqual([countOf(many, 401), countOf(many, 429)], [100, 1])
    assert.deepEqual(named.flat(), [429, 429, 429, 401, 401, 401])
  })

  it('are counted for the proxy itself where it is not trusted', async (t) => {
    const platform = await openPlatform(t, { trustedProxies: '10.0.0.0/8' })

    const statuses = await Promise.all(
      Array.from({ length: 101 }, (_, index) =>
        failures(platform, 1, behind(`203.0.113.${index}`)),
      ),
    )

    assert.deepEqual([countOf(statuses.flat(), 401), countOf(statuses.flat(), 429)], [100, 1])
  })
})

describe('a secret that an earlier version stored', () => {
  it('is refused until it is rotated, which the log and the list of clients say', async (t) => {
    const platform = await openPlatform(t)
    const secret = 'c2VjcmV0LW9mLTMyLXJhbmRvbS1ieXRlcy1lbmNvZGVk'
    const salt = Buffer.alloc(16, 7)
    const hash = scryptSync(secret, salt, 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 })
    const stored = `scrypt$32768$8$1$${salt.toString('base64url')}$${hash.toString('base64url')}`
    const id = crypto.randomUUID()
    const clients = await openClientStore(platform.database)
    const created = Temporal.Instant.from('2026-01-01T00:00:00Z')
    await clients.add({ id, name: 'early bird', scopes: ['products.read'], created }, stored)
    await clients.close()
    const client = (...args: readonly string[]) =>
      runInProcess(['client', ...args, '--database', platform.database])

    const before = await askWithJson(platform, id, secret)
    const list = await client('list')
    const rotated = readCredentials(await client('rotate', id))

    assert.deepEqual([before.status, before.body], [401, { error: 'Unauthorized' }])
    const line = platform.log.find((each) => each.includes('client rejected')) ?? ''
    assert.match(line, /"reason":"the secret was stored by an earlier version: run holdfast client/)
    assert.ok(line.includes(id))
    assert.match(
      list.stdout,
      /stored by an earlier version and refused: run holdfast client rotate/,
    )
    assert.equal(
      countOf(
        list.stdout.split('\n').map((each) => each.indexOf('earlier')),
        -1,
      ),
      2,
    )
    assert.equal((await askWithJson(platform, id, rotated.secret)).status, 200)
    assert.doesNotMatch((await client('list')).stdout, /earlier version/)
  })
})

describe('a rotated secret', () => {
  it('revokes the tokens of its client alone, also one that was being issued', async (t) => {
    const platform = await openPlatform(t)
    const other = await platform.register(['products.write'])
    const kept = await platform.tokenFor(other)
    readCredentials(
      await runInProcess(['client', 'rotate', platform.client.id, '--database', platform.database]),
    )

    // Authenticated before the rotation, stored after it.
    const late = await platform.tokenFor(platform.client)

    const statuses = await Promise.all(
      [platform.token, late, kept].map(async (token) => {
        return (await callPlatform(platform.port, token).create(plain)).status
      }),
    )
    assert.deepEqual(statuses, [401, 401, 201])
  })
})
