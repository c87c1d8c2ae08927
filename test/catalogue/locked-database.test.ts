import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { openDatabaseFile } from '../support/database-file.ts'
import { describeOn } from '../support/engines.ts'
import { openPlatform, type Platform, productPath, productsPath } from '../support/platform.ts'
import { until } from '../support/until.ts'
import { minimalProduct, productWithFields } from './products.ts'

/** Locks the database as a load does until it commits. */
function lockDatabase(t: TestContext, platform: Platform) {
  const database = openDatabaseFile(platform.database)
  database.exec('begin immediate')
  database.exec('create table locked (x)')
  const release = () => {
    if (database.isTransaction) database.exec('rollback')
  }
  t.after(() => {
    release()
    database.close()
  })
  return { release }
}

describeOn('sqlite', 'while a load locks the database', () => {
  it('reads are answered immediately, and writes wait for the lock', async (t) => {
    const platform = await openPlatform(t)
    const id = await platform.made(minimalProduct)
    const { release } = lockDatabase(t, platform)
    let isWritten = false

    const writes = Promise.all([
      platform.create(minimalProduct),
      platform.replace(id, productWithFields({ name: 'B' })),
      platform.create(minimalProduct, { 'idempotency-key': 'k' }),
      platform.create(minimalProduct, { 'idempotency-key': 'k' }),
    ]).finally(() => {
      isWritten = true
    })
    const reads = [
      await platform.get(productPath(id)),
      await platform.get(`${productPath(id)}?version=1`),
      await platform.get(productsPath),
      await platform.history(id),
    ]
    const wasWritten = isWritten
    release()
    const written = await writes

    assert.deepEqual(
      reads.map(({ status }) => status),
      [200, 200, 200, 200],
    )
    assert.equal(reads[0]?.body.name, 'Saver', 'the read is of the state before')
    assert.equal(wasWritten, false, 'a write did not wait')
    assert.deepEqual(
      written.map(({ status }) => status),
      [201, 204, 201, 201],
    )
    assert.equal(written[2]?.text, written[3]?.text)
    assert.equal((await platform.read(id))['name'], 'B')
  })

  it('writes fail with 503 after five seconds, and hundreds of them delay no read', async (t) => {
    let started = 0
    const platform = await openPlatform(t, {
      around: (store) => ({
        ...store,
        create(...args) {
          started += 1
          return store.create(...args)
        },
        replace(...args) {
          started += 1
          return store.replace(...args)
        },
      }),
    })
    const id = await platform.made(minimalProduct)
    const { release } = lockDatabase(t, platform)
    // A whole number: differences of fractions are rounded.
    let nowMs = Math.round(performance.now())
    t.mock.method(performance, 'now', () => nowMs)
    let answered = 0
    started = 0

    const writes = Array.from({ length: 300 }, async (_, index) => {
      const answer = await (index % 2 === 0
        ? platform.create(minimalProduct)
        : platform.replace(id, minimalProduct))
      answered += 1
      return answer
    })
    const readSome = async () => {
      for (let count = 0; count < 20; count += 1) {
        assert.equal((await platform.get(productPath(id))).status, 200)
      }
    }
    await until(() => started === writes.length)
    await readSome()
    nowMs += 5000
    await readSome()
    assert.equal(answered, 0, 'a write did not wait')
    nowMs += 1
    await until(() => answered === writes.length)

    for (const { status, body, headers } of await Promise.all(writes)) {
      assert.equal(status, 503)
      assert.deepEqual(body, { error: 'Service unavailable' })
      assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
    }
    release()
    assert.equal(
      (await platform.history(id)).body.meta.totalRecords,
      1,
      'a rejected write was executed later',
    )
    assert.equal((await platform.create(minimalProduct)).status, 201)
  })

  it('tokens are verified, and token requests wait for the lock', async (t) => {
    const platform = await openPlatform(t)
    const { release } = lockDatabase(t, platform)
    const body = { client_id: platform.client.id, client_secret: platform.client.secret }

    const tokenRequest = platform.send('/v1/token', { method: 'POST', body })
    const rejected = await platform.send(productsPath, { method: 'POST', body: minimalProduct })
    release()

    assert.equal(rejected.status, 401)
    assert.equal((await tokenRequest).status, 200)
  })
})
