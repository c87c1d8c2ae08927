import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import { openPlatform, type Platform, productsPath, sharedPlatform } from '../support/platform.ts'
import { productWithFields } from './products.ts'

const now = '2026-07-01T00:00:00Z'

const productIds = ({ body }: Answer): string[] =>
  body.data.products.map((product: { product_id: string }) => product.product_id)
const productNames = ({ body }: Answer): string[] =>
  body.data.products.map((product: { name: string }) => product.name).sort()

/** Loaded rather than created, so that the test can choose the id. */
const line = (product_id: string, fields: object) => ({
  type: 'product',
  record: { product_id, ...productWithFields({ name: product_id, ...fields }) },
})

/** Products that start or end before, at and after the current time. */
const lines = [
  line('open', {}),
  line('began', { effective_from: '2026-06-30T23:59:59Z' }),
  line('begins now', { effective_from: '2026-07-01T10:00:00+10:00' }),
  line('will begin', { effective_from: '2026-07-01T00:00:00.000000001Z' }),
  line('will begin and end', {
    effective_from: '2027-01-01T00:00:00Z',
    effective_to: '2028-01-01T00:00:00Z',
  }),
  line('ended', { effective_to: '2026-06-30T00:00:00Z' }),
  line('ends now', { effective_to: '2026-07-01T00:00:00Z' }),
  line('will end', { effective_to: '2026-07-01T00:00:01Z' }),
  line('loan', { product_category: 'PERS_LOANS', brand: 'Café & Söhne + 100%' }),
  line('old loan', { product_category: 'PERS_LOANS', effective_to: '2020-01-01T00:00:00Z' }),
]

describe('the list of products', () => {
  const shared = sharedPlatform({ now })
  let loaded: Promise<void> | undefined
  const open = async (): Promise<Platform> => {
    const platform = await shared()
    loaded ??= platform.load(lines)
    await loaded
    return platform
  }
  const current = ['began', 'begins now', 'loan', 'open', 'will end']
  const future = ['will begin', 'will begin and end']
  const retired = ['ended', 'ends now', 'old loan']

  for (const [query, names] of Object.entries({
    '': current,
    '?effective=CURRENT': current,
    '?effective=FUTURE': future,
    '?effective=ALL': [...current, ...future, ...retired].sort(),
    '?product-category=PERS_LOANS': ['loan'],
    '?product-category=PERS_LOANS&effective=ALL': ['loan', 'old loan'],
    '?product-category=LEASES': [],
    '?brand=Caf%C3%A9%20%26%20S%C3%B6hne%20%2B%20100%25': ['loan'],
    '?brand=caf%C3%A9': [],
    '?brand=': [],
    '?brand=Example%20Bank&effective=FUTURE': future,
    '?something=else': current,
  })) {
    it(`${query || 'without a filter'} has ${names.length} products`, async () => {
      const { get } = await open()
      const answer = await get(`${productsPath}${query}`)
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(productNames(answer), names)
      assert.equal(answer.body.meta.totalRecords, names.length)
    })
  }

  it('is public, and has each product as a read returns it', async () => {
    const { get, read } = await open()
    const { body, headers } = await get(`${productsPath}?product-category=PERS_LOANS`)

    assert.deepEqual(body.data.products, [await read('loan')])
    assert.equal(headers['access-control-allow-origin'], '*')
  })

  it('has data, links and meta', async () => {
    const { get } = await open()
    const { body } = await get(`${productsPath}?page=2&page-size=2`)

    assert.deepEqual(Object.keys(body), ['data', 'links', 'meta'])
    assert.deepEqual(body.meta, { totalRecords: 5, totalPages: 3 })
    assert.deepEqual(body.links, {
      first: 'page=1&page-size=2&effective=CURRENT',
      last: 'page=3&page-size=2&effective=CURRENT',
      next: 'page=3&page-size=2&effective=CURRENT',
      prev: 'page=1&page-size=2&effective=CURRENT',
    })
  })

  it('has links that repeat the filters', async () => {
    const { get } = await open()
    const brand = 'Café & Söhne + 100%'
    const query = new URLSearchParams({
      brand,
      'product-category': 'PERS_LOANS',
      effective: 'ALL',
      'updated-since': '2020-01-01T00:00:00+10:00',
    })
    const { body } = await get(`${productsPath}?${query}`)

    assert.deepEqual(Object.fromEntries(new URLSearchParams(body.links.first)), {
      page: '1',
      'page-size': '25',
      brand,
      'product-category': 'PERS_LOANS',
      effective: 'ALL',
      'updated-since': '2020-01-01T00:00:00+10:00',
    })
    const followed = await get(`${productsPath}?${body.links.first}`)
    assert.deepEqual(followed.body, body)
    assert.deepEqual(productNames(followed), ['loan'])
  })

  it('has links that lead to every product once, sorted by id', async () => {
    const { get } = await open()
    const all = (await get(`${productsPath}?effective=ALL&page-size=100`)).body.data.products
    const ids: string[] = []

    for (let query: string | undefined = 'effective=ALL&page-size=3'; query !== undefined; ) {
      const page: Answer = await get(`${productsPath}?${query}`)
      ids.push(...productIds(page))
      assert.ok(ids.length <= all.length)
      query = page.body.links.next
    }

    assert.deepEqual(ids, lines.map(({ record }) => record.product_id).sort())
  })

  it('has empty pages after its end, with a link to the last page', async () => {
    const { get } = await open()
    const { status, body } = await get(`${productsPath}?page=9007199254740991&page-size=100`)

    assert.equal(status, 200)
    assert.deepEqual(body.data.products, [])
    assert.equal(body.links.prev, 'page=1&page-size=100&effective=CURRENT')
    assert.equal(body.links.next, undefined)
  })

  it('has no links if it is empty', async () => {
    const { get } = await open()
    const { body } = await get(`${productsPath}?brand=unknown`)
    assert.deepEqual(body, {
      data: { products: [] },
      links: {},
      meta: { totalRecords: 0, totalPages: 0 },
    })
  })

  for (const [query, name] of [
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=1.5', 'page'],
    ['page=', 'page'],
    ['page=9007199254740992', 'page'],
    ['page=1&page=2', 'page'],
    ['page-size=0', 'page-size'],
    ['page-size=101', 'page-size'],
    ['page-size=ten', 'page-size'],
    ['page-size=0x10', 'page-size'],
    ['effective=NOW', 'effective'],
    ['effective=current', 'effective'],
    ['effective=', 'effective'],
    ['product-category=CAR_LOANS', 'product-category'],
    ['product-category=PERS_LOANS&product-category=LEASES', 'product-category'],
    ['brand=a&brand=b', 'brand'],
    ['updated-since=yesterday', 'updated-since'],
    ['updated-since=2026-07-01', 'updated-since'],
    ['updated-since=2026-02-30T00:00:00Z', 'updated-since'],
  ] as const) {
    it(`rejects ${query} with the name of the parameter`, async () => {
      const { get } = await open()
      const { status, body } = await get(`${productsPath}?${query}`)
      assert.equal(status, 400)
      assert.match(body.error, new RegExp(`^${name} must be `))
    })
  }

  it('has 25 products per page by default, and at most 100', async (t) => {
    const platform = await openPlatform(t, { now })
    await platform.load(Array.from({ length: 101 }, (_, index) => line(`p${index}`, {})))

    const [byDefault, largest] = [
      await platform.get(productsPath),
      await platform.get(`${productsPath}?page-size=100`),
    ]

    assert.equal(byDefault.body.data.products.length, 25)
    assert.deepEqual(byDefault.body.meta, { totalRecords: 101, totalPages: 5 })
    assert.equal(largest.body.data.products.length, 100)
    assert.deepEqual(largest.body.meta, { totalRecords: 101, totalPages: 2 })
  })
})

