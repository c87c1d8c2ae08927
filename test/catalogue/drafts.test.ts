import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { describe } from '../support/engines.ts'
import { callPlatform, openPlatform, productPath, sharedPlatform } from '../support/platform.ts'
import { prototypeNames } from '../support/prototype-names.ts'
import { assertError, callDrafts, draftPath, ifMatch } from './draft-calls.ts'
import { getContent, minimalProduct, productWithFields } from './products.ts'
import { runStatement } from './run-statement.ts'

const shared = sharedPlatform()

async function open() {
  const platform = await shared()
  return { platform, drafts: callDrafts(platform) }
}

const changed = productWithFields({ name: 'Better saver' })

describe('a draft', () => {
  it('is saved beside the product, which stays as it was published', async (t) => {
    const platform = await openPlatform(t, { now: '2026-07-01T00:00:00Z' })
    const drafts = callDrafts(platform)
    const id = await platform.made(minimalProduct)
    const published = await platform.get(productPath(id))
    platform.setClock('2026-07-01T00:05:00Z')

    const saved = await drafts.save(id, changed, { 'if-none-match': '*' })
    const read = await drafts.read(id)

    assert.deepEqual([saved.status, saved.text], [204, ''])
    assert.equal(read.status, 200)
    assert.equal(read.headers['etag'], saved.headers['etag'])
    assert.equal(read.headers['cache-control'], 'no-store')
    assert.deepEqual(read.body, {
      product: { product_id: id, ...changed, last_updated: '2026-07-01T00:05:00Z' },
      base_version: 1,
      is_outdated: false,
      changed_at: '2026-07-01T00:05:00Z',
      changed_by: platform.client.id,
      changed_by_name: 'pricing team',
    })
    assert.equal((await platform.get(productPath(id))).text, published.text)
    assert.equal((await platform.history(id)).body.meta.totalRecords, 1)
    assert.ok(!(await platform.dump()).includes('Better saver'))
  })

  it('is published as a new version by its author, and is then gone', async (t) => {
    const platform = await openPlatform(t, { now: '2026-07-01T00:00:00Z' })
    const id = await platform.made(minimalProduct)
    const saved = await callDrafts(platform).save(id, changed)
    const reviewer = await platform.register(['products.write'], 'reviewer')
    const drafts = callDrafts(callPlatform(platform.port, await platform.issueToken(reviewer)))
    platform.setClock('2026-07-01T00:10:00Z')

    const published = await drafts.publish(id, ifMatch(saved))

    assert.deepEqual([published.status, published.headers['etag']], [204, '"2"'])
    assert.deepEqual(await platform.read(id), {
      product_id: id,
      ...changed,
      last_updated: '2026-07-01T00:10:00Z',
    })
    const [change] = (await platform.history(id)).body.data.history
    assert.deepEqual(change, {
      version: 2,
      change: 'UPDATED',
      changed_at: '2026-07-01T00:10:00Z',
      changed_by: reviewer.id,
      changed_by_name: 'reviewer',
    })
    assertError(await drafts.read(id), 404, 'Draft not found')
    assertError(await drafts.publish(id, ifMatch(saved)), 404, 'Draft not found')
  })

  it('is not replaced, discarded or published with the ETag of an earlier one', async () => {
    const { platform, drafts } = await open()
    const id = await platform.made(minimalProduct)
    const first = await drafts.save(id, changed)
    await drafts.discard(id)
    // With the same content: an ETag is never used again.
    const second = await drafts.save(id, changed)
    const text = 'The draft has changed since it was read'

    assertError(await drafts.save(id, minimalProduct, ifMatch(first)), 412, text)
    assertError(await drafts.discard(id, ifMatch(first)), 412, text)
    assertError(await drafts.publish(id, ifMatch(first)), 412, text)
    assertError(await drafts.publish(id, { 'if-match': `W/${second.headers['etag']}` }), 412, text)
    const again = await drafts.save(id, changed, { 'if-none-match': '*' })
    assertError(again, 412, 'The product already has a draft')
    assert.equal((await drafts.read(id)).headers['etag'], second.headers['etag'])
    assert.equal((await drafts.save(id, minimalProduct, ifMatch(second))).status, 204)
    assert.equal((await drafts.discard(id, { 'if-match': '*' })).status, 204)
    assertError(await drafts.save(id, changed, ifMatch(second)), 412, text)
    assertError(await drafts.save(id, changed, { 'if-match': '*' }), 412, text)
    assertError(await drafts.discard(id), 404, 'Draft not found')
  })

  it('requires If-Match to be published', async () => {
    const { platform, drafts } = await open()
    const id = await platform.made(minimalProduct)
    await drafts.save(id, changed)

    assertError(await drafts.publish(id), 428, 'If-Match is required')
    assert.equal((await platform.history(id)).body.meta.totalRecords, 1)
  })

  it('is not published over a later change of the product, until it is based on it', async () => {
    const { platform, drafts } = await open()
    const id = await platform.made(minimalProduct)
    await drafts.save(id, changed)
    await platform.replace(id, productWithFields({ brand: 'Other' }))
    // Saving the draft again does not hide the change.
    const saved = await drafts.save(id, productWithFields({ name: 'Best saver' }))

    const published = await drafts.publish(id, ifMatch(saved))

    assertError(published, 412, 'The product has changed since the draft was made from it')
    const { body } = await drafts.read(id)
    assert.deepEqual([body.base_version, body.is_outdated], [1, true])
    const merged = productWithFields({ name: 'Best saver', brand: 'Other' })
    const rebased = await drafts.save(id, merged, ifMatch(saved), '?base-version=2')
    assert.equal((await drafts.publish(id, ifMatch(rebased))).headers['etag'], '"3"')
    assert.deepEqual(getContent(await platform.read(id)), merged)
  })

  it('is outdated from the start if its author names an earlier version', async () => {
    const { platform, drafts } = await open()
    const id = await platform.made(minimalProduct)
    await platform.replace(id, changed)

    const saved = await drafts.save(id, minimalProduct, {}, '?base-version=1')

    assert.equal((await drafts.read(id)).body.is_outdated, true)
    assert.equal((await drafts.publish(id, ifMatch(saved))).status, 412)
    const unknown = await drafts.save(id, minimalProduct, {}, '?base-version=3')
    assertError(unknown, 400, 'base-version must be a version of the product')
  })

  it('restores a version, also of a deleted product', async () => {
    const { platform, drafts } = await open()
    const discounts = [
      { discount_method_u_type: 'fixedAmount', fixed_amount: { amount: '4.00' } },
      {
        discount_method_u_type: 'rateBased',
        rate_based: { rate: '0.5', rate_type: 'FEE', amount_range: { discount_maximum: '20.00' } },
      },
    ]
    const id = await platform.made(productWithFields({ fees: [{ name: 'Keeping', discounts }] }))
    await platform.remove(id)
    const { text: version } = await platform.get(`${productPath(id)}?version=1`)

    const saved = await drafts.save(id, version)
    const { body } = await drafts.read(id)
    const published = await drafts.publish(id, ifMatch(saved))

    assert.deepEqual(getContent(body.product), getContent(JSON.parse(version)))
    assert.equal(published.headers['etag'], '"3"')
    assert.deepEqual(getContent(await platform.read(id)), getContent(JSON.parse(version)))
    assert.equal((await platform.history(id)).body.data.history[0].change, 'CREATED')
  })

  it('of a product that was deleted meanwhile is outdated', async () => {
    const { platform, drafts } = await open()
    const id = await platform.made(minimalProduct)
    const saved = await drafts.save(id, changed)
    await platform.remove(id)

    assert.equal((await drafts.publish(id, ifMatch(saved))).status, 412)
    assert.equal((await platform.get(productPath(id))).status, 404)
    assert.equal((await drafts.discard(id, ifMatch(saved))).status, 204)
  })

  it('of a new product has an id, and the product exists when it is published', async () => {
    const { platform, drafts } = await open()

    const created = await drafts.create(minimalProduct)
    const id: string = created.body.product.product_id

    assert.equal(created.status, 201)
    assert.equal(created.headers['location'], draftPath(id))
    assert.equal(created.text, (await drafts.read(id)).text)
    assert.deepEqual([created.body.base_version, created.body.is_outdated], [0, false])
    assert.equal((await platform.get(productPath(id))).status, 404)
    assert.equal((await platform.history(id)).status, 404)
    const saved = await drafts.save(id, changed, ifMatch(created))
    assert.equal((await drafts.publish(id, ifMatch(saved))).headers['etag'], '"1"')
    assert.deepEqual(getContent(await platform.read(id)), changed)
    assert.equal((await platform.history(id)).body.data.history[0].change, 'CREATED')
  })

  it('of an unknown product cannot be saved: the server chooses the ids', async () => {
    const { drafts } = await open()
    for (const id of ['nothing', ...prototypeNames]) {
      assertError(await drafts.save(id, changed), 404, 'Product not found')
      assertError(await drafts.read(id), 404, 'Draft not found')
      assertError(await drafts.discard(id), 404, 'Draft not found')
      assertError(await drafts.publish(id, { 'if-match': '*' }), 404, 'Draft not found')
    }
  })

  it('can have any id and any text', async (t) => {
    const platform = await openPlatform(t)
    const drafts = callDrafts(platform)
    const ids = ['draft', 'product-drafts', 'a/draft/publish', 'zwölf %00', ...prototypeNames]
    await platform.load(
      ids.map((product_id) => ({ type: 'product', record: { product_id, ...minimalProduct } })),
    )

    for (const id of ids) {
      const draft = productWithFields({ name: `\u0001 ${id}` })
      const saved = await drafts.save(id, draft)
      assert.equal(saved.status, 204, saved.text)
      assert.deepEqual(getContent((await drafts.read(id)).body.product), draft)
    }
    const { body } = await drafts.list()
    const listed = body.data.drafts.map((draft: { product_id: string; name: string }) => [
      draft.product_id,
      draft.name,
    ])
    assert.deepEqual(new Map(listed), new Map(ids.map((id) => [id, `\u0001 ${id}`])))
    for (const id of ids) {
      assert.equal((await drafts.publish(id, { 'if-match': '*' })).status, 204)
      assert.equal((await platform.read(id))['name'], `\u0001 ${id}`)
    }
  })
})

