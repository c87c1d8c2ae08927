import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import { callPlatform, openPlatform, productsPath, sharedPlatform } from '../support/platform.ts'
import { callDrafts, draftPath, ifMatch } from './draft-calls.ts'
import { minimalProduct, productWithFields } from './products.ts'

const withKey = (key: string) => ({ 'idempotency-key': key })

describe('an Idempotency-Key', () => {
  const open = sharedPlatform()

  it('makes a retry return the first response and create nothing', async () => {
    const { create, get } = await open()
    const product = productWithFields({ brand: 'Retried' })

    const first = await create(product, withKey('retry-1'))
    const second = await create(product, withKey('retry-1'))

    assert.equal(first.status, 201)
    assert.equal(second.status, 201)
    assert.equal(second.text, first.text)
    for (const header of ['location', 'etag']) {
      assert.equal(second.headers[header], first.headers[header])
    }
    assert.equal((await get(`${productsPath}?brand=Retried`)).body.meta.totalRecords, 1)
  })

  it('makes concurrent retries create one product', async () => {
    const { create, get } = await open()
    const product = productWithFields({ brand: 'At once' })

    const answers = await Promise.all(
      Array.from({ length: 30 }, () => create(product, withKey('at-once'))),
    )

    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
    assert.equal((await get(`${productsPath}?brand=At%20once`)).body.meta.totalRecords, 1)
  })

  it('is rejected with 422 for another product', async () => {
    const { create, get } = await open()
    await create(productWithFields({ brand: 'Reused' }), withKey('reused'))

    const answer = await create(
      productWithFields({ brand: 'Reused', name: 'B' }),
      withKey('reused'),
    )

    assert.equal(answer.status, 422)
    assert.deepEqual(answer.body, {
      error: 'The Idempotency-Key was already used with a different product',
    })
    assert.equal((await get(`${productsPath}?brand=Reused`)).body.meta.totalRecords, 1)
  })

  it('ignores differences in whitespace and in ignored fields', async () => {
    const { create } = await open()

    const first = await create(minimalProduct, withKey('blanks'))
    const spaced = await create(JSON.stringify(minimalProduct, null, 4), withKey('blanks'))
    const known = await create(
      productWithFields({ product_id: 'x', last_updated: 'y' }),
      withKey('blanks'),
    )

    assert.deepEqual([spaced.text, known.text], [first.text, first.text])
  })

  it('ignores the order of fields', async () => {
    const { create } = await open()
    const reversed = Object.fromEntries(Object.entries(minimalProduct).reverse())

    const first = await create(minimalProduct, withKey('order'))
    const second = await create(reversed, withKey('order'))

    assert.deepEqual([second.status, second.body.product_id], [201, first.body.product_id])
  })

  it('returns the first response even after the product was changed or deleted', async () => {
    const { create, replace, remove } = await open()
    const first = await create(minimalProduct, withKey('changed'))
    const id: string = first.body.product_id

    await replace(id, productWithFields({ name: 'B' }))
    assert.equal((await create(minimalProduct, withKey('changed'))).text, first.text)
    await remove(id)
    const again = await create(minimalProduct, withKey('changed'))
    assert.equal(again.text, first.text)
    assert.equal(again.headers['etag'], '"1"')
  })

  it('can be reused after a rejected request', async () => {
    const { create } = await open()

    assert.equal((await create(productWithFields({ name: 1 }), withKey('corrected'))).status, 400)
    assert.equal((await create(minimalProduct, withKey('corrected'))).status, 201)
  })

  it('is scoped to the client', async () => {
    const platform = await open()
    const other = await platform.register(['products.write'])
    const { create } = callPlatform(platform.port, await platform.issueToken(other))

    const ours = await platform.create(minimalProduct, withKey('shared'))
    const theirs = await create(productWithFields({ name: 'Theirs' }), withKey('shared'))

    assert.equal(theirs.status, 201)
    assert.notEqual(theirs.body.product_id, ours.body.product_id)
  })

  it('has 1 to 255 characters of any kind, all of which are significant', async () => {
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
      const answer = await create(minimalProduct, withKey(key))
      assert.equal(answer.status, 201, answer.text)
      ids.add(answer.body.product_id)
    }

    assert.equal(ids.size, keys.length)
  })

  for (const [name, key] of Object.entries({ empty: '', 'of 256 characters': 'x'.repeat(256) })) {
    it(`that is ${name} is rejected with 400`, async () => {
      const { create } = await open()
      const { status, body } = await create(minimalProduct, withKey(key))
      assert.equal(status, 400)
      assert.deepEqual(body, { error: 'idempotency-key must be a string of 1 to 255 characters' })
    })
  }

  it('expires after a week', async (t) => {
    const platform = await openPlatform(t, { now: '2026-07-01T00:00:00Z' })
    const first = await platform.create(minimalProduct, withKey('week'))

    platform.setClock('2026-07-07T23:59:59Z')
    const token = await platform.issueToken(platform.client)
    const later = callPlatform(platform.port, token)
    assert.equal((await later.create(minimalProduct, withKey('week'))).text, first.text)
    platform.setClock('2026-07-08T00:00:01Z')
    const last = callPlatform(platform.port, await platform.issueToken(platform.client))
    const repeated = await last.create(minimalProduct, withKey('week'))

    assert.equal(repeated.status, 201)
    assert.notEqual(repeated.body.product_id, first.body.product_id)
  })
})

