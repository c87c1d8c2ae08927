import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe, describeOnce, newDatabase } from '../support/engines.ts'
import { loadInProcess } from '../support/load.ts'
import { openPlatform, type Platform } from '../support/platform.ts'
import { until } from '../support/until.ts'
import { productWithFields } from './products.ts'
import { assertCdsError, getDetail, getList, listNames } from './published.ts'

/** Valid in the catalogue. Its rate has no `application_type`, which publication requires. */
const unpublishable = (name: string) =>
  productWithFields({ name, deposit_rates: [{ deposit_rate_type: 'VARIABLE', rate: '0.01' }] })

const productNamed = (name: string, fields: object = {}) => productWithFields({ name, ...fields })

describe('a published product', () => {
  it('is in the list as soon as it is created, changed or deleted', async (t) => {
    const platform = await openPlatform(t)
    assert.deepEqual(await listNames(platform), [])

    const id = await platform.made(productNamed('First'))
    assert.deepEqual(await listNames(platform), ['First'])
    assert.equal((await getDetail(platform, id)).body.data.name, 'First')
    await platform.replace(id, productNamed('Second'))
    assert.deepEqual(await listNames(platform), ['Second'])
    assert.equal((await getDetail(platform, id)).body.data.name, 'Second')
    await platform.remove(id)
    assert.deepEqual(await listNames(platform), [])
    assertCdsError(await getDetail(platform, id), 404, 'Resource/Invalid')
  })

  it('is in the list without a refresh for each of the changes during one', async (t) => {
    const first = Promise.withResolvers<void>()
    let refreshes = 0
    const platform = await openPlatform(t, {
      around: (store) => ({
        ...store,
        async listVersions(after, limit) {
          refreshes += 1
          if (refreshes === 1) await first.promise
          return store.listVersions(after, limit)
        },
      }),
    })
    const names = ['A', 'B', 'C', 'D', 'E']
    const lists: Promise<string[]>[] = []
    for (const name of names) {
      await platform.made(productWithFields({ name }))
      lists.push(listNames(platform))
      // Sent after the request of the list, and so received after it.
      await platform.send('/health/live')
    }
    first.resolve()

    assert.deepEqual((await Promise.all(lists)).at(-1), names)
    assert.ok(refreshes < names.length, `${refreshes} refreshes`)
  })

  it('is in the list of another process that uses the database', async (t) => {
    const platform = await openPlatform(t)
    const other = await openPlatform(t, { database: platform.database })
    const id = await platform.made(productNamed('First'))
    await until(async () => (await listNames(other)).join() === 'First')

    await platform.replace(id, productNamed('Second'))
    await until(async () => (await listNames(other)).join() === 'Second')
    assert.equal((await getDetail(other, id)).body.data.name, 'Second')
    await platform.remove(id)
    await platform.made(productNamed('Third'))
    await until(async () => (await listNames(other)).join() === 'Third')
    assertCdsError(await getDetail(other, id), 404, 'Resource/Invalid')
  })

  it('is in the list after a load', async (t) => {
    const platform = await openPlatform(t)
    assert.deepEqual(await listNames(platform), [])

    await platform.load([
      { type: 'product', record: { product_id: 'a / b', ...productNamed('Loaded') } },
    ])

    await until(async () => (await listNames(platform)).join() === 'Loaded')
    const { body } = await getDetail(platform, 'a / b')
    assert.match(body.links.self, /\/banking\/products\/a%20%2F%20b$/)
  })

  it('is current from its start to its end', async (t) => {
    const platform = await openPlatform(t, { now: '2026-07-01T00:00:00Z' })
    const start = '2026-07-02T00:00:00Z'
    const end = '2026-07-03T00:00:00Z'
    const id = await platform.made(
      productNamed('Limited', { effective_from: start, effective_to: end }),
    )
    const states = []

    for (const time of [
      '2026-07-01T23:59:59.999Z',
      start,
      '2026-07-02T23:59:59.999Z',
      end,
      '2026-07-01T00:00:00Z',
    ]) {
      platform.setClock(time)
      const current = await listNames(platform)
      const future = await listNames(platform, '?effective=FUTURE')
      states.push([current.length, future.length])
      assert.equal((await getDetail(platform, id)).status, 200)
    }

    assert.deepEqual(states, [
      [0, 1],
      [1, 0],
      [1, 0],
      [0, 0],
      [0, 1],
    ])
  })

  it('has no draft of it in the list', async (t) => {
    const platform = await openPlatform(t)
    await platform.made(productNamed('Published'))

    const answer = await platform.send('/v1/data-provider/cdr/product-drafts', {
      method: 'POST',
      body: productNamed('Draft'),
      headers: { authorization: `Bearer ${platform.token}` },
    })

    assert.equal(answer.status, 201, answer.text)
    assert.deepEqual(await listNames(platform, '?effective=ALL'), ['Published'])
  })
})

