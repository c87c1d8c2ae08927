import assert from 'node:assert/strict'
import { it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { describe, describeOnce } from '../support/engines.ts'
import type { Answer, Headers } from '../support/http.ts'
import {
  openPlatform,
  type Platform,
  productPath,
  productsPath,
  sharedPlatform,
} from '../support/platform.ts'
import { minimalProduct, productWithFields } from './products.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const interactionId = '0f0e0d0c-0b0a-4908-8706-050403020100'

function assertError(answer: Answer, status: number, error: string): void {
  assert.deepEqual([answer.status, answer.body], [status, { error }])
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  assert.match(answer.headers['x-fapi-interaction-id'] ?? '', uuid)
}

describe('the platform', () => {
  const open = sharedPlatform()
  const authorized = ({ token }: Platform, headers = {}) => ({
    authorization: `Bearer ${token}`,
    ...headers,
  })

  it('returns the interaction id of the request, on success and on failure', async () => {
    const platform = await open()
    const id = await platform.made(minimalProduct)
    const headers = { 'x-fapi-interaction-id': interactionId }
    const answers = [
      await platform.get(productPath(id), headers),
      await platform.get(productsPath, headers),
      await platform.get(`${productsPath}?page=0`, headers),
      await platform.get(productPath('nothing'), headers),
      await platform.get('/nowhere', headers),
      await platform.create(minimalProduct, headers),
      await platform.create('{', headers),
      await platform.send(productsPath, { method: 'POST', headers }),
      await platform.send('/v1/token', { method: 'POST', headers, body: {} }),
      await platform.send(productsPath, { method: 'PATCH', headers }),
    ]

    for (const { headers } of answers) assert.equal(headers['x-fapi-interaction-id'], interactionId)
  })

  it('creates an interaction id if it is missing or invalid', async () => {
    const { get } = await open()
    for (const sent of [{}, { 'x-fapi-interaction-id': 'x; set-cookie: a=b' }]) {
      const { headers } = await get(productsPath, sent)
      assert.match(headers['x-fapi-interaction-id'] ?? '', uuid)
      assert.equal(headers['set-cookie'], undefined)
    }
  })

  for (const [path, allow] of [
    [productsPath, 'POST, GET'],
    [`${productsPath}/p-1`, 'PUT, GET, DELETE'],
    [`${productsPath}/p-1/history`, 'GET'],
    ['/v1/token', 'POST'],
    ['/.well-known/jwks.json', 'GET'],
  ] as const) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']) {
      if (allow.split(', ').includes(method)) continue
      it(`answers ${method} ${path} with 405 and the allowed methods`, async () => {
        const { send } = await open()
        const answer = await send(path, { method })
        assert.equal(answer.status, 405)
        assert.equal(answer.headers['allow'], allow)
        if (method !== 'HEAD') {
          assertError(answer, 405, 'Method not allowed')
        }
      })
    }
  }

  for (const path of [
    '/v1',
    '/v1/data-provider/cdr',
    `${productsPath}x`,
    `${productsPath}/a/b`,
    `${productsPath}/a/history/1`,
    '/v1/banking/customer/c1/accounts',
  ]) {
    it(`answers ${path} with 404`, async () => {
      assertError(await (await open()).get(path), 404, 'Resource not found')
    })
  }

  for (const id of ['nothing', '%20', 'a%2Fb', '%00', '..%2F..', '%C3%A4', 'x'.repeat(5000)]) {
    it(`answers 404 for the product ${id.slice(0, 20)}`, async () => {
      const { get } = await open()
      assertError(await get(`${productsPath}/${id}`), 404, 'Product not found')
    })
  }

  it('rejects a path with an invalid escape', async () => {
    const { get } = await open()
    assertError(await get(`${productsPath}/%zz`), 400, 'the path must be a valid URL path')
    assertError(await get(`${productsPath}/%ff`), 400, 'the path must be a valid URL path')
  })

  for (const [name, body] of Object.entries({
    nothing: '',
    'half an object': '{"brand":',
    'a word': 'brand',
    'a trailing comma': '{"brand":"a",}',
    'a comment': '{/* */}',
    'a control character in a string': '{"brand":"a\nb"}',
    'two objects': '{}{}',
    'an invalid number': '{"brand":01}',
  })) {
    it(`rejects ${name} as a body`, async () => {
      const platform = await open()
      const message = name === 'nothing' ? 'the body must be an object' : 'the body must be JSON'
      assertError(await platform.create(body), 400, message)
      assertError(await platform.replace('x', body), 400, message)
    })
  }

  it('rejects bytes that are not UTF-8', async () => {
    const platform = await open()
    const latin = Buffer.from(JSON.stringify(productWithFields({ name: 'Zürich' })), 'latin1')

    assertError(await platform.create(latin), 400, 'the body must be UTF-8')
  })

  it('rejects a repeated field at any depth', async () => {
    const { create } = await open()
    for (const [text, name] of [
      [JSON.stringify(minimalProduct).replace('{', '{"name":"Other",'), 'name'],
      [
        JSON.stringify(productWithFields({ fees: [{ name: 'a' }] })).replace('[{', '[{"name":"b",'),
        'name',
      ],
      [JSON.stringify(minimalProduct).replace('{', '{"n\\u0061me":"Other",'), 'name'],
      [
        JSON.stringify(minimalProduct).replace('{', '{"product_id":1,"product_id":2,'),
        'product_id',
      ],
    ] as const) {
      assertError(await create(text), 400, `${name} appears twice in one object`)
    }
  })

  for (const type of [
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'json',
  ]) {
    it(`rejects a body of type ${type}`, async () => {
      const platform = await open()
      const headers = { 'content-type': type }
      const body = JSON.stringify(minimalProduct)
      assertError(
        await platform.create(body, headers),
        415,
        'The request body must be application/json',
      )
      assertError(
        await platform.replace('x', body, headers),
        415,
        'The request body must be application/json',
      )
    })
  }

  it('rejects a compressed body as an unsupported media type', async () => {
    const platform = await open()
    const message = 'The request body must not be compressed'
    const headers = { 'content-encoding': 'gzip' }
    const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
    const body = gzipSync(JSON.stringify(minimalProduct))

    assertError(await platform.create(body, headers), 415, message)
    assertError(await platform.replace('x', body, headers), 415, message)
    for (const sent of [headers, form]) {
      const answer = await platform.send('/v1/token', { method: 'POST', headers: sent, body })
      assertError(answer, 415, message)
    }
  })

  it('accepts application/json with parameters, in any case', async () => {
    const { create } = await open()
    for (const type of ['application/json; charset=utf-8', 'Application/JSON']) {
      assert.equal((await create(minimalProduct, { 'content-type': type })).status, 201)
    }
  })

  it('accepts a DELETE with a JSON content type and no body', async () => {
    const platform = await open()
    const headers = authorized(platform, { 'content-type': 'application/json' })
    const id = await platform.made(minimalProduct)

    assert.equal((await platform.send(productPath(id), { method: 'DELETE', headers })).status, 204)
  })

  it('rejects a body that is too large with 413', async (t) => {
    const platform = await openPlatform(t, { limits: { bodyBytesMax: 10_000 } })
    const sized = (bytes: number) => {
      const empty = JSON.stringify(productWithFields({ description: '' })).length
      return productWithFields({ description: 'x'.repeat(bytes - empty) })
    }

    assert.equal((await platform.create(sized(10_000))).status, 201)
    assertError(await platform.create(sized(10_001)), 413, 'The request body is too large')
    assertError(await platform.replace('x', sized(10_001)), 413, 'The request body is too large')
  })

  it('validates the body before it looks up the product', async () => {
    const platform = await open()
    assertError(
      await platform.replace('nothing', productWithFields({ name: 1 })),
      400,
      'name must be a string of at least 1 character',
    )
  })

  it('publishes its keys', async () => {
    const { get } = await open()
    const { status, body } = await get('/.well-known/jwks.json')
    assert.deepEqual([status, body], [200, { keys: [] }])
  })
})

