import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import {
  type CdsDetailVersion,
  type CdsListVersion,
  cdsDetailVersions,
  cdsListVersions,
  type PublishedProduct,
  toCdsListProduct,
  toCdsProductDetail,
} from '../../src/contract/index.ts'
import { compileCdsSchemas } from '../support/cds-product-schemas.ts'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { openPlatform, type Platform } from '../support/platform.ts'
import { anyPublishableProduct } from '../support/publishable-products.ts'
import { getDetail, getList, publishedPath } from './published.ts'

const publicUrl = 'https://products.bank.example'
const now = '2026-07-01T00:00:00Z'

const schemas = compileCdsSchemas()

const hour = (hours: number) => Temporal.Instant.from(now).add({ hours }).toString()

/** One product in three is in the past, one in the future; the times include the present one. */
const effectiveTimes = [
  {},
  { effective_from: hour(-1) },
  { effective_from: now },
  { effective_from: hour(1) },
  { effective_from: hour(-2), effective_to: now },
  { effective_from: hour(-2), effective_to: hour(1) },
] as const

/** The same in every run. */
function createProducts(): PublishedProduct[] {
  const generated = fc.sample(anyPublishableProduct(), { numRuns: 70, seed: 1 })
  return generated.map((product, index) => {
    const { effective_from: _from, effective_to: _to, ...rest } = product
    return {
      ...rest,
      ...effectiveTimes[index % effectiveTimes.length],
      product_id: `p-${index}`,
      brand: ['Example', 'Example Business', 'Ünïcode & co'][index % 3] ?? '',
      last_updated: hour(index % 7),
    }
  })
}

interface Opened {
  readonly platform: Platform
  readonly products: readonly PublishedProduct[]
}

const open = shareOnEachEngine<Opened>(async (scope) => {
  const products = createProducts()
  const platform = await openPlatform(scope, { now, settings: { publicUrl } })
  await platform.load(products.map((record) => ({ type: 'product', record })))
  return { platform, products: products.sort((a, b) => (a.product_id < b.product_id ? -1 : 1)) }
})

type Filters = Readonly<Record<string, string>>

/** What the standards say about the filters, by the times of Date. */
function isListed(product: PublishedProduct, filters: Filters, version: CdsListVersion): boolean {
  const { effective = 'CURRENT', brand, 'product-category': category } = filters
  const at = Date.parse(now)
  const from = Date.parse(product.effective_from ?? '1970-01-01T00:00:00Z')
  const to = Date.parse(product.effective_to ?? '9999-01-01T00:00:00Z')
  const since = filters['updated-since']
  return (
    (version === 5 || product.product_category !== 'BUY_NOW_PAY_LATER') &&
    (effective === 'ALL' || (effective === 'FUTURE' ? from > at : from <= at && to > at)) &&
    (brand === undefined || product.brand === brand) &&
    (category === undefined || product.product_category === category) &&
    (since === undefined || Date.parse(product.last_updated) > Date.parse(since))
  )
}

/** The exact response: both engines are compared with it byte for byte. */
function expectedPage(
  found: readonly PublishedProduct[],
  version: CdsListVersion,
  filters: Filters,
  page: number,
  pageSize: number,
): string {
  const last = Math.ceil(found.length / pageSize)
  const { 'updated-since': since, brand, effective = 'CURRENT' } = filters
  const category = filters['product-category']
  const link = (target: number) => {
    const given = { 'product-category': category, brand, effective, 'updated-since': since }
    const query = Object.entries({ ...given, page: target, 'page-size': pageSize })
      .filter(([, value]) => value !== undefined)
      .map((pair) => new URLSearchParams([pair.map(String) as [string, string]]))
    return `${publicUrl}${publishedPath}?${query.join('&')}`
  }
  const links = {
    self: link(page),
    ...(last > 0 && { first: link(1) }),
    ...(page > 1 && { prev: link(page - 1) }),
    ...(page < last && { next: link(page + 1) }),
    ...(last > 0 && { last: link(last) }),
  }
  const shown = found.slice((page - 1) * pageSize, page * pageSize)
  return JSON.stringify({
    data: { products: shown.map((each) => toCdsListProduct(each, version)) },
    links,
    meta: { totalRecords: found.length, totalPages: last },
  })
}

