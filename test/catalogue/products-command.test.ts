import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type ListFlags, listProducts } from '../../src/cli/products/list.ts'
import type { ProductKey } from '../../src/platform/catalogue/store.ts'
import type { Terminal } from '../../src/server/terminal.ts'
import { openCatalogueStore } from '../../src/storage/open.ts'
import { describe, describeOnce, newDatabase, type Scope } from '../support/engines.ts'
import { openPlatform, type Platform } from '../support/platform.ts'
import { runInProcess } from '../support/process.ts'
import { callDrafts, ifMatch } from './draft-calls.ts'
import { getContent, minimalProduct, productWithFields } from './products.ts'

const now = '2026-07-01T00:00:00Z'
const changed = productWithFields({
  name: 'Better saver',
  brand: 'Other Bank',
  features: [{ feature_type: 'UNLIMITED_TXNS' }],
})

async function open(t: Scope) {
  const platform = await openPlatform(t, { now })
  return { platform, drafts: callDrafts(platform), run: runOn(platform) }
}

function runOn({ database }: Pick<Platform, 'database'>) {
  return (...args: readonly string[]) => runInProcess(['products', ...args, '--database', database])
}

describe('holdfast products', () => {
  it('lists products and whether they have drafts', async (t) => {
    const { platform, drafts, run } = await open(t)
    const ids = ['p1', 'p2', 'p3']
    await platform.load(
      ids.map((product_id) => ({
        type: 'product',
        record: { product_id, ...minimalProduct, last_updated: now },
      })),
    )
    await platform.replace('p3', productWithFields({ brand: 'B', product_category: 'LEASES' }))
    await drafts.save('p2', changed)
    await drafts.save('p3', changed, {}, '?base-version=1')
    const { body } = await drafts.create(productWithFields({ name: 'New \u202e' }))
    const category = 'TRANS_AND_SAVINGS_ACCOUNTS'

    const { status, stdout, stderr } = await run('list')

    assert.deepEqual([status, stderr], [0, ''])
    assert.deepEqual(stdout.split('\n'), [
      `p1  version 1  Public  -         updated ${now}  ${category}  Saver`,
      `p2  version 1  Public  draft     updated ${now}  ${category}  Saver`,
      'p3  version 2  Public  outdated  updated 2026-07-01T00:00:00.001Z  LEASES  Saver',
      '',
    ])
    assert.match((await run('list', '--category', 'LEASES')).stdout, /^p3 [^\n]*\n$/)
    assert.match((await run('list', '--brand', 'B')).stdout, /^p3 [^\n]*\n$/)
    const limited = await run('list', '--limit', '2', '--json')
    assert.deepEqual(
      limited.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      [
        ...[
          { id: 'p1', draft: 'none' },
          { id: 'p2', draft: 'draft' },
        ].map((row) => ({
          ...row,
          version: 1,
          gaps: 0,
          updated: now,
          origin: null,
          category,
          name: 'Saver',
        })),
      ],
    )
    assert.equal(limited.stderr, '1 more: use a filter or a higher --limit\n')
    const listed = (await run('list', '--drafts')).stdout.trim().split('\n').sort()
    const saved = `saved ${now} by pricing team`
    assert.deepEqual(
      listed,
      [
        `${body.product.product_id}  draft     of version 0  ${saved}  New \\u202e`,
        `p2  draft     of version 1  ${saved}  Better saver`,
        `p3  outdated  of version 1  ${saved}  Better saver`,
      ].sort(),
    )
    const some = await run('list', '--drafts', '--limit', '1')
    assert.equal(some.stderr, '2 more: use a filter or a higher --limit\n')
  })

  it('lists more products than fit on a page', async (t) => {
    const { platform, run } = await open(t)
    const ids = Array.from({ length: 205 }, (_, index) => `p${1000 + index}`)
    await platform.load(
      ids.map((product_id) => ({ type: 'product', record: { product_id, ...minimalProduct } })),
    )
    const listed = async (limit: string) =>
      (await run('list', '--limit', limit)).stdout
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0])

    assert.deepEqual(await listed('500'), ids)
    assert.deepEqual(await listed('150'), ids.slice(0, 150))
    assert.equal((await listed('100')).length, 100)
  })

  it('lists a few products without reading a page of them', async (t) => {
    const { platform, drafts } = await open(t)
    const ids = Array.from({ length: 6 }, (_, index) => `p${index}`)
    await platform.load(
      ids.map((product_id) => ({ type: 'product', record: { product_id, ...minimalProduct } })),
    )
    for (const id of ids) await drafts.save(id, changed)
    const store = await openCatalogueStore(platform.database)
    t.after(() => store.close())
    const list = async (flags: Partial<ListFlags>) => {
      const read: number[] = []
      const counting = {
        ...store,
        readVersions(keys: readonly ProductKey[]) {
          read.push(keys.length)
          return store.readVersions(keys)
        },
        async listDrafts(page: number, pageSize: number) {
          const found = await store.listDrafts(page, pageSize)
          read.push(found.items.length)
          return found
        },
      }
      const printed: string[] = []
      const print = (text: string) => void printed.push(text)
      const terminal = { out: print, error: print } as unknown as Terminal
      await listProducts(counting, { limit: 2, ...flags }, terminal)
      return { read, printed }
    }

    const products = await list({})
    assert.deepEqual(products.read, [ids.length, 3])
    assert.deepEqual(
      products.printed.map((line) => line.split(' ')[0]),
      ['p0', 'p1', '4'],
    )
    const listed = await list({ drafts: true })
    assert.deepEqual(listed.read, [3, 1])
    assert.equal(listed.printed.at(-1), '4 more: use a filter or a higher --limit\n')
  })

  it('shows the published product, a version and the draft', async (t) => {
    const { platform, drafts, run } = await open(t)
    const id = await platform.made(minimalProduct)
    await platform.replace(id, changed)
    await drafts.save(id, minimalProduct)
    const show = async (...args: readonly string[]) =>
      JSON.parse((await run('show', id, ...args)).stdout)

    assert.deepEqual(await show(), await platform.read(id))
    assert.deepEqual(await show('--version', '1'), await platform.read(id, 1))
    assert.deepEqual(await show('--draft'), (await drafts.read(id)).body)
  })

  it('compares versions and the draft field by field', async (t) => {
    const { platform, drafts, run } = await open(t)
    const id = await platform.made(minimalProduct)
    const saved = await drafts.save(id, changed)
    const tag = String(saved.headers['etag'])
    const expected = [
      `--- version 1, ${now}`,
      `+++ draft of version 1, ${now} by pricing team, ETag ${tag}`,
      '~ brand: "Example Bank" -> "Other Bank"',
      '~ name: "Saver" -> "Better saver"',
      '+ features: [{"feature_type":"UNLIMITED_TXNS"}]',
      '',
    ]

    assert.deepEqual((await run('diff', id)).stdout.split('\n'), expected)
    assert.deepEqual((await run('diff', id, '--to', 'draft')).stdout.split('\n'), expected)
    await drafts.publish(id, ifMatch(saved))
    const published = (await run('diff', id)).stdout
    assert.deepEqual(published.split('\n').slice(2), expected.slice(2))
    const json = await run('diff', id, '--from', '2', '--to', '1', '--json')
    assert.deepEqual(
      json.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).kind),
      ['changed', 'changed', 'removed'],
    )
    assert.match((await run('diff', id, '--from', '2', '--to', '2')).stdout, /\nno differences\n$/)
    const { body } = await drafts.create(minimalProduct)
    const created = (await run('diff', body.product.product_id)).stdout
    assert.match(created, /^--- not published yet\n\+\+\+ draft of version 0/)
    assert.equal(created.match(/^\+ /gm)?.length, 5)
  })

  it('compares numbers and durations in the words of the console, too', async (t) => {
    const { platform, run } = await open(t)
    const withRate = (fields: object) =>
      productWithFields({ deposit_rates: [{ deposit_rate_type: 'FIXED', ...fields }] })
    const id = await platform.made(withRate({ rate: '0.045', additional_value: 'P1Y' }))
    const type = { application_type: 'MATURITY', additional_value: 'P18M' }
    await platform.replace(id, withRate({ rate: '0.0475', ...type }))

    const { stdout } = await run('diff', id)

    assert.deepEqual(stdout.trimEnd().split('\n').slice(2), [
      '~ deposit_rates[0].rate: "0.045" (4.5 % a year) -> "0.0475" (4.75 % a year)',
      '~ deposit_rates[0].additional_value: "P1Y" (1 year) -> "P18M" (18 months)',
      '+ deposit_rates[0].application_type: "MATURITY"',
    ])
  })

  it('publishes a draft as holdfast products', async (t) => {
    const { platform, drafts, run } = await open(t)
    const id = await platform.made(minimalProduct)
    const saved = await drafts.save(id, changed)

    const other = await run('publish', id, '--if-match', '"x"')
    const { status, stdout } = await run('publish', id, '--if-match', String(saved.headers['etag']))

    assert.deepEqual(
      [other.status, other.stderr],
      [1, 'the draft has changed: run holdfast products diff again\n'],
    )
    assert.deepEqual([status, stdout], [0, 'published version 2\nIt is in the public catalogue.\n'])
    assert.deepEqual(getContent(await platform.read(id)), changed)
    const [change] = (await platform.history(id)).body.data.history
    assert.deepEqual([change.changed_by, change.changed_by_name], ['products', 'holdfast products'])
    const again = await run('publish', id)
    assert.deepEqual(
      [again.status, again.stderr],
      [1, 'the product has no draft: run holdfast products list --drafts\n'],
    )
  })

  it('does not publish an outdated draft, and says what to do', async (t) => {
    const { platform, drafts, run } = await open(t)
    const id = await platform.made(minimalProduct)
    await drafts.save(id, changed)
    await platform.replace(id, minimalProduct)

    const { status, stdout, stderr } = await run('publish', id)

    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, /the draft is of version 1, the newest version is 2/)
    assert.match(stderr, /products diff ID --from 1 --to 2, .* base-version=2$/m)
    assert.equal((await drafts.read(id)).status, 200)
  })

  it('restores a version, also of a deleted product', async (t) => {
    const { platform, drafts, run } = await open(t)
    const discounts = [{ discount_method_u_type: 'fixedAmount', fixed_amount: { amount: '4.00' } }]
    const fee = { fee_method_u_type: 'fixedAmount', fixed_amount: { amount: '5.00' }, discounts }
    const id = await platform.made(productWithFields({ fees: [{ name: 'Keeping', ...fee }] }))
    const first = getContent(await platform.read(id))
    await platform.replace(id, changed)
    await drafts.save(id, changed)

    const restored = await run('restore', id, '--version', '1')
    assert.equal(
      restored.stdout,
      `restored version 1 as version 3\nIt is not in the public catalogue: 3 gaps. Run holdfast products check ${id}\n`,
    )
    assert.equal(restored.stderr, 'warning: the product has a draft, which is outdated now\n')
    assert.deepEqual(getContent(await platform.read(id)), first)
    await platform.remove(id)
    const deleted = await run('show', id)
    assert.match(deleted.stderr, /^the product was deleted in version 4: .* --version 3\n$/)
    assert.match(
      (await run('restore', id, '--version', '2')).stdout,
      /^restored version 2 as version 5\nIt is in the public catalogue\.\n$/,
    )
    assert.deepEqual(getContent(await platform.read(id)), changed)
    const [change] = (await platform.history(id)).body.data.history
    assert.deepEqual([change.change, change.changed_by], ['CREATED', 'products'])
    for (const [version, error] of [
      ['4', /^the product was deleted in version 4: /],
      ['5', /^version 5 is the published version\n$/],
      ['6', /^the newest version of the product is 5\n$/],
    ] as const) {
      const { status, stderr } = await run('restore', id, '--version', version)
      assert.equal(status, 1)
      assert.match(stderr, error)
    }
    assert.equal((await platform.history(id)).body.meta.totalRecords, 5)
  })
})

