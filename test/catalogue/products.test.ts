import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import { openPlatform, productPath, productsPath, sharedPlatform } from '../support/platform.ts'
import { contentOf, plain, plainWith } from './products.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe('a create', () => {
  const open = sharedPlatform({ now: '2026-07-01T10:20:30.456Z' })

  it('is a 201 with the stored record, where it is, and its version', async () => {
    const { create } = await open()

    const { status, body, headers } = await create(plain)

    assert.equal(status, 201)
    assert.match(body.product_id, uuid)
    assert.deepEqual(body, {
      ...plain,
      product_id: body.product_id,
      last_updated: '2026-07-01T10:20:30.456Z',
    })
    assert.equal(headers['location'], `/v1/data-provider/cdr/products/${body.product_id}`)
    assert.equal(headers['etag'], '"1"')
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(headers['cache-control'], 'no-store')
  })

  it('is read where its Location says, by anyone, the same', async () => {
    const { create, get } = await open()
    const made = await create(plain)

    const read = await get(made.headers['location'] ?? '')

    assert.equal(read.status, 200)
    assert.equal(read.text, made.text)
    assert.equal(read.headers['etag'], '"1"')
    assert.equal(read.headers['access-control-allow-origin'], '*')
  })

  it('makes a product each time', async () => {
    const { made } = await open()
    assert.notEqual(await made(plain), await made(plain))
  })

  it('passes over an id and a time in the body, whatever they are', async () => {
    const { create } = await open()

    for (const [product_id, last_updated] of [
      ['mine', '1999-01-01T00:00:00Z'],
      [7, null],
      [{}, 'yesterday'],
    ]) {
      const { status, body } = await create(plainWith({ product_id, last_updated }))
      assert.equal(status, 201)
      assert.match(body.product_id, uuid)
      assert.equal(body.last_updated, '2026-07-01T10:20:30.456Z')
    }
  })
})

describe('an update', () => {
  const open = sharedPlatform({ now: '2026-07-01T10:20:30.456Z' })

  it('is a 204 without a body, with the new version', async () => {
    const { made, replace } = await open()

    const { status, text, headers } = await replace(await made(plain), plainWith({ name: 'B' }))

    assert.deepEqual([status, text, headers['etag']], [204, '', '"2"'])
  })

  it('replaces all of the record: what is left out is gone', async () => {
    const { made, replace, read } = await open()
    const id = await made(plainWith({ brand_name: 'Everyday', bundles: [{ name: 'Both' }] }))

    assert.equal((await replace(id, plainWith({ name: 'Other' }))).status, 204)

    assert.deepEqual(contentOf(await read(id)), plainWith({ name: 'Other' }))
  })

  it('of a product that is not there is a 404, with or without a condition', async () => {
    const { replace, remove, made } = await open()
    const gone = await made(plain)
    assert.equal((await remove(gone)).status, 204)

    for (const id of ['nothing', gone]) {
      for (const headers of [{}, { 'if-match': '*' }, { 'if-match': '"1"' }]) {
        const answer = await replace(id, plain, headers)
        assert.deepEqual([answer.status, answer.text], [404, '{"error":"Product not found"}'])
      }
    }
  })

  it('keeps the id in the path, whatever the body says', async () => {
    const { made, replace, read } = await open()
    const id = await made(plain)

    assert.equal((await replace(id, plainWith({ product_id: 'other' }))).status, 204)

    assert.equal((await read(id))['product_id'], id)
  })
})

