import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import {
  base64url,
  type Members,
  makeKey,
  segmentsOf,
  signSegments,
  signTexts,
  type TestKey,
} from './tokens.ts'
import {
  accountsPath,
  assertOnlyGoodPasses,
  assertPasses,
  goodClaims,
  hurriedKeySet,
  openWorld,
  sendTo,
  sharedWorld,
  type World,
} from './world.ts'

const byAlgorithm = Object.fromEntries(
  ['ES256', 'PS256', 'RS256', 'EdDSA'].map((alg) => [alg, makeKey(alg, `key-${alg}`)]),
) as Record<'ES256' | 'PS256' | 'RS256' | 'EdDSA', TestKey>

describeOnce('an algorithm', () => {
  const open = sharedWorld(() => ({
    keys: Object.values(byAlgorithm),
    keySet: hurriedKeySet(),
  }))

  for (const [alg, key] of Object.entries(byAlgorithm)) {
    it(`is taken where it is ${alg}`, async () => {
      const world = await open()

      await assertPasses(world, world.mint(accountsPath, {}, {}, key))
    })
  }

  for (const alg of ['none', 'None', 'NONE', 'nOnE', 'noNE', '']) {
    for (const [name, tail] of [
      ['an empty signature', ''],
      ['a signature', 'c2lnbmF0dXJl'],
    ]) {
      it(`is refused where it is '${alg}' with ${name}`, async () => {
        const world = await open()
        const [head, body] = segmentsOf(world.mint(accountsPath, {}, { alg }))

        await assertOnlyGoodPasses(world, `${head}.${body}.${tail}`)
      })

      it(`is refused where it is '${alg}' with ${name} and names no key`, async () => {
        const world = await open()
        const [head, body] = segmentsOf(world.mint(accountsPath, {}, { alg, kid: undefined }))

        await assertOnlyGoodPasses(world, `${head}.${body}.${tail}`)
      })
    }
  }

  for (const [alg, hash] of Object.entries({ HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' })) {
    for (const [kind, secretOf] of Object.entries({
      'as PEM': ({ publicKey }: TestKey) => publicKey.export({ format: 'pem', type: 'spki' }),
      'as PEM without its last newline': ({ publicKey }: TestKey) =>
        publicKey.export({ format: 'pem', type: 'spki' }).toString().trimEnd(),
      'as DER': ({ publicKey }: TestKey) => publicKey.export({ format: 'der', type: 'spki' }),
      'as JWK': ({ jwk }: TestKey) => JSON.stringify(jwk),
      'as its raw number': ({ jwk }: TestKey) => Buffer.from(String(jwk['n'] ?? jwk['x'])),
      'as nothing': () => '',
    })) {
      it(`is refused where it is ${alg} with the public key ${kind} as secret`, async () => {
        const world = await open()
        for (const key of Object.values(byAlgorithm)) {
          const [head, body] = segmentsOf(world.mint(accountsPath, {}, { alg }, key))
          const mac = createHmac(hash, secretOf(key)).update(`${head}.${body}`).digest()

          await assertOnlyGoodPasses(world, `${head}.${body}.${base64url(mac)}`)
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
    it(`is refused where the token says ${claimed} and the key is one for ${key.alg}`, async () => {
      const world = await open()

      await assertOnlyGoodPasses(world, world.mint(accountsPath, {}, { alg: claimed }, key))
    })
  }

  for (const [signed, claimed, key] of [
    ['PS256', 'RS256', byAlgorithm.RS256],
    ['RS256', 'PS256', byAlgorithm.PS256],
    ['PS384', 'PS384', byAlgorithm.PS256],
    ['RS512', 'RS512', byAlgorithm.RS256],
    ['PS384', 'PS256', byAlgorithm.PS256],
  ] as const) {
    it(`is refused where it signs with ${signed} and says ${claimed}`, async () => {
      const world = await open()
      const header = JSON.stringify({ alg: claimed, kid: key.kid })
      const payload = JSON.stringify(goodClaims(accountsPath, world.now()))

      await assertOnlyGoodPasses(world, signTexts(header, payload, key, signed))
    })
  }

  for (const alg of [undefined, null, 256, true, {}, ['ES256'], 'es256', 'ES256 ', 'ES256K']) {
    it(`is refused where alg is ${JSON.stringify(alg)}`, async () => {
      const world = await open()

      await assertOnlyGoodPasses(world, world.mint(accountsPath, {}, { alg }))
    })
  }

  for (const alg of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    it(`is refused where it is the name of something every object has: ${alg}`, async () => {
      const world = await open()

      await assertOnlyGoodPasses(world, world.mint(accountsPath, {}, { alg }))
    })
  }

  it('is refused where it is ES384 with a P-384 key of the set', async (t) => {
    const key = makeKey('ES384', 'k384')
    const world = await openWorld(t, { keys: [byAlgorithm.ES256, key] })

    await assertOnlyGoodPasses(world, world.mint(accountsPath, {}, {}, key))
    await assertOnlyGoodPasses(world, world.mint(accountsPath, {}, { alg: 'ES256' }, key))
  })
})

describeOnce('a key id', () => {
  const open = sharedWorld(() => ({ keySet: hurriedKeySet() }))
  const keyIds: Record<string, unknown> = {
    unknown: 'k2',
    'in another case': 'K1',
    'with a blank': 'k1 ',
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
    'a name of every object': '__proto__',
    'a longer one than any key has': 'k'.repeat(257),
    'as long as a token can be': 'k'.repeat(5000),
  }
  for (const [name, kid] of Object.entries(keyIds)) {
    it(`is refused where it is ${name}`, async () => {
      const world = await open()

      await assertOnlyGoodPasses(world, world.mint(accountsPath, {}, { kid }))
    })
  }

  it('is refused where it is a megabyte, by a server that would read so much', async (t) => {
    const world = await openWorld(t, { limits: { headerBytesMax: 4 * 1024 * 1024 } })

    await assertOnlyGoodPasses(world, world.mint(accountsPath, {}, { kid: 'k'.repeat(2 ** 20) }))
  })

  it('is refused where it is a megabyte, before it is even read', async () => {
    const world = await open()
    const token = world.mint(accountsPath, {}, { kid: 'k'.repeat(2 ** 20) })

    const headers = ['authorization', `Bearer ${token}`]
    const outcome = await sendTo(world.port, accountsPath, { headers }).then(
      ({ status }) => status,
      ({ code }: NodeJS.ErrnoException) => code,
    )

    assert.ok([431, 'ECONNRESET', 'EPIPE'].includes(outcome ?? ''), String(outcome))
    await assertPasses(world, world.mint(accountsPath))
  })

  it('is not needed where a single key fits', async (t) => {
    const world = await openWorld(t, { keys: [byAlgorithm.ES256, byAlgorithm.EdDSA] })

    await assertPasses(world, world.mint(accountsPath, {}, { kid: undefined }, byAlgorithm.ES256))
    await assertPasses(world, world.mint(accountsPath, {}, { kid: undefined }, byAlgorithm.EdDSA))
  })

  it('is needed where two keys fit', async (t) => {
    const world = await openWorld(t, { keys: [byAlgorithm.ES256, makeKey('ES256', 'other')] })

    await assertOnlyGoodPasses(world, world.mint(accountsPath, {}, { kid: undefined }))
  })

  it('is needed where an RSA key that names no algorithm stands beside one that does', async (t) => {
    const world = await openWorld(t, { keys: [byAlgorithm.PS256, byAlgorithm.RS256] })

    await assertOnlyGoodPasses(world, world.mint(accountsPath, {}, { kid: undefined }))
  })

  it('of a good key is refused over the signature of another', async (t) => {
    const other = makeKey('ES256', 'other')
    const world = await openWorld(t, { keys: [byAlgorithm.ES256, other] })

    const token = world.mint(accountsPath, {}, { kid: byAlgorithm.ES256.kid }, other)

    await assertOnlyGoodPasses(world, token)
  })
})

describeOnce('a key that the token itself brings', () => {
  const attacker = makeKey('ES256', 'k1')

  const carriers: Record<string, (world: World) => Members> = {
    jwk: () => ({ jwk: attacker.jwk }),
    jku: ({ keyServer }) => ({ jku: `http://127.0.0.1:${keyServer.port}/evil` }),
    x5u: ({ keyServer }) => ({ x5u: `http://127.0.0.1:${keyServer.port}/evil` }),
    x5c: () => ({
      x5c: [attacker.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')],
    }),
    x5t: () => ({ x5t: 'c2hhMQ', 'x5t#S256': 'c2hhMjU2' }),
  }
  for (const [name, headerOf] of Object.entries(carriers)) {
    for (const kid of ['k1', 'evil', undefined]) {
      it(`in ${name} proves nothing, with kid ${kid}`, async (t) => {
        const world = await openWorld(t)

        const token = world.mint(accountsPath, {}, { ...headerOf(world), kid }, attacker)

        await assertOnlyGoodPasses(world, token)
        assert.ok(!world.keyServer.asked.includes('/evil'))
      })
    }

    it(`in ${name} does no harm to a good signature, and is not fetched`, async (t) => {
      const world = await openWorld(t)

      await assertPasses(world, world.mint(accountsPath, {}, headerOf(world)))
      assert.deepEqual(world.keyServer.asked, ['/.well-known/jwks.json'])
    })
  }
})

describeOnce('a header', () => {
  const open = sharedWorld()
  const headers: Record<string, Members> = {
    'an unknown crit': { crit: ['exp2'], exp2: 1 },
    'a crit that names what is not there': { crit: ['exp2'] },
    'a crit that names a standard member': { crit: ['alg'] },
    'an empty crit': { crit: [] },
    'a crit that is null': { crit: null },
    'a crit that is a text': { crit: 'b64' },
    'b64 false, as it must be written': { b64: false, crit: ['b64'] },
    'b64 true in crit': { b64: true, crit: ['b64'] },
    'b64 false, not in crit': { b64: false },
    'an encryption instead': { alg: 'RSA-OAEP-256', enc: 'A256GCM' },
    'a direct key': { alg: 'dir', enc: 'A128GCM' },
  }
  for (const [name, header] of Object.entries(headers)) {
    it(`with ${name} is refused`, async () => {
      const world = await open()

      await assertOnlyGoodPasses(world, world.mint(accountsPath, {}, header))
    })
  }

  it('with b64 false over a payload that is not encoded is refused', async () => {
    const world = await open()
    const header = JSON.stringify({ alg: 'ES256', kid: 'k1', b64: false, crit: ['b64'] })
    const payload = JSON.stringify({ ...goodClaims(accountsPath, world.now()), aud: 'x' })

    await assertOnlyGoodPasses(world, signSegments(base64url(header), payload, world.key))
  })
})
