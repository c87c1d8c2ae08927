import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { accountsPath } from '../support/small-bank.ts'
import {
  assertOnlyValidPasses,
  assertPasses,
  fastKeySet,
  openTokenProvider,
  sharedTokenProvider,
  type TokenProvider,
} from '../support/token-provider.ts'
import {
  base64url,
  type Members,
  makeKey,
  signSegments,
  signTexts,
  splitToken,
  type TestKey,
  validClaims,
} from '../support/tokens.ts'

const byAlgorithm = Object.fromEntries(
  ['ES256', 'PS256', 'RS256', 'EdDSA'].map((alg) => [alg, makeKey(alg, `key-${alg}`)]),
) as Record<'ES256' | 'PS256' | 'RS256' | 'EdDSA', TestKey>

describeOnce('an algorithm', () => {
  const open = sharedTokenProvider(() => ({
    keys: Object.values(byAlgorithm),
    keySet: fastKeySet(),
  }))

  for (const [alg, key] of Object.entries(byAlgorithm)) {
    it(`is accepted if it is ${alg}`, async () => {
      const provider = await open()

      await assertPasses(provider, provider.mint(accountsPath, {}, {}, key))
    })
  }

  for (const alg of ['none', 'None', 'NONE', 'nOnE', 'noNE', '']) {
    for (const [name, tail] of [
      ['an empty signature', ''],
      ['a signature', 'c2lnbmF0dXJl'],
    ]) {
      it(`is rejected if it is '${alg}' with ${name}`, async () => {
        const provider = await open()
        const [head, body] = splitToken(provider.mint(accountsPath, {}, { alg }))

        await assertOnlyValidPasses(provider, `${head}.${body}.${tail}`)
      })

      it(`is rejected if it is '${alg}' with ${name} and names no key`, async () => {
        const provider = await open()
        const [head, body] = splitToken(provider.mint(accountsPath, {}, { alg, kid: undefined }))

        await assertOnlyValidPasses(provider, `${head}.${body}.${tail}`)
      })
    }
  }

  for (const [alg, hash] of Object.entries({ HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' })) {
    for (const [format, toSecret] of Object.entries({
      'as PEM': ({ publicKey }: TestKey) => publicKey.export({ format: 'pem', type: 'spki' }),
      'as PEM without its last newline': ({ publicKey }: TestKey) =>
        publicKey.export({ format: 'pem', type: 'spki' }).toString().trimEnd(),
      'as DER': ({ publicKey }: TestKey) => publicKey.export({ format: 'der', type: 'spki' }),
      'as JWK': ({ jwk }: TestKey) => JSON.stringify(jwk),
      'as its raw number': ({ jwk }: TestKey) => Buffer.from(String(jwk['n'] ?? jwk['x'])),
      'as nothing': () => '',
    })) {
      it(`is rejected if it is ${alg} with the public key ${format} as the secret`, async () => {
        const provider = await open()
        for (const key of Object.values(byAlgorithm)) {
          const [head, body] = splitToken(provider.mint(accountsPath, {}, { alg }, key))
          const mac = createHmac(hash, toSecret(key)).update(`${head}.${body}`).digest()

          await assertOnlyValidPasses(provider, `${head}.${body}.${base64url(mac)}`)
        }
      })
    }
  }

  for (const [claimed, key] of [
    ['RS256', byAlgorithm.ES256],
    ['PS256', byAlgorithm.EdDSA],
    ['ES256', byAlgorithm.PS256],
    ['ES256', byAlgorithm.EdDSA],
    ['EdDSA', byAlgorithm.ES256],
    ['EdDSA', byAlgorithm.RS256],
  ] as const) {
    it(`is rejected if the token says ${claimed} and the key is for ${key.alg}`, async () => {
      const provider = await open()

      await assertOnlyValidPasses(provider, provider.mint(accountsPath, {}, { alg: claimed }, key))
    })
  }

  for (const [signed, claimed, key] of [
    ['PS256', 'RS256', byAlgorithm.RS256],
    ['RS256', 'PS256', byAlgorithm.PS256],
    ['PS384', 'PS384', byAlgorithm.PS256],
    ['RS512', 'RS512', byAlgorithm.RS256],
    ['PS384', 'PS256', byAlgorithm.PS256],
  ] as const) {
    it(`is rejected if the token is signed with ${signed} and says ${claimed}`, async () => {
      const provider = await open()
      const header = JSON.stringify({ alg: claimed, kid: key.kid })
      const payload = JSON.stringify(validClaims(accountsPath, provider.now()))

      await assertOnlyValidPasses(provider, signTexts(header, payload, key, signed))
    })
  }

  for (const alg of [undefined, null, 256, true, {}, ['ES256'], 'es256', 'ES256 ', 'ES256K']) {
    it(`is rejected if alg is ${JSON.stringify(alg)}`, async () => {
      const provider = await open()

      await assertOnlyValidPasses(provider, provider.mint(accountsPath, {}, { alg }))
    })
  }

  for (const alg of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    it(`is rejected if it is a property of Object.prototype: ${alg}`, async () => {
      const provider = await open()

      await assertOnlyValidPasses(provider, provider.mint(accountsPath, {}, { alg }))
    })
  }

  it('is rejected if it is ES384 with a P-384 key of the set', async (t) => {
    const key = makeKey('ES384', 'k384')
    const provider = await openTokenProvider(t, { keys: [byAlgorithm.ES256, key] })

    await assertOnlyValidPasses(provider, provider.mint(accountsPath, {}, {}, key))
    await assertOnlyValidPasses(provider, provider.mint(accountsPath, {}, { alg: 'ES256' }, key))
  })
})

describeOnce('a key id', () => {
  const open = sharedTokenProvider(() => ({ keySet: fastKeySet() }))
  const keyIds: Record<string, unknown> = {
    unknown: 'k2',
    'in another case': 'K1',
    'with a trailing space': 'k1 ',
    'a path': '../../../../../../dev/null',
    'an absolute path': '/etc/passwd',
    'an address': 'https://evil.example/key',
    'an SQL fragment': "k1' or '1'='1",
    'an SQL union': "x' union select 'secret' --",
    'a command': '$(id)|id;`id`',
    'a format string': '%s%n%d',
    'a NUL byte': 'k1\u0000',
    empty: '',
    null: null,
    'a number': 1,
    'a list': ['k1'],
    'an object': { toString: 'k1' },
    'a property of Object.prototype': '__proto__',
    'longer than a key id may be': 'k'.repeat(257),
    'as long as a token can be': 'k'.repeat(5000),
  }
  for (const [name, kid] of Object.entries(keyIds)) {
    it(`is rejected if it is ${name}`, async () => {
      const provider = await open()

      await assertOnlyValidPasses(provider, provider.mint(accountsPath, {}, { kid }))
    })
  }

  it('is rejected if it is a megabyte, by a server that reads such a header', async (t) => {
    const provider = await openTokenProvider(t, { limits: { headerBytesMax: 4 * 1024 * 1024 } })

    await assertOnlyValidPasses(
      provider,
      provider.mint(accountsPath, {}, { kid: 'k'.repeat(2 ** 20) }),
    )
  })

  it('is rejected if it is a megabyte, before it is read', async () => {
    const provider = await open()
    const token = provider.mint(accountsPath, {}, { kid: 'k'.repeat(2 ** 20) })

    const headers = ['authorization', `Bearer ${token}`]
    const outcome = await send(provider.port, accountsPath, { headers }).then(
      ({ status }) => status,
      ({ code }: NodeJS.ErrnoException) => code,
    )

    assert.ok([431, 'ECONNRESET', 'EPIPE'].includes(outcome ?? ''), String(outcome))
    await assertPasses(provider, provider.mint(accountsPath))
  })

  it('is optional if only one key matches', async (t) => {
    const provider = await openTokenProvider(t, { keys: [byAlgorithm.ES256, byAlgorithm.EdDSA] })

    await assertPasses(
      provider,
      provider.mint(accountsPath, {}, { kid: undefined }, byAlgorithm.ES256),
    )
    await assertPasses(
      provider,
      provider.mint(accountsPath, {}, { kid: undefined }, byAlgorithm.EdDSA),
    )
  })

  it('is required if two keys match', async (t) => {
    const provider = await openTokenProvider(t, {
      keys: [byAlgorithm.ES256, makeKey('ES256', 'other')],
    })

    await assertOnlyValidPasses(provider, provider.mint(accountsPath, {}, { kid: undefined }))
  })

  it('is required if an RSA key without an algorithm matches in addition to one with it', async (t) => {
    const provider = await openTokenProvider(t, { keys: [byAlgorithm.PS256, byAlgorithm.RS256] })

    await assertOnlyValidPasses(provider, provider.mint(accountsPath, {}, { kid: undefined }))
  })

  it('of one key is rejected with the signature of another', async (t) => {
    const other = makeKey('ES256', 'other')
    const provider = await openTokenProvider(t, { keys: [byAlgorithm.ES256, other] })

    const token = provider.mint(accountsPath, {}, { kid: byAlgorithm.ES256.kid }, other)

    await assertOnlyValidPasses(provider, token)
  })
})

describeOnce('a key in the token itself', () => {
  const attacker = makeKey('ES256', 'k1')

  const carriers: Record<string, (provider: TokenProvider) => Members> = {
    jwk: () => ({ jwk: attacker.jwk }),
    jku: ({ keyServer }) => ({ jku: `http://127.0.0.1:${keyServer.port}/evil` }),
    x5u: ({ keyServer }) => ({ x5u: `http://127.0.0.1:${keyServer.port}/evil` }),
    x5c: () => ({
      x5c: [attacker.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')],
    }),
    x5t: () => ({ x5t: 'c2hhMQ', 'x5t#S256': 'c2hhMjU2' }),
  }
  for (const [name, toHeader] of Object.entries(carriers)) {
    for (const kid of ['k1', 'evil', undefined]) {
      it(`in ${name} is ignored, with kid ${kid}`, async (t) => {
        const provider = await openTokenProvider(t)

        const token = provider.mint(accountsPath, {}, { ...toHeader(provider), kid }, attacker)

        await assertOnlyValidPasses(provider, token)
        assert.ok(!provider.keyServer.requests.includes('/evil'))
      })
    }

    it(`in ${name} does not invalidate a valid signature, and is not fetched`, async (t) => {
      const provider = await openTokenProvider(t)

      await assertPasses(provider, provider.mint(accountsPath, {}, toHeader(provider)))
      assert.deepEqual(provider.keyServer.requests, ['/.well-known/jwks.json'])
    })
  }
})

describeOnce('a header', () => {
  const open = sharedTokenProvider()
  const headers: Record<string, Members> = {
    'an unknown crit': { crit: ['exp2'], exp2: 1 },
    'a crit that names a missing member': { crit: ['exp2'] },
    'a crit that names a standard member': { crit: ['alg'] },
    'an empty crit': { crit: [] },
    'a crit that is null': { crit: null },
    'a crit that is a string': { crit: 'b64' },
    'b64 false and in crit': { b64: false, crit: ['b64'] },
    'b64 true in crit': { b64: true, crit: ['b64'] },
    'b64 false, not in crit': { b64: false },
    'an encryption algorithm': { alg: 'RSA-OAEP-256', enc: 'A256GCM' },
    'direct encryption': { alg: 'dir', enc: 'A128GCM' },
  }
  for (const [name, header] of Object.entries(headers)) {
    it(`with ${name} is rejected`, async () => {
      const provider = await open()

      await assertOnlyValidPasses(provider, provider.mint(accountsPath, {}, header))
    })
  }

  it('with b64 false over a payload that is not encoded is rejected', async () => {
    const provider = await open()
    const header = JSON.stringify({ alg: 'ES256', kid: 'k1', b64: false, crit: ['b64'] })
    const payload = JSON.stringify({ ...validClaims(accountsPath, provider.now()), aud: 'x' })

    await assertOnlyValidPasses(provider, signSegments(base64url(header), payload, provider.key))
  })
})