describe('a delete', () => {
  const open = sharedPlatform()

  it('is a 204; then the product is neither read nor listed, nor deleted again', async () => {
    const { made, remove, get } = await open()
    const id = await made(plainWith({ brand: 'Deleted' }))

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

  it('changes with each update, and with nothing else', async () => {
    const { made, replace, get } = await open()
    const id = await made(plain)
    const tag = async () => (await get(productPath(id))).headers['etag']

    assert.deepEqual([await tag(), await tag()], ['"1"', '"1"'])
    await replace(id, plainWith({ name: 1 }))
    assert.equal(await tag(), '"1"')
    await replace(id, plainWith({ name: 'B' }))
    assert.equal(await tag(), '"2"')
  })

  /** What is sent for a product of version 2, and whether it is the same. */
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
    it(`of version 2 is ${isMatch ? '' : 'not '}met by If-Match: ${ifMatch}`, async () => {
      const { made, replace, remove, read } = await open()
      const id = await made(plain)
      await replace(id, plainWith({ name: 'B' }))

      const put = await replace(id, plainWith({ name: 'C' }), { 'if-match': ifMatch })
      assert.equal(put.status, isMatch ? 204 : 412, put.text)
      assert.equal((await read(id))['name'], isMatch ? 'C' : 'B')
      if (isMatch) return

      assert.deepEqual(Object.keys(put.body), ['error'])
      assert.equal((await remove(id, { 'if-match': ifMatch })).status, 412)
      assert.equal((await read(id))['name'], 'B')
    })
  }

  it('lets a delete through where it is the current one', async () => {
    const { made, remove } = await open()
    assert.equal((await remove(await made(plain), { 'if-match': '"1"' })).status, 204)
  })

  it('spares a reader who holds it the body', async () => {
    const { made, get, replace } = await open()
    const id = await made(plain)

    for (const held of ['"1"', 'W/"1"', '"7", "1"', '*']) {
      const { status, text, headers } = await get(productPath(id), { 'if-none-match': held })
      assert.deepEqual([status, text, headers['etag']], [304, '', '"1"'])
    }
    for (const held of ['"2"', '1', '']) {
      assert.equal((await get(productPath(id), { 'if-none-match': held })).status, 200)
    }
    await replace(id, plainWith({ name: 'B' }))
    assert.equal((await get(productPath(id), { 'if-none-match': '"1"' })).status, 200)
  })

  it('lets one of two editors through who read the same version', async () => {
    const { made, get, replace, read } = await open()
    const id = await made(plain)
    const tag = (await get(productPath(id))).headers['etag'] ?? ''

    const first = await replace(id, plainWith({ name: 'First' }), { 'if-match': tag })
    const second = await replace(id, plainWith({ name: 'Second' }), { 'if-match': tag })

    assert.deepEqual([first.status, second.status], [204, 412])
    assert.deepEqual(second.body, { error: 'The product has changed since it was read' })
    assert.equal((await read(id))['name'], 'First')
  })

  it('lets exactly one of many editors through who write at once', async () => {
    const { made, replace, read, history } = await open()
    const id = await made(plain)
    const names = Array.from({ length: 20 }, (_, index) => `Editor ${index}`)

    const answers = await Promise.all(
      names.map((name) => replace(id, plainWith({ name }), { 'if-match': '"1"' })),
    )

    const winners = names.filter((_, index) => answers[index]?.status === 204)
    assert.equal(winners.length, 1)
    assert.equal(answers.filter(({ status }) => status === 412).length, 19)
    assert.equal((await read(id))['name'], winners[0])
    assert.equal((await history(id)).body.meta.totalRecords, 2)
  })
})

describe('the time of the last update', () => {
  it('is the clock’s while that goes on', async (t) => {
    const platform = await openPlatform(t, { now: '2026-07-01T00:00:00Z' })
    const id = await platform.made(plain)

    platform.setClock('2026-07-01T00:01:00.5Z')
    await platform.replace(id, plain)

    assert.equal((await platform.read(id))['last_updated'], '2026-07-01T00:01:00.5Z')
  })

  it('goes on where the clock stands still or goes back', async (t) => {
    const platform = await openPlatform(t, { now: '2026-07-01T00:00:00Z' })
    const id = await platform.made(plain)
    const times = [(await platform.read(id))['last_updated']]

    for (const now of [
      '2026-07-01T00:00:00Z',
      '2026-06-30T00:00:00Z',
      '1970-01-01T00:00:00Z',
      '2026-07-01T00:00:00.001Z',
    ]) {
      platform.setClock(now)
      assert.equal((await platform.replace(id, plain)).status, 204)
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
