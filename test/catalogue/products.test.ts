import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import { openPlatform, productPath, productsPath, sharedPlatform } from '../support/platform.ts'
import { getContent, minimalProduct, productWithFields } from './products.ts'
import { runStatement } from './run-statement.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe('creating a product', () => {
  const open = sharedPlatform({ now: '2026-07-01T10:20:30.456Z' })

  it('returns 201 with the record, its location and its version', async () => {
    const { create } = await open()

    const { status, body, headers } = await create(minimalProduct)

    assert.equal(status, 201)
    assert.match(body.product_id, uuid)
    assert.deepEqual(body, {
      ...minimalProduct,
      product_id: body.product_id,
      last_updated: '2026-07-01T10:20:30.456Z',
    })
    assert.equal(headers['location'], `/v1/data-provider/cdr/products/${body.product_id}`)
    assert.equal(headers['etag'], '"1"')
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(headers['cache-control'], 'no-store')
  })

  it('returns a Location where the product is public', async () => {
    const { create, get } = await open()
    const made = await create(minimalProduct)

    const read = await get(made.headers['location'] ?? '')

    assert.equal(read.status, 200)
    assert.equal(read.text, made.text)
    assert.equal(read.headers['etag'], '"1"')
    assert.equal(read.headers['access-control-allow-origin'], '*')
  })

  it('creates a new product for every request', async () => {
    const { made } = await open()
    assert.notEqual(await made(minimalProduct), await made(minimalProduct))
  })

  it('ignores product_id and last_updated in the body', async () => {
    const { create } = await open()

    for (const [product_id, last_updated] of [
      ['mine', '1999-01-01T00:00:00Z'],
      [7, null],
      [{}, 'yesterday'],
    ]) {
      const { status, body } = await create(productWithFields({ product_id, last_updated }))
      assert.equal(status, 201)
      assert.match(body.product_id, uuid)
      assert.equal(body.last_updated, '2026-07-01T10:20:30.456Z')
    }
  })
})

describe('updating a product', () => {
  const open = sharedPlatform({ now: '2026-07-01T10:20:30.456Z' })

  it('returns 204 with the new version and no body', async () => {
    const { made, replace } = await open()

    const { status, text, headers } = await replace(
      await made(minimalProduct),
      productWithFields({ name: 'B' }),
    )

    assert.deepEqual([status, text, headers['etag']], [204, '', '"2"'])
  })

  it('replaces the whole record', async () => {
    const { made, replace, read } = await open()
    const id = await made(
      productWithFields({ brand_name: 'Everyday', bundles: [{ name: 'Both' }] }),
    )

    assert.equal((await replace(id, productWithFields({ name: 'Other' }))).status, 204)

    assert.deepEqual(getContent(await read(id)), productWithFields({ name: 'Other' }))
  })

  it('returns 404 for an unknown product, with or without If-Match', async () => {
    const { replace, remove, made } = await open()
    const deleted = await made(minimalProduct)
    assert.equal((await remove(deleted)).status, 204)

    for (const id of ['nothing', deleted]) {
      for (const headers of [{}, { 'if-match': '*' }, { 'if-match': '"1"' }]) {
        const answer = await replace(id, minimalProduct, headers)
        assert.deepEqual([answer.status, answer.text], [404, '{"error":"Product not found"}'])
      }
    }
  })

  it('ignores product_id in the body', async () => {
    const { made, replace, read } = await open()
    const id = await made(minimalProduct)

    assert.equal((await replace(id, productWithFields({ product_id: 'other' }))).status, 204)

    assert.equal((await read(id))['product_id'], id)
  })
})

describe('deleting a product', () => {
  const open = sharedPlatform()

  it('returns 204; the product can then not be read, listed or deleted again', async () => {
    const { made, remove, get } = await open()
    const id = await made(productWithFields({ brand: 'Deleted' }))

    const { status, text } = await remove(id)

    assert.deepEqual([status, text], [204, ''])
    assert.equal((await get(productPath(id))).text, '{"error":"Product not found"}')
    const list = await get(`${productsPath}?brand=Deleted&effective=ALL`)
    assert.equal(list.body.meta.totalRecords, 0)
    assert.equal((await remove(id)).status, 404)
  })
})

