import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import {
  base64url,
  makeKey,
  segmentsOf,
  signature,
  signSegments,
  signTexts,
  textIn,
  withSpareBit,
} from './tokens.ts'
import {
  accountsPath,
  assertOnlyGoodPasses,
  assertPasses,
  assertRefused,
  goodClaims,
  publicUrl,
  sharedWorld,
  type World,
} from './world.ts'

const places = { header: 0, payload: 1, signature: 2 } as const

/** The token with one segment in another spelling. A header or payload is signed as it is spelled. */
function respelled(
  world: World,
  place: 0 | 1 | 2,
  spell: (segment: string) => string | undefined,
): string | undefined {
  const segments = segmentsOf(world.mint(accountsPath))
  const spelled = spell(segments[place])
  if (spelled === undefined || spelled === segments[place]) return undefined
  segments[place] = spelled
  const [head, body] = segments
  return place === 2 ? segments.join('.') : signSegments(head, body, world.key)
}

/** Tokens differ from one to the next, so one that has what is to be spoilt turns up soon. */
function respelledOfMany(...args: Parameters<typeof respelled>): string {
  for (let tries = 0; tries < 1000; tries += 1) {
    const token = respelled(...args)
    if (token !== undefined) return token
  }
  return assert.fail('no token could be spelled that way')
}

describeOnce('base64url', () => {
  const open = sharedWorld()
  const spellings: Record<string, (segment: string) => string | undefined> = {
    'truncated by a character': (segment) => segment.slice(0, -1),
    'truncated to nothing': () => '',
    padded: (segment) => segment + '='.repeat(4 - (segment.length % 4)),
    'padded by one': (segment) => `${segment}=`,
    'padded in the middle': (segment) => `${segment.slice(0, 8)}=${segment.slice(8)}`,
    'with a blank inside': (segment) => `${segment.slice(0, 4)} ${segment.slice(4)}`,
    'with a tab inside': (segment) => `${segment.slice(0, 4)}\t${segment.slice(4)}`,
    'with a stray character': (segment) => `${segment.slice(0, 4)}!${segment.slice(4)}`,
    'with a character beyond ASCII': (segment) => `${segment.slice(0, 4)}é${segment.slice(4)}`,
    'with spare bits set': withSpareBit,
    'with an extra character': (segment) => `${segment}A`,
    'percent-encoded': (segment) =>
      `%${segment.charCodeAt(0).toString(16).toUpperCase()}${segment.slice(1)}`,
    'encoded twice': (segment) => base64url(segment),
    'as hexadecimal': (segment) => Buffer.from(segment, 'base64url').toString('hex'),
  }
  for (const [place, index] of Object.entries(places)) {
    for (const [name, spell] of Object.entries(spellings)) {
      it(`is refused ${name}, in the ${place}`, async () => {
        const world = await open()

        await assertOnlyGoodPasses(world, respelledOfMany(world, index, spell))
      })
    }
  }

  for (const [place, index] of Object.entries(places)) {
    for (const blank of ['\n', '\r\n', '\u0000', '\u00a0', '\u2028']) {
      it(`is refused with ${JSON.stringify(blank)} inside, in the ${place}`, async () => {
        const world = await open()
        const token = respelled(
          world,
          index,
          (segment) => segment.slice(0, 4) + blank + segment.slice(4),
        )

        assert.equal(await world.judge(token ?? ''), 'refused')
        assert.equal(await world.judge(world.mint(accountsPath)), 'passes')
      })
    }
  }

  it('is refused in the alphabet with + and /, in the signature', async () => {
    const world = await open()
    const spell = (segment: string) => segment.replaceAll('-', '+').replaceAll('_', '/')

    await assertOnlyGoodPasses(world, respelledOfMany(world, 2, spell))
  })

  it('is refused in the alphabet with + and /, in header and payload', async () => {
    const world = await open()
    // These characters are written with the two that the alphabets do not share.
    const odd = { 'x-odd': '~~~???>>>ÿÿÿ' }
    const header = base64url(JSON.stringify({ alg: 'ES256', kid: 'k1', ...odd }))
    const payload = base64url(
      JSON.stringify({ ...goodClaims(accountsPath, world.now()), 'x-odd': '???~~~>>>ÿÿ' }),
    )
    const other = (segment: string) => segment.replaceAll('-', '+').replaceAll('_', '/')
    assert.notEqual(other(header), header)
    assert.notEqual(other(payload), payload)

    await assertOnlyGoodPasses(world, signSegments(other(header), payload, world.key))
    await assertOnlyGoodPasses(world, signSegments(header, other(payload), world.key))
    await assertPasses(world, signSegments(header, payload, world.key))
  })

  it('is refused after another writing of the same JSON, under the old signature', async () => {
    const world = await open()
    const token = world.mint(accountsPath)
    const [head, body, tail] = segmentsOf(token)
    const spaced = (segment: 0 | 1) =>
      base64url(JSON.stringify(JSON.parse(textIn(token, segment)), null, 1))

    assertRefused(await world.ask(`${spaced(0)}.${body}.${tail}`))
    assertRefused(await world.ask(`${head}.${spaced(1)}.${tail}`))
    await assertPasses(world, token)
  })
})

