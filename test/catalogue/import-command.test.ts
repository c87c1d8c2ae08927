import assert from 'node:assert/strict'
import { once } from 'node:events'
import { it } from 'node:test'
import { savingsProduct } from '../../src/contract/examples/product.ts'
import {
  cdsDetailVersions,
  fromCdsProductDetail,
  type PublishedProduct,
  toCdsProductDetail,
} from '../../src/contract/index.ts'
import { toProductContent } from '../../src/platform/catalogue/product.ts'
import { describe, type Scope } from '../support/engines.ts'
import { openPlatform } from '../support/platform.ts'
import { finish, kill, runInProcess, startHoldfast } from '../support/process.ts'
import { openProductHolder } from '../support/product-holder.ts'
import { until } from '../support/until.ts'
import { respondJson } from '../support/upstream.ts'

const updated = '2026-05-01T10:00:00+10:00'

const productOf = (product_id: string, fields: object = {}): PublishedProduct => ({
  product_id,
  brand: 'Other Bank',
  description: 'An account',
  is_tailored: false,
  name: `Product ${product_id}`,
  product_category: 'TRANS_AND_SAVINGS_ACCOUNTS',
  last_updated: updated,
  ...fields,
})

const manyProducts = (count: number) =>
  Array.from({ length: count }, (_, index) => productOf(`p${1000 + index}`))

async function open(t: Scope, products: readonly PublishedProduct[]) {
  const platform = await openPlatform(t)
  const holder = await openProductHolder(t, products)
  const args = (...rest: readonly string[]) => [
    ...['products', 'import', ...rest],
    ...['--database', platform.database],
  ]
  const run = (from = holder.url, ...rest: readonly string[]) => runInProcess(args(from, ...rest))
  const ids = async () => {
    const query = { category: undefined, brand: undefined, updatedSince: undefined, now: 0 }
    const page = { effective: 'ALL', page: 1, pageSize: 1000 } as const
    return (await platform.catalogue.list({ ...query, ...page })).items.map(({ id }) => id)
  }
  return { platform, holder, args, run, ids }
}

