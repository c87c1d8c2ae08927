import assert from 'node:assert/strict'
import { it } from 'node:test'
import { scopes } from '../../src/contract/index.ts'
import { readCredentials } from '../support/deployment.ts'
import { describe, newDatabase } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import {
  callPlatform,
  openPlatform,
  type Platform,
  requestToken,
  sharedPlatform,
} from '../support/platform.ts'
import { runInProcess } from '../support/process.ts'
import { minimalProduct } from './products.ts'
import { forms, isOauth, type RequestToken, requestInJson } from './token-requests.ts'

const requestWithJson = forms['JSON']

/** Requests a token with a wrong secret, with the given forwarding headers. */
function fail(
  platform: Platform,
  id: string,
  forwarded: Record<string, string> = {},
): Promise<Answer> {
  return requestInJson(platform, { client_id: id, client_secret: 'wrong' }, forwarded)
}

/** The statuses of token requests with unknown client ids. */
async function failures(
  platform: Platform,
  count: number,
  forwarded: Record<string, string> = {},
): Promise<number[]> {
  const ids = Array.from({ length: count }, () => crypto.randomUUID())
  return Promise.all(ids.map(async (id) => (await fail(platform, id, forwarded)).status))
}

const runClientOn =
  (database: string) =>
  (...args: readonly string[]) =>
    runInProcess(['client', ...args, '--database', database])

const count = (statuses: readonly number[], status: number) =>
  statuses.filter((each) => each === status).length

describe('wrong credentials', () => {
  const open = sharedPlatform()

  for (const [form, request] of Object.entries<RequestToken>(forms)) {
    it(`in ${form} return the same 401 whether or not the client exists`, async () => {
      const platform = await open()
      const { id, secret } = await platform.register(['products.read'])

      const answers = [
        await request(platform, id, `${secret}x`),
        await request(platform, id, ''),
        await request(platform, crypto.randomUUID(), secret),
        await request(platform, "' or 1=1 --", secret),
      ]

      for (const { status, text, headers } of answers) {
        const error = isOauth(form) ? 'invalid_client' : 'Unauthorized'
        assert.deepEqual([status, text], [401, JSON.stringify({ error })])
        assert.equal(headers['www-authenticate'], 'Basic realm="holdfast", charset="UTF-8"')
      }
      assert.equal((await request(platform, id, secret)).status, 200)
    })
  }

  for (const kind of ['a client', 'an unknown client']) {
    it(`of ${kind} return 429 after ten attempts, and allow one more every six seconds`, async (t) => {
      const platform = await openPlatform(t)
      const id = kind === 'a client' ? platform.client.id : 'unknown'

      const first = await Promise.all(Array.from({ length: 13 }, () => fail(platform, id)))
      platform.pass(6)
      const later = [await fail(platform, id), await fail(platform, id)]

      const statuses = first.map(({ status }) => status)
      assert.deepEqual([count(statuses, 401), count(statuses, 429)], [10, 3])
      const limited = first.find(({ status }) => status === 429)
      const error = 'Too many requests: over the limit wrong_secrets_of_client'
      assert.deepEqual(limited?.body, { error })
      assert.equal(limited?.headers['retry-after'], '6')
      assert.deepEqual(
        later.map(({ status }) => status),
        [401, 429],
      )
    })
  }

  it('of an attacker do not affect a client with the right secret', async (t) => {
    const platform = await openPlatform(t)
    const { id, secret } = platform.client

    const guesses = await Promise.all(Array.from({ length: 20 }, () => fail(platform, id)))
    const right = await Promise.all(
      Object.values<RequestToken>(forms).map(
        async (request) => (await request(platform, id, secret)).status,
      ),
    )

    assert.equal(guesses.at(-1)?.status, 429)
    assert.deepEqual(right, [200, 200, 200])
    assert.equal((await platform.create(minimalProduct)).status, 201, 'tokens are not affected')
  })

  it('of other clients at the same address do not affect a client with the right secret', async (t) => {
    const platform = await openPlatform(t)
    const { id, secret } = platform.client

    const others = await failures(platform, 120)
    const right = Array.from({ length: 20 }, () => requestWithJson(platform, id, secret))
    const statuses = (await Promise.all(right)).map(({ status }) => status)

    assert.deepEqual([count(others, 401), count(others, 429)], [100, 20])
    assert.deepEqual(statuses, Array(20).fill(200))
  })
})

describe('failures behind a proxy', () => {
  const forwardedFor = (address: string) => ({ 'x-forwarded-for': address })

  it('are counted for the client address that a trusted proxy forwards', async (t) => {
    const platform = await openPlatform(t, { trustedProxies: '127.0.0.1, 10.0.0.0/8' })

    const many = await failures(platform, 101, forwardedFor('203.0.113.1, 10.1.2.3'))
    const named = [
      await failures(platform, 1, forwardedFor('203.0.113.1')),
      await failures(platform, 1, forwardedFor('198.51.100.7, 203.0.113.1')),
      await failures(platform, 1, { forwarded: 'for=203.0.113.1;proto=https' }),
      await failures(platform, 1, forwardedFor('203.0.113.2')),
      await failures(platform, 1, { forwarded: 'for="[2001:db8::1]:4711"' }),
      await failures(platform, 1),
    ]

    assert.deepEqual([count(many, 401), count(many, 429)], [100, 1])
    assert.deepEqual(named.flat(), [429, 429, 429, 401, 401, 401])
  })

  it('are counted for the proxy if it is not trusted', async (t) => {
    const platform = await openPlatform(t, { trustedProxies: '10.0.0.0/8' })

    const statuses = await Promise.all(
      Array.from({ length: 101 }, (_, index) =>
        failures(platform, 1, forwardedFor(`203.0.113.${index}`)),
      ),
    )

    assert.deepEqual([count(statuses.flat(), 401), count(statuses.flat(), 429)], [100, 1])
  })
})