describeOnce('the JSON of a token', () => {
  const open = sharedWorld()
  const header = '{"alg":"ES256","kid":"k1"}'
  const payloadOf = (world: World) => JSON.stringify(goodClaims(accountsPath, world.now()))

  it('may have blanks, escapes and members in any order', async () => {
    const world = await open()
    const claims = Object.entries(goodClaims(accountsPath, world.now())).reverse()
    const payload = JSON.stringify(Object.fromEntries(claims), null, 2)

    await assertPasses(
      world,
      signTexts(' { "kid":"k\\u0031" , "alg":"ES256" } ', payload, world.key),
    )
  })

  for (const [name, twice] of Object.entries({
    aud: (good: string) => good.replace('{', '{"aud":"https://bank.example/",'),
    'aud, the bad one last': (good: string) => good.replace(/}$/, ',"aud":"https://x.example"}'),
    'the same aud': (good: string) => good.replace('{', `{"aud":"${publicUrl}${accountsPath}",`),
    'an escaped aud': (good: string) => good.replace('{', '{"\\u0061ud":"x",'),
    exp: (good: string) => good.replace('{', '{"exp":9999999999,'),
    jti: (good: string) => good.replace('{', '{"jti":"fresh",'),
    'an unknown claim': (good: string) => good.replace('{', '{"x":1,"x":1,'),
    'a member of a nested claim': (good: string) => good.replace('{', '{"x":{"y":1,"y":2},'),
    'a member of an object in a list': (good: string) => good.replace('{', '{"x":[{"y":1,"y":1}],'),
    __proto__: (good: string) => good.replace('{', '{"__proto__":1,"__proto__":2,'),
  })) {
    it(`is refused where the payload has ${name} twice`, async () => {
      const world = await open()

      await assertOnlyGoodPasses(world, signTexts(header, twice(payloadOf(world)), world.key))
    })
  }

  for (const [name, text] of Object.entries({
    'alg twice': '{"alg":"none","kid":"k1","alg":"ES256"}',
    'alg twice, one escaped': '{"alg":"ES256","kid":"k1","\\u0061lg":"ES256"}',
    'kid twice': '{"alg":"ES256","kid":"k2","kid":"k1"}',
    'a list': '["ES256"]',
    'a text': '"ES256"',
    null: 'null',
    'no JSON': '{alg:"ES256"}',
    nothing: ' ',
    'a comma too many': '{"alg":"ES256","kid":"k1",}',
    'something behind it': '{"alg":"ES256","kid":"k1"}x',
    'two objects': '{"alg":"ES256","kid":"k1"}{}',
    'a comment': '{"alg":"ES256",/* */"kid":"k1"}',
    'a byte order mark': '\ufeff{"alg":"ES256","kid":"k1"}',
  })) {
    it(`is refused where the header has or is ${name}`, async () => {
      const world = await open()

      await assertOnlyGoodPasses(world, signTexts(text, payloadOf(world), world.key))
    })
  }

  for (const [name, text] of Object.entries({
    'a list': '[1]',
    'a text': '"text"',
    'a number': '1',
    null: 'null',
    'no JSON': 'x',
    'too deep to read': '['.repeat(3000),
    'an empty object': '{}',
  })) {
    it(`is refused where the payload is ${name}`, async () => {
      const world = await open()

      await assertOnlyGoodPasses(world, signTexts(header, text, world.key))
    })
  }

  it('is refused where it is not UTF-8', async () => {
    const world = await open()
    const bytes = (text: string) => base64url(Buffer.from(text, 'latin1'))
    const payload = payloadOf(world)
    const odd = payload.replace('{', '{"x":"\xff",')

    await assertOnlyGoodPasses(
      world,
      signSegments(bytes(header.replace('{', '{"x":"\xc0\xaf",')), bytes(payload), world.key),
    )
    await assertOnlyGoodPasses(world, signSegments(bytes(header), bytes(odd), world.key))
  })

  it('is refused where it is longer than a token may be', async () => {
    const world = await open()

    await assertOnlyGoodPasses(world, world.mint(accountsPath, { filler: 'x'.repeat(8192) }))
    await assertPasses(world, world.mint(accountsPath, { filler: 'x'.repeat(4096) }))
  })
})