describe('the list of products with updated-since', () => {
  it('has products created or updated at or after the time', async (t) => {
    const platform = await openPlatform(t, { now })
    const first = await platform.made(productWithFields({ name: 'First' }))
    platform.setClock('2026-07-01T00:10:00Z')
    const second = await platform.made(productWithFields({ name: 'Second' }))
    const since = async (time: string) =>
      productNames(await platform.get(`${productsPath}?updated-since=${time}`))

    assert.deepEqual(await since('2026-07-01T00:00:00Z'), ['First', 'Second'])
    assert.deepEqual(await since('2026-07-01T10:00:00%2B10:00'), ['First', 'Second'])
    // With an unescaped plus sign.
    assert.deepEqual(await since('2026-07-01T10:00:00+10:00'), ['First', 'Second'])
    assert.deepEqual(await since('2026-07-01T00:00:00.001Z'), ['Second'])
    assert.deepEqual(await since('2026-07-01T00:10:00Z'), ['Second'])
    assert.deepEqual(await since('2026-07-01T00:10:00.001Z'), [])

    platform.setClock('2026-07-01T00:12:00Z')
    await platform.replace(first, productWithFields({ name: 'First again' }))
    await platform.remove(second)
    assert.deepEqual(await since('2026-07-01T00:11:00Z'), ['First again'])
    assert.deepEqual(await since('2020-01-01T00:00:00Z'), ['First again'])
  })

  it('follows the clock', async (t) => {
    const platform = await openPlatform(t, { now })
    await platform.made(
      productWithFields({ name: 'Later', effective_from: '2026-07-02T00:00:00Z' }),
    )
    const listNames = async (effective: string) =>
      productNames(await platform.get(`${productsPath}?effective=${effective}`))

    assert.deepEqual([await listNames('CURRENT'), await listNames('FUTURE')], [[], ['Later']])
    platform.setClock('2026-07-02T00:00:00Z')
    assert.deepEqual([await listNames('CURRENT'), await listNames('FUTURE')], [['Later'], []])
  })
})
