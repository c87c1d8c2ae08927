import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe, describeOnce } from '../support/engines.ts'
import { accountsPath } from '../support/small-bank.ts'
import {
  assertOnlyValidPasses,
  assertPasses,
  assertRejected,
  openTokenProvider,
  sharedTokenProvider,
} from '../support/token-provider.ts'
import {
  type Members,
  publicUrl,
  resourceUrl,
  signTexts,
  subdomain,
  validClaims,
} from '../support/tokens.ts'

const day = 24 * 60 * 60
const tolerance = 30

const huge = 'x'.repeat(5000)

describeOnce('a claim', () => {
  const open = sharedTokenProvider()

  for (const name of ['iss', 'sub', 'aud', 'exp', 'jti']) {
    for (const [how, value] of Object.entries({
      missing: undefined,
      null: null,
      true: true,
      false: false,
      'an empty string': '',
      'an empty list': [],
      'an empty object': {},
      'another string': 'other',
      'a huge string': huge,
      'a list of lists': [[]],
      'a list with null': [null],
      zero: 0,
      negative: -1,
    })) {
      // A valid jti.
      if (name === 'jti' && value === 'other') continue
      it(`is rejected if ${name} is ${how}`, async () => {
        const provider = await open()

        await assertOnlyValidPasses(provider, provider.mint(accountsPath, { [name]: value }))
      })
    }
  }

  for (const name of ['iss', 'sub']) {
    for (const [how, value] of Object.entries({
      'in another case': subdomain.toUpperCase(),
      'with a trailing space': `${subdomain} `,
      'with a trailing dot': `${subdomain}.`,
      'as a URL': `https://${subdomain}`,
      'as a list of one': [subdomain],
      'with a trailing NUL': `${subdomain}\u0000`,
      'in homoglyphs': 'bаnk',
      'wrong, and the other right': 'other',
    })) {
      it(`is rejected if ${name} is the subdomain ${how}`, async () => {
        const provider = await open()

        await assertOnlyValidPasses(provider, provider.mint(accountsPath, { [name]: value }))
      })
    }
  }

  it('is rejected if iss and sub are both of another provider', async () => {
    const provider = await open()

    await assertOnlyValidPasses(
      provider,
      provider.mint(accountsPath, { iss: 'other', sub: 'other' }),
    )
  })

  it('that is unknown is ignored', async () => {
    const provider = await open()

    await assertPasses(provider, provider.mint(accountsPath, { scope: 'x', __proto: { exp: 1 } }))
  })
})