describe('publishing that fails halfway', () => {
  it('changes neither the product nor the draft', async (t) => {
    const platform = await openPlatform(t)
    const drafts = callDrafts(platform)
    const id = await platform.made(minimalProduct)
    const saved = await drafts.save(id, changed)
    const draft = await drafts.read(id)
    // The last statement of the transaction fails.
    await runStatement(platform, 'alter table product rename to elsewhere')

    const failed = await drafts.publish(id, ifMatch(saved))
    await runStatement(platform, 'alter table elsewhere rename to product')

    assertError(failed, 500, 'Internal error')
    assert.equal((await drafts.read(id)).text, draft.text)
    assert.deepEqual(getContent(await platform.read(id)), minimalProduct)
    assert.equal((await platform.history(id)).body.meta.totalRecords, 1)
    assert.equal((await drafts.publish(id, ifMatch(saved))).headers['etag'], '"2"')
  })
})

describe('the list of drafts', () => {
  it('contains every draft without its content, in pages', async (t) => {
    const platform = await openPlatform(t, { now: '2026-07-01T00:00:00Z' })
    const drafts = callDrafts(platform)
    assert.deepEqual((await drafts.list()).body.data, { drafts: [] })
    const ids = [await platform.made(minimalProduct), await platform.made(minimalProduct)].sort()
    const [first = '', second = ''] = ids
    for (const id of ids) await drafts.save(id, changed)
    await platform.replace(second, minimalProduct)

    const { status, body, headers } = await drafts.list('?page=2&page-size=1')

    assert.equal(status, 200)
    assert.equal(headers['access-control-allow-origin'], undefined)
    assert.deepEqual(body, {
      data: {
        drafts: [
          {
            product_id: second,
            name: 'Better saver',
            base_version: 1,
            is_outdated: true,
            changed_at: '2026-07-01T00:00:00Z',
            changed_by: platform.client.id,
            changed_by_name: 'pricing team',
          },
        ],
      },
      links: {
        first: 'page=1&page-size=1',
        last: 'page=2&page-size=1',
        prev: 'page=1&page-size=1',
      },
      meta: { totalRecords: 2, totalPages: 2 },
    })
    assert.equal((await drafts.list('?page-size=1')).body.data.drafts[0].product_id, first)
    const beyond = await drafts.list('?page=3&page-size=1')
    assert.deepEqual([beyond.body.data.drafts, beyond.body.meta.totalRecords], [[], 2])
  })
})

