import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import { openPlatform, type Platform, productsPath, sharedPlatform } from '../support/platform.ts'
import { plainWith } from './products.ts'

const now = '2026-07-01T00:00:00Z'

const idsOf = ({ body }: Answer): string[] =>
  body.data.products.map((product: { product_id: string }) => product.product_id)
const namesOf = ({ body }: Answer): string[] =>
  body.data.products.map((product: { name: string }) => product.name).sort()

/** A line of a load gives a product the id that the test wants. */
const line = (product_id: string, fields: object) => ({
  type: 'product',
  record: { product_id, ...plainWith({ name: product_id, ...fields }) },
})

/** Read by the test from left to right: before, at and after the clock's time. */
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
    it(`${query || 'without a filter'} has ${names.length} of them`, async () => {
      const { get } = await open()
      const answer = await get(`${productsPath}${query}`)
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(namesOf(answer), names)
      assert.equal(answer.body.meta.totalRecords, names.length)
    })
  }

  it('is for anyone, and has each product as a read of it shows it', async () => {
    const { get, read } = await open()
    const { body, headers } = await get(`${productsPath}?product-category=PERS_LOANS`)

    assert.deepEqual(body.data.products, [await read('loan')])
    assert.equal(headers['access-control-allow-origin'], '*')
  })

  it('has the shape of every list', async () => {
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
    assert.deepEqual(namesOf(followed), ['loan'])
  })

  it('is walked by its links, each product once and by id', async () => {
    const { get } = await open()
    const all = (await get(`${productsPath}?effective=ALL&page-size=100`)).body.data.products
    const seen: string[] = []

    for (let query: string | undefined = 'effective=ALL&page-size=3'; query !== undefined; ) {
      const page: Answer = await get(`${productsPath}?${query}`)
      seen.push(...idsOf(page))
      assert.ok(seen.length <= all.length)
      query = page.body.links.next
    }

    assert.deepEqual(seen, lines.map(({ record }) => record.product_id).sort())
  })

  it('has empty pages past its end, with a way back', async () => {
    const { get } = await open()
    const { status, body } = await get(`${productsPath}?page=9007199254740991&page-size=100`)

    assert.equal(status, 200)
    assert.deepEqual(body.data.products, [])
    assert.equal(body.links.prev, 'page=1&page-size=100&effective=CURRENT')
    assert.equal(body.links.next, undefined)
  })

  it('that is empty has no links', async () => {
    const { get } = await open()
    const { body } = await get(`${productsPath}?brand=nobody`)
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
    it(`refuses ${query} and names it`, async () => {
      const { get } = await open()
      const { status, body } = await get(`${productsPath}?${query}`)
      assert.equal(status, 400)
      assert.match(body.error, new RegExp(`^${name} must be `))
    })
  }

  it('has 25 products on a page by default, and 100 at most', async (t) => {
    const platform = await openPlatform(t, { now })
    await platform.load(Array.from({ length: 101 }, (_, index) => line(`p${index}`, {})))

    const [usual, most] = [
      await platform.get(productsPath),
      await platform.get(`${productsPath}?page-size=100`),
    ]

    assert.equal(usual.body.data.products.length, 25)
    assert.deepEqual(usual.body.meta, { totalRecords: 101, totalPages: 5 })
    assert.equal(most.body.data.products.length, 100)
    assert.deepEqual(most.body.meta, { totalRecords: 101, totalPages: 2 })
  })
})

describe('the list of products that were changed since', () => {
  it('has those at and after the time, created, updated or brought back', async (t) => {
    const platform = await openPlatform(t, { now })
    const first = await platform.made(plainWith({ name: 'First' }))
    platform.setClock('2026-07-01T00:10:00Z')
    const second = await platform.made(plainWith({ name: 'Second' }))
    const since = async (time: string) =>
      namesOf(await platform.get(`${productsPath}?updated-since=${time}`))

    assert.deepEqual(await since('2026-07-01T00:00:00Z'), ['First', 'Second'])
    assert.deepEqual(await since('2026-07-01T10:00:00%2B10:00'), ['First', 'Second'])
    // As it arrives where nobody escaped the plus sign.
    assert.deepEqual(await since('2026-07-01T10:00:00+10:00'), ['First', 'Second'])
    assert.deepEqual(await since('2026-07-01T00:00:00.001Z'), ['Second'])
    assert.deepEqual(await since('2026-07-01T00:10:00Z'), ['Second'])
    assert.deepEqual(await since('2026-07-01T00:10:00.001Z'), [])

    platform.setClock('2026-07-01T00:12:00Z')
    await platform.replace(first, plainWith({ name: 'First again' }))
    await platform.remove(second)
    assert.deepEqual(await since('2026-07-01T00:11:00Z'), ['First again'])
    assert.deepEqual(await since('2020-01-01T00:00:00Z'), ['First again'])
  })

  it('follows the clock in what is current', async (t) => {
    const platform = await openPlatform(t, { now })
    await platform.made(plainWith({ name: 'Later', effective_from: '2026-07-02T00:00:00Z' }))
    const named = async (effective: string) =>
      namesOf(await platform.get(`${productsPath}?effective=${effective}`))

    assert.deepEqual([await named('CURRENT'), await named('FUTURE')], [[], ['Later']])
    platform.setClock('2026-07-02T00:00:00Z')
    assert.deepEqual([await named('CURRENT'), await named('FUTURE')], [['Later'], []])
  })
})