describe('the public list of products', () => {
  const filters: readonly Filters[] = [
    {},
    ...['CURRENT', 'FUTURE', 'ALL'].map((effective) => ({ effective })),
    { brand: 'Example', effective: 'ALL' },
    { brand: 'Ünïcode & co' },
    { brand: 'example' },
    { 'product-category': 'TERM_DEPOSITS', effective: 'ALL' },
    { 'product-category': 'TRAVEL_CARDS', brand: 'Example Business', effective: 'ALL' },
    { 'updated-since': hour(3), effective: 'ALL' },
    { 'updated-since': hour(99) },
    { 'updated-since': '2026-07-01T13:00:00.000000001+11:00', effective: 'ALL' },
  ]

  for (const filter of filters) {
    it(`has on its pages exactly the products of ${JSON.stringify(filter)}`, async () => {
      const { platform, products } = await open()

      for (const version of cdsListVersions) {
        const found = products.filter((each) => isListed(each, filter, version))
        for (const pageSize of [1000, 7]) {
          let query = `?${new URLSearchParams({ ...filter, 'page-size': String(pageSize) })}`
          let page = 1
          for (;;) {
            const answer = await getList(platform, query, { 'x-v': String(version) })
            assert.equal(answer.text, expectedPage(found, version, filter, page, pageSize))
            assert.equal(answer.headers['x-v'], String(version))
            const { next } = answer.body.links
            if (next === undefined) break
            query = new URL(next).search
            page += 1
          }
          assert.equal(page, Math.max(1, Math.ceil(found.length / pageSize)))
        }
      }
    })
  }

  it('has 25 products on a page by default', async () => {
    const { platform, products } = await open()
    const found = products.filter((each) => isListed(each, { effective: 'ALL' }, 5))

    const { body } = await getList(platform, '?effective=ALL')

    assert.equal(body.data.products.length, 25)
    assert.equal(body.meta.totalPages, Math.ceil(found.length / 25))
  })

  it('accepts the category BUY_NOW_PAY_LATER in version 5 only', async () => {
    const { platform, products } = await open()
    const query = '?effective=ALL&product-category=BUY_NOW_PAY_LATER'
    const expected = products.filter(
      ({ product_category }) => product_category === 'BUY_NOW_PAY_LATER',
    )
    assert.ok(expected.length > 0)

    const answers = await Promise.all(
      ['3', '4', '5'].map((version) => getList(platform, query, { 'x-v': version })),
    )

    assert.deepEqual(
      answers.map(({ status }) => status),
      [400, 400, 200],
    )
    assert.equal(answers[2]?.body.meta.totalRecords, expected.length)
  })
})

describe('every published product', () => {
  for (const version of cdsListVersions) {
    it(`is valid in version ${version} of the list`, async () => {
      const { platform } = await open()
      const validate = schemas.list.get(version)

      const query = '?effective=ALL&page-size=1000'
      const { body } = await getList(platform, query, { 'x-v': String(version) })

      assert.ok(body.data.products.length > 30)
      for (const product of body.data.products) {
        assert.ok(validate?.(product), JSON.stringify([validate?.errors, product]))
      }
    })
  }

  for (const version of cdsDetailVersions) {
    it(`is valid in version ${version} of the details`, async () => {
      const { platform, products } = await open()
      const validate = schemas.detail.get(version)

      for (const product of products) {
        const answer = await getDetail(platform, product.product_id, { 'x-v': String(version) })

        const data = toCdsProductDetail(product, version as CdsDetailVersion)
        assert.equal(answer.status, data ? 200 : 404, answer.text)
        if (!data) continue
        const self = `${publicUrl}${publishedPath}/${product.product_id}`
        assert.equal(answer.text, JSON.stringify({ data, links: { self }, meta: {} }))
        const { data: read } = answer.body
        assert.ok(validate?.(read), JSON.stringify([validate?.errors, read]))
      }
    })
  }
})
