import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { type PublishedProduct, toCdsProductDetail } from '../../src/contract/index.ts'
import type { Terminal } from '../../src/server/terminal.ts'
import { describe, describeOnce, newDatabase, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { loadInProcess } from '../support/load.ts'
import { openPlatform } from '../support/platform.ts'
import { runInProcess } from '../support/process.ts'
import { openProductHolder } from '../support/product-holder.ts'
import { respondJson } from '../support/upstream.ts'
import { callDrafts, ifMatch } from './draft-calls.ts'
import { minimalProduct } from './products.ts'

const future = '9999-12-31T23:59:59Z'
const theirs = (product_id: string, fields: object = {}): PublishedProduct => ({
  product_id,
  brand: 'Other Bank',
  description: 'An account',
  is_tailored: false,
  name: 'Theirs',
  product_category: 'TRANS_AND_SAVINGS_ACCOUNTS',
  last_updated: '2026-05-01T00:00:00Z',
  ...fields,
})
const ours = (product_id: string) => ({
  type: 'product',
  record: { product_id, ...minimalProduct, name: 'Ours' },
})

async function open(t: Scope, products: readonly PublishedProduct[]) {
  const platform = await openPlatform(t)
  const holder = await openProductHolder(t, products)
  const runProducts = (args: readonly string[], ask: Terminal['ask'] = async () => undefined) =>
    runInProcess(['products', ...args, '--database', platform.database], {}, { ask })
  const run = (...flags: readonly string[]) => runProducts(['import', holder.url, ...flags])
  const readName = async (id: string) => (await platform.read(id))['name']
  const readOrigins = async (id: string): Promise<(string | undefined)[]> =>
    (await platform.history(id)).body.data.history.map(({ origin }: { origin?: string }) => origin)
  return { platform, holder, runProducts, run, readName, readOrigins }
}

describeOnce('the origin of an import', () => {
  it('distinguishes the holders of one host', async (t) => {
    const { holder, runProducts, readName } = await open(t, [])
    const paths = ['/cds-au/v1/bank-a', '/cds-au/v1/bank-b']
    for (const path of paths) {
      const product = toCdsProductDetail(theirs('p1', { name: path }), 7)
      const list = JSON.stringify({ data: { products: [product] }, links: {}, meta: {} })
      holder.replaced.set(`${path}/banking/products`, respondJson(list))
      const detail = JSON.stringify({ data: product, links: {} })
      holder.replaced.set(`${path}/banking/products/p1`, respondJson(detail))
    }
    const [first, second] = await Array.fromAsync(paths, (path) =>
      runProducts(['import', holder.address + path]),
    )
    const selected = await runProducts(['import', `${holder.url}?tenant=a`])

    assert.match(first?.stdout ?? '', /1 created/)
    assert.match(second?.stdout ?? '', /1 kept/)
    assert.equal(await readName('p1'), paths[0])
    assert.equal(selected.status, 2)
    assert.match(selected.stderr, /needs --origin NAME/)
  })
})

describe('an import of products that the catalogue has', () => {
  it('keeps and lists what was written here, and what came from another holder', async (t) => {
    const products = [theirs('p1', { last_updated: future }), theirs('p2'), theirs('p3')]
    const { platform, holder, runProducts, run, readName } = await open(t, products)
    const other = await openProductHolder(t, [theirs('p2', { name: 'Another' })])
    await platform.load([ours('p1')])
    await runProducts(['import', other.url])

    const text = await run()
    const json = await run('--json')

    assert.deepEqual([text.status, text.stderr], [0, ''])
    assert.deepEqual(text.stdout.split('\n'), [
      'p1  kept: "Ours" was written here. To replace it: --replace p1',
      `p2  kept: "Another" was imported from ${other.address}. To replace it: --replace p2`,
      '3 products: 1 created, 0 changed, 0 unchanged, 2 kept, 0 not imported',
      '',
    ])
    assert.deepEqual(JSON.parse(json.stdout.split('\n')[0] ?? ''), {
      id: 'p1',
      outcome: 'kept',
      name: 'Ours',
      origin: null,
      reason: 'was written here',
    })
    assert.deepEqual(await Promise.all(['p1', 'p2', 'p3'].map(readName)), [
      'Ours',
      'Another',
      'Theirs',
    ])
    assert.deepEqual(holder.requestedIds(), ['p3'])
  })

  for (const [name, change] of [
    [
      'replaced over HTTP',
      async ({ platform }) => {
        await platform.replace('p1', { ...minimalProduct, name: 'Ours' })
      },
    ],
    [
      'published from a draft',
      async ({ platform }) => {
        const drafts = callDrafts(platform)
        const saved = await drafts.save('p1', { ...minimalProduct, name: 'Ours' })
        await drafts.publish('p1', ifMatch(saved))
      },
    ],
    ['loaded', ({ platform }) => platform.load([ours('p1')])],
    [
      'loaded with the same content',
      async ({ platform }) => {
        const { last_updated: _, ...record } = theirs('p1', { name: 'Ours' })
        await platform.load([{ type: 'product', record }])
      },
    ],
    [
      'restored from an earlier version',
      async ({ platform, runProducts }) => {
        await platform.replace('p1', { ...minimalProduct, name: 'Meanwhile' })
        await runProducts(['restore', 'p1', '--version', '1'])
      },
    ],
  ] as readonly (readonly [
    string,
    (opened: Awaited<ReturnType<typeof open>>) => Promise<void>,
  ])[]) {
    it(`keeps an imported product that was ${name} since`, async (t) => {
      const opened = await open(t, [theirs('p1', { name: 'Ours' })])
      const { holder, run, readName, readOrigins } = opened
      await run()
      assert.deepEqual(await readOrigins('p1'), [holder.address])
      await change(opened)
      holder.publish([theirs('p1', { last_updated: future })])

      const { stdout } = await run()

      assert.match(stdout, /^p1 {2}kept: "Ours" was written here\./)
      assert.equal((await readOrigins('p1'))[0], undefined)
      assert.equal(await readName('p1'), 'Ours')
    })
  }

  it('keeps a change that is made here while the product is requested', async (t) => {
    const { platform, holder, run, readName } = await open(t, [theirs('p1')])
    await run()
    const later = theirs('p1', { name: 'Later', last_updated: '2026-06-01T00:00:00Z' })
    holder.publish([later])
    const body = JSON.stringify({ data: toCdsProductDetail(later, 7) })
    holder.replaced.set(holder.detailPath('p1'), (...args) => {
      void platform
        .replace('p1', { ...minimalProduct, name: 'Ours' })
        .then(() => respondJson(body)(...args))
    })

    const { stdout } = await run()

    assert.match(stdout, /^p1 {2}kept: "Ours" was written here\./)
    assert.equal(await readName('p1'), 'Ours')
  })

  it('updates what came from the same holder, whatever the URL of its API', async (t) => {
    const { holder, runProducts, run, readName, readOrigins } = await open(t, [theirs('p1')])
    await run()
    const urls = [
      `${holder.url}/banking/products?product-category=TERM_DEPOSITS`,
      `${holder.address}/./cds-au/v1/`,
    ]
    for (const [index, url] of urls.entries()) {
      const last_updated = `2026-05-0${index + 2}T00:00:00Z`
      holder.publish([theirs('p1', { name: `Change ${index}`, last_updated })])

      const { stdout } = await runProducts(['import', url])

      assert.match(stdout, /^1 product: 0 created, 1 changed/)
      assert.equal(await readName('p1'), `Change ${index}`)
    }
    // What the holder publishes now applies, even if its time is earlier.
    holder.publish([theirs('p1', { name: 'Withdrawn', last_updated: '2026-04-01T00:00:00Z' })])
    assert.match((await run()).stdout, /^1 product: 0 created, 1 changed/)
    assert.match((await run()).stdout, /^1 product: 0 created, 0 changed, 1 unchanged/)
    assert.deepEqual(await readOrigins('p1'), Array(4).fill(holder.address))
  })

  it('limits times to now, and compares the content', async (t) => {
    const product = theirs('p1', { last_updated: future })
    const { platform, holder, run, readName } = await open(t, [product])
    const start = Temporal.Now.instant()
    await run()
    const { last_updated: stored } = await platform.read('p1')
    assert.ok(Temporal.Instant.compare(String(stored), Temporal.Now.instant()) <= 0)
    assert.ok(Temporal.Instant.compare(String(stored), start.subtract({ milliseconds: 1 })) > 0)
    assert.ok(!(await platform.dump()).includes('9999'))

    assert.match((await run()).stdout, /^1 product: 0 created, 0 changed, 1 unchanged/)
    holder.publish([{ ...product, name: 'Renamed' }])
    assert.match((await run()).stdout, /^1 product: 0 created, 1 changed/)
    assert.equal(await readName('p1'), 'Renamed')
    await platform.replace('p1', minimalProduct)
    const { last_updated: corrected } = await platform.read('p1')
    assert.ok(Temporal.Instant.compare(String(corrected), String(stored)) > 0)
  })

  it('shows the origin in the list, with the product and in the history', async (t) => {
    const { platform, holder, runProducts, run, readOrigins } = await open(t, [theirs('p1')])
    await platform.load([ours('p2')])
    await run()

    const list = await runProducts(['list'])
    const json = await runProducts(['list', '--json'])
    const shown = await runProducts(['show', 'p1'])

    assert.match(list.stdout, new RegExp(`^p1  .* from ${holder.address}  TRANS`))
    assert.match(list.stdout, /\np2 {2}version 1 {2}Public {2}- +updated \S+ {2}TRANS/)
    assert.deepEqual(
      json.stdout.match(/"origin":[^,]*/g),
      [holder.address, null].map((origin) => `"origin":${JSON.stringify(origin)}`),
    )
    assert.deepEqual(JSON.parse(shown.stdout), theirs('p1'))
    assert.equal(shown.stderr, `imported from ${holder.address}\n`)
    assert.equal((await runProducts(['show', 'p2'])).stderr, '')
    assert.deepEqual(
      [await readOrigins('p1'), await readOrigins('p2')],
      [[holder.address], [undefined]],
    )
  })

  it('treats them in the same way after a dump was restored', async (t) => {
    const { platform, holder, run } = await open(t, [theirs('p1'), theirs('p2')])
    await platform.load([ours('p2')])
    await run()
    const database = await newDatabase(t)
    const dump = await platform.dump()
    await loadInProcess(database, dump.trim().split('\n'))
    holder.publish(['p1', 'p2'].map((id) => theirs(id, { last_updated: '2026-06-01T00:00:00Z' })))

    const { stdout } = await runInProcess([
      'products',
      'import',
      holder.url,
      '--database',
      database,
    ])

    assert.deepEqual(stdout.split('\n'), [
      'p2  kept: "Ours" was written here. To replace it: --replace p2',
      '2 products: 0 created, 1 changed, 0 unchanged, 1 kept, 0 not imported',
      '',
    ])
    assert.match(dump, new RegExp(`{"type":"product","origin":"${holder.address}","record":{`))
  })
})

describe('holdfast products import --replace', () => {
  const openOwn = async (t: Scope) => {
    const opened = await open(t, [theirs('p1'), theirs('p2'), theirs('p3')])
    await opened.platform.load([ours('p1'), ours('p2')])
    await opened.platform.remove('p2')
    return opened
  }
  const listed = [
    '--replace replaces 2 products:',
    '  p1  "Ours" was written here',
    '  p2  "Ours" was deleted here',
  ]

  it('lists the products, asks, and replaces them', async (t) => {
    const { holder, runProducts, readName, readOrigins } = await openOwn(t)
    const questions: string[] = []
    const ask = async (question: string) => {
      questions.push(question)
      return 'y'
    }
    const args = ['import', holder.url, '--replace', 'p1', 'p2']

    const { status, stdout, stderr } = await runProducts(args, ask)

    assert.deepEqual(questions, [`Replace with what ${holder.address} publishes? [y/N] `])
    assert.deepEqual(stderr.split('\n'), [...listed, ''])
    assert.deepEqual(
      [status, stdout],
      [0, '3 products: 2 created, 1 changed, 0 unchanged, 0 not imported\n'],
    )
    assert.equal(await readName('p1'), 'Theirs')
    assert.deepEqual(await readOrigins('p2'), [holder.address, undefined, undefined])
    // They are the holder's now: nothing is asked again.
    const again = await runProducts(args)
    assert.deepEqual([again.status, again.stderr], [0, ''])
    assert.match(again.stdout, /^3 products: 0 created, 0 changed, 3 unchanged/)
  })

  it('changes nothing without a confirmation', async (t) => {
    const { holder, runProducts, readName, platform } = await openOwn(t)
    const args = ['import', holder.url, '--replace', 'p1', '--replace', 'p2']

    const refused = await runProducts(args, async () => '')
    const unasked = await runProducts(args)

    assert.deepEqual([refused.status, unasked.status], [1, 2])
    assert.deepEqual(refused.stderr.split('\n'), [...listed, 'nothing was imported', ''])
    assert.match(unasked.stderr, /\n--replace asks on a terminal: without one, add --yes\n$/)
    assert.equal(await readName('p1'), 'Ours')
    assert.equal((await platform.history('p3')).status, 404)
    assert.deepEqual(holder.requests, [])
  })

  it('does not ask with --yes, and still lists the products', async (t) => {
    const { run, readName } = await openOwn(t)

    const { status, stdout, stderr } = await run('--yes', '--replace', 'p1')

    assert.equal(status, 0)
    assert.deepEqual(stderr.split('\n'), ['--replace replaces 1 product:', listed[1], ''])
    assert.match(stdout, /^p2 {2}kept: "Ours" was deleted here\./)
    assert.equal(await readName('p1'), 'Theirs')
  })

  it('does not replace a version that was written after the confirmation', async (t) => {
    const { platform, holder, runProducts, readName } = await openOwn(t)
    const ask = async () => {
      await platform.replace('p1', { ...minimalProduct, name: 'Corrected' })
      return 'yes'
    }

    const { stdout } = await runProducts(['import', holder.url, '--replace', 'p1'], ask)

    assert.match(stdout, /^p1 {2}kept: "Corrected" was written here\./)
    assert.equal(await readName('p1'), 'Corrected')
  })

  it('fails for a product that the catalogue or the holder does not have', async (t) => {
    const { platform, run } = await openOwn(t)
    await platform.load([ours('p9')])

    const unknown = await run('--yes', '--replace', 'p8')
    const missing = await run('--yes', '--replace', 'p9')

    assert.deepEqual(
      [unknown.status, unknown.stderr],
      [1, '--replace: no product has the ID "p8". Run holdfast products list\n'],
    )
    assert.equal(missing.status, 1)
    assert.match(missing.stdout, /\np9 {2}not imported: the source has no such product\n/)
  })
})

describeOnce('the origin of a product', () => {
  it('must be named for a file, in a valid form', async (t) => {
    const { runProducts } = await open(t, [])
    const file = join(await temporaryFolder(t), 'details')
    await writeFile(file, JSON.stringify(toCdsProductDetail(theirs('p1'), 7)))

    const unnamed = await runProducts(['import', file])
    const invalid = await runProducts(['import', file, '--origin', 'x'.repeat(257)])

    assert.deepEqual([unnamed.status, invalid.status], [2, 2])
    assert.match(unnamed.stderr, /^a file needs --origin NAME, the data holder/)
    assert.match(invalid.stderr, /^--origin must be a string of 1 to 256 printable characters/)
  })

  it('can be the URL of the holder, so that a file updates what the URL imported', async (t) => {
    const { holder, runProducts, run } = await open(t, [theirs('p1')])
    const file = join(await temporaryFolder(t), 'details')
    const later = theirs('p1', { name: 'Saved', last_updated: '2026-06-01T00:00:00Z' })
    await writeFile(file, JSON.stringify(toCdsProductDetail(later, 7)))
    await run()

    const { stdout } = await runProducts(['import', file, '--origin', holder.url])

    assert.match(stdout, /^1 product: 0 created, 1 changed/)
  })

  it('is validated in a line of a load', async (t) => {
    const { platform } = await open(t, [])
    const file = join(await temporaryFolder(t), 'lines')
    const lines = ['', 7, 'x'.repeat(257)].map((origin) => ({ ...ours('p1'), origin }))
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))

    const { status, stderr } = await runInProcess(['load', file, '--database', platform.database])

    assert.equal(status, 1)
    assert.match(stderr, /3 × origin: must be a string of 1 to 256 printable characters/)
  })
})
