import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import { openPlatform, type Platform, productPath, sharedPlatform } from '../support/platform.ts'
import { callDrafts, ifMatch } from './draft-calls.ts'
import { minimalProduct, productWithFields } from './products.ts'

const path = '/v1/data-provider/cdr/product-summaries'
const now = '2026-07-01T00:00:00Z'

const find = ({ send, token }: Platform, query = ''): Promise<Answer> =>
  send(`${path}${query}`, { headers: { authorization: `Bearer ${token}` } })

interface Summary {
  readonly product_id: string
  readonly name: string
  readonly product_category: string
  readonly brand: string
  readonly state: string
  readonly version?: number
  readonly gaps?: number
  readonly has_draft: boolean
  readonly effective_from?: string
  readonly effective_to?: string
  readonly updated_at: string
  readonly updated_by: string
  readonly updated_by_name: string
}

const listed = ({ body }: Answer): Summary[] => body.data.products
const listedNames = (answer: Answer) => listed(answer).map(({ name }) => name)

const categories = ['TERM_DEPOSITS', 'PERS_LOANS', 'LEASES']
const brands = ['Straße & Söhne', 'ΣΊΣΥΦΟΣ', 'Example Bank', 'a\u0001\u0002b']
const names = [
  'Saver',
  'saver PLUS',
  'Ürgent %_\\',
  'ίσος σ',
  '𝒜stral',
  '\u0001control',
  'zero',
  'ǅ',
]
const terms = [
  {},
  { effective_from: '2026-07-01T00:00:00.001Z' },
  { effective_from: '2026-07-01T10:00:00+10:00', effective_to: '2027-01-01T00:00:00Z' },
  { effective_to: '2026-07-01T00:00:00Z' },
]

/** The same fields for the same number. */
const makeFields = (seed: number) => ({
  name: names[seed % names.length] ?? '',
  brand: brands[(seed * 7) % brands.length] ?? '',
  product_category: categories[(seed * 5) % categories.length] ?? '',
  ...terms[(seed * 3) % terms.length],
})

type Fields = ReturnType<typeof makeFields> & { effective_from?: string; effective_to?: string }

const fold = (text: string) => text.toLowerCase().toUpperCase()
const compareBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** What the list must contain, written down while the requests are made. */
function openModel() {
  const products = new Map<string, Omit<Summary, 'has_draft'>>()
  const drafts = new Map<string, Omit<Summary, 'has_draft'>>()
  const state = ({ effective_from, effective_to }: Fields) => {
    const at = Date.parse(now)
    if (effective_from && Date.parse(effective_from) > at) return 'SCHEDULED'
    return effective_to && Date.parse(effective_to) <= at ? 'RETIRED' : 'PUBLISHED'
  }
  const describeFields = ({ effective_from, effective_to, ...fields }: Fields) => ({
    ...fields,
    ...(effective_from && { effective_from: Temporal.Instant.from(effective_from).toString() }),
    ...(effective_to && { effective_to: Temporal.Instant.from(effective_to).toString() }),
  })
  type Author = Pick<Summary, 'updated_at' | 'updated_by' | 'updated_by_name'>
  return {
    put: (id: string, fields: Fields, version: number, author: Author) =>
      products.set(id, {
        product_id: id,
        ...describeFields(fields),
        state: state(fields),
        version,
        // The standards allow only ASCII in an id.
        gaps: /^[ -~]*$/.test(id) ? 0 : 1,
        ...author,
      }),
    remove: (id: string) => products.delete(id),
    draft: (id: string, fields: Fields, author: Author) =>
      drafts.set(id, { product_id: id, ...describeFields(fields), state: 'DRAFT', ...author }),
    discard: (id: string) => drafts.delete(id),
    list: (query: URLSearchParams): Summary[] =>
      [...products.values(), ...[...drafts.values()].filter((d) => !products.has(d.product_id))]
        .map((summary) => ({ ...summary, has_draft: drafts.has(summary.product_id) }))
        .filter(
          (summary) =>
            [summary.name, summary.brand, summary.product_id].some((text) =>
              fold(text).includes(fold(query.get('text') ?? '')),
            ) &&
            [query.get('product-id') ?? summary.product_id].includes(summary.product_id) &&
            [query.get('product-category') ?? summary.product_category].includes(
              summary.product_category,
            ) &&
            [query.get('brand') ?? summary.brand].includes(summary.brand) &&
            [query.get('state') ?? summary.state].includes(summary.state),
        )
        .sort(
          (a, b) =>
            (query.get('sort') === 'name'
              ? compareBytes(fold(a.name), fold(b.name))
              : Date.parse(b.updated_at) - Date.parse(a.updated_at)) ||
            compareBytes(a.product_id, b.product_id),
        ),
  }
}

