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

const segmentIndexes = { header: 0, payload: 1, signature: 2 } as const

/** A token with one segment encoded differently. A changed header or payload is signed as it is. */
function reencode(
  provider: TokenProvider,
  index: 0 | 1 | 2,
  encode: (segment: string) => string | undefined,
): string | undefined {
  const segments = splitToken(provider.mint(accountsPath))
  const encoded = encode(segments[index])
  if (encoded === undefined || encoded === segments[index]) return undefined
  segments[index] = encoded
  const [head, body] = segments
  return index === 2 ? segments.join('.') : signSegments(head, body, provider.key)
}

/** Retries, since not every token can be changed in every way. */
function reencodeAny(...args: Parameters<typeof reencode>): string {
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    const token = reencode(...args)
    if (token !== undefined) return token
  }
  return assert.fail('no token could be encoded that way')
}

describeOnce('base64url', () => {
  const open = sharedTokenProvider()
  const encodings: Record<string, (segment: string) => string | undefined> = {
    'truncated by a character': (segment) => segment.slice(0, -1),
    'truncated to nothing': () => '',
    padded: (segment) => segment + '='.repeat(4 - (segment.length % 4)),
    'padded by one': (segment) => `${segment}=`,
    'padded in the middle': (segment) => `${segment.slice(0, 8)}=${segment.slice(8)}`,
    'with a space inside': (segment) => `${segment.slice(0, 4)} ${segment.slice(4)}`,
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
  for (const [segment, index] of Object.entries(segmentIndexes)) {
    for (const [name, encode] of Object.entries(encodings)) {
      it(`is rejected ${name}, in the ${segment}`, async () => {
        const provider = await open()

        await assertOnlyValidPasses(provider, reencodeAny(provider, index, encode))
      })
    }
  }

  for (const [name, index] of Object.entries(segmentIndexes)) {
    for (const separator of ['\n', '\r\n', '\u0000', '\u00a0', '\u2028']) {
      it(`is rejected with ${JSON.stringify(separator)} inside, in the ${name}`, async () => {
        const provider = await open()
        const token = reencode(
          provider,
          index,
          (segment) => segment.slice(0, 4) + separator + segment.slice(4),
        )

        assert.equal(await provider.verify(token ?? ''), 'rejected')
        assert.equal(await provider.verify(provider.mint(accountsPath)), 'passes')
      })
    }
  }

  it('is rejected in the alphabet with + and /, in the signature', async () => {
    const provider = await open()
    const encode = (segment: string) => segment.replaceAll('-', '+').replaceAll('_', '/')

    await assertOnlyValidPasses(provider, reencodeAny(provider, 2, encode))
  })

  it('is rejected in the alphabet with + and /, in header and payload', async () => {
    const provider = await open()
    // These characters are encoded with the two that differ between the alphabets.
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

  it('is rejected if the same JSON is formatted differently under the old signature', async () => {
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
  const validPayload = (provider: TokenProvider) =>
    JSON.stringify(validClaims(accountsPath, provider.now()))

  it('may have whitespace, escapes and members in any order', async () => {
    const provider = await open()
    const claims = Object.entries(validClaims(accountsPath, provider.now())).reverse()
    const payload = JSON.stringify(Object.fromEntries(claims), null, 2)

    await assertPasses(
      provider,
      signTexts(' { "kid":"k\\u0031" , "alg":"ES256" } ', payload, provider.key),
    )
  })

  for (const [name, twice] of Object.entries({
    aud: (valid: string) => valid.replace('{', '{"aud":"https://bank.example/",'),
    'aud, the wrong one last': (valid: string) =>
      valid.replace(/}$/, ',"aud":"https://x.example"}'),
    'the same aud': (valid: string) => valid.replace('{', `{"aud":"${publicUrl}${accountsPath}",`),
    'an escaped aud': (valid: string) => valid.replace('{', '{"\\u0061ud":"x",'),
    exp: (valid: string) => valid.replace('{', '{"exp":9999999999,'),
    jti: (valid: string) => valid.replace('{', '{"jti":"fresh",'),
    'an unknown claim': (valid: string) => valid.replace('{', '{"x":1,"x":1,'),
    'a member of a nested claim': (valid: string) => valid.replace('{', '{"x":{"y":1,"y":2},'),
    'a member of an object in a list': (valid: string) =>
      valid.replace('{', '{"x":[{"y":1,"y":1}],'),
    __proto__: (valid: string) => valid.replace('{', '{"__proto__":1,"__proto__":2,'),
  })) {
    it(`is rejected if the payload repeats ${name}`, async () => {
      const provider = await open()

      await assertOnlyValidPasses(
        provider,
        signTexts(header, twice(validPayload(provider)), provider.key),
      )
    })
  }

  for (const [name, text] of Object.entries({
    'alg twice': '{"alg":"none","kid":"k1","alg":"ES256"}',
    'alg twice, one escaped': '{"alg":"ES256","kid":"k1","\\u0061lg":"ES256"}',
    'kid twice': '{"alg":"ES256","kid":"k2","kid":"k1"}',
    'a list': '["ES256"]',
    'a string': '"ES256"',
    null: 'null',
    'not JSON': '{alg:"ES256"}',
    nothing: ' ',
    'a trailing comma': '{"alg":"ES256","kid":"k1",}',
    'trailing text': '{"alg":"ES256","kid":"k1"}x',
    'two objects': '{"alg":"ES256","kid":"k1"}{}',
    'a comment': '{"alg":"ES256",/* */"kid":"k1"}',
    'a byte order mark': '\ufeff{"alg":"ES256","kid":"k1"}',
  })) {
    it(`is rejected if the header has or is ${name}`, async () => {
      const provider = await open()

      await assertOnlyValidPasses(provider, signTexts(text, validPayload(provider), provider.key))
    })
  }

  for (const [name, text] of Object.entries({
    'a list': '[1]',
    'a string': '"text"',
    'a number': '1',
    null: 'null',
    'not JSON': 'x',
    'nested too deeply to parse': '['.repeat(3000),
    'an empty object': '{}',
  })) {
    it(`is rejected if the payload is ${name}`, async () => {
      const provider = await open()

      await assertOnlyValidPasses(provider, signTexts(header, text, provider.key))
    })
  }

  it('is rejected if it is not UTF-8', async () => {
    const provider = await open()
    const bytes = (text: string) => base64url(Buffer.from(text, 'latin1'))
    const payload = validPayload(provider)
    const odd = payload.replace('{', '{"x":"\xff",')

    await assertOnlyValidPasses(
      provider,
      signSegments(bytes(header.replace('{', '{"x":"\xc0\xaf",')), bytes(payload), provider.key),
    )
    await assertOnlyValidPasses(provider, signSegments(bytes(header), bytes(odd), provider.key))
  })

  it('is rejected if it makes the token too long', async () => {
    const provider = await open()

    await assertOnlyValidPasses(provider, provider.mint(accountsPath, { filler: 'x'.repeat(8192) }))
    await assertPasses(provider, provider.mint(accountsPath, { filler: 'x'.repeat(4096) }))
  })
})

describeOnce('the segments of a token', () => {
  const open = sharedTokenProvider()

  for (const [name, change] of Object.entries({
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
    it(`are rejected with ${name}`, async () => {
      const provider = await open()
      const token = provider.mint(accountsPath)

      await assertOnlyValidPasses(provider, change(token))
      await assertPasses(provider, token)
    })
  }

  it('are rejected if a token is nested in a token', async () => {
    const provider = await open()
    const inner = provider.mint(accountsPath)

    for (const payload of [inner, JSON.stringify(inner), JSON.stringify({ jwt: inner })]) {
      const header = JSON.stringify({ alg: 'ES256', kid: 'k1', cty: 'JWT' })
      await assertOnlyValidPasses(provider, signTexts(header, payload, provider.key))
    }
    await assertPasses(provider, inner)
  })

  it('are rejected if the token is encrypted', async () => {
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

  /** Keeps the header and payload, and replaces the signature. */
  async function assertRejectedWith(
    makeSignature: (signed: string, provider: TokenProvider) => string | Buffer,
  ) {
    const provider = await open()
    for (const key of [provider.key, rsa, edwards]) {
      const [head, body] = splitToken(provider.mint(accountsPath, {}, {}, key))
      const tail = base64url(makeSignature(`${head}.${body}`, provider))
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
    it(`${name}, all zero, is rejected`, () => assertRejectedWith(() => Buffer.alloc(bytes)))

    it(`${name}, all ones, is rejected`, () => assertRejectedWith(() => Buffer.alloc(bytes, 0xff)))
  }

  it('that is empty after its dot is rejected', async () => {
    const provider = await open()
    const token = provider.mint(accountsPath)

    assertRejected(await provider.ask(token.slice(0, token.lastIndexOf('.') + 1)))
    await assertPasses(provider, token)
  })

  it('of another valid token is rejected', async () => {
    const provider = await open()
    const [one, other] = [provider.mint(accountsPath), provider.mint(accountsPath)]
    const swapped = (head: string, tail: string) =>
      [...splitToken(head).slice(0, 2), splitToken(tail)[2]].join('.')

    assertRejected(await provider.ask(swapped(one, other)))
    assertRejected(await provider.ask(swapped(other, one)))
    await assertPasses(provider, one)
    await assertPasses(provider, other)
  })

  it('of a key that is not in the set is rejected', async () => {
    const provider = await open()
    const unknown = makeKey('ES256', 'k1')

    await assertOnlyValidPasses(provider, provider.mint(accountsPath, {}, {}, unknown))
  })

  it('in DER instead of raw is rejected for ES256', async () => {
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

  it('with trailing bytes is rejected', async () => {
    const provider = await open()
    for (const key of [provider.key, rsa, edwards]) {
      const [head, body] = splitToken(provider.mint(accountsPath, {}, {}, key))
      const valid = signature(`${head}.${body}`, key.privateKey, key.alg)
      const longer = Buffer.concat([valid, Buffer.alloc(1)])

      assertRejected(await provider.ask(`${head}.${body}.${base64url(longer)}`))
      await assertPasses(provider, `${head}.${body}.${base64url(valid)}`)
    }
  })
})
