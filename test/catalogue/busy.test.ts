import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { describeOn } from '../support/engines.ts'
import { plain, plainWith } from './products.ts'
import { openWorld, pathOf, productsPath, sendTo, type World } from './world.ts'

/** Holds the database as a load does until it commits. */
function holdDatabase(t: TestContext, world: World) {
  const database = new DatabaseSync(world.database.slice('sqlite:'.length), { timeout: 5000 })
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
    const world = await openWorld(t)
    const id = await world.made(plain)
    const { release } = holdDatabase(t, world)
    let isWritten = false

    const writes = Promise.all([
      world.create(plain),
      world.replace(id, plainWith({ name: 'B' })),
      world.create(plain, { 'idempotency-key': 'k' }),
      world.create(plain, { 'idempotency-key': 'k' }),
    ]).finally(() => {
      isWritten = true
    })
    const reads = [
      await world.get(pathOf(id)),
      await world.get(`${pathOf(id)}?version=1`),
      await world.get(productsPath),
      await world.history(id),
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
    assert.equal((await world.read(id))['name'], 'B')
  })

  it('writes are a 503 after five seconds, and hundreds of them hold up no read', async (t) => {
    // On a machine that is busy with other things, no request is rejected for being slow.
    const world = await openWorld(t, { limits: { latencyTargetMs: 10_000, burstMs: 10_000 } })
    const id = await world.made(plain)
    const { release } = holdDatabase(t, world)
    const since = performance.now()
    let isOver = false

    const writes = Array.from({ length: 300 }, async (_, index) => {
      const answer = await (index % 2 === 0 ? world.create(plain) : world.replace(id, plain))
      return { ...answer, waited: performance.now() - since }
    })
    const over = Promise.all(writes).finally(() => {
      isOver = true
    })
    let reads = 0
    while (!isOver) {
      assert.equal((await sendTo(world.port, pathOf(id))).status, 200)
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
    assert.equal((await world.history(id)).body.meta.totalRecords, 1, 'nothing was done after all')
    assert.equal((await world.create(plain)).status, 201)
  })

  it('a token is judged, and asked for as a write is', async (t) => {
    const world = await openWorld(t)
    const { release } = holdDatabase(t, world)
    const body = { client_id: world.client.id, client_secret: world.client.secret }

    const asked = world.send('/v1/token', { method: 'POST', body })
    const refused = await world.send(productsPath, { method: 'POST', body: plain })
    release()

    assert.equal(refused.status, 401)
    assert.equal((await asked).status, 200)
  })
})