/** Every kind of change to products and drafts, by the API and by a load. */
async function changeProducts(platform: Platform): Promise<ReturnType<typeof openModel>> {
  const model = openModel()
  const drafts = callDrafts(platform)
  const { id: updated_by, name: updated_by_name } = platform.client
  let second = 0
  // Two changes each have the same time.
  const tick = () => {
    const updated_at = `2026-07-01T00:00:${String(Math.floor(second++ / 2)).padStart(2, '0')}Z`
    platform.setClock(updated_at)
    return { updated_at, updated_by, updated_by_name }
  }
  const readLoad = async (id: string) => {
    const [{ version, changed_at, changed_by, changed_by_name }] = (await platform.history(id)).body
      .data.history
    const author = { updated_by: changed_by, updated_by_name: changed_by_name }
    return { version, author: { updated_at: changed_at, ...author } }
  }

  const loadedIds = Array.from({ length: 12 }, (_, index) => `Löad ${index} ß`)
  const load = (seed: number, ids: readonly string[]) =>
    platform.load(
      ids.map((product_id, index) => ({
        type: 'product',
        record: { product_id, ...productWithFields(makeFields(seed + index)) },
      })),
    )
  await load(0, loadedIds)
  const created: string[] = []
  for (let seed = 20; seed < 32; seed += 1) {
    const author = tick()
    const id = await platform.made(productWithFields(makeFields(seed)))
    model.put(id, makeFields(seed), 1, author)
    created.push(id)
  }
  for (const [index, id] of created.entries()) {
    const fields = makeFields(40 + index)
    if (index % 3 === 0) {
      const author = tick()
      await platform.replace(id, productWithFields(fields))
      model.put(id, fields, 2, author)
    }
    if (index % 2 === 0) {
      const author = tick()
      await drafts.save(id, productWithFields(fields))
      model.draft(id, fields, author)
    }
    if (index % 5 === 0) {
      tick()
      await platform.remove(id)
      model.remove(id)
    }
    if (index % 4 === 2 && index % 5 !== 0) {
      const author = tick()
      assert.equal((await drafts.publish(id, { 'if-match': '*' })).status, 204)
      model.discard(id)
      model.put(id, fields, index % 3 === 0 ? 3 : 2, author)
    }
    if (index === 8) {
      await drafts.discard(id)
      model.discard(id)
    }
  }
  for (let seed = 60; seed < 66; seed += 1) {
    const author = tick()
    const saved = await drafts.create(productWithFields(makeFields(seed)))
    const id = saved.body.product.product_id
    if (seed === 60) {
      await drafts.discard(id)
    } else if (seed === 61) {
      await drafts.publish(id, ifMatch(saved))
      model.put(id, makeFields(seed), 1, author)
    } else {
      model.draft(id, makeFields(seed), author)
    }
  }
  // A load changes products, and deletes one that has a draft.
  const [withDraft = '', ...others] = loadedIds
  const author = tick()
  await drafts.save(withDraft, productWithFields(makeFields(70)))
  model.draft(withDraft, makeFields(70), author)
  await load(80, others.slice(0, 4))
  await platform.load(
    [withDraft, loadedIds[11]].map((product_id) => ({ type: 'product', delete: { product_id } })),
  )
  for (const [index, id] of loadedIds.slice(1, 11).entries()) {
    const { version, author } = await readLoad(id)
    model.put(id, makeFields(version === 1 ? index + 1 : 80 + index), version, author)
  }
  platform.setClock(now)
  return model
}

/** Every filter and every pair of filters. */
function* filterCombinations(): Generator<URLSearchParams> {
  const filters: [string, string][] = [
    ...['', 'SAVER', 'strasse', 'σίσυφοσ', '%', '_', '\\', 'ss', 'ö', 'ad 1', '\u0001', 'ǆ'].map(
      (text): [string, string] => ['text', text],
    ),
    ...['Löad 1 ß', 'Löad 1', 'löad 1 ß', ''].map((id): [string, string] => ['product-id', id]),
    ...categories.map((value): [string, string] => ['product-category', value]),
    ...[...brands, 'example bank'].map((value): [string, string] => ['brand', value]),
    ...['PUBLISHED', 'SCHEDULED', 'RETIRED', 'DRAFT'].map((v): [string, string] => ['state', v]),
  ]
  yield new URLSearchParams()
  for (const [index, filter] of filters.entries()) {
    yield new URLSearchParams([filter])
    const other = filters[(index * 7 + 3) % filters.length]
    if (other && other[0] !== filter[0]) yield new URLSearchParams([filter, other])
  }
}

