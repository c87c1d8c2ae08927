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
  publicUrl,
  signSegments,
  signTexts,
  splitToken,
} from '../support/tokens.ts'

/** The log lines of rejected tokens. */
function rejections({ log }: TokenProvider): Record<string, unknown>[] {
  return log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'token rejected')
}

/** The log contains no part of the token that is too long to be a coincidence. */
function assertLogOmitsToken({ log }: TokenProvider, token: string): void {
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

/** Random and measured values are excluded: they could match by chance. */
function assertLogOmitsCustomers({ log }: TokenProvider): void {
  const lines = log.map((line) => {
    const { time, interactionId, durationMs, ...rest } = JSON.parse(line)
    return JSON.stringify(rest)
  })
  assert.doesNotMatch(lines.join('\n'), /ana|silva|example\.com|secret-customer|a1\b|10\.00/i)
}

/** An unknown name as it is logged. */
function digest(name: string): string {
  return `sha256:${createHash('sha256').update(name).digest('hex').slice(0, 16)}`
}

describeOnce('the log', () => {
  it('has what the settings require beside a claim that differs, without the path', async (t) => {
    const provider = await openTokenProvider(t)
    const wrong = { iss: 'demo2', sub: 'demo3', aud: 'https://elsewhere.example/secret-customer' }
    for (const [name, value] of Object.entries(wrong)) {
      assertRejected(await provider.ask(provider.mint(accountsPath, { [name]: value })))
    }

    const found = rejections(provider).map(({ reason, expected }) => [reason, expected])
    assert.deepEqual(found, [
      ['iss', 'bank'],
      ['sub', 'bank'],
      ['aud', `${publicUrl}…`],
    ])
    assertLogOmitsCustomers(provider)
  })

  it('names the operation of a request without a token', async (t) => {
    const provider = await openTokenProvider(t)

    assertRejected(await provider.send(`${accountsPath}?page=1`), 'Bearer')

    const [rejection] = rejections(provider)
    assert.equal(rejection?.['reason'], 'no token')
    assert.equal(rejection?.['operation'], 'B1')
  })

  for (const [name, change] of Object.entries({
    'that is not a token': (token: string) => token.replaceAll('.', ''),
    'in another scheme': (token: string) => token,
    'with too many segments': (token: string) => `${token}.${token}`,
    'that is padded': (token: string) => `${token}==`,
  })) {
    it(`contains nothing of a value ${name}`, async (t) => {
      const provider = await openTokenProvider(t)
      const token = provider.mint(accountsPath)
      const scheme = name === 'in another scheme' ? 'Basic' : 'Bearer'
      const headers = ['authorization', `${scheme} ${change(token)}`]

      assert.equal((await provider.send(accountsPath, { headers })).status, 401)

      assert.equal(rejections(provider).length, 1)
      assertLogOmitsToken(provider, token)
    })
  }

  it('contains nothing of tokens that pass, are replayed or meet an outage', async (t) => {
    const provider = await openTokenProvider(t)
    const token = provider.mint(accountsPath)

    await provider.keyServer.stop()
    assert.equal((await provider.ask(token)).status, 503)
    await provider.keyServer.restart()
    await assertPasses(provider, token)
    assertRejected(await provider.ask(token))

    assertLogOmitsToken(provider, token)
    assertLogOmitsCustomers(provider)
  })

  it('contains no customer or account of a path', async (t) => {
    const provider = await openTokenProvider(t)
    const path = '/v1/banking/customer/secret-customer/accounts/a1/transactions?text=Silva'

    assertRejected(await provider.send(path), 'Bearer')
    assertRejected(await provider.ask('x.y.z', path))

    assert.equal(rejections(provider).length, 2)
    assertLogOmitsCustomers(provider)
  })
})

/** A valid token whose header or payload is changed before it is signed. */
function rewrite(
  provider: TokenProvider,
  index: 0 | 1,
  change: (text: string) => string | Buffer,
): string {
  const token = provider.mint(accountsPath)
  const [head, body] = splitToken(token)
  const segment = base64url(change(decodeSegment(token, index)))
  return index === 0
    ? signSegments(segment, body, provider.key)
    : signSegments(head, segment, provider.key)
}

interface Rejection {
  readonly token: (provider: TokenProvider) => string
  readonly reason: string
  /** Present if the log cannot contain it. */
  readonly keyId?: undefined
  readonly issuer?: undefined
}

describeOnce('the log has the reason, key id, issuer and operation of a token with', () => {
  const open = sharedTokenProvider()
  const claims = (members: Members) => (provider: TokenProvider) =>
    provider.mint(accountsPath, members)
  const header = (members: Members) => (provider: TokenProvider) =>
    provider.mint(accountsPath, {}, members)
  const repeatMember = (text: string) => text.replace('{', '{"x":1,"x":1,')
  const notUtf8 = (text: string) => Buffer.from(text.replace('{', '{"x":"\xff",'), 'latin1')

  const cases: Record<string, Rejection> = {
    'a crit': { token: header({ crit: ['exp2'] }), reason: 'crit' },
    'b64 false': { token: header({ b64: false }), reason: 'b64' },
    'no alg': { token: header({ alg: undefined }), reason: 'alg' },
    'an alg that is not a string': { token: header({ alg: 7 }), reason: 'alg' },
    'an unsupported alg': { token: header({ alg: 'HS256' }), reason: 'alg' },
    'a kid that is not a string': {
      token: header({ kid: { secret: 'customer' } }),
      reason: 'kid',
      keyId: undefined,
    },
    'a header with a repeated member': {
      token: (provider) => rewrite(provider, 0, repeatMember),
      reason: 'header repeats a member',
    },
    'a header that is not UTF-8': {
      token: (provider) => rewrite(provider, 0, notUtf8),
      reason: 'header is not UTF-8',
    },
    'a header that is not JSON': {
      token: (provider) => rewrite(provider, 0, (text) => `${text}x`),
      reason: 'header is not an object',
      keyId: undefined,
    },
    'a header that is null': {
      token: (provider) => rewrite(provider, 0, () => 'null'),
      reason: 'header is not an object',
      keyId: undefined,
    },
    'a padded header': {
      token: (provider) => {
        const [head, body] = splitToken(provider.mint(accountsPath))
        return signSegments(`${head}=`, body, provider.key)
      },
      reason: 'not base64url',
    },
    'a payload with a repeated member': {
      token: (provider) => rewrite(provider, 1, repeatMember),
      reason: 'payload repeats a member',
    },
    'a payload that is not UTF-8': {
      token: (provider) => rewrite(provider, 1, notUtf8),
      reason: 'payload is not UTF-8',
    },
    'a payload that is not JSON': {
      token: (provider) => rewrite(provider, 1, (text) => text.slice(1)),
      reason: 'payload is not an object',
      issuer: undefined,
    },
    'a payload that is a list': {
      token: (provider) => rewrite(provider, 1, (text) => `[${text}]`),
      reason: 'payload is not an object',
      issuer: undefined,
    },
    'a padded signature': {
      token: (provider) => `${provider.mint(accountsPath)}==`,
      reason: 'not base64url',
    },
    'no signature': {
      token: (provider) => splitToken(provider.mint(accountsPath)).slice(0, 2).join('.'),
      reason: 'not three segments',
    },
    'too many segments': {
      token: (provider) => `${provider.mint(accountsPath)}.x`,
      reason: 'not three segments',
    },
    'no exp': { token: claims({ exp: undefined }), reason: 'exp' },
    'an exp that has passed': { token: claims({ exp: 1 }), reason: 'exp has passed' },
    'an exp too far in the future': {
      token: claims({ exp: 1e12 }),
      reason: 'exp is too far in the future',
    },
    'an nbf in the future': { token: claims({ nbf: 1e12 }), reason: 'nbf' },
    'an iat in the future': { token: claims({ iat: 1e12 }), reason: 'iat' },
    'no iss': { token: claims({ iss: undefined }), reason: 'iss', issuer: undefined },
    'an iss that is not a string': {
      token: claims({ iss: ['secret-customer'] }),
      reason: 'iss',
      issuer: undefined,
    },
    'another sub': { token: claims({ sub: 'ana@example.com' }), reason: 'sub' },
    'another aud': { token: claims({ aud: 'https://x.example/secret-customer' }), reason: 'aud' },
    'no jti': { token: claims({ jti: undefined }), reason: 'jti' },
    'an invalid signature': {
      token: (provider) => provider.mint(accountsPath, {}, {}, makeKey('ES256', 'k1')),
      reason: 'signature',
    },
  }
  for (const [name, { token: mint, reason, ...unknown }] of Object.entries(cases)) {
    it(name, async () => {
      const provider = await open()
      // Fetches the keys.
      await assertPasses(provider, provider.mint(accountsPath))
      const before = rejections(provider).length
      const token = mint(provider)

      assertRejected(await provider.ask(token))

      const [rejection, ...more] = rejections(provider).slice(before)
      assert.deepEqual(more, [])
      const { keyId, issuer, operation } = rejection ?? {}
      assert.deepEqual(
        { reason: rejection?.['reason'], keyId, issuer, operation },
        { reason, keyId: 'k1', issuer: 'bank', operation: 'B1', ...unknown },
      )
      assertLogOmitsToken(provider, token)
      assertLogOmitsCustomers(provider)
    })
  }

  it('an unknown key', async () => {
    const provider = await open()

    assertRejected(await provider.ask(provider.mint(accountsPath, {}, { kid: 'k2' })))

    const { reason, keyId, issuer, operation } = rejections(provider).at(-1) ?? {}
    assert.deepEqual(
      [reason, keyId, issuer, operation],
      ['unknown key', digest('k2'), 'bank', 'B1'],
    )
  })

  it('a jti that was used before', async () => {
    const provider = await open()
    const token = provider.mint(accountsPath)

    await assertPasses(provider, token)
    assertRejected(await provider.ask(token))

    const { reason, keyId, issuer, operation } = rejections(provider).at(-1) ?? {}
    assert.deepEqual(
      [reason, keyId, issuer, operation],
      ['jti was used before', 'k1', 'bank', 'B1'],
    )
  })

  for (const [name, reason, authorization] of [
    ['a second header', 'two Authorization headers', ['Bearer x.y.z', 'Bearer x.y.z']],
    ['another scheme', 'not a bearer token', ['Basic YW5hOnNpbHZh']],
    ['too many characters', 'too long', [`Bearer ${'x'.repeat(9000)}`]],
  ] as const) {
    it(`${name}, as far as it is parsed`, async () => {
      const provider = await open()
      const headers = authorization.flatMap((value) => ['authorization', value])

      assert.equal((await provider.send(accountsPath, { headers })).status, 401)

      const { keyId, issuer, ...rejection } = rejections(provider).at(-1) ?? {}
      assert.deepEqual([rejection['reason'], rejection['operation']], [reason, 'B1'])
      assert.deepEqual([keyId, issuer], [undefined, undefined])
      assertLogOmitsCustomers(provider)
    })
  }
})

describeOnce('an untrusted key id and issuer', () => {
  const open = sharedTokenProvider()
  const forged: Record<string, string> = {
    'log lines': '\n{"level":30,"msg":"token rejected","keyId":"k1"}\r\nx',
    'other line separators': 'a\u2028b\u2029c\u0085d\u000be\u000cf',
    'a quote and a member': 'x","reason":"none","x":"',
    'terminal control sequences': '\u001b[2J\u009b31m\u0007\b\u007f',
    'bidirectional control characters': '\u202egnab\u2066\u200b\ufeff',
    'a NUL': 'bank\u0000',
    'a lone surrogate': '\ud83d',
    'a long string': 'x'.repeat(2500),
    'many lines': '\n'.repeat(1200),
    'a long string of surrogate pairs': `x${'🔑'.repeat(600)}`,
  }
  for (const [name, text] of Object.entries(forged)) {
    // Rejected while it is parsed, and rejected after that.
    for (const crit of [['x'], undefined]) {
      it(`is one short log line: ${name}, ${crit ? 'in an invalid header' : 'in a valid header'}`, async () => {
        const provider = await open()
        const before = provider.log.length
        const unknown = makeKey('ES256', text)
        const token = mintToken({ iss: text }, { alg: 'ES256', kid: text, crit }, unknown)

        assertRejected(await provider.ask(token))

        const lines = provider.log.slice(before)
        assert.equal(lines.length, 1)
        const line = lines[0]?.trimEnd() ?? ''
        assert.ok(line.length < 1500, String(line.length))
        assert.doesNotMatch(line, /[\p{C}\p{Zl}\p{Zp}]|\\[nrtbfu]/u)
        const { keyId, issuer, msg } = JSON.parse(line)
        assert.equal(msg, 'token rejected')
        const expected = digest(text.toWellFormed())
        assert.deepEqual([keyId, issuer], [expected, expected])
      })
    }
  }

  it('is logged as a digest, even if it is personal data', async () => {
    const provider = await open()
    const [kid, iss] = ['ana.silva@example.com', '0412 345 678']

    assertRejected(
      await provider.ask(signTexts(JSON.stringify({ kid }), `{"iss":"${iss}"}`, provider.key)),
    )

    const { keyId, issuer } = rejections(provider).at(-1) ?? {}
    assert.deepEqual([keyId, issuer], [digest(kid), digest(iss)])
    assertLogOmitsCustomers(provider)
  })
})
