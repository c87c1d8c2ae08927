import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { accountsPath } from '../support/small-bank.ts'
import {
  assertOnlyValidPasses,
  assertPasses,
  assertRejected,
  sharedTokenProvider,
  type TokenProvider,
} from '../support/token-provider.ts'
import {
  base64url,
  decodeSegment,
  makeKey,
  publicUrl,
  signature,
  signSegments,
  signTexts,
  splitToken,
  validClaims,
  withSpareBit,
} from '../support/tokens.ts'

const places = { header: 0, payload: 1, signature: 2 } as const

/** The token with one segment in another spelling. A header or payload is signed as it is spelled. */
function respelled(
  provider: TokenProvider,
  place: 0 | 1 | 2,
  spell: (segment: string) => string | undefined,
): string | undefined {
  const segments = splitToken(provider.mint(accountsPath))
  const spelled = spell(segments[place])
  if (spelled === undefined || spelled === segments[place]) return undefined
  segments[place] = spelled
  const [head, body] = segments
  return place === 2 ? segments.join('.') : signSegments(head, body, provider.key)
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
  const open = sharedTokenProvider()
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
        const provider = await open()

        await assertOnlyValidPasses(provider, respelledOfMany(provider, index, spell))
      })
    }
  }

  for (const [place, index] of Object.entries(places)) {
    for (const blank of ['\n', '\r\n', '\u0000', '\u00a0', '\u2028']) {
      it(`is refused with ${JSON.stringify(blank)} inside, in the ${place}`, async () => {
        const provider = await open()
        const token = respelled(
          provider,
          index,
          (segment) => segment.slice(0, 4) + blank + segment.slice(4),
        )

        assert.equal(await provider.verify(token ?? ''), 'rejected')
        assert.equal(await provider.verify(provider.mint(accountsPath)), 'passes')
      })
    }
  }

  it('is refused in the alphabet with + and /, in the signature', async () => {
    const provider = await open()
    const spell = (segment: string) => segment.replaceAll('-', '+').replaceAll('_', '/')

    await assertOnlyValidPasses(provider, respelledOfMany(provider, 2, spell))
  })

  it('is refused in the alphabet with + and /, in header and payload', async () => {
    const provider = await open()
    // These characters are written with the two that the alphabets do not share.
    const odd = { 'x-odd': '~~~???>>>ÿÿÿ' }
    const header = base64url(JSON.stringify({ alg: 'ES256', kid: 'k1', ...odd }))
    const payload = base64url(
      JSON.stringify({ ...validClaims(accountsPath, provider.now()), 'x-odd': '???~~~>>>ÿÿ' }),
    )
    const other = (segment: string) => segment.replaceAll('-', '+').replaceAll('_', '/')
    assert.notEqual(other(header), header)
    assert.notEqual(other(payload), payload)

    await assertOnlyValidPasses(provider, signSegments(other(header), payload, provider.key))
    await assertOnlyValidPasses(provider, signSegments(header, other(payload), provider.key))
    await assertPasses(provider, signSegments(header, payload, provider.key))
  })

  it('is refused after another writing of the same JSON, under the old signature', async () => {
    const provider = await open()
    const token = provider.mint(accountsPath)
    const [head, body, tail] = splitToken(token)
    const spaced = (segment: 0 | 1) =>
      base64url(JSON.stringify(JSON.parse(decodeSegment(token, segment)), null, 1))

    assertRejected(await provider.ask(`${spaced(0)}.${body}.${tail}`))
    assertRejected(await provider.ask(`${head}.${spaced(1)}.${tail}`))
    await assertPasses(provider, token)
  })
})

describeOnce('the JSON of a token', () => {
  const open = sharedTokenProvider()
  const header = '{"alg":"ES256","kid":"k1"}'
  const payloadOf = (provider: TokenProvider) =>
    JSON.stringify(validClaims(accountsPath, provider.now()))

  it('may have blanks, escapes and members in any order', async () => {
    const provider = await open()
    const claims = Object.entries(validClaims(accountsPath, provider.now())).reverse()
    const payload = JSON.stringify(Object.fromEntries(claims), null, 2)

    await assertPasses(
      provider,
      signTexts(' { "kid":"k\\u0031" , "alg":"ES256" } ', payload, provider.key),
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
      const provider = await open()

      await assertOnlyValidPasses(
        provider,
        signTexts(header, twice(payloadOf(provider)), provider.key),
      )
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
      const provider = await open()

      await assertOnlyValidPasses(provider, signTexts(text, payloadOf(provider), provider.key))
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
      const provider = await open()

      await assertOnlyValidPasses(provider, signTexts(header, text, provider.key))
    })
  }

  it('is refused where it is not UTF-8', async () => {
    const provider = await open()
    const bytes = (text: string) => base64url(Buffer.from(text, 'latin1'))
    const payload = payloadOf(provider)
    const odd = payload.replace('{', '{"x":"\xff",')

    await assertOnlyValidPasses(
      provider,
      signSegments(bytes(header.replace('{', '{"x":"\xc0\xaf",')), bytes(payload), provider.key),
    )
    await assertOnlyValidPasses(provider, signSegments(bytes(header), bytes(odd), provider.key))
  })

  it('is refused where it is longer than a token may be', async () => {
    const provider = await open()

    await assertOnlyValidPasses(provider, provider.mint(accountsPath, { filler: 'x'.repeat(8192) }))
    await assertPasses(provider, provider.mint(accountsPath, { filler: 'x'.repeat(4096) }))
  })
})

