import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe, describeOnce } from '../support/engines.ts'
import { findFreePort } from '../support/free-port.ts'
import { openGuardServer } from '../support/guard-server.ts'
import { accountsPath, balancesPath } from '../support/small-bank.ts'
import { assertRejected, usedTokenIds } from '../support/token-provider.ts'
import { decodeClaims } from '../support/tokens.ts'
import { openUpstream, respondJson } from '../support/upstream.ts'

function bearer(token: string): string[] {
  return ['authorization', `Bearer ${token}`]
}

describe('a token at the guard', () => {
  it('reaches the upstream with its request once, however often it is sent', async (t) => {
    const upstream = await openUpstream(t)
    const guard = await openGuardServer(t, upstream.address)
    const headers = bearer(guard.mint(accountsPath))

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => guard.send(accountsPath, { headers })),
    )

    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const answer of answers) if (answer.status !== 200) assertRejected(answer)
    assert.equal(upstream.requests.length, 1)
  })

  it('is used by a request that reaches the upstream, whatever the response is', async (t) => {
    const upstream = await openUpstream(t, respondJson('{"error":"Customer not found"}', 404))
    const guard = await openGuardServer(t, upstream.address)
    const headers = bearer(guard.mint(accountsPath))

    assert.equal((await guard.send(accountsPath, { headers })).status, 404)

    assertRejected(await guard.send(accountsPath, { headers }))
    assert.equal(upstream.requests.length, 1)
  })

  it('is used by a request for which the upstream cannot be reached', async (t) => {
    const guard = await openGuardServer(t, `http://127.0.0.1:${await findFreePort()}`)
    const headers = bearer(guard.mint(accountsPath))

    assert.equal((await guard.send(accountsPath, { headers })).status, 503)

    assertRejected(await guard.send(accountsPath, { headers }))
  })

  it('is used by an invalid request, which the upstream never sees', async (t) => {
    const upstream = await openUpstream(t)
    const guard = await openGuardServer(t, upstream.address)
    const token = guard.mint(accountsPath)

    const answer = await guard.send(`${accountsPath}?page=0`, { headers: bearer(token) })

    assert.equal(answer.status, 400)
    assert.deepEqual(await usedTokenIds(guard.database), [decodeClaims(token)['jti']])
    assert.deepEqual(upstream.requests, [])
  })

  it('is not used by a request to another route', async (t) => {
    const upstream = await openUpstream(t)
    const guard = await openGuardServer(t, upstream.address)

    const answer = await guard.send('/v1/other', { headers: bearer(guard.mint('/v1/other')) })

    assert.equal(answer.status, 404)
    assert.deepEqual(await usedTokenIds(guard.database), [])
    assert.deepEqual(upstream.requests, [])
  })
})

describeOnce('a request that the interface refuses', () => {
  for (const [name, path, sent, status] of [
    ['no token', accountsPath, { headers: [] }, 401],
    ['an invalid token', accountsPath, { headers: bearer('a.b.c') }, 401],
    ['an invalid parameter', `${accountsPath}?page-size=x`, {}, 400],
    ['a repeated parameter', `${accountsPath}?page=1&page=2`, {}, 400],
    ['a body that is not JSON', balancesPath, { method: 'POST', body: '{' }, 400],
    ['a repeated member', balancesPath, { method: 'POST', body: '{"data":{},"data":{}}' }, 400],
    ['another body', balancesPath, { method: 'POST', body: '{"data":{"ids":[]}}' }, 400],
    ['no body', balancesPath, { method: 'POST', body: '' }, 400],
    ['another method', accountsPath, { method: 'DELETE' }, 405],
    ['an unknown path', '/v1/banking/unknown', {}, 404],
    ['an invalid escape', '/v1/banking/customer/%zz/accounts', {}, 400],
  ] as const) {
    it(`never reaches the upstream, such as one with ${name}`, async (t) => {
      const upstream = await openUpstream(t)
      const guard = await openGuardServer(t, upstream.address)
      const send = 'headers' in sent ? guard.send : guard.ask

      const answer = await send(path, sent)

      assert.equal(answer.status, status, answer.text)
      assert.deepEqual(upstream.requests, [])
    })
  }

  it('never reaches the upstream if it is beyond a rate limit', async (t) => {
    const upstream = await openUpstream(t)
    const guard = await openGuardServer(t, upstream.address, {
      'customer-requests-per-minute': '2',
    })

    const statuses: number[] = []
    for (let count = 0; count < 4; count += 1) statuses.push((await guard.ask(accountsPath)).status)

    assert.deepEqual(statuses, [200, 200, 429, 429])
    assert.equal(upstream.requests.length, 2)
  })
})