describe('two editors on two servers', () => {
  async function openServers(t: TestContext) {
    const platform = await openPlatform(t)
    const other = await openPlatform(t, { database: platform.database })
    return { platform, other, servers: [callDrafts(platform), callDrafts(other)] as const }
  }

  it('who save a draft at the same time get one 204 and one 412', async (t) => {
    const { platform, servers } = await openServers(t)
    const [drafts] = servers
    const id = await platform.made(minimalProduct)
    const names = ['A', 'B', 'C', 'D']
    const race = async (headers: Record<string, string>) => {
      const answers = await Promise.all(
        names.map((name, index) =>
          servers[index % 2 === 0 ? 0 : 1].save(id, productWithFields({ name }), headers),
        ),
      )
      const winners = names.filter((_, index) => answers[index]?.status === 204)
      assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 412, 412, 412])
      const read = await drafts.read(id)
      assert.deepEqual(winners, [read.body.product.name])
      return read
    }

    const first = await race({ 'if-none-match': '*' })
    await race(ifMatch(first))
  })

  it('who publish and replace at the same time lose no change', async (t) => {
    const { platform, other, servers } = await openServers(t)
    const [drafts, otherDrafts] = servers
    for (let round = 0; round < 5; round += 1) {
      const id = await platform.made(minimalProduct)
      const saved = await drafts.save(id, changed)

      const [first, replaced, second] = await Promise.all([
        drafts.publish(id, ifMatch(saved)),
        other.replace(id, productWithFields({ brand: 'Other' }), { 'if-match': '"1"' }),
        otherDrafts.publish(id, ifMatch(saved)),
      ])

      const isReplaced = replaced.status === 204
      assert.equal((await platform.history(id)).body.meta.totalRecords, 2)
      assert.equal((await platform.read(id))['brand'], isReplaced ? 'Other' : 'Example Bank')
      assert.equal(replaced.status, isReplaced ? 204 : 412)
      assert.deepEqual([first.status, second.status].sort(), isReplaced ? [412, 412] : [204, 404])
      assert.equal((await drafts.read(id)).status, isReplaced ? 200 : 404)
    }
  })
})