describeOnce('published products that do not fit into memory', () => {
  it('are read in groups for a page', async (t) => {
    const database = await newDatabase(t)
    const ids = Array.from({ length: 150 }, (_, index) => `p${100 + index}`)
    const description = 'x'.repeat(250_000)
    await loadInProcess(
      database,
      ids.map((id) => ({
        type: 'product',
        record: productWithFields({ product_id: id, name: `Product ${id}`, description }),
      })),
    )
    let reads = 0
    const platform = await openPlatform(t, {
      database,
      around: (store) => ({
        ...store,
        readRecords(versions) {
          reads += 1
          return store.readRecords(versions)
        },
      }),
    })
    await getList(platform, '?page-size=1')
    reads = 0

    const { body } = await getList(platform, '?page-size=15&page=10')

    const names = body.data.products.map(({ name }: { readonly name: string }) => name)
    assert.deepEqual(
      names,
      ids.slice(135).map((id) => `Product ${id}`),
    )
    assert.ok(reads > 0 && reads < 5, `${reads} reads`)
  })
})

describe('the last update of a published product', () => {
  const fee = (amount: string) => ({
    fees: [
      {
        name: 'Monthly',
        fee_type: 'PERIODIC',
        fee_method_u_type: 'fixedAmount',
        additional_value: 'P1M',
        fixed_amount: { amount },
      },
    ],
  })
  /** Tokens are valid for minutes. */
  const second = (count: number) => `2026-07-01T00:00:0${count}Z`
  const replace = async (platform: Platform, id: string, body: object) =>
    assert.equal((await platform.replace(id, body)).status, 204)
  const readTime = async (platform: Platform, id: string) => {
    const [listed, detail] = [await getList(platform), await getDetail(platform, id)]
    const { lastUpdated } = detail.body.data
    assert.equal(listed.body.data.products[0].lastUpdated, lastUpdated)
    return lastUpdated
  }

  it('moves only with a change of what is published', async (t) => {
    const platform = await openPlatform(t, { now: second(0) })
    const id = await platform.made(productNamed('Saver', fee('5')))
    const times = [await readTime(platform, id)]
    const edits = [fee('5'), fee('5.00'), fee('6'), fee('6.0'), fee('5')]

    for (const [index, edit] of edits.entries()) {
      platform.setClock(second(index + 1))
      const { description, ...others } = productNamed('Saver', edit)
      await replace(platform, id, { ...others, description })
      times.push(await readTime(platform, id))
    }

    assert.deepEqual(times, [...Array(3).fill(second(0)), ...Array(2).fill(second(3)), second(5)])
  })

  it('is the same in a process that did not see the changes', async (t) => {
    const platform = await openPlatform(t, { now: second(0) })
    const id = await platform.made(productNamed('Saver'))
    for (const count of [1, 2, 3]) {
      platform.setClock(second(count))
      await replace(platform, id, productNamed('Other'))
    }

    const other = await openPlatform(t, { database: platform.database })

    assert.equal(await readTime(platform, id), second(1))
    assert.equal(await readTime(other, id), second(1))
    const query = (time: string) => `?effective=ALL&updated-since=${time}`
    assert.deepEqual(await listNames(other, query(second(1))), [])
    assert.deepEqual(await listNames(other, query('2026-07-01T00:00:00.999Z')), ['Other'])
  })

  it('is found among many versions while other requests are answered', async (t) => {
    let reads = 0
    let records = 0
    let longest = 0
    const platform = await openPlatform(t, {
      around: (store) => ({
        ...store,
        readRecords(versions) {
          reads += 1
          records += versions.length
          longest = Math.max(longest, records)
          return store.readRecords(versions)
        },
      }),
    })
    const product = productWithFields({ name: 'Saver' })
    const id = await platform.made(product)
    for (let version = 2; version <= 50; version += 1) await platform.replace(id, product)
    const iteration = () => {
      records = 0
      next = setImmediate(iteration)
    }
    let next = setImmediate(iteration)
    t.after(() => clearImmediate(next))

    const { body } = await getList(platform)

    assert.equal(body.data.products[0].lastUpdated, '2026-07-01T00:00:00Z')
    assert.ok(longest < 40, `${longest} records without another request`)
    assert.ok(reads < 10, `${reads} reads`)
  })

  it('is the time at which a product was published again', async (t) => {
    const platform = await openPlatform(t, { now: second(0) })
    const id = await platform.made(productNamed('Saver'))
    platform.setClock(second(1))
    await replace(platform, id, unpublishable('Saver'))
    platform.setClock(second(2))
    await replace(platform, id, productNamed('Saver'))

    assert.equal(await readTime(platform, id), second(2))
  })
})

