import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { accountsPath } from '../support/small-bank.ts'
import {
  assertOnlyValidPasses,
  assertPasses,
  assertRejected,
  fastKeySet,
  openTokenProvider,
  sharedTokenProvider,
  type TokenProviderOptions,
} from '../support/token-provider.ts'
import { type Members, makeKey, makeRsaKey, type TestKey } from '../support/tokens.ts'

const valid = makeKey('ES256', 'valid')
const pairs = {
  ES256: makeKey('ES256', 'other'),
  EdDSA: makeKey('EdDSA', 'other'),
  PS256: makeKey('PS256', 'other'),
}

/** A provider with a valid key and another one with these members. */
const withKey = (key: TestKey, members: Members): TokenProviderOptions => ({
  keys: [valid, { ...key, jwk: { ...key.jwk, ...members } }],
})

describeOnce('a key of the set', () => {
  const unusable: Record<string, Members> = {
    'is for encryption': { use: 'enc' },
    'has an unknown use': { use: 'other' },
    'has a use in another case': { use: 'SIG' },
    'has a use that is not a string': { use: ['sig'] },
    'has a use that is null': { use: null },
    'is for signing only': { key_ops: ['sign'] },
    'is for wrapping': { key_ops: ['wrapKey', 'encrypt'] },
    'is for nothing': { key_ops: [] },
    'is for deriving': { key_ops: ['deriveBits'] },
    'has operations that are not a list': { key_ops: 'verify' },
    'is for another algorithm': { alg: 'ES512' },
    'is for an encryption algorithm': { alg: 'RSA-OAEP-256' },
    'is for the algorithm none': { alg: 'none' },
    'is for an HMAC': { alg: 'HS256' },
    'has no type': { kty: undefined },
    'has an unknown type': { kty: 'XYZ' },
    'is a shared secret': { kty: 'oct', k: 'c2VjcmV0' },
  }
  for (const [alg, key] of Object.entries(pairs)) {
    const usable: Record<string, Members> = {
      'has no restrictions': {},
      'is for signatures': { use: 'sig' },
      'is for verifying': { key_ops: ['verify'] },
      'names its algorithm': { alg },
      'has all three': { use: 'sig', key_ops: ['verify'], alg },
      'has unknown members': { 'x-note': 'hello', iat: 1 },
    }
    const variants = { ...unusable, ...usable }
    /** One set with all variants of the key, each with its own key id. */
    const open = sharedTokenProvider(() => ({
      keySet: fastKeySet(),
      keys: [
        valid,
        ...Object.entries(variants).map(([kid, members]) => ({
          ...key,
          kid,
          jwk: { ...key.jwk, kid, ...members },
        })),
      ],
    }))

    for (const name of Object.keys(unusable)) {
      it(`is not used if it ${name}, ${alg}`, async () => {
        const provider = await open()

        await assertOnlyValidPasses(provider, provider.mint(accountsPath, {}, { kid: name }, key))
      })
    }

    for (const name of Object.keys(usable)) {
      it(`is used if it ${name}, ${alg}`, async () => {
        const provider = await open()

        await assertPasses(provider, provider.mint(accountsPath, {}, { kid: name }, key))
      })
    }
  }

  it('of RSA without an algorithm verifies both RSA algorithms', async (t) => {
    const provider = await openTokenProvider(t, withKey(pairs.PS256, {}))

    for (const alg of ['PS256', 'RS256']) {
      await assertPasses(provider, provider.mint(accountsPath, {}, {}, { ...pairs.PS256, alg }))
    }
  })

  for (const [named, used] of [
    ['PS256', 'RS256'],
    ['RS256', 'PS256'],
  ] as const) {
    it(`of RSA that is for ${named} is not used for ${used}`, async (t) => {
      const provider = await openTokenProvider(t, withKey(pairs.PS256, { alg: named }))

      await assertOnlyValidPasses(
        provider,
        provider.mint(accountsPath, {}, {}, { ...pairs.PS256, alg: used }),
      )
      await assertPasses(
        provider,
        provider.mint(accountsPath, {}, {}, { ...pairs.PS256, alg: named }),
      )
    })
  }

  it('for another purpose does not make the kid required', async (t) => {
    const provider = await openTokenProvider(t, withKey(pairs.ES256, { use: 'enc' }))

    await assertPasses(provider, provider.mint(accountsPath, {}, { kid: undefined }))
  })
})