describe('an entity tag', () => {
  const open = sharedPlatform()

  it('changes only with an update', async () => {
    const { made, replace, get } = await open()
    const id = await made(minimalProduct)
    const tag = async () => (await get(productPath(id))).headers['etag']

    assert.deepEqual([await tag(), await tag()], ['"1"', '"1"'])
    await replace(id, productWithFields({ name: 1 }))
    assert.equal(await tag(), '"1"')
    await replace(id, productWithFields({ name: 'B' }))
    assert.equal(await tag(), '"2"')
  })

  /** Values of If-Match for a product of version 2, and whether they match. */
  const matches: readonly [ifMatch: string, isMatch: boolean][] = [
    ['"2"', true],
    ['*', true],
    [' * ', true],
    ['"1", "2"', true],
    ['"2","9"', true],
    ['W/"1", "2"', true],
    ['"x,y", "2"', true],
    ['"1"', false],
    ['"3"', false],
    ['W/"2"', false],
    ['2', false],
    ["'2'", false],
    ['"02"', false],
    ['"2.0"', false],
    ['"-2"', false],
    ['"2 "', false],
    ['"2"x', false],
    ['""', false],
    ['', false],
    [',', false],
    ['"99999999999999999999"', false],
    ['"2; drop table product"', false],
    ['"**"', false],
  ]
  for (const [ifMatch, isMatch] of matches) {
    it(`of version 2 ${isMatch ? 'matches' : 'does not match'} If-Match: ${ifMatch}`, async () => {
      const { made, replace, remove, read } = await open()
      const id = await made(minimalProduct)
      await replace(id, productWithFields({ name: 'B' }))

      const put = await replace(id, productWithFields({ name: 'C' }), { 'if-match': ifMatch })
      assert.equal(put.status, isMatch ? 204 : 412, put.text)
      assert.equal((await read(id))['name'], isMatch ? 'C' : 'B')
      if (isMatch) return

      assert.deepEqual(Object.keys(put.body), ['error'])
      assert.equal((await remove(id, { 'if-match': ifMatch })).status, 412)
      assert.equal((await read(id))['name'], 'B')
    })
  }

  it('allows a conditional delete of the current version', async () => {
    const { made, remove } = await open()
    assert.equal((await remove(await made(minimalProduct), { 'if-match': '"1"' })).status, 204)
  })

  it('saves a client with the current version the body', async () => {
    const { made, get, replace } = await open()
    const id = await made(minimalProduct)

    for (const tags of ['"1"', 'W/"1"', '"7", "1"', '*']) {
      const { status, text, headers } = await get(productPath(id), { 'if-none-match': tags })
      assert.deepEqual([status, text, headers['etag']], [304, '', '"1"'])
    }
    for (const tags of ['"2"', '1', '']) {
      assert.equal((await get(productPath(id), { 'if-none-match': tags })).status, 200)
    }
    await replace(id, productWithFields({ name: 'B' }))
    assert.equal((await get(productPath(id), { 'if-none-match': '"1"' })).status, 200)
  })

  it('allows one of two updates of the same version', async () => {
    const { made, get, replace, read } = await open()
    const id = await made(minimalProduct)
    const tag = (await get(productPath(id))).headers['etag'] ?? ''

    const first = await replace(id, productWithFields({ name: 'First' }), { 'if-match': tag })
    const second = await replace(id, productWithFields({ name: 'Second' }), { 'if-match': tag })

    assert.deepEqual([first.status, second.status], [204, 412])
    assert.deepEqual(second.body, { error: 'The product has changed since it was read' })
    assert.equal((await read(id))['name'], 'First')
  })

  it('allows exactly one of many concurrent updates of the same version', async () => {
    const { made, replace, read, history } = await open()
    const id = await made(minimalProduct)
    const names = Array.from({ length: 20 }, (_, index) => `Editor ${index}`)

    const answers = await Promise.all(
      names.map((name) => replace(id, productWithFields({ name }), { 'if-match': '"1"' })),
    )

    const winners = names.filter((_, index) => answers[index]?.status === 204)
    assert.equal(winners.length, 1)
    assert.equal(answers.filter(({ status }) => status === 412).length, 19)
    assert.equal((await read(id))['name'], winners[0])
    assert.equal((await history(id)).body.meta.totalRecords, 2)
  })
})

