import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { it, type TestContext } from 'node:test'
import { recordBytesMax } from '../../src/contract/index.ts'
import type { HttpLimits } from '../../src/http/limits.ts'
import type { CatalogueStore } from '../../src/platform/catalogue/store.ts'
import { describe, describeOn, newDatabase, shareOnEachEngine } from '../support/engines.ts'
import { loadInProcess } from '../support/load.ts'
import {
  openPlatform,
  type Platform,
  productPath,
  productsPath,
  readErrors,
} from '../support/platform.ts'
import { until } from '../support/until.ts'
import { minimalProduct, type Product, productWithFields } from './products.ts'

const listPath = `${productsPath}?page-size=100`

const line = (id: string, fields: object = {}) => ({
  type: 'product',
  record: productWithFields({ product_id: id, ...fields }),
})

/** A product with exactly this many bytes of JSON. */
function createProductOfSize(bytes: number): Product {
  const short = JSON.stringify(productWithFields({ description: '' })).length
  return productWithFields({ description: 'x'.repeat(bytes - short) })
}

async function openConnection(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

const formatRequest = (path: string) => `GET ${path} HTTP/1.1\r\nHost: holdfast\r\n\r\n`

/** Requests the list and stops reading after the first chunk. */
async function requestWithoutReading(port: number): Promise<Socket> {
  const socket = await openConnection(port)
  socket.write(formatRequest(listPath))
  await once(socket, 'data')
  return socket.pause()
}

/** Pages exceed the socket buffers of a client that does not read. */
const loadLongPages = shareOnEachEngine(async (scope) => {
  const database = await newDatabase(scope)
  const description = 'x'.repeat(200_000)
  await loadInProcess(
    database,
    Array.from({ length: 40 }, (_, index) => line(`p${index}`, { description })),
  )
  return database
})

/** The platforms of all tests share one database, which they do not change. */
async function openPlatformWithLongPages(
  t: TestContext,
  limits: Partial<HttpLimits>,
  wrapStore = (store: CatalogueStore) => store,
): Promise<Platform> {
  return openPlatform(t, { database: await loadLongPages(), limits, around: wrapStore })
}

describeOn('sqlite', 'an overloaded platform', () => {
  it('rejects some requests, answers the others, and stays live', async (t) => {
    // Each event-loop iteration admits two requests.
    const limits = { iterationAdmitMin: 2, iterationMs: -1, burstMs: -1 }
    const platform = await openPlatform(t, { limits })
    await platform.load(Array.from({ length: 100 }, (_, index) => line(`p${index}`)))
    const sockets = await Promise.all(
      Array.from({ length: 100 }, () => openConnection(platform.port)),
    )
    const requestStatus = async (socket: Socket, path: string) => {
      const first = once(socket, 'data')
      socket.write(formatRequest(path))
      return String((await first)[0]).slice(9, 12)
    }
    // The server has accepted all connections, and reads their next requests in one iteration.
    for (const socket of sockets) assert.equal(await requestStatus(socket, '/health/live'), '200')

    const statuses = await Promise.all(
      sockets.map((socket, index) =>
        requestStatus(socket, index === 50 ? '/health/live' : `${listPath}&brand=${index}`),
      ),
    )
    for (const socket of sockets) socket.destroy()

    assert.equal(statuses.splice(50, 1)[0], '200')
    const rejected = statuses.filter((status) => status === '503').length
    const accepted = statuses.filter((status) => status === '200').length
    assert.equal(rejected + accepted, 99)
    assert.ok(rejected > 0 && accepted >= 2, `${accepted} answered, ${rejected} rejected`)
  })
})

describeOn('sqlite', 'responses to slow clients', () => {
  it('have a size limit; above it, requests fail with 503 until they are sent', async (t) => {
    const platform = await openPlatformWithLongPages(t, { unsentBytesMax: 1024 * 1024 })
    const slow = [
      await requestWithoutReading(platform.port),
      await requestWithoutReading(platform.port),
    ]

    const rejected = await platform.get(listPath)
    const live = await platform.get('/health/live')
    for (const socket of slow) socket.destroy()
    await until(async () => (await platform.get(productsPath)).status === 200)

    assert.equal(rejected.status, 503)
    assert.deepEqual(rejected.body, { error: 'Service unavailable' })
    assert.match(rejected.headers['retry-after'] ?? '', /^[1-9]\d*$/)
    assert.equal(live.status, 200)
  })

  it('count as in-flight requests', async (t) => {
    const platform = await openPlatformWithLongPages(t, { inFlightMax: 2, inFlightMin: 2 })
    const slow = [
      await requestWithoutReading(platform.port),
      await requestWithoutReading(platform.port),
    ]

    const rejected = await platform.get(productsPath)
    for (const socket of slow) socket.destroy()

    assert.equal(rejected.status, 503)
  })

  it('time out sooner while they block other requests', async (t) => {
    const limits = {
      unsentBytesMax: 1024 * 1024,
      writeTimeoutBackpressureMs: 20,
      checkIntervalMs: 5,
    }
    const platform = await openPlatformWithLongPages(t, limits)
    const slow = [
      await requestWithoutReading(platform.port),
      await requestWithoutReading(platform.port),
    ]

    await until(async () => (await platform.get(productsPath)).status === 200)
    for (const socket of slow) socket.destroy()
  })

  it('may take longer than the handler timeout', async (t) => {
    const limits = { handlerTimeoutMs: 1000, checkIntervalMs: 5 }
    const stuck = Promise.withResolvers<void>()
    const platform = await openPlatformWithLongPages(t, limits, (store) => ({
      ...store,
      async read() {
        stuck.resolve()
        return new Promise(() => {})
      },
    }))
    let now = performance.now()
    t.mock.method(performance, 'now', () => now)

    const slow = await requestWithoutReading(platform.port)
    const timedOut = platform.get(productPath('p0'))
    await stuck.promise
    // Well past the timeout: the sum is rounded, possibly to less than the timeout.
    now += 2 * limits.handlerTimeoutMs
    assert.equal((await timedOut).status, 503)
    let end = ''
    slow.on('data', (chunk) => {
      end = (end + chunk).slice(-100)
    })
    slow.resume()
    await until(() => end.endsWith('}}\r\n0\r\n\r\n') || slow.destroyed)
    slow.destroy()

    assert.match(end, /"totalRecords":40,"totalPages":1\}\}/)
  })
})

