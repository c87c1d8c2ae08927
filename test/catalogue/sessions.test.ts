import assert from 'node:assert/strict'
import { it } from 'node:test'
import { hashSecret, makeSecret } from '../../src/auth/secrets.ts'
import { type Operation, operations, permits, type Scope } from '../../src/contract/index.ts'
import { openClientStore } from '../../src/storage/open.ts'
import { describe, describeOnce } from '../support/engines.ts'
import type { Headers } from '../support/http.ts'
import {
  openPlatform,
  type Platform,
  productPath,
  productsPath,
  sharedPlatform,
} from '../support/platform.ts'
import { until } from '../support/until.ts'
import { minimalProduct } from './products.ts'

const path = '/v1/session'

const credentials = ({ client }: Platform) => ({
  client_id: client.id,
  client_secret: client.secret,
})

const signIn = ({ send }: Platform, body: unknown, headers: Headers = {}) =>
  send(path, { method: 'POST', body, headers })

/** Signs in, and returns the headers of a request of the browser with and without the CSRF token. */
async function openSession(platform: Platform, body: unknown = credentials(platform)) {
  const answer = await signIn(platform, body)
  assert.equal(answer.status, 201, answer.text)
  const [cookie = ''] = String(answer.headers['set-cookie']).split(';')
  return {
    session: answer.body,
    cookie,
    signed: { cookie, 'x-csrf-token': answer.body.csrf_token },
  }
}

/** Every operation of the platform that changes something. */
const changes = Object.entries<Operation>(operations).filter(
  ([, { base, method, protection }]) =>
    base === 'platform' && method !== 'GET' && protection === 'clientToken',
)

describe('a session', () => {
  const open = sharedPlatform()

  it('replaces the token of an API client', async () => {
    const platform = await open()
    const { session, cookie, signed } = await openSession(platform)
    const send = { method: 'POST', body: minimalProduct }
    const created = await platform.send(productsPath, { ...send, headers: signed })

    assert.equal(created.status, 201, created.text)
    const history = await platform.send(`${productPath(created.body.product_id)}/history`, {
      headers: { cookie },
    })
    assert.equal(history.body.data.history[0].changed_by, session.user.id)
    const { body } = await platform.send(path, { headers: { cookie } })
    assert.deepEqual(body.session, session)
    assert.deepEqual(session.scopes, ['products.write'])
  })

  it('ends when it is signed out, when it expires and when its client is removed', async (t) => {
    const platform = await openPlatform(t)
    const isAlive = async (cookie: string) =>
      'session' in (await platform.send(path, { headers: { cookie } })).body
    const readUse = async (cookie: string) => {
      const { body } = await platform.send('/v1/sessions', { headers: { cookie } })
      return body.data.find((each: { is_own: boolean }) => each.is_own).used
    }
    const first = await openSession(platform)
    const second = await openSession(platform)

    const out = await platform.send(path, { method: 'DELETE', headers: first.signed })
    assert.deepEqual([out.status, out.body], [200, {}])
    assert.match(String(out.headers['set-cookie']), /^holdfast_session=; .*Max-Age=0/)
    assert.deepEqual([await isAlive(first.cookie), await isAlive(second.cookie)], [false, true])

    const isUsed = async (time: string) => {
      platform.setClock(time)
      const headers = { cookie: second.cookie }
      return (await platform.send(`${productsPath}/x/history`, { headers })).status !== 401
    }
    let now = Temporal.Instant.from('2026-07-01T00:00:00Z')
    for (; now.toString() < '2026-07-01T07:59:00Z'; now = now.add({ minutes: 29 })) {
      assert.equal(await isUsed(now.toString()), true, now.toString())
      // The use is stored after the response.
      await until(async () => (await readUse(second.cookie)) === now.toString())
    }
    assert.equal(await isAlive(second.cookie), true)
    platform.setClock('2026-07-01T08:00:00Z')
    assert.equal(await isAlive(second.cookie), false)
    platform.setClock('2026-07-01T00:00:00Z')

    const third = await openSession(platform)
    await platform.unregister(platform.client)
    assert.equal(await isAlive(third.cookie), false)
  })
})