describe('a product that cannot be published', () => {
  const findLines = ({ log }: Platform) => log.filter((line) => line.includes('not published'))

  it('is left out, and the log says why once for each change', async (t) => {
    const platform = await openPlatform(t)
    await platform.made(productNamed('Good'))
    const id = await platform.made(unpublishable('Bad'))

    assert.deepEqual(await listNames(platform, '?effective=ALL'), ['Good'])
    assertCdsError(await getDetail(platform, id), 404, 'Resource/Invalid')
    const [line = '{}', ...others] = findLines(platform)
    assert.deepEqual(others, [])
    const { product, version, faults, msg } = JSON.parse(line)
    assert.deepEqual([product, version, msg], [id, 1, 'product not published'])
    assert.match(faults[0], /^deposit_rates\[0\]\.application_type is required for publication/)

    await platform.replace(id, unpublishable('Still bad'))
    await listNames(platform)
    await listNames(platform)
    assert.equal(findLines(platform).length, 2)
    await platform.replace(id, productNamed('Fixed'))
    assert.deepEqual(await listNames(platform), ['Fixed', 'Good'])
    assert.equal(findLines(platform).length, 2)
  })

  it('does not fill the log with others', async (t) => {
    const platform = await openPlatform(t)
    const products = Array.from({ length: 30 }, (_, index) => ({
      type: 'product',
      record: { product_id: `p-${index}`, ...unpublishable('Bad') },
    }))
    await platform.load(products)

    await listNames(platform)

    const lines = findLines(platform)
    assert.equal(lines.length, 21)
    assert.match(lines[20] ?? '', /"products":10,"msg":"more products not published"/)
  })

  it('is listed for API clients with its fields and sentences', async (t) => {
    const platform = await openPlatform(t)
    const path = '/v1/data-provider/cdr/unpublished-products'
    const list = (query = '') =>
      platform.get(`${path}${query}`, { authorization: `Bearer ${platform.token}` })
    await platform.made(productNamed('Good'))
    assert.deepEqual((await list()).body.data, { products: [] })

    const ids = [
      await platform.made(unpublishable('Bad')),
      await platform.made(unpublishable('Worse')),
    ]
    await platform.replace(ids[0] ?? '', unpublishable('Bad'))

    const { status, body } = await list()
    assert.equal(status, 200)
    assert.deepEqual(
      body.data.products.map(({ product_id }: { product_id: string }) => product_id),
      ids.toSorted(),
    )
    const bad = body.data.products.find(({ name }: { name: string }) => name === 'Bad')
    const field = 'deposit_rates[0].application_type'
    assert.deepEqual([bad.product_id, bad.version, bad.faults.length], [ids[0], 2, 1])
    assert.equal(bad.faults[0].field, field)
    assert.ok(bad.faults[0].message.startsWith(`${field} is required for publication`))
    const second = await list('?page=2&page-size=1')
    assert.equal(second.body.data.products[0].product_id, ids.toSorted()[1])
    assert.equal(second.body.meta.totalRecords, 2)

    for (const id of ids) await platform.replace(id, productNamed('Fixed'))
    assert.deepEqual((await list()).body.data, { products: [] })
    assert.equal((await platform.get(path)).status, 401)
  })
})
