import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { createDatabase } from '../../src/storage/open.ts'
import { put } from '../load/lines.ts'
import { openDeployment } from '../support/deployment.ts'
import { createScope, describeOn } from '../support/engines.ts'
import { type Answer, type Headers, send } from '../support/http.ts'
import { batchPath, openIntake, toBody } from '../support/intake.ts'
import { dumpDatabase } from '../support/load.ts'
import { requestToken } from '../support/platform.ts'
import { makePostgres } from '../support/postgres.ts'
import { keepLog, onSmallDisks, openSmallDisk } from '../support/small-disk.ts'
import { until } from '../support/until.ts'

const base = [put.customer('c1'), put.account('a1', ['c1'])]
const description = ''.padEnd(4000, '.')
const history = Array.from({ length: 200 }, (_, at) =>
  put.transaction('a1', `t${at}`, { description }),
)

function assertRetry({ status, headers, body, text }: Answer): void {
  assert.equal(status, 503, text)
  assert.equal(headers['retry-after'], '1')
  assert.deepEqual(body, { error: 'Service unavailable' })
}

onSmallDisks('a full disk of the intake', () => {
  describeOn('sqlite', 'a full disk', () => {
    it('makes the sender retry, and the same batch is applied once afterwards', async (t) => {
      const scope = createScope(t)
      const disk = openSmallDisk(scope, 8)
      const file = join(disk.folder, 'bank.db')
      await createDatabase(`sqlite:${file}`)
      const intake = await openIntake(scope, { database: `sqlite:${file}` })
      assert.equal((await intake.put('core', 1, base)).status, 200)
      keepLog(scope, file)
      disk.fill()

      assertRetry(await intake.put('core', 2, history))
      assert.equal((await intake.get('/v1/feeds/core')).body.batch, 1)
      disk.free()
      const answer = await intake.put('core', 2, history)
      assert.deepEqual([answer.status, answer.body.created], [200, history.length])
    })
  })
})

describeOn('postgres', 'a restart of PostgreSQL', () => {
  it('makes the sender retry, and the same batch is applied once afterwards', async (t) => {
    const scope = createScope(t)
    const server = await makePostgres({ durable: true })
    scope.after(() => server.remove())
    await server.start()
    const database = server.url()
    await createDatabase(database, { partitions: 2 })
    const { addClient, openIntake: open } = await openDeployment(scope, database)
    const intake = await open()
    const token = await requestToken(intake.port, await addClient('core', 'data.write'))
    const headers: Headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/x-ndjson',
    }
    const sendBatch = (number: number, lines: readonly string[]) =>
      send(intake.port, batchPath('core', number), { method: 'PUT', headers, body: toBody(lines) })
    assert.equal((await sendBatch(1, base)).status, 200)
    await server.stop('crash')

    assertRetry(await sendBatch(2, history))
    await server.start()
    let answer = await sendBatch(2, history)
    await until(async () => {
      if (answer.status === 503) answer = await sendBatch(2, history)
      return answer.status !== 503
    })
    assert.deepEqual([answer.status, answer.body.created], [200, history.length], answer.text)
    assert.deepEqual((await sendBatch(2, history)).body, answer.body)
    const stored = (await dumpDatabase(database)).match(/"banking\.transaction"/g) ?? []
    assert.equal(stored.length, history.length)
  })
})