describeOnce('holdfast products rejects', () => {
  const unknown = 'no product with this ID: run holdfast products list\n'
  const number = /must be a whole number from 1 to /
  for (const [name, status, error, ...args] of [
    ['an unknown product', 1, unknown, 'show', 'nothing'],
    ['an unknown product to compare', 1, unknown, 'diff', '__proto__'],
    ['an unknown product to publish', 1, unknown, 'publish', 'constructor'],
    ['an unknown product to restore', 1, unknown, 'restore', 'x', '--version', '1'],
    ['version 0', 2, number, 'show', 'x', '--version', '0'],
    ['a version that is no number', 2, number, 'restore', 'x', '--version', '1.5'],
    ['no version', 2, /--version/, 'restore', 'x'],
    ['a limit that is too high', 2, number, 'list', '--limit', '100001'],
    ['an unknown category', 2, /LEASES/, 'list', '--category', 'toString'],
    ['a filter of drafts', 2, /cannot be used with/, 'list', '--drafts', '--brand', 'x'],
    ['a draft with a version', 2, /cannot be used with/, 'show', 'x', '--draft', '--version', '1'],
    ['another version to compare with', 2, /or draft/, 'diff', 'x', '--to', 'latest'],
  ] as const) {
    it(name, async (t) => {
      const finished = await runOn({ database: await newDatabase(t) })(...args)

      assert.deepEqual([finished.status, finished.stdout], [status, ''])
      if (typeof error === 'string') assert.equal(finished.stderr, error)
      else assert.match(finished.stderr, error)
    })
  }
})
