import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import {
  type Platform,
  productPath,
  productsPath,
  readErrors,
  sharedPlatform,
} from '../support/platform.ts'
import { getContent, minimalProduct, productWithFields } from './products.ts'

/** The most CPU time that a hostile request, or another one meanwhile, may take. */
const cpuMaxMs = 5000

async function within<T>(work: Promise<T>): Promise<T> {
  const before = process.threadCpuUsage()
  const result = await work
  const { user, system } = process.threadCpuUsage(before)
  const tookMs = (user + system) / 1000
  assert.ok(tookMs < cpuMaxMs, `it took ${Math.round(tookMs)} ms`)
  return result
}

/** Sends bytes unchanged and returns the whole response. */
async function sendRaw({ port }: Platform, head: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.end(head)
  return textOf(socket)
}

describe('a hostile client', () => {
  const open = sharedPlatform()

  it('receives at most fifty errors', async () => {
    const { create } = await open()
    const body = `{"features":[${'{},'.repeat(100_000)}{}]}`

    const errors = readErrors(await within(create(body)))

    assert.equal(errors.length, 50)
    assert.equal(errors[0], 'brand is required')
    assert.equal(errors[49], 'features[44].feature_type is required')
  })

  it('receives unknown field names truncated and escaped', async () => {
    const { create } = await open()
    const unknownFields = Array.from({ length: 20_000 }, (_, index) => `"${index}\\u001b[31m":1`)

    const errors = readErrors(await within(create(`{${unknownFields.join(',')}}`)))

    assert.equal(errors.length, 50)
    assert.equal(errors[5], '0\\u001b[31m is not a field of this record')
    const long = readErrors(await create(productWithFields({ ['x'.repeat(100_000)]: 1 })))
    assert.deepEqual(long, [`${'x'.repeat(64)}… is not a field of this record`])
  })

  it('cannot overflow the stack with nesting', async () => {
    const { create, send } = await open()
    const deep = '['.repeat(200_000) + ']'.repeat(200_000)
    const objects = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`

    const error = 'the body must not be nested deeper than 64 levels'
    for (const body of [deep, `{"brand":${deep}}`, objects, `{"fees":[${objects}]}`]) {
      assert.deepEqual(readErrors(await within(create(body))), [error])
    }
    const requestToken = (body: string) => send('/v1/token', { method: 'POST', body })
    const token = await requestToken('['.repeat(5000) + ']'.repeat(5000))
    assert.deepEqual([token.status, token.body], [400, { error }])
  })

  it('cannot send large bodies without credentials', async () => {
    const { send } = await open()
    const secret = 'x'.repeat(20_000)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const answers = [
      await send('/v1/token', { method: 'POST', body: { client_id: 'x', client_secret: secret } }),
      await send('/v1/token', { method: 'POST', body: `client_secret=${secret}`, headers: form }),
      await send('/v1/session', { method: 'POST', body: { client_secret: secret } }),
      await send('/v1/session', {
        method: 'DELETE',
        body: `"${secret}"`,
        headers: { 'content-type': 'application/json', 'content-length': '20002' },
      }),
      await send(productsPath, {
        method: 'POST',
        body: productWithFields({ name: secret.repeat(300) }),
      }),
    ]

    assert.deepEqual(
      answers.map(({ status }) => status),
      [413, 413, 413, 413, 401],
    )
  })

  it('cannot pollute a prototype', async () => {
    const { create, made, read } = await open()
    const pollution =
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'

    const errors = readErrors(await create(pollution))

    assert.ok(errors.includes('__proto__ is not a field of this record'))
    assert.ok(errors.includes('constructor is not a field of this record'))
    // Inherited fields do not count.
    const inherited = `{"__proto__":${JSON.stringify(minimalProduct)}}`
    assert.ok(readErrors(await create(inherited)).includes('brand is required'))
    const id = await made(minimalProduct)
    assert.equal('polluted' in (await read(id)), false)
  })

  it('reads back every character unchanged', async () => {
    const { create, read } = await open()
    const texts = [
      '\u0001\u0002\u001f\u007f',
      '\u2028\u2029\ufeff\u202e',
      '\ud83d\ude00 é e\u0301',
      '</script><script>alert(1)</script>',
      "'; drop table product; --",
      '{{name}} %s %00 \\u0000',
      '\r\nset-cookie: a=b',
    ]
    for (const text of texts) {
      const made = await create(productWithFields({ name: text, description: text }))
      assert.equal(made.status, 201, made.text)
      assert.equal(made.headers['set-cookie'], undefined)
      assert.deepEqual(getContent(await read(made.body.product_id)), {
        ...minimalProduct,
        name: text,
        description: text,
      })
    }
  })

  it('reads back a lone surrogate unchanged', async () => {
    const { create, read } = await open()
    const made = await create(JSON.stringify(minimalProduct).replace('"Saver"', '"\\ud800"'))

    assert.equal(made.status, 201)
    assert.equal((await read(made.body.product_id))['name'], '\ud800')
  })

  it('filters by brands with any characters', async () => {
    const { made, get } = await open()
    for (const brand of [
      'O\'Brien % _ \\ "',
      '\u0001',
      'ÄÖ',
      'äö',
      '漢字',
      ' ',
      'a&effective=ALL',
    ]) {
      const id = await made(productWithFields({ brand }))
      const { body } = await get(`${productsPath}?brand=${encodeURIComponent(brand)}`)
      const ids = body.data.products.map((product: { product_id: string }) => product.product_id)
      assert.deepEqual(ids, [id], JSON.stringify(brand))
    }
  })

  for (const [name, header] of [
    ['a line feed', 'Idempotency-Key: a\nX-Injected: 1'],
    ['a null', 'If-Match: "1\u0000"'],
    ['a header without a name', ': x'],
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 6'],
    ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked'],
  ] as const) {
    it(`is rejected for ${name} in a header`, async () => {
      const platform = await open()
      const answer = await sendRaw(
        platform,
        `POST ${productsPath} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}\r\n\r\n`,
      )
      assert.match(answer, /^HTTP\/1\.1 40[01] /)
      assert.doesNotMatch(answer, /x-injected/i)
    })
  }

  it('cannot inject a response header', async () => {
    const { get, made } = await open()
    const id = await made(minimalProduct)
    for (const path of [
      `${productPath(id)}%0d%0aset-cookie:%20a=b`,
      `${productsPath}/x%0d%0ax-injected:1/history`,
      `${productsPath}?brand=%0d%0aset-cookie:%20a=b`,
    ]) {
      const { headers } = await get(path)
      assert.equal(headers['set-cookie'], undefined)
      assert.equal(headers['x-injected'], undefined)
    }
  })

  it('cannot slow down If-Match with many entity tags', async () => {
    const { made, replace } = await open()
    const id = await made(minimalProduct)
    const tags = Array.from({ length: 1500 }, (_, index) => `"${index + 2}"`).join(',')

    assert.equal((await within(replace(id, minimalProduct, { 'if-match': tags }))).status, 412)
    assert.equal(
      (await within(replace(id, minimalProduct, { 'if-match': `${tags},"1"` }))).status,
      204,
    )
    const slow = `"${' '.repeat(6000)}`
    assert.equal((await within(replace(id, minimalProduct, { 'if-match': slow }))).status, 412)
  })

  it('does not delay other clients', async () => {
    const { create, get, made } = await open()
    const id = await made(minimalProduct)
    const body = `{"features":[${'{"feature_type":1},'.repeat(20_000)}{}]}`

    const attacks = Promise.all(Array.from({ length: 4 }, () => create(body)))
    assert.equal((await within(get(productPath(id)))).status, 200)

    for (const answer of await attacks) assert.equal(readErrors(answer).length, 50)
  })
})
