import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { accountsPath } from '../support/small-bank.ts'
import {
  assertPasses,
  assertRejected,
  openTokenProvider,
  sharedTokenProvider,
  type TokenProvider,
} from '../support/token-provider.ts'
import {
  base64url,
  decodeSegment,
  type Members,
  makeKey,
  mintToken,
  signSegments,
  signTexts,
  splitToken,
} from '../support/tokens.ts'

/** What was logged of refusals, as objects. */
function refusals({ log }: TokenProvider): Record<string, unknown>[] {
  return log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'token rejected')
}

/** No piece of a token that is longer than chance. */
function assertHoldsNothingOf({ log }: TokenProvider, token: string): void {
  const text = log.join('\n')
  for (const segment of splitToken(token)) {
    for (let at = 0; at + 12 <= segment.length; at += 1) {
      assert.ok(
        !text.includes(segment.slice(at, at + 12)),
        `${segment.slice(at, at + 12)}: ${text}`,
      )
    }
  }
}

/** What is random or a measure could look like anything. */
function assertHoldsNobody({ log }: TokenProvider): void {
  const told = log.map((line) => {
    const { time, interactionId, durationMs, ...rest } = JSON.parse(line)
    return JSON.stringify(rest)
  })
  assert.doesNotMatch(told.join('\n'), /ana|silva|example\.com|secret-customer|a1\b|10\.00/i)
}

/** How a name is written that nobody knows. */
function digestOf(name: string): string {
  return `sha256:${createHash('sha256').update(name).digest('hex').slice(0, 16)}`
}

describeOnce('the log', () => {
  it('says that no token was sent, and where', async (t) => {
    const provider = await openTokenProvider(t)

    assertRejected(await provider.send(`${accountsPath}?page=1`), 'Bearer')

    const [refusal] = refusals(provider)
    assert.equal(refusal?.['reason'], 'no token')
    assert.equal(refusal?.['operation'], 'B1')
  })

  for (const [name, spoil] of Object.entries({
    'that is no token': (token: string) => token.replaceAll('.', ''),
    'in another scheme': (token: string) => token,
    'with a segment too many': (token: string) => `${token}.${token}`,
    'that is padded': (token: string) => `${token}==`,
  })) {
    it(`holds nothing of a text ${name}`, async (t) => {
      const provider = await openTokenProvider(t)
      const token = provider.mint(accountsPath)
      const scheme = name === 'in another scheme' ? 'Basic' : 'Bearer'
      const headers = ['authorization', `${scheme} ${spoil(token)}`]

      assert.equal((await provider.send(accountsPath, { headers })).status, 401)

      assert.equal(refusals(provider).length, 1)
      assertHoldsNothingOf(provider, token)
    })
  }

  it('holds nothing of tokens that pass, are used again, or meet an outage', async (t) => {
    const provider = await openTokenProvider(t)
    const token = provider.mint(accountsPath)

    await provider.keyServer.stop()
    assert.equal((await provider.ask(token)).status, 503)
    await provider.keyServer.restart()
    await assertPasses(provider, token)
    assertRejected(await provider.ask(token))

    assertHoldsNothingOf(provider, token)
    assertHoldsNobody(provider)
  })

  it('holds no customer and no account of a path', async (t) => {
    const provider = await openTokenProvider(t)
    const path = '/v1/banking/customer/secret-customer/accounts/a1/transactions?text=Silva'

    assertRejected(await provider.send(path), 'Bearer')
    assertRejected(await provider.ask('x.y.z', path))

    assert.equal(refusals(provider).length, 2)
    assertHoldsNobody(provider)
  })
})

/** A good token whose header or payload is written in another way, and signed so. */
function rewritten(
  provider: TokenProvider,
  place: 0 | 1,
  write: (text: string) => string | Buffer,
): string {
  const token = provider.mint(accountsPath)
  const [head, body] = splitToken(token)
  const segment = base64url(write(decodeSegment(token, place)))
  return place === 0
    ? signSegments(segment, body, provider.key)
    : signSegments(head, segment, provider.key)
}

interface Refusal {
  readonly token: (provider: TokenProvider) => string
  readonly reason: string
  /** What cannot be read of a token is not in the log; the rest of it is. */
  readonly keyId?: undefined
  readonly issuer?: undefined
}

