import assert from 'node:assert/strict'
import { chownSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { createDatabase } from '../../src/storage/open.ts'
import { put } from '../load/lines.ts'
import { openDeployment } from '../support/deployment.ts'
import { createScope, currentEngine, describeOn, runSql, type Scope } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { batchPath, toBody } from '../support/intake.ts'
import { requestToken } from '../support/platform.ts'
import { makePostgres } from '../support/postgres.ts'
import { onSmallDisks, openSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { until } from '../support/until.ts'

const engines = ['sqlite', 'postgres'] as const

/** A database whose tables are on a small disk. */
async function createOnDisk(scope: Scope, disk: SmallDisk): Promise<string> {
  if (currentEngine() === 'sqlite') return `sqlite:${join(disk.folder, 'bank.db')}`
  const server = await makePostgres({ durable: true })
  scope.after(() => server.remove())
  await server.start()
  const location = join(disk.folder, 'tables')
  mkdirSync(location, { mode: 0o700 })
  const { uid, gid } = statSync(server.folder)
  chownSync(location, uid, gid)
  await runSql(`create tablespace small location '${location}'`, server.url())
  await runSql('create database bank tablespace small', server.url())
  return server.url('bank')
}

onSmallDisks('the readiness of an intake on a full disk', () => {
  for (const engine of engines) {
    describeOn(engine, 'an intake whose database has no space left', () => {
      it('is not ready, as it rejects batches, until there is space', async (t) => {
        const scope = createScope(t)
        const disk = openSmallDisk(scope, 32)
        const database = await createOnDisk(scope, disk)
        await createDatabase(database, { partitions: 1 })
        const { addClient, openIntake } = await openDeployment(scope, database)
        const intake = await openIntake()
        const token = await requestToken(intake.port, await addClient('core', 'data.write'))
        const headers = {
          authorization: `Bearer ${token}`,
          'content-type': 'application/x-ndjson',
        }
        const customers = Array.from({ length: 2000 }, (_, at) => put.customer(`c${at}`))
        const sendBatch = async (number: number) => {
          const body = toBody(customers.slice((number - 1) * 1000, number * 1000))
          const path = batchPath('core', number)
          return (await send(intake.port, path, { method: 'PUT', headers, body })).status
        }
        const untilReady = (status: number) =>
          until(async () => (await send(intake.port, '/health/ready')).status === status)
        assert.equal(await sendBatch(1), 200)
        await untilReady(200)

        disk.fill()
        assert.equal(await sendBatch(2), 503)
        await untilReady(503)
        disk.free()
        await untilReady(200)

        assert.equal(await sendBatch(2), 200)
        const [failure = {}] = intake.log().filter(({ msg }) => msg === 'not ready')
        assert.equal(failure['probe'], 'database')
        assert.match(
          (failure['err'] as Error).message,
          /no space left on the disk|the database failed with 53100/,
        )
      })
    })
  }
})
