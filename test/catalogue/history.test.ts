import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import { callPlatform, openPlatform, productPath, sharedPlatform } from '../support/platform.ts'
import { getContent, minimalProduct, productWithFields } from './products.ts'

const open = sharedPlatform()

describe('the history of a product', () => {
  it('lists author and time of every change, newest first', async (t) => {
    const platform = await openPlatform(t, { now: '2026-07-01T00:00:00Z' })
    const other = await platform.register(['products.write'], 'Zoë’s "script"')
    const id = await platform.made(minimalProduct)
    platform.setClock('2026-07-01T00:05:00.25Z')
    const { replace } = callPlatform(platform.port, await platform.issueToken(other))
    await replace(id, productWithFields({ name: 'B' }))
    platform.setClock('2026-07-01T00:10:00Z')
    await platform.remove(id)

    const { status, body, headers } = await platform.history(id)

    const ours = { changed_by: platform.client.id, changed_by_name: 'pricing team' }
    assert.equal(status, 200)
    assert.deepEqual(body, {
      data: {
        history: [
          { version: 3, change: 'DELETED', changed_at: '2026-07-01T00:10:00Z', ...ours },
          {
            version: 2,
            change: 'UPDATED',
            changed_at: '2026-07-01T00:05:00.25Z',
            changed_by: other.id,
            changed_by_name: 'Zoë’s "script"',
          },
          { version: 1, change: 'CREATED', changed_at: '2026-07-01T00:00:00Z', ...ours },
        ],
      },
      links: { first: 'page=1&page-size=25', last: 'page=1&page-size=25' },
      meta: { totalRecords: 3, totalPages: 1 },
    })
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['access-control-allow-origin'], undefined)
  })

  it('keeps the name of a removed client', async () => {
    const platform = await open()
    const other = await platform.register(['products.write'], 'removed client')
    const { made } = callPlatform(platform.port, await platform.issueToken(other))
    const id = await made(minimalProduct)
    assert.equal(await platform.unregister(other), true)

    const { body } = await platform.history(id)

    assert.equal(body.data.history[0].changed_by_name, 'removed client')
    assert.equal(body.data.history[0].changed_by, other.id)
  })

  it('requires a token with a read scope', async () => {
    const platform = await open()
    const id = await platform.made(minimalProduct)
    const reader = await platform.register(['products.read'])
    const { history } = callPlatform(platform.port, await platform.issueToken(reader))

    assert.equal((await history(id)).status, 200)
    assert.equal((await platform.get(`${productPath(id)}/history`)).status, 401)
  })

  it('is paged', async () => {
    const platform = await open()
    const id = await platform.made(minimalProduct)
    for (const name of ['B', 'C', 'D', 'E']) await platform.replace(id, productWithFields({ name }))
    const page = async (query: string) => {
      const { body } = await platform.history(id, query)
      const versions = body.data.history.map((change: { version: number }) => change.version)
      return { versions, ...body.links, ...body.meta }
    }

    assert.deepEqual(await page('?page=2&page-size=2'), {
      versions: [3, 2],
      first: 'page=1&page-size=2',
      last: 'page=3&page-size=2',
      next: 'page=3&page-size=2',
      prev: 'page=1&page-size=2',
      totalRecords: 5,
      totalPages: 3,
    })
    assert.deepEqual((await page('?page=4&page-size=2')).versions, [])
    assert.equal((await platform.history(id, '?page-size=1001')).status, 400)
  })

  it('returns 404 for an unknown product', async () => {
    const { history } = await open()
    assert.deepEqual((await history('nothing')).text, '{"error":"Product not found"}')
  })
})

describe('a version of a product', () => {
  it('is public and has its own ETag', async (t) => {
    const platform = await openPlatform(t, { now: '2026-07-01T00:00:00Z' })
    const made = await platform.create(minimalProduct)
    const id: string = made.body.product_id
    platform.setClock('2026-07-01T00:05:00Z')
    await platform.replace(id, productWithFields({ name: 'B' }))

    const [first, second, now] = [
      await platform.get(`${productPath(id)}?version=1`),
      await platform.get(`${productPath(id)}?version=2`),
      await platform.get(productPath(id)),
    ]

    assert.equal(first.text, made.text)
    assert.equal(first.headers['etag'], '"1"')
    assert.equal(second.text, now.text)
    assert.equal(now.headers['etag'], '"2"')
    assert.equal(now.body.last_updated, '2026-07-01T00:05:00Z')
  })

  it('returns 404 if it does not exist, and 400 if it is invalid', async () => {
    const platform = await open()
    const id = await platform.made(minimalProduct)
    await platform.remove(id)

    for (const version of [2, 3, Number.MAX_SAFE_INTEGER]) {
      const answer = await platform.get(`${productPath(id)}?version=${version}`)
      assert.deepEqual([answer.status, answer.text], [404, '{"error":"Product not found"}'])
    }
    for (const version of ['0', '-1', '1.0', 'one', '', '9007199254740992', '1&version=1']) {
      const { status, body } = await platform.get(`${productPath(id)}?version=${version}`)
      assert.equal(status, 400, version)
      assert.match(body.error, /^version must be /)
    }
  })

  it('remains after the product is deleted', async () => {
    const platform = await open()
    const id = await platform.made(minimalProduct)
    await platform.remove(id)

    assert.deepEqual(getContent(await platform.read(id, 1)), minimalProduct)
  })

  it('can be restored by sending its response unchanged', async () => {
    const platform = await open()
    const discounts = [
      {
        discount_method_u_type: 'rateBased',
        rate_based: {
          rate: '0.5',
          rate_type: 'FEE',
          amount_range: { discount_maximum: '20.00', discount_minimum: '1.00' },
        },
      },
      { discount_method_u_type: 'fixedAmount', fixed_amount: { amount: '4.00' } },
    ]
    const id = await platform.made(productWithFields({ fees: [{ name: 'Keeping', discounts }] }))
    await platform.replace(id, productWithFields({ name: 'An error' }))
    const { text: old } = await platform.get(`${productPath(id)}?version=1`)

    const { status, headers } = await platform.replace(id, old, { 'if-match': '"2"' })

    assert.deepEqual([status, headers['etag']], [204, '"3"'])
    assert.deepEqual(getContent(await platform.read(id)), getContent(JSON.parse(old)))
    assert.deepEqual(
      getContent(await platform.read(id, 2)),
      productWithFields({ name: 'An error' }),
    )
  })
})