describe('holdfast products import', () => {
  it('imports all pages with id, brand and time of the last update', async (t) => {
    const products = manyProducts(205)
    const { platform, holder, run, ids } = await open(t, products)

    const { status, stdout, stderr } = await run()

    assert.deepEqual(
      [status, stdout, stderr],
      [0, '205 products: 205 created, 0 changed, 0 unchanged, 0 not imported\n', ''],
    )
    assert.deepEqual(
      await ids(),
      products.map(({ product_id }) => product_id),
    )
    assert.deepEqual(await platform.read('p1204'), products[204])
    const [change] = (await platform.history('p1204')).body.data.history
    assert.equal(change.changed_by_name, 'holdfast products')
    const [list, detail] = [holder.requests[0], holder.requests.at(-1)]
    assert.equal(list?.url, `${holder.listPath}?effective=ALL&page-size=100`)
    assert.deepEqual([list?.headers['x-v'], list?.headers['x-min-v']], ['5', '3'])
    assert.deepEqual([detail?.headers['x-v'], detail?.headers['x-min-v']], ['7', '4'])
    assert.match(list?.headers['user-agent'] ?? '', /^Holdfast\/\d/)
    assert.equal(holder.requests.length, 3 + 205)
  })

  for (const detailVersion of cdsDetailVersions) {
    it(`imports details of version ${detailVersion}`, async (t) => {
      const product = { ...productOf('p1'), ...savingsProduct }
      const { platform, run } = await open(t, [])
      const listVersion = detailVersion < 6 ? 3 : 5
      const holder = await openProductHolder(t, [product], { detailVersion, listVersion })

      const { status, stderr } = await run(`${holder.url}/banking/products/`)

      assert.deepEqual([status, stderr], [0, ''])
      const expected = fromCdsProductDetail(toCdsProductDetail(product, detailVersion)).product
      assert.ok(expected)
      const stored = await platform.catalogue.read('p1')
      assert.deepEqual(
        JSON.parse(stored?.shown ?? ''),
        JSON.parse(toProductContent(expected).shown),
      )
      assert.equal(stored?.lastUpdated, updated)
    })
  }

  it('imports what another platform publishes', async (t) => {
    const { platform, run } = await open(t, [])
    const other = await openPlatform(t)
    const id = await other.made(savingsProduct)

    const { status, stdout } = await run(`http://127.0.0.1:${other.port}/cds-au/v1`)

    assert.deepEqual(
      [status, stdout],
      [0, '1 product: 1 created, 0 changed, 0 unchanged, 0 not imported\n'],
    )
    const [ours, theirs] = await Promise.all(
      [platform, other].map(({ get }) =>
        get(`/cds-au/v1/banking/products/${id}`, { 'x-v': '7', accept: 'application/json' }),
      ),
    )
    assert.equal(theirs?.body.data.productId, id)
    assert.deepEqual(ours?.body.data, theirs?.body.data)
  })

  it('requests again only what was updated, and keeps what was changed or deleted here', async (t) => {
    const products = manyProducts(6)
    const { platform, holder, run } = await open(t, products)
    await run()
    await platform.replace('p1001', { ...products[1], name: 'Ours' })
    await platform.remove('p1002')
    const first = holder.requests.length
    const later = { last_updated: '2026-06-01T00:00:00Z', name: 'Renamed' }
    holder.publish([...products.slice(0, 5), productOf('p1005', later), productOf('p1006')])

    const { status, stdout } = await run()

    assert.deepEqual(
      [status, stdout],
      [
        0,
        [
          'p1001  kept: "Ours" was written here. To replace it: --replace p1001',
          'p1002  kept: "Product p1002" was deleted here. To replace it: --replace p1002',
          '7 products: 1 created, 1 changed, 3 unchanged, 2 kept, 0 not imported',
          '',
        ].join('\n'),
      ],
    )
    assert.equal(holder.requests.length, first + 1 + 2)
    assert.deepEqual(holder.requestedIds().slice(6).sort(), ['p1005', 'p1006'])
    assert.equal((await platform.read('p1001'))['name'], 'Ours')
    assert.equal((await platform.read('p1005'))['name'], 'Renamed')
    assert.match((await run()).stdout, /\n7 products: 0 created, 0 changed, 5 unchanged, 2 kept,/)
  })

  it('continues after a kill without requesting what it has stored', async (t) => {
    const { holder, args, run, ids } = await open(t, manyProducts(80))
    holder.replaced.set(holder.detailPath('p1060'), () => {})
    const child = startHoldfast(t, args(holder.url))
    await until(async () => (await ids()).length >= 50)
    await kill(child)
    holder.replaced.clear()
    const stored = await ids()
    const before = holder.requestedIds().length

    const { status } = await run()

    assert.equal(status, 0)
    assert.equal((await ids()).length, 80)
    const requested = holder.requestedIds().slice(before)
    assert.equal(requested.length, 80 - stored.length)
    assert.ok(!requested.some((id) => stored.includes(id)))
  })

  it('stores what it has read when it is stopped by a signal', async (t) => {
    const { holder, args, ids } = await open(t, manyProducts(12))
    const isRequested = Promise.withResolvers<void>()
    holder.replaced.set(holder.detailPath('p1010'), () => isRequested.resolve())
    const child = startHoldfast(t, args(holder.url))
    await Promise.race([isRequested.promise, once(child, 'exit')])

    child.kill('SIGTERM')

    const { status, stdout, stderr } = await finish(child)
    assert.equal(status, 143)
    const stored = (await ids()).length
    assert.ok(stored >= 7 && stored <= 10, `${stored}`)
    assert.equal(
      stdout,
      `${stored} products: ${stored} created, 0 changed, 0 unchanged, 0 not imported\n`,
    )
    assert.equal(
      stderr,
      'Stopped by SIGTERM. What was imported is stored: run the command again to continue.\n',
    )
  })

  it('names the product whose request failed, and imports the others', async (t) => {
    const { holder, run, ids } = await open(t, manyProducts(4))
    const path = holder.detailPath('p1002')
    holder.replaced.set(path, respondJson('{}', 500))

    const { status, stdout, stderr } = await run()

    assert.equal(status, 1)
    assert.deepEqual(stdout.split('\n'), [
      `p1002  not imported: ${holder.address}${path} was answered with status 500`,
      '4 products: 3 created, 0 changed, 0 unchanged, 1 not imported',
      '',
    ])
    assert.equal(stderr, '1 product could not be imported\n')
    holder.replaced.clear()
    const again = await run()
    assert.equal(again.status, 0)
    assert.deepEqual(holder.requestedIds().slice(4), ['p1002'])
    assert.equal((await ids()).length, 4)
  })

  it('names what the catalogue cannot hold', async (t) => {
    const { platform, holder, run } = await open(t, manyProducts(3))
    const detail = (id: string, fields: object) =>
      respondJson(JSON.stringify({ data: { ...toCdsProductDetail(productOf(id), 7), ...fields } }))
    holder.replaced.set(
      holder.detailPath('p1000'),
      detail('p1000', {
        brandGroup: 'Group',
        features: [{ featureType: 'NO\u202e' }, { featureType: 'UNLIMITED_TXNS' }],
      }),
    )
    holder.replaced.set(holder.detailPath('p1001'), detail('p1001', { name: '' }))
    holder.replaced.set(
      holder.detailPath('p1002'),
      detail('p1002', { description: 'x'.repeat(300_000) }),
    )

    const { status, stdout } = await run(holder.url, '--json')

    assert.equal(status, 1)
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      lines.map(({ id, outcome, field }) => [id, outcome, field]),
      [
        ['p1000', 'left_out', 'brandGroup'],
        ['p1000', 'left_out', 'features[0].featureType'],
        ['p1000', 'left_out', 'features[0]'],
        ['p1001', 'not_imported', 'name'],
        ['p1001', 'not_imported', 'name'],
        ['p1002', 'not_imported', 'record'],
        [undefined, 'summary', undefined],
      ],
    )
    assert.deepEqual(lines.at(-1), {
      outcome: 'summary',
      created: 1,
      changed: 0,
      unchanged: 0,
      kept: 0,
      not_imported: 2,
      left_out: 3,
      warnings: 0,
    })
    assert.deepEqual((await platform.read('p1000'))['features'], [
      { feature_type: 'UNLIMITED_TXNS' },
    ])
  })
})