describeOnce('the log has reason, key id, issuer and operation of a token with', () => {
  const open = sharedTokenProvider()
  const claims = (members: Members) => (provider: TokenProvider) =>
    provider.mint(accountsPath, members)
  const header = (members: Members) => (provider: TokenProvider) =>
    provider.mint(accountsPath, {}, members)
  const twice = (text: string) => text.replace('{', '{"x":1,"x":1,')
  const notUtf8 = (text: string) => Buffer.from(text.replace('{', '{"x":"\xff",'), 'latin1')

  const kinds: Record<string, Refusal> = {
    'a crit': { token: header({ crit: ['exp2'] }), reason: 'crit' },
    'b64 false': { token: header({ b64: false }), reason: 'b64' },
    'no alg': { token: header({ alg: undefined }), reason: 'alg' },
    'an alg that is no text': { token: header({ alg: 7 }), reason: 'alg' },
    'an alg that is not taken': { token: header({ alg: 'HS256' }), reason: 'alg' },
    'a kid that is no text': {
      token: header({ kid: { secret: 'customer' } }),
      reason: 'kid',
      keyId: undefined,
    },
    'a header with something twice': {
      token: (provider) => rewritten(provider, 0, twice),
      reason: 'header repeats a member',
    },
    'a header that is not UTF-8': {
      token: (provider) => rewritten(provider, 0, notUtf8),
      reason: 'header is not UTF-8',
    },
    'a header that is no JSON': {
      token: (provider) => rewritten(provider, 0, (text) => `${text}x`),
      reason: 'header is not an object',
      keyId: undefined,
    },
    'a header that is null': {
      token: (provider) => rewritten(provider, 0, () => 'null'),
      reason: 'header is not an object',
      keyId: undefined,
    },
    'a header that is padded': {
      token: (provider) => {
        const [head, body] = splitToken(provider.mint(accountsPath))
        return signSegments(`${head}=`, body, provider.key)
      },
      reason: 'not base64url',
    },
    'a payload with something twice': {
      token: (provider) => rewritten(provider, 1, twice),
      reason: 'payload repeats a member',
    },
    'a payload that is not UTF-8': {
      token: (provider) => rewritten(provider, 1, notUtf8),
      reason: 'payload is not UTF-8',
    },
    'a payload that is no JSON': {
      token: (provider) => rewritten(provider, 1, (text) => text.slice(1)),
      reason: 'payload is not an object',
      issuer: undefined,
    },
    'a payload that is a list': {
      token: (provider) => rewritten(provider, 1, (text) => `[${text}]`),
      reason: 'payload is not an object',
      issuer: undefined,
    },
    'a signature that is padded': {
      token: (provider) => `${provider.mint(accountsPath)}==`,
      reason: 'not base64url',
    },
    'no signature': {
      token: (provider) => splitToken(provider.mint(accountsPath)).slice(0, 2).join('.'),
      reason: 'not three segments',
    },
    'a segment too many': {
      token: (provider) => `${provider.mint(accountsPath)}.x`,
      reason: 'not three segments',
    },
    'no exp': { token: claims({ exp: undefined }), reason: 'exp' },
    'an exp that has passed': { token: claims({ exp: 1 }), reason: 'exp has passed' },
    'an exp too far away': { token: claims({ exp: 1e12 }), reason: 'exp is too far in the future' },
    'an nbf to come': { token: claims({ nbf: 1e12 }), reason: 'nbf' },
    'an iat to come': { token: claims({ iat: 1e12 }), reason: 'iat' },
    'no iss': { token: claims({ iss: undefined }), reason: 'iss', issuer: undefined },
    'an iss that is no text': {
      token: claims({ iss: ['secret-customer'] }),
      reason: 'iss',
      issuer: undefined,
    },
    'another sub': { token: claims({ sub: 'ana@example.com' }), reason: 'sub' },
    'another aud': { token: claims({ aud: 'https://x.example/secret-customer' }), reason: 'aud' },
    'no jti': { token: claims({ jti: undefined }), reason: 'jti' },
    'a bad signature': {
      token: (provider) => provider.mint(accountsPath, {}, {}, makeKey('ES256', 'k1')),
      reason: 'signature',
    },
  }
  for (const [name, { token: tokenOf, reason, ...unread }] of Object.entries(kinds)) {
    it(name, async () => {
      const provider = await open()
      // The keys are known from now on.
      await assertPasses(provider, provider.mint(accountsPath))
      const before = refusals(provider).length
      const token = tokenOf(provider)

      assertRejected(await provider.ask(token))

      const [refusal, ...more] = refusals(provider).slice(before)
      assert.deepEqual(more, [])
      const { keyId, issuer, operation } = refusal ?? {}
      assert.deepEqual(
        { reason: refusal?.['reason'], keyId, issuer, operation },
        { reason, keyId: 'k1', issuer: 'bank', operation: 'B1', ...unread },
      )
      assertHoldsNothingOf(provider, token)
      assertHoldsNobody(provider)
    })
  }

  it('a key that is not known', async () => {
    const provider = await open()

    assertRejected(await provider.ask(provider.mint(accountsPath, {}, { kid: 'k2' })))

    const { reason, keyId, issuer, operation } = refusals(provider).at(-1) ?? {}
    assert.deepEqual(
      [reason, keyId, issuer, operation],
      ['unknown key', digestOf('k2'), 'bank', 'B1'],
    )
  })

  it('an id that was used before', async () => {
    const provider = await open()
    const token = provider.mint(accountsPath)

    await assertPasses(provider, token)
    assertRejected(await provider.ask(token))

    const { reason, keyId, issuer, operation } = refusals(provider).at(-1) ?? {}
    assert.deepEqual(
      [reason, keyId, issuer, operation],
      ['jti was used before', 'k1', 'bank', 'B1'],
    )
  })

  for (const [name, reason, authorization] of [
    ['another beside it', 'two Authorization headers', ['Bearer x.y.z', 'Bearer x.y.z']],
    ['another scheme', 'not a bearer token', ['Basic YW5hOnNpbHZh']],
    ['more than is looked at', 'too long', [`Bearer ${'x'.repeat(9000)}`]],
  ] as const) {
    it(`${name}, as far as it is read at all`, async () => {
      const provider = await open()
      const headers = authorization.flatMap((value) => ['authorization', value])

      assert.equal((await provider.send(accountsPath, { headers })).status, 401)

      const { keyId, issuer, ...refusal } = refusals(provider).at(-1) ?? {}
      assert.deepEqual([refusal['reason'], refusal['operation']], [reason, 'B1'])
      assert.deepEqual([keyId, issuer], [undefined, undefined])
      assertHoldsNobody(provider)
    })
  }
})