describe('long responses', () => {
  it('are produced as they are read', async (t) => {
    const reads: number[] = []
    const wrapStore = (store: CatalogueStore): CatalogueStore => ({
      ...store,
      readVersions(keys) {
        reads.push(keys.length)
        return store.readVersions(keys)
      },
    })
    const platform = await openPlatformWithLongPages(t, {}, wrapStore)

    const slow = await requestWithoutReading(platform.port)
    // Meanwhile, another response is produced completely.
    const whole = await platform.get(listPath)
    const made = reads.reduce((sum, count) => sum + count, 0)
    slow.destroy()

    assert.equal(whole.body.data.products.length, 40)
    assert.ok(made < 80, `${made} products were read`)
  })
})

describeOn('sqlite', 'the chunks of long responses', () => {
  it('are produced in separate event-loop iterations', async (t) => {
    let reads = 0
    let readsMax = 0
    const wrapStore = (store: CatalogueStore): CatalogueStore => ({
      ...store,
      readVersions(keys) {
        if (reads === 0) setImmediate(() => (reads = 0))
        reads += 1
        readsMax = Math.max(readsMax, reads)
        return store.readVersions(keys)
      },
    })
    const platform = await openPlatformWithLongPages(t, {}, wrapStore)

    const answers = await Promise.all([platform.get(listPath), platform.get(listPath)])

    for (const { body } of answers) assert.equal(body.data.products.length, 40)
    // The next chunk may be produced in the iteration that resets the count.
    assert.ok(readsMax <= 2, `${readsMax} chunks in one iteration`)
  })
})