describe('the list of summaries', () => {
  it('equals a model after every kind of change, with all filters, both orders and any page', async (t) => {
    const platform = await openPlatform(t, { now })
    const model = await changeProducts(platform)
    let found = 0

    for (const query of filterCombinations()) {
      for (const sort of ['updated', 'name']) {
        query.set('sort', sort)
        const expected = model.list(query)
        const all = await find(platform, `?${query}&page-size=1000`)
        assert.equal(all.status, 200, all.text)
        assert.deepEqual(listed(all), expected, `${query}`)
        assert.equal(all.body.meta.totalRecords, expected.length)
        found += expected.length

        const [size, page] = [3, 2]
        const some = await find(platform, `?${query}&page-size=${size}&page=${page}`)
        assert.deepEqual(listed(some), expected.slice(size, 2 * size))
        assert.equal(some.body.meta.totalPages, Math.ceil(expected.length / size))
      }
    }
    assert.ok(found > 300, `${found} products were compared`)
    const byDefault = await find(platform)
    assert.deepEqual(listed(byDefault), model.list(new URLSearchParams()).slice(0, 25))
  })

  it('has the state of each product at the time of the request', async (t) => {
    const platform = await openPlatform(t, { now })
    await platform.made(
      productWithFields({
        effective_from: '2026-07-01T00:05:00.0000001Z',
        effective_to: '9999-12-31T23:59:59.9999999Z',
      }),
    )
    const state = async (time: string) => {
      platform.setClock(time)
      const [summary] = listed(await find(platform))
      assert.deepEqual(listed(await find(platform, `?state=${summary?.state}`)), [summary])
      return summary
    }

    assert.partialDeepStrictEqual(await state('2026-07-01T00:05:00Z'), {
      state: 'SCHEDULED',
      effective_from: '2026-07-01T00:05:00.001Z',
      effective_to: '9999-12-31T23:59:59.999Z',
    })
    assert.equal((await state('2026-07-01T00:05:00.001Z'))?.state, 'PUBLISHED')
  })
})

describe('a request for summaries', () => {
  const shared = sharedPlatform({ now })

  it('requires the scope products.read', async () => {
    const platform = await shared()
    const reader = await platform.register(['products.read'])
    const readerToken = await platform.issueToken(reader)

    assert.equal((await platform.get(path)).status, 401)
    assert.equal((await platform.get(path, { authorization: `Bearer ${readerToken}` })).status, 200)
  })

  it('shortens long names and brands, and finds and sorts them', async () => {
    const platform = await shared()
    const long = (start: string, end: string) => `${start}${'ΐ'.repeat(300)}${end}`
    const brand = `${'b'.repeat(199)}𝒜${'b'.repeat(70_000)}`
    for (const name of [long('xb', '1'), long('xa', '2')]) {
      await platform.made({ ...minimalProduct, name, brand })
    }

    const byBrand = await find(
      platform,
      `?brand=${encodeURIComponent(brand.slice(0, 4000))}&sort=name`,
    )

    assert.deepEqual(listedNames(byBrand), [`xa${'ΐ'.repeat(198)}`, `xb${'ΐ'.repeat(198)}`])
    assert.deepEqual(new Set(listed(byBrand).map((one) => one.brand)), new Set(['b'.repeat(199)]))
    assert.equal(
      listed(await find(platform, `?text=xa${encodeURIComponent('ΐ'.toUpperCase())}`)).length,
      1,
    )
  })

  it('has links that repeat the filters', async () => {
    const platform = await shared()
    const id = await platform.made(
      productWithFields({ name: 'linked & found', product_category: 'LEASES' }),
    )
    const query = new URLSearchParams({
      text: 'Linked &',
      'product-id': id,
      'product-category': 'LEASES',
      brand: 'Example Bank',
      state: 'PUBLISHED',
      sort: 'name',
    })
    const { body } = await find(platform, `?${query}`)

    assert.deepEqual(Object.fromEntries(new URLSearchParams(body.links.first)), {
      page: '1',
      'page-size': '25',
      ...Object.fromEntries(query),
    })
    assert.equal(listed(await find(platform, `?${body.links.first}`))[0]?.name, 'linked & found')
    assert.deepEqual(listed(await find(platform, `?${query}&page=9007199254740991`)), [])
  })

  it('is rejected with the name of an invalid parameter', async () => {
    const platform = await shared()
    for (const [query, name] of [
      [`text=${'a'.repeat(1001)}`, 'text'],
      ['text=a&text=b', 'text'],
      ['state=published', 'state'],
      ['sort=date', 'sort'],
      ['product-category=CARS', 'product-category'],
      ['page-size=1001', 'page-size'],
      ['page=0', 'page'],
    ]) {
      const { status, body } = await find(platform, `?${query}`)
      assert.equal(status, 400)
      assert.match(body.error, new RegExp(`^${name} must be `))
    }
  })

  it('does not treat a product with the id of a path as a list', async () => {
    const platform = await shared()
    await platform.load([
      { type: 'product', record: { product_id: '../product-summaries', ...minimalProduct } },
    ])
    const { body } = await platform.get(productPath('../product-summaries'))
    assert.equal(body.product_id, '../product-summaries')
  })
})