describeOnce('a time', () => {
  const open = sharedTokenProvider()

  /** Offsets from now, in seconds. */
  const rejected: Record<string, Members> = {
    'exp a second beyond the tolerance': { exp: -tolerance - 1 },
    'exp exactly at the limit of the tolerance': { exp: -tolerance },
    'exp a day ago': { exp: -day },
    'exp a second after a day and the tolerance': { exp: day + tolerance + 1 },
    'exp in a year': { exp: 365 * day },
    'exp in milliseconds': { exp: 1_751_328_000_000 },
    'nbf a second after the tolerance': { nbf: tolerance + 1 },
    'nbf in a day': { nbf: day },
    'iat a second after the tolerance': { iat: tolerance + 1 },
    'iat in a day': { iat: day },
  }
  const accepted: Record<string, Members> = {
    'exp a second within the tolerance': { exp: -tolerance + 1 },
    'exp now': { exp: 0 },
    'exp with a fraction': { exp: 10.5 },
    'exp in a day': { exp: day },
    'exp in a day and the tolerance': { exp: day + tolerance },
    'nbf at the limit of the tolerance': { nbf: tolerance },
    'nbf now': { nbf: 0 },
    'nbf a year ago': { nbf: -365 * day },
    'iat at the limit of the tolerance': { iat: tolerance },
    'iat a year ago': { iat: -365 * day },
  }
  const fromNow = (offsets: Members, now: number): Members =>
    Object.fromEntries(
      Object.entries(offsets).map(([name, offset]) => [name, now + Number(offset)]),
    )

  for (const [name, offsets] of Object.entries(rejected)) {
    it(`is rejected with ${name}`, async () => {
      const provider = await open()

      await assertOnlyValidPasses(
        provider,
        provider.mint(accountsPath, fromNow(offsets, provider.now())),
      )
    })
  }

  for (const [name, offsets] of Object.entries(accepted)) {
    it(`is accepted with ${name}`, async () => {
      const provider = await open()

      await assertPasses(provider, provider.mint(accountsPath, fromNow(offsets, provider.now())))
    })
  }

  it('is optional for nbf and iat', async () => {
    const provider = await open()

    await assertPasses(provider, provider.mint(accountsPath, { nbf: undefined, iat: undefined }))
  })

  for (const name of ['exp', 'nbf', 'iat']) {
    for (const value of [null, '1751328000', '', true, [1_751_328_000], {}, '2025-07-01']) {
      it(`is rejected if ${name} is ${JSON.stringify(value)}`, async () => {
        const provider = await open()

        await assertOnlyValidPasses(provider, provider.mint(accountsPath, { [name]: value }))
      })
    }

    for (const value of ['1e400', '1e308', '99999999999999999999', '"Infinity"', '"NaN"']) {
      it(`is rejected if ${name} is ${value}`, async () => {
        const provider = await open()
        const { [name]: _, ...rest } = validClaims(accountsPath, provider.now())
        const payload = JSON.stringify(rest).replace('{', `{"${name}":${value},`)

        await assertOnlyValidPasses(
          provider,
          signTexts('{"alg":"ES256","kid":"k1"}', payload, provider.key),
        )
      })
    }
  }

  for (const value of ['-0', '-0.0', '1e-400', '-1e-400', '0', '-1', '0.5']) {
    it(`is in the past if it is ${value}`, async () => {
      const provider = await open()
      const { exp: _, ...rest } = validClaims(accountsPath, provider.now())
      const payload = JSON.stringify({ ...rest, iat: undefined })
      const minted = (times: string) =>
        signTexts('{"alg":"ES256","kid":"k1"}', payload.replace('{', `{${times},`), provider.key)

      await assertOnlyValidPasses(provider, minted(`"exp":${value}`))
      await assertPasses(
        provider,
        minted(`"nbf":${value},"iat":${value},"exp":${provider.now() + 60}`),
      )
    })
  }

  for (const fraction of [0.001, 0.25, 0.5, 0.999]) {
    it(`with a fraction of ${fraction} is valid until that and the tolerance have passed`, async (t) => {
      const provider = await openTokenProvider(t)
      const exp = provider.now() + 60 + fraction
      const [last, over] = [0, 1].map(() => provider.mint(accountsPath, { exp })) as [
        string,
        string,
      ]

      provider.setClock(exp + tolerance - 0.001)
      await assertPasses(provider, last)
      provider.setClock(exp + tolerance)
      await assertOnlyValidPasses(provider, over)
    })
  }

  it('expires as the clock advances', async (t) => {
    const provider = await openTokenProvider(t)
    const start = provider.now()
    const tokens = Array.from({ length: 4 }, () => provider.mint(accountsPath, { exp: start + 60 }))
    const [early, late, last, over] = tokens as [string, string, string, string]

    await assertPasses(provider, early)
    provider.setClock(start + 60)
    await assertPasses(provider, late)
    provider.setClock(start + 60 + tolerance - 0.001)
    await assertPasses(provider, last)
    provider.setClock(start + 60 + tolerance)
    await assertOnlyValidPasses(provider, over)
  })
})