describe('a page of the product list', () => {
  it('is cached until one of its products changes', async (t) => {
    let reads = 0
    const wrapStore = (store: CatalogueStore): CatalogueStore => ({
      ...store,
      readVersions(keys) {
        reads += 1
        return store.readVersions(keys)
      },
    })
    const platform = await openPlatform(t, { around: wrapStore })
    await platform.load([line('p1'), line('p2'), line('q1', { brand: 'Other' })])
    const names = async (query = '') =>
      (await platform.get(`${productsPath}?${query}`)).body.data.products.map(
        ({ name }: Product) => name,
      )

    await Promise.all(Array.from({ length: 20 }, () => names()))
    assert.equal(reads, 1)

    // By another process, and by this one.
    await platform.load([line('p2', { name: 'Changed' })])
    assert.deepEqual(await names(), ['Saver', 'Changed', 'Saver'])
    await platform.replace('p1', productWithFields({ name: 'Replaced' }))
    assert.deepEqual(await names(), ['Replaced', 'Changed', 'Saver'])
    await platform.remove('p2')
    assert.deepEqual(await names(), ['Replaced', 'Saver'])
    assert.equal(reads, 4)
    assert.deepEqual(await names('brand=Other'), ['Saver'])
    assert.deepEqual(await names(), ['Replaced', 'Saver'])
    assert.equal(reads, 5)
  })

  it('changes when a product becomes effective', async (t) => {
    const platform = await openPlatform(t, { now: '2026-07-01T00:00:00Z' })
    await platform.load([line('p1'), line('p2', { effective_from: '2026-07-02T00:00:00Z' })])
    const count = async () => (await platform.get(productsPath)).body.data.products.length

    const before = await count()
    platform.setClock('2026-07-02T00:00:00Z')

    assert.deepEqual([before, await count()], [1, 2])
  })

  it('has all its products if they exceed the memory limit of a response', async (t) => {
    const platform = await openPlatform(t)
    const description = 'é'.repeat(1_900_000)
    const author = { by: { id: 'c', name: 'c' }, clock: () => Temporal.Now.instant() }
    // Earlier versions stored such products without a limit.
    const fields = productWithFields({ description })
    const content = {
      name: 'Saver',
      category: 'TRANS_AND_SAVINGS_ACCOUNTS',
      brand: 'Example Bank',
      effectiveFrom: undefined,
      effectiveTo: undefined,
      record: JSON.stringify(fields),
      shown: JSON.stringify(fields),
    }
    for (let id = 0; id < 5; id += 1)
      await platform.catalogue.create({ id: `p${id}`, ...content }, author)

    const { status, body } = await platform.get(productsPath)

    assert.equal(status, 200)
    assert.deepEqual(
      body.data.products.map((product: Product) => [product['product_id'], product['description']]),
      Array.from({ length: 5 }, (_, id) => [`p${id}`, description]),
    )
    assert.deepEqual(body.meta, { totalRecords: 5, totalPages: 1 })
  })
})

describe('a product', () => {
  it(`has at most ${recordBytesMax} bytes of JSON, and can be restored from a dump`, async (t) => {
    const platform = await openPlatform(t)
    const longest = createProductOfSize(recordBytesMax)
    const tooLong = createProductOfSize(recordBytesMax + 1)
    const message = `the product must be at most ${recordBytesMax} bytes of JSON`

    const id = await platform.made(longest)
    const responses = [await platform.create(tooLong), await platform.replace(id, tooLong)]
    const dumped = (await platform.dump()).trim().split('\n')

    for (const answer of responses) assert.deepEqual(readErrors(answer), [message])
    await platform.load(dumped.map((text) => JSON.parse(text)))
    assert.equal((await platform.read(id))['description'], longest['description'])
    await assert.rejects(
      platform.load([line('p1', { description: tooLong['description'] })]),
      new RegExp(`record must be at most ${recordBytesMax} bytes of JSON`),
    )
    assert.equal((await platform.create(minimalProduct)).status, 201)
  })
})