describe('an Idempotency-Key of a draft', () => {
  const open = sharedPlatform()

  it('makes concurrent retries create one draft and return the same response', async () => {
    const drafts = callDrafts(await open())
    const before = (await drafts.list()).body.meta.totalRecords

    const answers = await Promise.all(
      Array.from({ length: 10 }, () => drafts.create(minimalProduct, withKey('draft-at-once'))),
    )

    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
    assert.equal((await drafts.list()).body.meta.totalRecords, before + 1)
  })

  it('returns the first response after the draft was changed, published or discarded', async () => {
    const platform = await open()
    const drafts = callDrafts(platform)
    const changed = productWithFields({ name: 'B' })
    const first = await drafts.create(minimalProduct, withKey('draft'))
    const id: string = first.body.product.product_id
    const retry = async () => {
      const { status, text, headers } = await drafts.create(minimalProduct, withKey('draft'))
      return [status, text, headers['etag'], headers['location']]
    }
    const expected = [201, first.text, first.headers['etag'], draftPath(id)]
    assert.equal(first.text, (await drafts.read(id)).text)

    const saved = await drafts.save(id, changed, ifMatch(first))
    assert.deepEqual(await retry(), expected)
    assert.equal((await drafts.read(id)).body.product.name, 'B')
    // The first ETag does not match the changed draft.
    assert.equal((await drafts.save(id, minimalProduct, ifMatch(first))).status, 412)
    assert.equal((await drafts.publish(id, ifMatch(saved))).status, 204)
    assert.deepEqual(await retry(), expected)
    assert.equal((await drafts.read(id)).status, 404)
    assert.equal((await platform.read(id))['name'], 'B')
  })

  it('is rejected with 422 for other content, and after its use for a product', async () => {
    const platform = await open()
    const drafts = callDrafts(platform)
    await drafts.create(minimalProduct, withKey('draft-reused'))
    await platform.create(minimalProduct, withKey('product-key'))
    const before = (await drafts.list()).body.meta.totalRecords

    const answers = [
      await drafts.create(productWithFields({ name: 'B' }), withKey('draft-reused')),
      await platform.create(minimalProduct, withKey('draft-reused')),
      await drafts.create(minimalProduct, withKey('product-key')),
    ]

    for (const { status, body } of answers) {
      assert.equal(status, 422)
      assert.deepEqual(body, {
        error: 'The Idempotency-Key was already used with a different product',
      })
    }
    assert.equal((await drafts.list()).body.meta.totalRecords, before)
  })
})