describe('the sessions of a user', () => {
  const open = sharedPlatform()

  it('are twenty at most: the one used longest ago ends', async () => {
    const platform = await open()
    const { id, secret } = await platform.register(['products.read'], 'many')
    const cookies: string[] = []
    for (let count = 0; count < 21; count += 1) {
      platform.setClock(`2026-07-01T00:00:${String(count).padStart(2, '0')}Z`)
      cookies.push((await openSession(platform, { client_id: id, client_secret: secret })).cookie)
    }
    const alive: boolean[] = []
    for (const cookie of cookies)
      alive.push('session' in (await platform.send(path, { headers: { cookie } })).body)

    assert.deepEqual(alive, [false, ...Array.from({ length: 20 }, () => true)])
    platform.setClock('2026-07-01T00:00:00Z')
  })

  it('end after half an hour without a use', async (t) => {
    const platform = await openPlatform(t)
    const { cookie } = await openSession(platform)
    const use = async (time: string, headers: Headers = {}) => {
      platform.setClock(time)
      const path = `${productsPath}/x/history`
      return (await platform.send(path, { headers: { cookie, ...headers } })).status
    }
    assert.equal(await use('2026-07-01T00:20:00Z', { 'x-unattended': 'true' }), 404)
    assert.equal(await use('2026-07-01T00:29:59Z', { 'x-unattended': 'true' }), 404)
    assert.equal(await use('2026-07-01T00:30:00Z'), 401)
  })

  it('do not include one whose token a program sends', async () => {
    const platform = await open()
    const { cookie } = await openSession(platform)
    const [, token = ''] = cookie.split('=')
    const answer = await platform.send(`${productsPath}/x/history`, {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(answer.status, 401)
    const other = await platform.send(path, {
      headers: { cookie: `holdfast_session=${platform.token}` },
    })
    assert.equal(other.body.session, undefined)
  })
})

describeOnce('a session of a browser', () => {
  const open = sharedPlatform({ demoClientId: 'demo' })

  it('has a cookie that scripts cannot read and other sites do not send', async () => {
    const platform = await open()
    const read = async (headers: Headers) =>
      String((await signIn(platform, credentials(platform), headers)).headers['set-cookie'])

    const pattern =
      /^holdfast_session=[\w-]{43}; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/
    assert.match(await read({}), pattern)
    const overTls = /^__Host-holdfast_session=[\w-]{43}; Path=\/; .*SameSite=Strict; Secure$/
    assert.match(await read({ origin: 'https://platform.example' }), overTls)
    const behindProxy = { 'sec-fetch-site': 'same-origin', host: 'platform.example' }
    assert.match(await read(behindProxy), overTls)
  })

  it('is not that of a cookie that another host of the domain set', async () => {
    const platform = await open()
    const { cookie } = await openSession(platform)
    const isAccepted = async (headers: Headers) =>
      'session' in (await platform.send(path, { headers: { cookie, ...headers } })).body

    assert.equal(await isAccepted({}), true)
    const overTls = { 'sec-fetch-site': 'same-origin', host: 'platform.example' }
    assert.equal(await isAccepted(overTls), false)
    assert.equal(await isAccepted({ ...overTls, cookie: `__Host-${cookie}` }), true)
  })

  it('is not opened with wrong credentials, from another site, or with half of the credentials', async () => {
    const platform = await open()
    const { client_id, client_secret } = credentials(platform)
    const attempts = [
      [{ client_id, client_secret: 'wrong' }, {}, 401],
      [{ client_id }, {}, 400],
      [{ client_secret }, {}, 400],
      [{ client_id, client_secret }, { 'sec-fetch-site': 'cross-site' }, 403],
      [{ client_id, client_secret }, { 'sec-fetch-site': 'same-site' }, 403],
    ] as const
    for (const [body, headers, status] of attempts) {
      const answer = await signIn(platform, body, headers)
      assert.equal(answer.status, status, answer.text)
      assert.equal(answer.headers['set-cookie'], undefined)
      // A browser would open a dialog of its own.
      assert.doesNotMatch(String(answer.headers['www-authenticate'] ?? ''), /basic/i)
    }
  })

  it('needs credentials unless the platform is a demo on this machine', async (t) => {
    const platform = await open()
    const plain = await openPlatform(t)

    assert.equal((await signIn(plain, {})).status, 400)
    const clients = await openClientStore(platform.database)
    const created = Temporal.Instant.from('2026-07-01T00:00:00Z')
    const demo = { id: 'demo', name: 'Demo', scopes: ['products.read'] as const, created }
    await clients.add(demo, hashSecret(makeSecret()))
    await clients.close()
    assert.equal((await signIn(platform, {})).body.user.id, 'demo')
    // The name of another site that an attacker made resolve to this machine.
    assert.equal((await signIn(platform, {}, { host: 'attacker.example' })).status, 401)
  })

  it('has examples of customers only in a demo, and only with the scope data.read', async (t) => {
    const platform = await openPlatform(t, { exampleEmails: ['ana@example.com'] })
    const readExamples = async (of: Platform, scope: Scope) => {
      const { id, secret } = await of.register([scope])
      const body = { client_id: id, client_secret: secret }
      return (await openSession(of, body)).session.example_emails
    }

    assert.deepEqual(await readExamples(platform, 'data.read'), ['ana@example.com'])
    assert.equal(await readExamples(platform, 'data.write'), undefined)
    assert.equal(await readExamples(await open(), 'data.read'), undefined)
  })

  it('changes nothing without the CSRF token', async () => {
    const platform = await open()
    const { cookie } = await openSession(platform)
    const other = await openSession(platform)
    for (const [id, { method, path: template }] of changes) {
      for (const token of [undefined, '', 'wrong', other.session.csrf_token]) {
        const headers = { cookie, ...(token !== undefined && { 'x-csrf-token': token }) }
        const target = template.replaceAll(/\{\w+\}/g, 'x')
        const answer = await platform.send(target, { method, headers, body: {} })
        assert.equal(answer.status, 403, `${id}: ${answer.text}`)
        assert.match(answer.text, /X-CSRF-Token/)
      }
    }
    const out = await platform.send(path, { method: 'DELETE', headers: { cookie } })
    assert.equal(out.status, 403)
  })

  it('permits what the scopes of its client permit', async () => {
    const platform = await open()
    const scopes: Scope[] = ['products.read']
    const { id, secret } = await platform.register(scopes, 'reader')
    const { signed } = await openSession(platform, { client_id: id, client_secret: secret })
    for (const [id, { method, path: template, scope }] of changes) {
      assert.ok(scope && !permits(scopes, scope))
      const target = template.replaceAll(/\{\w+\}/g, 'x')
      const answer = await platform.send(target, { method, headers: signed, body: {} })
      assert.equal(answer.status, 403, `${id}: ${answer.text}`)
      assert.match(answer.text, /Insufficient scope/)
    }
  })

  it('is ignored where the request has a token of its own', async () => {
    const platform = await open()
    const { signed } = await openSession(platform)
    const headers = { ...signed, authorization: 'Bearer unknown' }
    const answer = await platform.send(productsPath, {
      method: 'POST',
      headers,
      body: minimalProduct,
    })

    assert.equal(answer.status, 401)
  })
})
