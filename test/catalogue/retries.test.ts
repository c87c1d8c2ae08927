import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import { callPlatform, openPlatform, productsPath, sharedPlatform } from '../support/platform.ts'
import { plain, plainWith } from './products.ts'

const keyed = (key: string) => ({ 'idempotency-key': key })

describe('a create with an Idempotency-Key', () => {
  const open = sharedPlatform()

  it('that is retried makes one product and is answered as the first was', async () => {
    const { create, get } = await open()
    const product = plainWith({ brand: 'Retried' })

    const first = await create(product, keyed('retry-1'))
    const second = await create(product, keyed('retry-1'))

    assert.equal(first.status, 201)
    assert.equal(second.status, 201)
    assert.equal(second.text, first.text)
    for (const header of ['location', 'etag']) {
      assert.equal(second.headers[header], first.headers[header])
    }
    assert.equal((await get(`${productsPath}?brand=Retried`)).body.meta.totalRecords, 1)
  })

  it('makes one product when many retries run at once', async () => {
    const { create, get } = await open()
    const product = plainWith({ brand: 'At once' })

    const answers = await Promise.all(
      Array.from({ length: 30 }, () => create(product, keyed('at-once'))),
    )

    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
    assert.equal((await get(`${productsPath}?brand=At%20once`)).body.meta.totalRecords, 1)
  })

  it('and another body is a 422, and makes nothing', async () => {
    const { create, get } = await open()
    await create(plainWith({ brand: 'Reused' }), keyed('reused'))

    const answer = await create(plainWith({ brand: 'Reused', name: 'B' }), keyed('reused'))

    assert.equal(answer.status, 422)
    assert.deepEqual(answer.body, {
      error: 'The Idempotency-Key was already used with a different product',
    })
    assert.equal((await get(`${productsPath}?brand=Reused`)).body.meta.totalRecords, 1)
  })

  it('counts two bodies as one that differ only in blanks or in what is passed over', async () => {
    const { create } = await open()

    const first = await create(plain, keyed('blanks'))
    const spaced = await create(JSON.stringify(plain, null, 4), keyed('blanks'))
    const known = await create(plainWith({ product_id: 'x', last_updated: 'y' }), keyed('blanks'))

    assert.deepEqual([spaced.text, known.text], [first.text, first.text])
  })

  it('counts two bodies as one that have their fields in another order', async () => {
    const { create } = await open()
    const turned = Object.fromEntries(Object.entries(plain).reverse())

    const first = await create(plain, keyed('order'))
    const second = await create(turned, keyed('order'))

    assert.deepEqual([second.status, second.body.product_id], [201, first.body.product_id])
  })

  it('is answered as the first was when the product has changed since, or is gone', async () => {
    const { create, replace, remove } = await open()
    const first = await create(plain, keyed('changed'))
    const id: string = first.body.product_id

    await replace(id, plainWith({ name: 'B' }))
    assert.equal((await create(plain, keyed('changed'))).text, first.text)
    await remove(id)
    const again = await create(plain, keyed('changed'))
    assert.equal(again.text, first.text)
    assert.equal(again.headers['etag'], '"1"')
  })

  it('that was refused may be mended under the same key', async () => {
    const { create } = await open()

    assert.equal((await create(plainWith({ name: 1 }), keyed('mended'))).status, 400)
    assert.equal((await create(plain, keyed('mended'))).status, 201)
  })

  it('is each client’s own', async () => {
    const platform = await open()
    const other = await platform.register(['products.write'])
    const { create } = callPlatform(platform.port, await platform.tokenFor(other))

    const ours = await platform.create(plain, keyed('shared'))
    const theirs = await create(plainWith({ name: 'Theirs' }), keyed('shared'))

    assert.equal(theirs.status, 201)
    assert.notEqual(theirs.body.product_id, ours.body.product_id)
  })

  it('takes 1 to 255 characters, of any kind, and tells keys apart by all of them', async () => {
    const { create } = await open()
    const keys = [
      'k',
      'K',
      'x'.repeat(255),
      'x'.repeat(254),
      "'; drop table product; --",
      '%00',
      'é',
    ]
    const ids = new Set<string>()

    for (const key of keys) {
      const answer = await create(plain, keyed(key))
      assert.equal(answer.status, 201, answer.text)
      ids.add(answer.body.product_id)
    }

    assert.equal(ids.size, keys.length)
  })

  for (const [name, key] of Object.entries({ empty: '', 'of 256 characters': 'x'.repeat(256) })) {
    it(`that is ${name} is a 400 that names it`, async () => {
      const { create } = await open()
      const { status, body } = await create(plain, keyed(key))
      assert.equal(status, 400)
      assert.deepEqual(body, { error: 'idempotency-key must be a string of 1 to 255 characters' })
    })
  }

  it('is remembered for a week', async (t) => {
    const platform = await openPlatform(t, { now: '2026-07-01T00:00:00Z' })
    const first = await platform.create(plain, keyed('week'))

    platform.setClock('2026-07-07T23:59:59Z')
    const token = await platform.tokenFor(platform.client)
    const later = callPlatform(platform.port, token)
    assert.equal((await later.create(plain, keyed('week'))).text, first.text)
    platform.setClock('2026-07-08T00:00:01Z')
    const last = callPlatform(platform.port, await platform.tokenFor(platform.client))
    const anew = await last.create(plain, keyed('week'))

    assert.equal(anew.status, 201)
    assert.notEqual(anew.body.product_id, first.body.product_id)
  })
})
