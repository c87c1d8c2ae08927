import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { CatalogueStore } from '../../src/catalogue/store.ts'
import { recordBytesMax } from '../../src/contract/index.ts'
import type { HttpLimits } from '../../src/http/limits.ts'
import { describe, describeOn } from '../support/engines.ts'
import { openPlatform, type Platform, productsPath, readRefusals } from '../support/platform.ts'
import { type Product, plain, plainWith } from './products.ts'

const listPath = `${productsPath}?page-size=100`

const line = (id: string, fields: object = {}) => ({
  type: 'product',
  record: plainWith({ product_id: id, ...fields }),
})

/** A product that is so many bytes long as JSON. */
function productOf(bytes: number): Product {
  const short = JSON.stringify(plainWith({ description: '' })).length
  return plainWith({ description: 'x'.repeat(bytes - short) })
}

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

const requestFor = (path: string) => `GET ${path} HTTP/1.1\r\nHost: holdfast\r\n\r\n`

/** Asks and reads no more than the beginning of the answer. */
async function askWithoutReading(port: number): Promise<Socket> {
  const socket = await dial(port)
  socket.write(requestFor(listPath))
  await once(socket, 'data')
  return socket.pause()
}

/** A page is longer than what the system keeps for a client that does not read. */
async function openLongPlatform(
  t: TestContext,
  limits: Partial<HttpLimits>,
  around = (store: CatalogueStore) => store,
): Promise<Platform> {
  const platform = await openPlatform(t, { limits, around })
  const description = 'x'.repeat(200_000)
  await platform.load(Array.from({ length: 40 }, (_, index) => line(`p${index}`, { description })))
  return platform
}

describeOn('sqlite', 'a platform that is asked for more lists than it can make', () => {
  it('turns some away, answers the others, and says that it lives', {
    timeout: 60_000,
  }, async (t) => {
    // No turn of the event loop has time for more than two.
    const limits = { iterationAdmitMin: 2, iterationMs: -1, burstMs: -1 }
    const platform = await openPlatform(t, { limits })
    await platform.load(Array.from({ length: 100 }, (_, index) => line(`p${index}`)))
    const sockets = await Promise.all(Array.from({ length: 100 }, () => dial(platform.port)))
    const statusOf = async (socket: Socket, path: string) => {
      const first = once(socket, 'data')
      socket.write(requestFor(path))
      return String((await first)[0]).slice(9, 12)
    }
    // The server has accepted them all by then, and reads what they send next in one turn.
    for (const socket of sockets) assert.equal(await statusOf(socket, '/health/live'), '200')

    const statuses = await Promise.all(
      sockets.map((socket, index) =>
        statusOf(socket, index === 50 ? '/health/live' : `${listPath}&brand=${index}`),
      ),
    )
    for (const socket of sockets) socket.destroy()

    assert.equal(statuses.splice(50, 1)[0], '200')
    const refused = statuses.filter((status) => status === '503').length
    const taken = statuses.filter((status) => status === '200').length
    assert.equal(refused + taken, 99)
    assert.ok(refused > 0 && taken >= 2, `${taken} answered, ${refused} refused`)
  })
})

describeOn('sqlite', 'answers that their clients do not read', { timeout: 120_000 }, () => {
  it('are so many bytes at most; beyond, a request is a 503 until they are gone', async (t) => {
    const platform = await openLongPlatform(t, { unsentBytesMax: 1024 * 1024 })
    const slow = [await askWithoutReading(platform.port), await askWithoutReading(platform.port)]

    const refused = await platform.get(listPath)
    const live = await platform.get('/health/live')
    for (const socket of slow) socket.destroy()
    let status = 503
    while (status === 503) status = (await platform.get(productsPath)).status

    assert.equal(refused.status, 503)
    assert.deepEqual(refused.body, { error: 'Service unavailable' })
    assert.match(refused.headers['retry-after'] ?? '', /^[1-9]\d*$/)
    assert.equal(live.status, 200)
    assert.equal(status, 200)
  })

  it('are requests in flight, which are bounded', async (t) => {
    const platform = await openLongPlatform(t, { inFlightMax: 2, inFlightMin: 2 })
    const slow = [await askWithoutReading(platform.port), await askWithoutReading(platform.port)]

    const refused = await platform.get(productsPath)
    for (const socket of slow) socket.destroy()

    assert.equal(refused.status, 503)
  })

  it('are cut sooner while they keep others out', async (t) => {
    const limits = {
      unsentBytesMax: 1024 * 1024,
      writeTimeoutBackpressureMs: 20,
      checkIntervalMs: 5,
    }
    const platform = await openLongPlatform(t, limits)
    const slow = [await askWithoutReading(platform.port), await askWithoutReading(platform.port)]

    let status = 503
    while (status === 503) {
      status = (await platform.get(productsPath)).status
      await setTimeout(5)
    }
    for (const socket of slow) socket.destroy()

    assert.equal(status, 200)
  })

  it('may take longer to read than a handler may take to begin them', async (t) => {
    const limits = { handlerTimeoutMs: 1000, checkIntervalMs: 5 }
    const platform = await openLongPlatform(t, limits)

    const slow = await askWithoutReading(platform.port)
    const since = performance.now()
    while (performance.now() - since < 2 * limits.handlerTimeoutMs)
      await platform.get('/health/live')
    let end = ''
    slow.on('data', (chunk) => {
      end = (end + chunk).slice(-100)
    })
    slow.resume()
    while (!end.endsWith('}}\r\n0\r\n\r\n') && !slow.destroyed) {
      await Promise.race([once(slow, 'data'), once(slow, 'close')])
    }
    slow.destroy()

    assert.match(end, /"totalRecords":40,"totalPages":1\}\}/)
  })
})