describeOnce('an audience', () => {
  const open = sharedTokenProvider()
  const valid = publicUrl + accountsPath

  for (const [name, aud] of Object.entries({
    'of another path': `${publicUrl}/v1/banking/customer/c1/accounts/balances`,
    'of another customer': `${publicUrl}/v1/banking/customer/c2/accounts`,
    'of the base alone': publicUrl,
    'with a query': `${valid}?page=1`,
    'with an empty query': `${valid}?`,
    'with a fragment': `${valid}#`,
    'with a trailing slash': `${valid}/`,
    'with a double slash': `${publicUrl}/${accountsPath}`,
    'with a dot segment': `${publicUrl}/x/..${accountsPath}`,
    'with a path in another case': `${publicUrl}${accountsPath.toUpperCase()}`,
    'with a host in another case': `https://BANK.example${accountsPath}`,
    'with a scheme in another case': `HTTPS://bank.example${accountsPath}`,
    'with another scheme': `http://bank.example${accountsPath}`,
    'with an explicit port': `https://bank.example:443${accountsPath}`,
    'with a user': `https://user@bank.example${accountsPath}`,
    'of another host': `https://bank.example.evil.example${accountsPath}`,
    'of the address it listens on': `http://127.0.0.1${accountsPath}`,
    'without its base': accountsPath,
    'of the contact base': `${resourceUrl}${accountsPath}`,
    'in another percent-encoding': valid.replace('c1', '%631'),
    'with a percent-encoded slash': valid.replace('/c1', '%2Fc1'),
    'with a leading space': ` ${valid}`,
    'with a trailing space': `${valid} `,
    'with a placeholder': valid.replace('c1', '{customerId}'),
    'with a star': valid.replace('c1', '*'),
    'as an array of two': [valid, `${publicUrl}/other`],
    'as an array of the same twice': [valid, valid],
    'as an array with an empty string': [valid, ''],
    'as an array of an array': [[valid]],
    'as an object': { 0: valid, length: 1 },
    truncated: valid.slice(0, -1),
  })) {
    it(`is rejected ${name}`, async () => {
      const provider = await open()

      await assertOnlyValidPasses(provider, provider.mint(accountsPath, { aud }))
    })
  }

  it('may be an array of exactly one', async () => {
    const provider = await open()

    await assertPasses(provider, provider.mint(accountsPath, { aud: [valid] }))
  })

  it('is compared without the query of the request', async () => {
    const provider = await open()
    const path = `${accountsPath}?page=1&page-size=5`

    await assertPasses(provider, provider.mint(accountsPath), path)
    assertRejected(await provider.ask(provider.mint(path), path))
  })

  it('is compared with the path as sent, escapes included', async () => {
    const provider = await open()
    const escaped = accountsPath.replace('c1', '%631')

    assertRejected(await provider.ask(provider.mint(accountsPath), escaped))
    assertRejected(await provider.ask(provider.mint(accountsPath.replace('c1', 'c%31')), escaped))
    await assertPasses(provider, provider.mint(escaped), escaped)
  })

  it('distinguishes %2F from %2f', async () => {
    const provider = await open()
    const [upper, lower] = ['c%2F1', 'c%2f1'].map((id) => accountsPath.replace('c1', id)) as [
      string,
      string,
    ]

    assertRejected(await provider.ask(provider.mint(upper), lower))
    assert.equal((await provider.ask(provider.mint(lower), lower)).status, 404)
  })

  it('of the contact endpoint has its own base', async () => {
    const provider = await open()
    const path = '/fdx/v6/customer/c1/accounts/a1/contact'

    assertRejected(await provider.ask(provider.mint(path), path))
    const answer = await provider.ask(provider.mint(path, { aud: resourceUrl + path }), path)
    assert.equal(answer.status, 404, answer.text)
  })

  it('is independent of forwarded hosts', async () => {
    const provider = await open()
    const token = provider.mint(accountsPath, { aud: `https://evil.example${accountsPath}` })
    const headers = ['x-forwarded-host', 'evil.example', 'forwarded', 'host=evil.example']

    const answer = await provider.send(accountsPath, {
      headers: [...headers, 'authorization', `Bearer ${token}`],
    })

    assertRejected(answer)
  })

  it('is independent of an absolute URL in the request line', async () => {
    const provider = await open()
    const token = provider.mint(accountsPath, { aud: `https://evil.example${accountsPath}` })

    const answer = await provider.ask(token, `https://evil.example${accountsPath}`)

    assert.notEqual(answer.status, 200)
    await assertPasses(provider, provider.mint(accountsPath))
  })
})

describe('a jti', () => {
  const open = sharedTokenProvider()

  for (const [name, jti] of Object.entries({
    'one of 257 characters': 'j'.repeat(257),
    'a number': 7,
    'a list': ['j'],
    'an object': { j: 1 },
    'a lone surrogate': '\ud83d',
    'a string with a lone surrogate': 'j\udd11j',
  })) {
    it(`is rejected if it is ${name}`, async () => {
      const provider = await open()

      await assertOnlyValidPasses(provider, provider.mint(accountsPath, { jti }))
    })
  }

  for (const [name, jti] of Object.entries({
    'one character': 'j',
    '256 characters': 'j'.repeat(256),
    '256 characters outside the basic multilingual plane': '🔑'.repeat(256),
    'an SQL fragment': "'); delete from token_use; --",
    spaces: '   ',
    'a string with a NUL': 'a\u0000b',
    'a NUL': '\u0000',
    'the replacement character': '\ufffd',
  })) {
    it(`is accepted once if it is ${name}`, async () => {
      const provider = await open()
      const token = provider.mint(accountsPath, { jti })

      await assertPasses(provider, token)
      assertRejected(await provider.ask(token))
    })
  }

  it('is compared exactly: case, spaces, composition and text after a NUL', async () => {
    const provider = await open()

    const similar = ['n\u0000x', 'n\u0000y', 'N\u0000x', 'n', 'n\u0000', 'n ', ' n', 'é', 'e\u0301']
    for (const jti of similar) {
      await assertPasses(provider, provider.mint(accountsPath, { jti }))
    }
  })
})
