import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { findFreePort } from '../support/free-port.ts'
import { send } from '../support/http.ts'
import { until } from '../support/until.ts'
import { cdsUrl } from './addresses.ts'
import { assertError, openCdsPlatform, share } from './cds.ts'
import { nextCustomer } from './platform.ts'

const platformOnEachEngine = shareOnEachEngine(openCdsPlatform)
const path = '/cds-au/v1/common/customer'

/** A consent of a customer of its own. */
async function open() {
  const platform = await platformOnEachEngine()
  const customer = nextCustomer()
  return { platform, sharing: await share(platform, { customer, accounts: customer.accounts }) }
}

describe('a token', () => {
  it('of a withdrawn arrangement is refused in every process once the withdrawal returns', async () => {
    const { platform, sharing } = await open()
    const ports = [platform.port, await platform.openAnother()]
    let isWithdrawn = false
    let isStopped = false
    const calls: { readonly status: number; readonly beganAfter: boolean }[] = []
    const caller = async (port: number) => {
      while (!isStopped) {
        const beganAfter = isWithdrawn
        const { status } = await sharing.call('/common/customer', { port })
        calls.push({ status, beganAfter })
      }
    }
    const callers = [...ports, ...ports].map(caller)
    await until(async () => calls.length > 8)

    await platform.store.arrangements.withdraw(
      sharing.arrangementId,
      'customer',
      Temporal.Now.instant(),
    )
    isWithdrawn = true

    await until(async () => calls.filter(({ beganAfter }) => beganAfter).length > 8)
    isStopped = true
    await Promise.all(callers)
    const late = calls.filter(({ beganAfter }) => beganAfter).map(({ status }) => status)
    assert.deepEqual([...new Set(late)], [401])
    assert.ok(calls.some(({ status }) => status === 200))
  })

  it('gives no data if the arrangement is withdrawn while the provider is asked', async () => {
    const { platform, sharing } = await open()
    const { withdraw, find } = platform.store.arrangements
    // The first read is that of the token; the second one follows the answer of the provider.
    let reads = 0
    platform.store.arrangements.find = async (id, now) => {
      reads += 1
      if (reads === 2) await withdraw(id, 'customer', now)
      return find(id, now)
    }

    const answer = await sharing.call('/common/customer')

    platform.store.arrangements.find = find
    assertError(answer, 401, 'cds-all:GeneralError/Expected')
    assert.equal(reads, 2)
  })

  it('without its proof, with another scheme or unknown is refused, and the error says no more', async () => {
    const { platform, sharing } = await open()
    await sharing.call('/common/customer')
    const { authorization = '', dpop = '' } = sharing.sent()
    const bearer = authorization.replace(/^dpop/i, 'Bearer')

    const answers = [
      await send(platform.port, path, { headers: {} }),
      await send(platform.port, path, { headers: { authorization } }),
      await send(platform.port, path, { headers: { authorization: bearer } }),
      await send(platform.port, path, {
        headers: { authorization: `DPoP ${'x'.repeat(43)}`, dpop },
      }),
    ]

    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers['www-authenticate']]),
      [
        [401, 'Bearer'],
        [401, 'DPoP error="invalid_dpop_proof"'],
        [401, 'Bearer error="invalid_token"'],
        [401, 'DPoP error="invalid_token"'],
      ],
    )
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  })

  it('with the proof of another key, request or token is refused', async () => {
    const { platform, sharing } = await open()
    const customer = nextCustomer()
    const other = await share(platform, { customer, accounts: customer.accounts })
    await sharing.call('/common/customer')
    const { authorization = '', dpop: used = '' } = sharing.sent()
    await other.call('/common/customer')
    const { dpop: foreign = '' } = other.sent()
    const ask = async (headers: Record<string, string>, target = path) =>
      (await send(platform.port, target, { headers: { 'x-v': '1', ...headers } })).status

    assert.equal(await ask({ authorization, dpop: foreign }), 401)
    // Replayed.
    assert.equal(await ask({ authorization, dpop: used }), 401)
    // For another URL.
    assert.equal(await ask({ authorization, dpop: used }, '/cds-au/v1/banking/accounts'), 401)
    assert.equal((await sharing.call('/common/customer')).status, 200)
  })

  it('is used with a proof only once, in all processes together', async () => {
    const { platform, sharing } = await open()
    const ports = [platform.port, await platform.openAnother()]
    // A request that fails before the proof is recorded leaves a fresh proof.
    await sharing.call('/common/customer', { port: await findFreePort() }).catch(() => undefined)
    const { authorization = '', dpop = '' } = sharing.sent()
    const headers = { authorization, dpop, 'x-v': '1' }

    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        send(ports[index % 2] ?? 0, path, { headers }).then(({ status }) => status),
      ),
    )

    assert.deepEqual(answers.sort(), [200, ...Array(7).fill(401)])
  })

  it('without the scope of an endpoint is refused with the scope that is missing', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const scopes = ['openid', 'bank:accounts.basic:read']
    const sharing = await share(platform, { customer, accounts: customer.accounts, scopes })

    const answer = await sharing.call('/common/customer')

    assertError(answer, 403, 'cds-all:Authorisation/InvalidConsent')
    assert.match(
      answer.headers.get('www-authenticate') ?? '',
      /error="insufficient_scope", scope="common:customer.basic:read"/,
    )
  })

  it('is not in the log, and neither are ids of the customer and the accounts', async () => {
    const { platform, sharing } = await open()
    await sharing.call('/banking/accounts', { headers: { 'x-v': '3' } })

    const log = platform.log.join('')

    const { access_token: token } = sharing.tokens
    assert.ok(!log.includes(token))
    assert.ok(!/\bn\d+(-\d)?\b/.test(log), log)
  })

  it('works whatever Host header the request has', async () => {
    const { platform, sharing } = await open()
    await sharing.call('/common/customer', { port: await findFreePort() }).catch(() => undefined)
    const { authorization = '', dpop = '' } = sharing.sent()
    const headers = { authorization, dpop, 'x-v': '1', host: 'attacker.example' }

    const { status, body } = await send(platform.port, path, { headers })

    assert.equal(status, 200)
    assert.equal(body.links.self, cdsUrl('/common/customer').href)
  })
})
