import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { describeOn } from '../support/engines.ts'
import { openPlatform, type Platform, productPath, productsPath } from '../support/platform.ts'
import { plain, plainWith } from './products.ts'

/** Holds the database as a load does until it commits. */
function holdDatabase(t: TestContext, platform: Platform) {
  const database = new DatabaseSync(platform.database.slice('sqlite:'.length), { timeout: 5000 })
  database.exec('begin immediate')
  database.exec('create table held (x)')
  const release = () => {
    if (database.isTransaction) database.exec('rollback')
  }
  t.after(() => {
    release()
    database.close()
  })
  return { release }
}

describeOn('sqlite', 'while a load holds the database', { timeout: 60_000 }, () => {
  it('reads are answered at once, and writes wait until it is done', async (t) => {
    const platform = await openPlatform(t)
    const id = await platform.made(plain)
    const { release } = holdDatabase(t, platform)
    let isWritten = false

    const writes = Promise.all([
      platform.create(plain),
      platform.replace(id, plainWith({ name: 'B' })),
      platform.create(plain, { 'idempotency-key': 'k' }),
      platform.create(plain, { 'idempotency-key': 'k' }),
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
    assert.equal(reads[0]?.body.name, 'Saver', 'from before')
    assert.equal(wasWritten, false, 'no write was done meanwhile')
    assert.deepEqual(
      written.map(({ status }) => status),
      [201, 204, 201, 201],
    )
    assert.equal(written[2]?.text, written[3]?.text)
    assert.equal((await platform.read(id))['name'], 'B')
  })

  it('writes are a 503 after five seconds, and hundreds of them hold up no read', async (t) => {
    // On a machine that is busy with other things, no request is rejected for being slow.
    const platform = await openPlatform(t, { limits: { latencyTargetMs: 10_000, burstMs: 10_000 } })
    const id = await platform.made(plain)
    const { release } = holdDatabase(t, platform)
    const since = performance.now()
    let isOver = false

    const writes = Array.from({ length: 300 }, async (_, index) => {
      const answer = await (index % 2 === 0 ? platform.create(plain) : platform.replace(id, plain))
      return { ...answer, waited: performance.now() - since }
    })
    const over = Promise.all(writes).finally(() => {
      isOver = true
    })
    let reads = 0
    while (!isOver) {
      assert.equal((await platform.get(productPath(id))).status, 200)
      reads += 1
    }

    for (const { status, body, headers, waited } of await over) {
      assert.equal(status, 503)
      assert.deepEqual(body, { error: 'Service unavailable' })
      assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
      assert.ok(waited >= 5000, `${waited} ms`)
    }
    assert.ok(reads > 20, `${reads} reads`)
    release()
    assert.equal(
      (await platform.history(id)).body.meta.totalRecords,
      1,
      'nothing was done after all',
    )
    assert.equal((await platform.create(plain)).status, 201)
  })

  it('a token is judged, and asked for as a write is', async (t) => {
    const platform = await openPlatform(t)
    const { release } = holdDatabase(t, platform)
    const body = { client_id: platform.client.id, client_secret: platform.client.secret }

    const asked = platform.send('/v1/token', { method: 'POST', body })
    const refused = await platform.send(productsPath, { method: 'POST', body: plain })
    release()

    assert.equal(refused.status, 401)
    assert.equal((await asked).status, 200)
  })
})