describe('a rotated secret', () => {
  it('revokes only the tokens of its client, including one being issued', async (t) => {
    const platform = await openPlatform(t)
    const other = await platform.register(['products.write'])
    const unaffected = await platform.issueToken(other)
    readCredentials(await runClientOn(platform.database)('rotate', platform.client.id))

    // Authenticated before the rotation, stored after it.
    const late = await platform.issueToken(platform.client)

    const statuses = await Promise.all(
      [platform.token, late, unaffected].map(async (token) => {
        return (await callPlatform(platform.port, token).create(minimalProduct)).status
      }),
    )
    assert.deepEqual(statuses, [401, 401, 201])
  })
})

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe('holdfast client', () => {
  it('adds, rotates, lists and removes clients', async (t) => {
    const platform = await openPlatform(t)
    const client = runClientOn(platform.database)
    assert.equal(await platform.unregister(platform.client), true)

    const first = readCredentials(await client('add', 'pricing team', '--scope', 'products.write'))
    assert.match(first.id, uuid)
    assert.match(first.secret, /^[\w-]{43}$/)

    const caller = callPlatform(platform.port, await requestToken(platform.port, first))
    assert.equal((await caller.create(minimalProduct)).status, 201)
    const requestStatus = async (secret: string) => {
      const body = { client_id: first.id, client_secret: secret }
      return (await platform.send('/v1/token', { method: 'POST', body })).status
    }

    const rotated = readCredentials(await client('rotate', first.id))
    assert.equal(rotated.id, first.id)
    assert.notEqual(rotated.secret, first.secret)
    assert.deepEqual(
      [await requestStatus(first.secret), await requestStatus(rotated.secret)],
      [401, 200],
    )
    const revoked = await caller.create(minimalProduct)
    assert.deepEqual([revoked.status, revoked.body], [401, { error: 'Unauthorized' }])
    const renewed = callPlatform(platform.port, await requestToken(platform.port, rotated))
    assert.equal((await renewed.create(minimalProduct)).status, 201)

    const second = readCredentials(await client('add', 'second', '--scope', 'products.read'))
    const { stdout } = await client('list')
    const lines = stdout.trimEnd().split('\n')
    assert.equal(lines.length, 2)
    const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`
    assert.match(
      lines[0] ?? '',
      new RegExp(
        `^${first.id}  products\\.write  created ${time}, secret rotated ${time}  pricing team$`,
      ),
    )
    assert.match(
      lines[1] ?? '',
      new RegExp(`^${second.id}  products\\.read  created ${time}  second$`),
    )
    for (const { secret } of [first, rotated, second]) assert.ok(!stdout.includes(secret))

    const { status, stdout: output } = await client('remove', first.id)
    assert.deepEqual([status, output], [0, ''])
    assert.equal((await renewed.create(minimalProduct)).status, 401)
    assert.equal(await requestStatus(rotated.secret), 401)
    const reader = callPlatform(platform.port, await requestToken(platform.port, second))
    assert.equal((await reader.create(minimalProduct)).status, 403)
  })

  it('rejects invalid arguments with a reason', async (t) => {
    const client = runClientOn(await newDatabase(t))
    const unknown = 'no client with this ID: run holdfast client list\n'
    const scopeError = `--scope must be one or more of ${scopes.join(', ')}\n`

    for (const [args, status, output] of [
      [['rotate', 'unknown'], 1, unknown],
      [['remove', 'unknown'], 1, unknown],
      [['add', 'x', '--scope', 'admin'], 2, scopeError],
      [['add', 'x', '--scope', ''], 2, scopeError],
      [
        ['add', 'a\nb', '--scope', 'products.read'],
        2,
        'the name must be 1 to 256 printable characters\n',
      ],
      [
        ['add', '', '--scope', 'products.read'],
        2,
        'the name must be 1 to 256 printable characters\n',
      ],
    ] as const) {
      const result = await client(...args)
      assert.deepEqual(
        { status: result.status, stdout: result.stdout, stderr: result.stderr },
        { status, stdout: '', stderr: output },
      )
    }
    const missing = await client('add', 'x')
    assert.equal(missing.status, 2)
    assert.match(missing.stderr, /--scope/)
    assert.equal((await client('list')).stdout, '')
  })

  it('accepts two scopes, repeated or separated by a comma', async (t) => {
    const client = runClientOn(await newDatabase(t))
    const scope = '--scope'
    await client('add', 'twice', scope, 'products.write', scope, 'products.read')
    await client('add', 'comma', scope, 'products.read,products.write')

    const { stdout } = await client('list')

    assert.equal(stdout.match(/ {2}products\.read products\.write {2}/g)?.length, 2)
  })
})