describeOnce('a stranger who writes what he likes as key id and issuer', () => {
  const open = sharedTokenProvider()
  const forged: Record<string, string> = {
    'lines of his own': '\n{"level":30,"msg":"token rejected","keyId":"k1"}\r\nx',
    'the other ends of a line': 'a\u2028b\u2029c\u0085d\u000be\u000cf',
    'a quote and a member': 'x","reason":"none","x":"',
    'orders to a terminal': '\u001b[2J\u009b31m\u0007\b\u007f',
    'letters that turn the text around': '\u202egnab\u2066\u200b\ufeff',
    'a NUL': 'bank\u0000',
    'half of a character': '\ud83d',
    'a long text': 'x'.repeat(2500),
    'a long text of lines': '\n'.repeat(1200),
    'a long text cut in the middle of a character': `x${'🔑'.repeat(600)}`,
  }
  for (const [name, text] of Object.entries(forged)) {
    // Once it is refused as it is taken apart, and once when it was.
    for (const crit of [['x'], undefined]) {
      it(`gets one short line: ${name}, ${crit ? 'in a broken token' : 'in a whole one'}`, async () => {
        const provider = await open()
        const before = provider.log.length
        const stranger = makeKey('ES256', text)
        const token = mintToken({ iss: text }, { alg: 'ES256', kid: text, crit }, stranger)

        assertRejected(await provider.ask(token))

        const lines = provider.log.slice(before)
        assert.equal(lines.length, 1)
        const line = lines[0]?.trimEnd() ?? ''
        assert.ok(line.length < 1500, String(line.length))
        assert.doesNotMatch(line, /[\p{C}\p{Zl}\p{Zp}]|\\[nrtbfu]/u)
        const { keyId, issuer, msg } = JSON.parse(line)
        assert.equal(msg, 'token rejected')
        const written = text.toWellFormed()
        assert.deepEqual([keyId, issuer], [digestOf(written), digestOf(written)])
      })
    }
  }

  it('is known by a digest, also where what he writes is somebody’s e-mail address', async () => {
    const provider = await open()
    const [kid, iss] = ['ana.silva@example.com', '0412 345 678']

    assertRejected(
      await provider.ask(signTexts(JSON.stringify({ kid }), `{"iss":"${iss}"}`, provider.key)),
    )

    const { keyId, issuer } = refusals(provider).at(-1) ?? {}
    assert.deepEqual([keyId, issuer], [digestOf(kid), digestOf(iss)])
    assertHoldsNobody(provider)
  })
})