describeOnce('a weak key of the set', () => {
  const weak = {
    'of 1024 bits': makeRsaKey('of 1024 bits', 1024),
    'of 2040 bits': makeRsaKey('of 2040 bits', 2040),
    'with exponent 3': makeRsaKey('with exponent 3', 2048, 3),
    'with exponent 17': makeRsaKey('with exponent 17', 2048, 17),
  }
  const open = sharedTokenProvider(() => ({
    keySet: fastKeySet(),
    keys: [valid, ...Object.values(weak)],
  }))

  for (const [name, key] of Object.entries(weak)) {
    for (const alg of ['PS256', 'RS256']) {
      it(`${name} is not used for ${alg}, and the others are`, async () => {
        const provider = await open()

        await assertOnlyValidPasses(provider, provider.mint(accountsPath, {}, {}, { ...key, alg }))
      })
    }
  }

  it('of exactly 2048 bits and exponent 65537 is used', async (t) => {
    const { modulusLength, publicExponent } = pairs.PS256.publicKey.asymmetricKeyDetails ?? {}
    assert.deepEqual([modulusLength, publicExponent], [2048, 65_537n])
    const provider = await openTokenProvider(t, { keys: [valid, pairs.PS256] })

    await assertPasses(provider, provider.mint(accountsPath, {}, {}, pairs.PS256))
  })
})

describeOnce('an invalid key of the set', () => {
  const { x, ...withoutX } = valid.jwk
  const invalidKeys: Record<string, unknown> = {
    null: null,
    'a string': 'key',
    'a number': 1,
    'a list': [],
    'an empty object': {},
    'without a coordinate': { ...withoutX, kid: 'invalid' },
    'with a coordinate that is not a string': { ...valid.jwk, kid: 'invalid', x: 1 },
    'with a truncated coordinate': { ...valid.jwk, kid: 'invalid', x: String(x).slice(0, 20) },
    'with a point that is not on its curve': { ...valid.jwk, kid: 'invalid', x: 'A'.repeat(43) },
    'of an unknown curve': { ...valid.jwk, kid: 'invalid', crv: 'P-999' },
    'of RSA without a modulus': { kty: 'RSA', kid: 'invalid', e: 'AQAB' },
    'of RSA with an empty modulus': { kty: 'RSA', kid: 'invalid', n: '', e: 'AQAB' },
    'of RSA with a modulus of zeros': { kty: 'RSA', kid: 'invalid', n: 'A'.repeat(342), e: 'AQAB' },
    'of RSA with exponent one': { ...pairs.PS256.jwk, kid: 'invalid', e: 'AQ' },
    'of RSA with exponent zero': { ...pairs.PS256.jwk, kid: 'invalid', e: 'AA' },
    'of EdDSA, too short': { kty: 'OKP', crv: 'Ed25519', kid: 'invalid', x: 'AAAA' },
    'for key agreement': { kty: 'OKP', crv: 'X25519', kid: 'invalid', x: 'A'.repeat(43) },
  }
  for (const [name, jwk] of Object.entries(invalidKeys)) {
    it(`${name} does not affect the other keys`, async (t) => {
      const provider = await openTokenProvider(t, { keys: [valid] })
      provider.keyServer.publish(jwk, valid.jwk, pairs.EdDSA.jwk, jwk)

      await assertPasses(provider, provider.mint(accountsPath))
      await assertPasses(provider, provider.mint(accountsPath, {}, {}, pairs.EdDSA))
      for (const alg of ['ES256', 'RS256', 'PS256', 'EdDSA']) {
        const header = { alg, kid: 'invalid' }
        assertRejected(await provider.ask(provider.mint(accountsPath, {}, header)))
      }
      await assertPasses(provider, provider.mint(accountsPath))
    })
  }

  it('with its private part does not affect the other keys', async (t) => {
    const provider = await openTokenProvider(t, { keys: [valid] })
    const leaked = { ...pairs.ES256.privateKey.export({ format: 'jwk' }), kid: 'leaked' }
    provider.keyServer.publish(leaked, valid.jwk)

    await assertPasses(provider, provider.mint(accountsPath))
  })
})