describeOnce('the segments of a token', () => {
  const open = sharedTokenProvider()

  for (const [name, spoil] of Object.entries({
    'one of them': (token: string) => splitToken(token)[1],
    'two of them': (token: string) => splitToken(token).slice(0, 2).join('.'),
    'four of them': (token: string) => `${token}.${splitToken(token)[2]}`,
    'an empty fourth': (token: string) => `${token}.`,
    'an empty one before': (token: string) => `.${token}`,
    'five of them, as encrypted tokens have': (token: string) => `${token}.AAAA.AAAA`,
    'only dots': () => '..',
    'a thousand dots': () => '.'.repeat(1000),
    'another separator': (token: string) => token.replaceAll('.', '~'),
    'their order reversed': (token: string) => splitToken(token).reverse().join('.'),
    'quotes around': (token: string) => `"${token}"`,
    'the token twice': (token: string) => `${token},${token}`,
    'the token as a JWS in JSON': (token: string) => {
      const [head, payload, tail] = splitToken(token)
      return JSON.stringify({ protected: head, payload, signature: tail })
    },
  })) {
    it(`are refused with ${name}`, async () => {
      const provider = await open()
      const token = provider.mint(accountsPath)

      await assertOnlyValidPasses(provider, spoil(token))
      await assertPasses(provider, token)
    })
  }

  it('are refused where a token is nested in a token', async () => {
    const provider = await open()
    const inner = provider.mint(accountsPath)

    for (const payload of [inner, JSON.stringify(inner), JSON.stringify({ jwt: inner })]) {
      const header = JSON.stringify({ alg: 'ES256', kid: 'k1', cty: 'JWT' })
      await assertOnlyValidPasses(provider, signTexts(header, payload, provider.key))
    }
    await assertPasses(provider, inner)
  })

  it('are refused where the token is encrypted', async () => {
    const provider = await open()
    const header = base64url('{"alg":"ECDH-ES","enc":"A256GCM","kid":"k1","cty":"JWT"}')
    const part = base64url('x'.repeat(16))

    await assertOnlyValidPasses(provider, `${header}.${part}.${part}.${part}.${part}`)
    await assertOnlyValidPasses(provider, `${header}..${part}.${part}.${part}`)
    await assertOnlyValidPasses(provider, signSegments(header, part, provider.key))
  })
})

describeOnce('a signature', () => {
  const rsa = makeKey('PS256', 'rsa')
  const edwards = makeKey('EdDSA', 'edwards')
  const open = sharedTokenProvider(() => ({ keys: [makeKey('ES256', 'k1'), rsa, edwards] }))

  /** Keeps header and payload, and puts another signature under them. */
  async function assertRefusedUnder(
    tailOf: (signed: string, provider: TokenProvider) => string | Buffer,
  ) {
    const provider = await open()
    for (const key of [provider.key, rsa, edwards]) {
      const [head, body] = splitToken(provider.mint(accountsPath, {}, {}, key))
      const tail = base64url(tailOf(`${head}.${body}`, provider))
      await assertOnlyValidPasses(provider, `${head}.${body}.${tail}`)
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
    const provider = await open()
    const token = provider.mint(accountsPath)

    assertRejected(await provider.ask(token.slice(0, token.lastIndexOf('.') + 1)))
    await assertPasses(provider, token)
  })

  it('swapped with that of another good token is refused', async () => {
    const provider = await open()
    const [one, other] = [provider.mint(accountsPath), provider.mint(accountsPath)]
    const swapped = (head: string, tail: string) =>
      [...splitToken(head).slice(0, 2), splitToken(tail)[2]].join('.')

    assertRejected(await provider.ask(swapped(one, other)))
    assertRejected(await provider.ask(swapped(other, one)))
    await assertPasses(provider, one)
    await assertPasses(provider, other)
  })

  it('of a key that is not in the set is refused', async () => {
    const provider = await open()
    const stranger = makeKey('ES256', 'k1')

    await assertOnlyValidPasses(provider, provider.mint(accountsPath, {}, {}, stranger))
  })

  it('in DER instead of raw is refused for ES256', async () => {
    const provider = await open()
    const [head, body, tail] = splitToken(provider.mint(accountsPath))
    const raw = Buffer.from(tail, 'base64url')
    const number = (bytes: Buffer) => {
      const trimmed = bytes.subarray(bytes.findIndex((byte) => byte !== 0))
      const unsigned =
        (trimmed[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.alloc(1), trimmed]) : trimmed
      return Buffer.concat([Buffer.from([2, unsigned.length]), unsigned])
    }
    const both = Buffer.concat([number(raw.subarray(0, 32)), number(raw.subarray(32))])
    const der = Buffer.concat([Buffer.from([0x30, both.length]), both])

    assertRejected(await provider.ask(`${head}.${body}.${base64url(der)}`))
    await assertPasses(provider, `${head}.${body}.${tail}`)
  })

  it('with more bytes behind it is refused', async () => {
    const provider = await open()
    for (const key of [provider.key, rsa, edwards]) {
      const [head, body] = splitToken(provider.mint(accountsPath, {}, {}, key))
      const good = signature(`${head}.${body}`, key.privateKey, key.alg)
      const longer = Buffer.concat([good, Buffer.alloc(1)])

      assertRejected(await provider.ask(`${head}.${body}.${base64url(longer)}`))
      await assertPasses(provider, `${head}.${body}.${base64url(good)}`)
    }
  })
})