describe('long answers', { timeout: 120_000 }, () => {
  it('are not made before they are read', async (t) => {
    const reads: number[] = []
    const around = (store: CatalogueStore): CatalogueStore => ({
      ...store,
      readVersions(keys) {
        reads.push(keys.length)
        return store.readVersions(keys)
      },
    })
    const platform = await openLongPlatform(t, {}, around)

    const slow = await askWithoutReading(platform.port)
    // Another answer is made from its beginning to its end meanwhile.
    const whole = await platform.get(listPath)
    const made = reads.reduce((sum, count) => sum + count, 0)
    slow.destroy()

    assert.equal(whole.body.data.products.length, 40)
    assert.ok(made < 80, `${made} products were read`)
  })
})

describeOn('sqlite', 'the pieces of long answers', { timeout: 120_000 }, () => {
  it('are made one by one, with time for other requests between them', async (t) => {
    let reads = 0
    let readsMax = 0
    const around = (store: CatalogueStore): CatalogueStore => ({
      ...store,
      readVersions(keys) {
        if (reads === 0) setImmediate(() => (reads = 0))
        reads += 1
        readsMax = Math.max(readsMax, reads)
        return store.readVersions(keys)
      },
    })
    const platform = await openLongPlatform(t, {}, around)

    const answers = await Promise.all([platform.get(listPath), platform.get(listPath)])

    for (const { body } of answers) assert.equal(body.data.products.length, 40)
    // The next one may be made in the same iteration of the event loop as the count begins again.
    assert.ok(readsMax <= 2, `${readsMax} pieces were made at once`)
  })
})

describe('a page of the product list', { timeout: 120_000 }, () => {
  it('is made once for all that ask for it, until one of its products changes', async (t) => {
    let reads = 0
    const around = (store: CatalogueStore): CatalogueStore => ({
      ...store,
      readVersions(keys) {
        reads += 1
        return store.readVersions(keys)
      },
    })
    const platform = await openPlatform(t, { around })
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
    await platform.replace('p1', plainWith({ name: 'Replaced' }))
    assert.deepEqual(await names(), ['Replaced', 'Changed', 'Saver'])
    await platform.remove('p2')
    assert.deepEqual(await names(), ['Replaced', 'Saver'])
    assert.equal(reads, 4)
    assert.deepEqual(await names('brand=Other'), ['Saver'])
    assert.deepEqual(await names(), ['Replaced', 'Saver'])
    assert.equal(reads, 5)
  })

  it('changes by itself when a product becomes effective', async (t) => {
    const platform = await openPlatform(t, { now: '2026-07-01T00:00:00Z' })
    await platform.load([line('p1'), line('p2', { effective_from: '2026-07-02T00:00:00Z' })])
    const count = async () => (await platform.get(productsPath)).body.data.products.length

    const before = await count()
    platform.setClock('2026-07-02T00:00:00Z')

    assert.deepEqual([before, await count()], [1, 2])
  })

  it('has all its products where they are longer than can be in memory at once', async (t) => {
    const platform = await openPlatform(t)
    const description = 'é'.repeat(1_900_000)
    const author = { by: { id: 'c', name: 'c' }, clock: () => Temporal.Now.instant() }
    // As they could be stored before there was a limit.
    const fields = plainWith({ description })
    const content = {
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

describe('a product', { timeout: 120_000 }, () => {
  it(`has ${recordBytesMax} bytes of JSON at most, and is loaded again from a dump`, async (t) => {
    const platform = await openPlatform(t)
    const longest = productOf(recordBytesMax)
    const tooLong = productOf(recordBytesMax + 1)
    const sentence = `the product must be at most ${recordBytesMax} bytes of JSON`

    const id = await platform.made(longest)
    const refusals = [await platform.create(tooLong), await platform.replace(id, tooLong)]
    const dumped = (await platform.dump()).trim().split('\n')

    for (const answer of refusals) assert.deepEqual(readRefusals(answer), [sentence])
    await platform.load(dumped.map((text) => JSON.parse(text)))
    assert.equal((await platform.read(id))['description'], longest['description'])
    await assert.rejects(
      platform.load([line('p1', { description: tooLong['description'] })]),
      new RegExp(`record must be at most ${recordBytesMax} bytes of JSON`),
    )
    assert.equal((await platform.create(plain)).status, 201)
  })
})
