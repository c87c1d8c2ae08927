import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { calculateJwkThumbprint, SignJWT } from 'jose'
import { digest } from '../../src/auth/secrets.ts'
import { CdsError } from '../../src/platform/cds/errors.ts'
import { openAccessCheck, type ThirdPartyRequest } from '../../src/platform/consent/access.ts'
import type { ConsentStore } from '../../src/platform/consent/store.ts'
import type { Scope } from '../support/engines.ts'
import { describe } from '../support/engines.ts'
import { makeKey } from '../support/tokens.ts'
import { makeArrangement, makeThirdParty, now, openStores } from './stores.ts'

const url = 'https://platform.example/cds-au/v1/banking/accounts'
const scope = 'bank:accounts.basic:read'
const clock = () => now
const seconds = Math.floor(now.epochMilliseconds / 1000)
const { privateKey, publicKey } = makeKey('ES256', 'k1')
const jwk = publicKey.export({ format: 'jwk' })
const token = 'token'

/** A store with one access token that is bound to the key. */
async function openAccess(scope: Scope, given?: object) {
  const binding = given ?? { jkt: await calculateJwkThumbprint(jwk) }
  const stores = await openStores(scope)
  const [{ arrangements, artifacts, thirdParties }] = stores
  await thirdParties.add(makeThirdParty('tp'))
  await arrangements.add(makeArrangement('r1'))
  const expires = now.add({ minutes: 10 })
  const exp = expires.epochMilliseconds / 1000
  const payload = JSON.stringify({
    clientId: 'tp',
    grantId: 'r1',
    exp,
    scope: scopeText,
    ...binding,
  })
  await artifacts.put('AccessToken', digest(token), { payload, grantId: 'r1', expires }, now)
  return { stores, check: openAccessCheck(stores[0], clock) }
}

const scopeText = `openid ${scope}`

async function prove(claims: object = {}, header: object = {}, key = privateKey): Promise<string> {
  const ath = createHash('sha256').update(token).digest('base64url')
  return new SignJWT({ htm: 'GET', htu: url, iat: seconds, jti: randomUUID(), ath, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk, ...header })
    .sign(key)
}

async function request(fields: Partial<ThirdPartyRequest> = {}): Promise<ThirdPartyRequest> {
  return {
    method: 'GET',
    url,
    authorization: `DPoP ${token}`,
    proof: await prove(),
    certificate: undefined,
    ...fields,
  }
}

/** How a check refused access. */
async function refusal(checked: Promise<unknown> | undefined) {
  const error = await checked?.then(
    () => assert.fail('access was granted'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof CdsError)
  const { status, cause: reason, headers } = error
  return { status, reason, challenge: headers['www-authenticate'] }
}

describe('the access of a third party', () => {
  it('is granted with a token, a proof and the scope, and names the arrangement', async (t) => {
    const { check } = await openAccess(t)

    const { arrangement } = await check(await request(), scope)

    assert.partialDeepStrictEqual(arrangement, {
      id: 'r1',
      thirdPartyId: 'tp',
      accountIds: ['a1', 'a2'],
    })
  })

  it('is refused in every process once the arrangement is withdrawn', async (t) => {
    const { stores, check } = await openAccess(t)
    const second: ConsentStore = stores[1]
    assert.equal((await check(await request(), scope)).arrangement.id, 'r1')

    await second.arrangements.withdraw('r1', 'customer', now)

    assert.deepEqual(await refusal(check(await request(), scope)), {
      status: 401,
      challenge: 'DPoP error="invalid_token"',
      reason: 'unknown token',
    })
  })

  it('is refused if a proof is replayed, also at the same moment in several processes', async (t) => {
    const { stores, check } = await openAccess(t)
    const checks = [check, openAccessCheck(stores[1], clock)]
    const replayed = await request()

    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => checks[index % 2]?.(replayed, scope)),
    )

    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.deepEqual(await refusal(check(replayed, scope)), {
      status: 401,
      challenge: 'DPoP error="invalid_dpop_proof"',
      reason: 'replayed proof',
    })
  })

  it('is refused if a proof of a later time is replayed when it is about to expire', async (t) => {
    const { stores } = await openAccess(t)
    let time = now
    const check = openAccessCheck(stores[0], () => time)
    const early = await request({ proof: await prove({ iat: seconds + 60 }) })
    assert.equal((await check(early, scope)).arrangement.id, 'r1')

    time = now.add({ seconds: 120 })

    assert.equal((await refusal(check(early, scope))).reason, 'replayed proof')
  })

  it('is refused without the scope', async (t) => {
    const { check } = await openAccess(t)

    const { missingScope } = await check(await request(), 'bank:transactions:read')

    assert.deepEqual(await refusal(Promise.reject(missingScope)), {
      status: 403,
      challenge: 'DPoP error="insufficient_scope", scope="bank:transactions:read"',
      reason: 'missing scope',
    })
  })

  it('is refused for each defect of the token or the proof', async (t) => {
    const { check } = await openAccess(t)
    const { privateKey: other, publicKey: otherPublicKey } = makeKey('ES256', 'k2')
    const otherJwk = otherPublicKey.export({ format: 'jwk' })
    const cases: Record<string, [string, Partial<ThirdPartyRequest>]> = {
      'no token': ['no token', { authorization: undefined }],
      'basic credentials': ['no token', { authorization: 'Basic eDp5' }],
      'an unknown token': ['unknown token', { authorization: 'DPoP other' }],
      'a bearer token': ['wrong scheme', { authorization: `Bearer ${token}` }],
      'no proof': ['no proof', { proof: undefined }],
      'a proof of another key': ['wrong key', { proof: await prove({}, { jwk: otherJwk }, other) }],
      'a wrong signature': ['invalid proof', { proof: await prove({}, {}, other) }],
      'a proof for another method': ['invalid proof', { proof: await prove({ htm: 'POST' }) }],
      'a proof for another URL': ['invalid proof', { proof: await prove({ htu: `${url}/x` }) }],
      'a proof for another token': ['invalid proof', { proof: await prove({ ath: 'x' }) }],
      'an old proof': ['invalid proof', { proof: await prove({ iat: seconds - 61 }) }],
      'a proof of the future': ['invalid proof', { proof: await prove({ iat: seconds + 61 }) }],
      'a proof without an id': ['invalid proof', { proof: await prove({ jti: undefined }) }],
      'a proof of another type': ['invalid proof', { proof: await prove({}, { typ: 'JWT' }) }],
      'a long proof': ['invalid proof', { proof: 'x'.repeat(9000) }],
      'no JWT': ['invalid proof', { proof: 'x' }],
    }
    for (const [name, [reason, fields]] of Object.entries(cases)) {
      const refused = await refusal(check(await request(fields), scope))
      assert.partialDeepStrictEqual(refused, { status: 401, reason }, name)
    }
  })

  it('is refused with a token that is bound to a certificate and comes without it', async (t) => {
    const { check } = await openAccess(t, { 'x5t#S256': 'x' })
    const bearer = { authorization: `Bearer ${token}`, proof: undefined }

    assert.deepEqual(await refusal(check(await request(bearer), scope)), {
      status: 401,
      challenge: 'Bearer error="invalid_token"',
      reason: 'wrong certificate',
    })
  })

  it('is refused with a token that is bound to nothing', async (t) => {
    const { check } = await openAccess(t, {})
    const bearer = { authorization: `Bearer ${token}`, proof: undefined }

    assert.equal((await refusal(check(await request(bearer), scope))).reason, 'wrong scheme')
    assert.equal((await refusal(check(await request(), scope))).reason, 'wrong scheme')
  })
})