describeOnce('the segments of a token', () => {
  const open = sharedWorld()

  for (const [name, spoil] of Object.entries({
    'one of them': (token: string) => segmentsOf(token)[1],
    'two of them': (token: string) => segmentsOf(token).slice(0, 2).join('.'),
    'four of them': (token: string) => `${token}.${segmentsOf(token)[2]}`,
    'an empty fourth': (token: string) => `${token}.`,
    'an empty one before': (token: string) => `.${token}`,
    'five of them, as encrypted tokens have': (token: string) => `${token}.AAAA.AAAA`,
    'only dots': () => '..',
    'a thousand dots': () => '.'.repeat(1000),
    'another separator': (token: string) => token.replaceAll('.', '~'),
    'their order reversed': (token: string) => segmentsOf(token).reverse().join('.'),
    'quotes around': (token: string) => `"${token}"`,
    'the token twice': (token: string) => `${token},${token}`,
    'the token as a JWS in JSON': (token: string) => {
      const [head, payload, tail] = segmentsOf(token)
      return JSON.stringify({ protected: head, payload, signature: tail })
    },
  })) {
    it(`are refused with ${name}`, async () => {
      const world = await open()
      const token = world.mint(accountsPath)

      await assertOnlyGoodPasses(world, spoil(token))
      await assertPasses(world, token)
    })
  }

  it('are refused where a token is nested in a token', async () => {
    const world = await open()
    const inner = world.mint(accountsPath)

    for (const payload of [inner, JSON.stringify(inner), JSON.stringify({ jwt: inner })]) {
      const header = JSON.stringify({ alg: 'ES256', kid: 'k1', cty: 'JWT' })
      await assertOnlyGoodPasses(world, signTexts(header, payload, world.key))
    }
    await assertPasses(world, inner)
  })

  it('are refused where the token is encrypted', async () => {
    const world = await open()
    const header = base64url('{"alg":"ECDH-ES","enc":"A256GCM","kid":"k1","cty":"JWT"}')
    const part = base64url('x'.repeat(16))

    await assertOnlyGoodPasses(world, `${header}.${part}.${part}.${part}.${part}`)
    await assertOnlyGoodPasses(world, `${header}..${part}.${part}.${part}`)
    await assertOnlyGoodPasses(world, signSegments(header, part, world.key))
  })
})

describeOnce('a signature', () => {
  const rsa = makeKey('PS256', 'rsa')
  const edwards = makeKey('EdDSA', 'edwards')
  const open = sharedWorld(() => ({ keys: [makeKey('ES256', 'k1'), rsa, edwards] }))

  /** Keeps header and payload, and puts another signature under them. */
  async function assertRefusedUnder(tailOf: (signed: string, world: World) => string | Buffer) {
    const world = await open()
    for (const key of [world.key, rsa, edwards]) {
      const [head, body] = segmentsOf(world.mint(accountsPath, {}, {}, key))
      const tail = base64url(tailOf(`${head}.${body}`, world))
      await assertOnlyGoodPasses(world, `${head}.${body}.${tail}`)
    }
  }

  for (const [name, bytes] of Object.entries({
    'of nothing': 0,
    'of one byte': 1,
    'of 63 bytes': 63,
    'of 64 bytes': 64,
    'of 65 bytes': 65,
    'of 256 bytes': 256,
  })) {
    it(`${name}, all zero, is refused`, () => assertRefusedUnder(() => Buffer.alloc(bytes)))

    it(`${name}, all ones, is refused`, () => assertRefusedUnder(() => Buffer.alloc(bytes, 0xff)))
  }

  it('stripped of its text but not of its dot is refused', async () => {
    const world = await open()
    const token = world.mint(accountsPath)

    assertRefused(await world.ask(token.slice(0, token.lastIndexOf('.') + 1)))
    await assertPasses(world, token)
  })

  it('swapped with that of another good token is refused', async () => {
    const world = await open()
    const [one, other] = [world.mint(accountsPath), world.mint(accountsPath)]
    const swapped = (head: string, tail: string) =>
      [...segmentsOf(head).slice(0, 2), segmentsOf(tail)[2]].join('.')

    assertRefused(await world.ask(swapped(one, other)))
    assertRefused(await world.ask(swapped(other, one)))
    await assertPasses(world, one)
    await assertPasses(world, other)
  })

  it('of a key that is not in the set is refused', async () => {
    const world = await open()
    const stranger = makeKey('ES256', 'k1')

    await assertOnlyGoodPasses(world, world.mint(accountsPath, {}, {}, stranger))
  })

  it('in DER instead of raw is refused for ES256', async () => {
    const world = await open()
    const [head, body, tail] = segmentsOf(world.mint(accountsPath))
    const raw = Buffer.from(tail, 'base64url')
    const number = (bytes: Buffer) => {
      const trimmed = bytes.subarray(bytes.findIndex((byte) => byte !== 0))
      const unsigned =
        (trimmed[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.alloc(1), trimmed]) : trimmed
      return Buffer.concat([Buffer.from([2, unsigned.length]), unsigned])
    }
    const both = Buffer.concat([number(raw.subarray(0, 32)), number(raw.subarray(32))])
    const der = Buffer.concat([Buffer.from([0x30, both.length]), both])

    assertRefused(await world.ask(`${head}.${body}.${base64url(der)}`))
    await assertPasses(world, `${head}.${body}.${tail}`)
  })

  it('with more bytes behind it is refused', async () => {
    const world = await open()
    for (const key of [world.key, rsa, edwards]) {
      const [head, body] = segmentsOf(world.mint(accountsPath, {}, {}, key))
      const good = signature(`${head}.${body}`, key.privateKey, key.alg)
      const longer = Buffer.concat([good, Buffer.alloc(1)])

      assertRefused(await world.ask(`${head}.${body}.${base64url(longer)}`))
      await assertPasses(world, `${head}.${body}.${base64url(good)}`)
    }
  })
})