describeOnce('without a valid token', () => {
  const open = sharedPlatform()
  const header = (authorization: string): Headers => ({ authorization })

  for (const [name, headers, challenge] of [
    ['no header', () => ({}), 'Bearer'],
    ['an empty header', () => header(''), 'Bearer'],
    ['an invalid token', () => header('Bearer abc'), 'Bearer error="invalid_token"'],
    [
      'a truncated token',
      (token: string) => header(`Bearer ${token.slice(1)}`),
      'Bearer error="invalid_token"',
    ],
    [
      'a token with a letter in the other case',
      (token: string) => header(`Bearer ${changeCase(token)}`),
      'Bearer error="invalid_token"',
    ],
    [
      'a token twice',
      (token: string) => header(`Bearer ${token} ${token}`),
      'Bearer error="invalid_token"',
    ],
    [
      'a token in quotes',
      (token: string) => header(`Bearer "${token}"`),
      'Bearer error="invalid_token"',
    ],
    ['a token in another scheme', (token: string) => header(`Basic ${token}`), 'Bearer'],
    ['the scheme alone', () => header('Bearer'), 'Bearer'],
    ['an SQL injection', () => header(`Bearer ' or '1'='1`), 'Bearer error="invalid_token"'],
  ] as const) {
    it(`a write with ${name} returns 401 before any other check`, async () => {
      const { send, token, made, read } = await open()
      const id = await made(minimalProduct)
      for (const [method, path, body] of [
        ['POST', '/v1/data-provider/cdr/products', '{not JSON'],
        ['PUT', productPath(id), '{not JSON'],
        ['PUT', productPath('nothing'), '{}'],
        ['DELETE', productPath(id), undefined],
        ['GET', `${productPath(id)}/history?page=0`, undefined],
      ] as const) {
        const answer = await send(path, { method, body, headers: headers(token) })
        assert.equal(answer.status, 401)
        assert.deepEqual(answer.body, { error: 'Unauthorized' })
        assert.equal(answer.headers['www-authenticate'], challenge)
      }
      assert.equal((await read(id))['name'], 'Saver')
    })
  }

  it('the scheme is case-insensitive', async () => {
    const { send, token } = await open()
    const headers = header(`bEARER ${token}`)
    const answer = await send('/v1/data-provider/cdr/products', {
      method: 'POST',
      body: minimalProduct,
      headers,
    })
    assert.equal(answer.status, 201)
  })
})

function changeCase(token: string): string {
  const at = token.search(/[a-z]/i)
  const letter = token[at] ?? ''
  const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
  return token.slice(0, at) + other + token.slice(at + 1)
}