describe('last_updated', () => {
  it('is the current time', async (t) => {
    const platform = await openPlatform(t, { now: '2026-07-01T00:00:00Z' })
    const id = await platform.made(minimalProduct)

    platform.setClock('2026-07-01T00:01:00.5Z')
    await platform.replace(id, minimalProduct)

    assert.equal((await platform.read(id))['last_updated'], '2026-07-01T00:01:00.5Z')
  })

  it('increases even if the clock stops or goes back', async (t) => {
    const platform = await openPlatform(t, { now: '2026-07-01T00:00:00Z' })
    const id = await platform.made(minimalProduct)
    const times = [(await platform.read(id))['last_updated']]

    for (const now of [
      '2026-07-01T00:00:00Z',
      '2026-06-30T00:00:00Z',
      '1970-01-01T00:00:00Z',
      '2026-07-01T00:00:00.001Z',
    ]) {
      platform.setClock(now)
      assert.equal((await platform.replace(id, minimalProduct)).status, 204)
      times.push((await platform.read(id))['last_updated'])
    }

    assert.deepEqual(times, [
      '2026-07-01T00:00:00Z',
      '2026-07-01T00:00:00.001Z',
      '2026-07-01T00:00:00.002Z',
      '2026-07-01T00:00:00.003Z',
      '2026-07-01T00:00:00.004Z',
    ])
  })
})

describe('a product that was read before', () => {
  it('is returned as another process changed it, without a delay', async (t) => {
    const platform = await openPlatform(t)
    const other = await openPlatform(t, { database: platform.database })
    const id = await platform.made(productWithFields({ name: 'First' }))
    const read = async () => {
      const { status, body, headers } = await other.get(productPath(id))
      return [status, body.name ?? body.error, headers['etag']]
    }
    const known = { 'if-none-match': '"1"' }
    assert.deepEqual(await read(), [200, 'First', '"1"'])
    assert.equal((await other.get(productPath(id), known)).status, 304)

    await platform.replace(id, productWithFields({ name: 'Second' }))
    assert.deepEqual(await read(), [200, 'Second', '"2"'])
    assert.equal((await other.get(productPath(id), known)).status, 200)
    assert.equal((await other.get(`${productPath(id)}?version=1`, known)).status, 304)
    assert.equal((await other.get(`${productPath(id)}?version=1`)).body.name, 'First')

    await platform.remove(id)
    assert.deepEqual(await read(), [404, 'Product not found', undefined])
    assert.equal((await other.get(productPath(id), known)).status, 404)
  })

  it('is returned as it was loaded after the database had been restored', async (t) => {
    const platform = await openPlatform(t)
    const last_updated = '2026-01-01T00:00:00Z'
    const read = async (name: string) => {
      await platform.load([
        { type: 'product', record: { ...minimalProduct, product_id: 'p', last_updated, name } },
      ])
      const { body, headers } = await platform.get(productPath('p'))
      return [body.name, body.last_updated, headers['etag']]
    }
    assert.deepEqual(await read('Before'), ['Before', last_updated, '"1"'])

    for (const table of ['product', 'product_version', 'product_summary']) {
      await runStatement(platform, `delete from ${table}`)
    }
    assert.deepEqual(await read('After'), ['After', last_updated, '"1"'])
  })
})
