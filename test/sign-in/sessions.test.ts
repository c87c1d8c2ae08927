import assert from 'node:assert/strict'
import { it } from 'node:test'
import { classifyAddress } from '../../src/http/address-kind.ts'
import { describe, describeOnce } from '../support/engines.ts'
import type { Headers } from '../support/http.ts'
import { openSignInPlatform, origin, readSession, type SignInPlatform, signIn } from './platform.ts'

async function openBrowser(
  platform: SignInPlatform,
  sub: string,
  groups: readonly string[],
  headers: Headers = {},
) {
  platform.provider.person = { sub, name: `Name of ${sub}`, groups }
  const browser = platform.browse(headers)
  await signIn(browser)
  const { csrf_token: token, session_id: id } = await readSession(browser)
  return {
    id,
    browser,
    list: async () => {
      const { status, body, text } = await browser.request(`${origin}/v1/sessions`)
      assert.equal(status, 200, text)
      return body
    },
    end: async (sessionId: string, csrf = token) => {
      const options = { method: 'DELETE', headers: { 'x-csrf-token': csrf } }
      return (await browser.request(`${origin}/v1/sessions/${sessionId}`, options)).status
    },
    isAlive: async () => (await readSession(browser)) !== undefined,
  }
}

const names = (body: { data: { user: { id: string } }[] }) => body.data.map(({ user }) => user.id)

describe('the sessions of a platform', () => {
  it('are listed for their own person, and all of them with operations.read', async (t) => {
    const platform = await openSignInPlatform(t, {
      trustedProxies: '127.0.0.1',
      settings: {
        consoleScopes: 'products.read=pricing;operations.read=auditors;operations.write=operators',
      },
    })
    const start = Temporal.Now.instant().add({ minutes: 1 }).round('second')
    const at = (minutes: number) => platform.setClock(start.add({ minutes }).toString())
    at(0)
    const ana = await openBrowser(platform, 'ana', ['pricing'])
    at(1)
    await openBrowser(platform, 'ana', ['pricing'], { 'x-forwarded-for': '203.0.113.7' })
    at(2)
    const bo = await openBrowser(platform, 'bo', ['auditors'], { 'x-forwarded-for': '10.1.2.3' })

    const listed = await ana.list()
    assert.equal(listed.total, 2)
    assert.deepEqual(names(listed), ['ana', 'ana'])
    const isOwn = (each: { is_own: boolean }) => each.is_own
    assert.equal(listed.data.filter(isOwn).length, 1)
    const addresses = listed.data.map(({ address }: { address: string }) => address)
    assert.deepEqual(addresses.sort(), ['internet', 'this_machine'])
    const all = await bo.list()
    assert.deepEqual(names(all).sort(), ['ana', 'ana', 'bo'])
    assert.deepEqual(all.data.find(isOwn), {
      session_id: bo.id,
      user: { id: 'bo', name: 'Name of bo', issuer: platform.provider.issuer },
      started: start.add({ minutes: 2 }).toString(),
      used: start.add({ minutes: 2 }).toString(),
      expires: start.add({ hours: 8, minutes: 2 }).toString(),
      address: 'private_network',
      is_own: true,
    })
    assert.equal((await platform.send('/v1/sessions')).status, 401)
    const token = { authorization: `Bearer ${platform.token}` }
    assert.equal((await platform.send('/v1/sessions', { headers: token })).status, 401)
  })

  it('are ended by their own person, and all of them with operations.write', async (t) => {
    const platform = await openSignInPlatform(t, {
      settings: {
        consoleScopes: 'products.read=pricing;operations.read=auditors;operations.write=operators',
      },
    })
    const ana = await openBrowser(platform, 'ana', ['pricing'])
    const other = await openBrowser(platform, 'ana', ['pricing'])
    const auditor = await openBrowser(platform, 'bo', ['auditors'])
    const operator = await openBrowser(platform, 'cy', ['operators'])
    const stranger = await openBrowser(platform, 'di', [])

    assert.equal(await ana.end(other.id, 'wrong'), 403)
    assert.equal(await stranger.end(ana.id), 404)
    assert.equal(await auditor.end(ana.id), 403)
    assert.deepEqual([await ana.isAlive(), await other.isAlive()], [true, true])
    assert.equal(await ana.end(other.id), 204)
    assert.deepEqual([await ana.isAlive(), await other.isAlive()], [true, false])
    assert.equal(await ana.end(other.id), 404)
    assert.equal(await operator.end(ana.id), 204)
    assert.equal(await ana.isAlive(), false)
    assert.equal(await operator.end('unknown'), 404)
    assert.equal(await operator.end(operator.id), 204)
    assert.equal(await operator.end(auditor.id), 401)
  })

  it('of a client do not include those of a person whose subject is its id', async (t) => {
    const platform = await openSignInPlatform(t)
    const person = await openBrowser(platform, platform.client.id, ['pricing'])
    const client = platform.browse()
    const { id, secret } = platform.client
    const began = await client.request(`${origin}/v1/session`, {
      method: 'POST',
      body: { client_id: id, client_secret: secret },
    })
    assert.equal(began.status, 201, began.text)

    assert.equal((await person.list()).total, 1)
    assert.equal(await person.end(began.body.session_id), 404)
    await platform.unregister(platform.client)
    assert.equal(await person.isAlive(), true)
    assert.equal(await readSession(client), undefined)
  })
})

describeOnce('the address of a session', () => {
  for (const [address, kind] of [
    ['127.0.0.1', 'this_machine'],
    ['::1', 'this_machine'],
    ['10.0.0.1', 'private_network'],
    ['172.31.255.255', 'private_network'],
    ['192.168.1.1', 'private_network'],
    ['100.64.0.1', 'private_network'],
    ['fd00::1', 'private_network'],
    ['fe80::1', 'private_network'],
    ['172.32.0.1', 'internet'],
    ['203.0.113.1', 'internet'],
    ['2001:db8::1', 'internet'],
    ['', 'internet'],
  ] as const) {
    it(`is ${kind} for ${address || 'an unknown one'}`, () => {
      assert.equal(classifyAddress(address), kind)
    })
  }
})
