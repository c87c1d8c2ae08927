import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { accountsPath } from '../support/small-bank.ts'
import {
  assertOnlyValidPasses,
  assertPasses,
  fastKeySet,
  openTokenProvider,
  sharedTokenProvider,
  type TokenProviderOptions,
} from '../support/token-provider.ts'
import { type Members, makeKey, makeRsaKey, type TestKey } from '../support/tokens.ts'

const good = makeKey('ES256', 'good')
const pairs = {
  ES256: makeKey('ES256', 'other'),
  EdDSA: makeKey('EdDSA', 'other'),
  PS256: makeKey('PS256', 'other'),
}

/** A provider with a good key, and another beside it that says more of itself. */
const beside = (key: TestKey, says: Members): TokenProviderOptions => ({
  keys: [good, { ...key, jwk: { ...key.jwk, ...says } }],
})

describeOnce('a key of the set', () => {
  const unfit: Record<string, Members> = {
    'is for encryption': { use: 'enc' },
    'has an unknown use': { use: 'other' },
    'has a use in another case': { use: 'SIG' },
    'has a use that is no text': { use: ['sig'] },
    'has a use that is null': { use: null },
    'is for signing only': { key_ops: ['sign'] },
    'is for wrapping': { key_ops: ['wrapKey', 'encrypt'] },
    'is for nothing': { key_ops: [] },
    'is for deriving': { key_ops: ['deriveBits'] },
    'has operations that are no list': { key_ops: 'verify' },
    'is for another algorithm': { alg: 'ES512' },
    'is for an encryption algorithm': { alg: 'RSA-OAEP-256' },
    'is for none': { alg: 'none' },
    'is for an HMAC': { alg: 'HS256' },
    'has no type': { kty: undefined },
    'has an unknown type': { kty: 'XYZ' },
    'is a shared secret': { kty: 'oct', k: 'c2VjcmV0' },
  }
  for (const [alg, key] of Object.entries(pairs)) {
    const fit: Record<string, Members> = {
      'says nothing': {},
      'is for signatures': { use: 'sig' },
      'is for verifying': { key_ops: ['verify'] },
      'names its algorithm': { alg },
      'says all three': { use: 'sig', key_ops: ['verify'], alg },
      'carries what nobody knows': { 'x-note': 'hello', iat: 1 },
    }
    const variants = { ...unfit, ...fit }
    /** One set with the key in all variants, each under a key id of its own. */
    const open = sharedTokenProvider(() => ({
      keySet: fastKeySet(),
      keys: [
        good,
        ...Object.entries(variants).map(([kid, says]) => ({
          ...key,
          kid,
          jwk: { ...key.jwk, kid, ...says },
        })),
      ],
    }))

    for (const name of Object.keys(unfit)) {
      it(`is not used where it ${name}, ${alg}`, async () => {
        const provider = await open()

        await assertOnlyValidPasses(provider, provider.mint(accountsPath, {}, { kid: name }, key))
      })
    }

    for (const name of Object.keys(fit)) {
      it(`is used where it ${name}, ${alg}`, async () => {
        const provider = await open()

        await assertPasses(provider, provider.mint(accountsPath, {}, { kid: name }, key))
      })
    }
  }

  it('of RSA that names no algorithm serves both of its kind', async (t) => {
    const provider = await openTokenProvider(t, beside(pairs.PS256, {}))

    for (const alg of ['PS256', 'RS256']) {
      await assertPasses(provider, provider.mint(accountsPath, {}, {}, { ...pairs.PS256, alg }))
    }
  })

  for (const [named, used] of [
    ['PS256', 'RS256'],
    ['RS256', 'PS256'],
  ] as const) {
    it(`of RSA that is for ${named} is not used for ${used}`, async (t) => {
      const provider = await openTokenProvider(t, beside(pairs.PS256, { alg: named }))

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

  it('that names another algorithm does not stand in the way of a token without a kid', async (t) => {
    const provider = await openTokenProvider(t, beside(pairs.ES256, { use: 'enc' }))

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
    keys: [good, ...Object.values(weak)],
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
    const key = makeRsaKey('enough', 2048, 65_537)
    const provider = await openTokenProvider(t, { keys: [good, key] })

    await assertPasses(provider, provider.mint(accountsPath, {}, {}, key))
  })
})

describeOnce('a broken key of the set', () => {
  const { x, ...withoutX } = good.jwk
  const broken: Record<string, unknown> = {
    null: null,
    'a text': 'key',
    'a number': 1,
    'a list': [],
    'an empty object': {},
    'without a coordinate': { ...withoutX, kid: 'broken' },
    'with a coordinate that is no text': { ...good.jwk, kid: 'broken', x: 1 },
    'with a coordinate cut short': { ...good.jwk, kid: 'broken', x: String(x).slice(0, 20) },
    'beside its curve': { ...good.jwk, kid: 'broken', x: 'A'.repeat(43) },
    'of an unknown curve': { ...good.jwk, kid: 'broken', crv: 'P-999' },
    'of RSA without a modulus': { kty: 'RSA', kid: 'broken', e: 'AQAB' },
    'of RSA with an empty modulus': { kty: 'RSA', kid: 'broken', n: '', e: 'AQAB' },
    'of RSA with a modulus of zeros': { kty: 'RSA', kid: 'broken', n: 'A'.repeat(342), e: 'AQAB' },
    'of RSA with exponent one': { ...pairs.PS256.jwk, kid: 'broken', e: 'AQ' },
    'of RSA with exponent zero': { ...pairs.PS256.jwk, kid: 'broken', e: 'AA' },
    'of EdDSA, too short': { kty: 'OKP', crv: 'Ed25519', kid: 'broken', x: 'AAAA' },
    'for key agreement': { kty: 'OKP', crv: 'X25519', kid: 'broken', x: 'A'.repeat(43) },
  }
  for (const [name, jwk] of Object.entries(broken)) {
    it(`${name} spoils no other, wherever it stands`, async (t) => {
      const provider = await openTokenProvider(t, { keys: [good] })
      provider.keyServer.publish(jwk, good.jwk, pairs.EdDSA.jwk, jwk)

      await assertPasses(provider, provider.mint(accountsPath))
      await assertPasses(provider, provider.mint(accountsPath, {}, {}, pairs.EdDSA))
      for (const alg of ['ES256', 'RS256', 'PS256', 'EdDSA']) {
        const header = { alg, kid: 'broken' }
        await assertOnlyValidPasses(provider, provider.mint(accountsPath, {}, header))
      }
    })
  }

  it('that shows its private part spoils no other, and signs nothing by that', async (t) => {
    const provider = await openTokenProvider(t, { keys: [good] })
    const leaked = { ...pairs.ES256.privateKey.export({ format: 'jwk' }), kid: 'leaked' }
    provider.keyServer.publish(leaked, good.jwk)

    await assertPasses(provider, provider.mint(accountsPath))
  })
})
