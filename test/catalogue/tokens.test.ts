import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe, describeOnce } from '../support/engines.ts'
import {
  callPlatform,
  openPlatform,
  type Platform,
  type Registered,
  sharedPlatform,
} from '../support/platform.ts'
import { minimalProduct } from './products.ts'
import {
  basic,
  forms,
  isOauth,
  path,
  type RequestToken,
  requestInForm,
  requestInJson,
} from './token-requests.ts'

async function tryWrite(platform: Platform, token: string): Promise<number> {
  return (await callPlatform(platform.port, token).create(minimalProduct)).status
}

async function tryReadHistory(platform: Platform, token: string): Promise<number> {
  const id = await platform.made(minimalProduct)
  return (await callPlatform(platform.port, token).history(id)).status
}

describeOnce('a token', () => {
  const open = sharedPlatform()
  let readers: Promise<Registered> | undefined
  const openWithReader = async () => {
    const platform = await open()
    readers ??= platform.register(['products.read'], 'reader')
    return { platform, reader: await readers }
  }

  it('requested in JSON is returned as token and expires_in', async () => {
    const platform = await open()
    const { status, body, headers } = await forms['JSON'](
      platform,
      platform.client.id,
      platform.client.secret,
    )

    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), ['token', 'expires_in'])
    assert.equal(body.expires_in, 900)
    assert.match(body.token, /^[\w-]{43}$/)
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(await tryWrite(platform, body.token), 201)
  })

  for (const form of ['a form', 'a form with HTTP Basic'] as const) {
    it(`requested in ${form} is returned as an OAuth response`, async () => {
      const platform = await open()
      const { status, body, headers } = await forms[form](
        platform,
        platform.client.id,
        platform.client.secret,
      )

      assert.equal(status, 200)
      assert.deepEqual(body, {
        token: body.access_token,
        expires_in: 900,
        access_token: body.access_token,
        token_type: 'Bearer',
        scope: 'products.write',
      })
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['pragma'], 'no-cache')
      assert.equal(await tryWrite(platform, body.access_token), 201)
    })
  }

  it('differs for each request, and each is valid', async () => {
    const platform = await open()
    const tokens = [
      await platform.issueToken(platform.client),
      await platform.issueToken(platform.client),
    ]

    assert.notEqual(tokens[0], tokens[1])
    for (const token of tokens) assert.equal(await tryWrite(platform, token), 201)
  })

  it('with the write scope allows reading; one with the read scope does not allow writing', async () => {
    const { platform, reader } = await openWithReader()
    const token = await platform.issueToken(reader)
    const { create, replace, remove } = callPlatform(platform.port, token)

    assert.equal(await tryReadHistory(platform, platform.token), 200)
    assert.equal(await tryReadHistory(platform, token), 200)
    for (const answer of [
      await create(minimalProduct),
      await replace('x', minimalProduct),
      await remove('x'),
    ]) {
      assert.equal(answer.status, 403)
      assert.deepEqual(answer.body, { error: 'Insufficient scope' })
      assert.equal(
        answer.headers['www-authenticate'],
        'Bearer error="insufficient_scope", scope="products.write"',
      )
    }
  })

  for (const [form, requestToken] of Object.entries<RequestToken>(forms)) {
    it(`is restricted by a scope in ${form}`, async () => {
      const platform = await open()
      const { id, secret } = platform.client

      const narrowed = await requestToken(platform, id, secret, 'products.read')
      const both = await requestToken(platform, id, secret, 'products.read products.write')

      assert.deepEqual([narrowed.status, both.status], [200, 200])
      assert.equal(await tryWrite(platform, narrowed.body.token), 403)
      assert.equal(await tryReadHistory(platform, narrowed.body.token), 200)
      assert.equal(await tryWrite(platform, both.body.token), 201)
      if (isOauth(form)) assert.equal(narrowed.body.scope, 'products.read')
    })

    it(`is rejected with 400 in ${form} for a scope that the client does not have`, async () => {
      const { platform, reader } = await openWithReader()

      for (const scope of ['products.read products.write', 'admin']) {
        const { status, body } = await requestToken(platform, reader.id, reader.secret, scope)
        assert.equal(status, 400)
        const error = isOauth(form)
          ? 'invalid_scope'
          : 'scope must contain only scopes of the client that this server uses'
        assert.deepEqual(body, { error })
      }
    })
  }

  it('accepts percent-encoded Basic credentials as in RFC 6749', async () => {
    const platform = await open()
    const { id, secret } = platform.client
    const escaped = [...id].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('')

    assert.equal((await forms['a form with HTTP Basic'](platform, escaped, secret)).status, 200)
  })

  for (const [name, fields, headers, status, error] of [
    ['no grant', { client_id: 'ID', client_secret: 'S' }, {}, 400, 'invalid_request'],
    ['another grant', { grant_type: 'password' }, {}, 400, 'unsupported_grant_type'],
    ['no credentials', { grant_type: 'client_credentials' }, {}, 401, 'invalid_client'],
    ['no secret', { grant_type: 'client_credentials', client_id: 'ID' }, {}, 401, 'invalid_client'],
    [
      'a repeated field',
      'grant_type=client_credentials&client_id=a&client_id=b&client_secret=c',
      {},
      400,
      'invalid_request',
    ],
    [
      'credentials in header and body',
      { grant_type: 'client_credentials', client_id: 'ID', client_secret: 'S' },
      basic('ID', 'S'),
      400,
      'invalid_request',
    ],
    [
      'two clients',
      { grant_type: 'client_credentials', client_id: 'other' },
      basic('ID', 'S'),
      400,
      'invalid_request',
    ],
    [
      'a scheme that is not Basic',
      { grant_type: 'client_credentials' },
      { authorization: 'Bearer abc' },
      401,
      'invalid_client',
    ],
    [
      'Basic without a colon',
      { grant_type: 'client_credentials' },
      { authorization: `Basic ${Buffer.from('abc').toString('base64')}` },
      401,
      'invalid_client',
    ],
    [
      'Basic with an invalid escape',
      { grant_type: 'client_credentials' },
      basic('%zz', 'S'),
      401,
      'invalid_client',
    ],
    ['nothing', '', {}, 400, 'invalid_request'],
  ] as const) {
    it(`requested in a form with ${name} is rejected with ${status} ${error}`, async () => {
      const answer = await requestInForm(await open(), fields, headers)
      assert.deepEqual([answer.status, answer.body], [status, { error }])
      const challenge = status === 401 ? 'Basic realm="holdfast", charset="UTF-8"' : undefined
      assert.equal(answer.headers['www-authenticate'], challenge)
    })
  }

  for (const [name, body, error] of [
    ['no secret', { client_id: 'x' }, 'client_secret is required'],
    ['no id', { client_secret: 'x' }, 'client_id is required'],
    [
      'an id that is not a string',
      { client_id: 1, client_secret: 'x' },
      'client_id must be a string',
    ],
    [
      'an unknown field',
      { client_id: 'x', client_secret: 'x', grant: 1 },
      'grant is not a field of this record',
    ],
    ['an array', [], 'the body must be an object'],
    ['invalid JSON', '{"client_id":', 'the body must be JSON'],
    [
      'a repeated field',
      '{"client_id":"a","client_id":"b","client_secret":"c"}',
      'client_id appears twice in one object',
    ],
  ] as const) {
    it(`requested in JSON with ${name} is rejected with 400`, async () => {
      const answer = await requestInJson(await open(), body)
      assert.deepEqual([answer.status, answer.body], [400, { error }])
    })
  }

  it('is requested with POST, in JSON or a form', async () => {
    const { send } = await open()
    const got = await send(path)
    const text = await send(path, {
      method: 'POST',
      body: 'x',
      headers: { 'content-type': 'text/plain' },
    })

    assert.deepEqual([got.status, got.headers['allow']], [405, 'POST'])
    assert.equal(text.status, 415)
  })
})

describe('the lifetime of a token', () => {
  it('ends after 900 seconds', async (t) => {
    const platform = await openPlatform(t, { now: '2026-07-01T00:00:00Z' })

    platform.setClock('2026-07-01T00:14:59.999Z')
    assert.equal(await tryWrite(platform, platform.token), 201)
    platform.setClock('2026-07-01T00:15:00Z')
    const late = await platform.create(minimalProduct)

    assert.equal(late.status, 401)
    assert.equal(late.headers['www-authenticate'], 'Bearer error="invalid_token"')
  })

  it('ends when its client is removed', async (t) => {
    const platform = await openPlatform(t)
    const other = await platform.register(['products.write'])
    const token = await platform.issueToken(other)
    assert.equal(await tryWrite(platform, token), 201)

    assert.equal(await platform.unregister(other), true)

    assert.equal(await tryWrite(platform, token), 401)
    // A token issued while the client was being removed is also invalid.
    assert.equal(await tryWrite(platform, await platform.issueToken(other)), 401)
    assert.equal(await tryWrite(platform, platform.token), 201)
    assert.equal((await forms['JSON'](platform, other.id, other.secret)).status, 401)
  })
})
