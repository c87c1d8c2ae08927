import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { createDatabase } from '../../src/storage/open.ts'
import { openDatabaseFile } from '../support/database-file.ts'
import { openDeployment } from '../support/deployment.ts'
import { createScope, describe, describeOn } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { loadInProcess } from '../support/load.ts'
import { makePostgres } from '../support/postgres.ts'
import { accountsPath, smallBankLines } from '../support/small-bank.ts'
import { keepLog, onSmallDisks, openSmallDisk } from '../support/small-disk.ts'
import { until } from '../support/until.ts'
import { listSent, startClients } from './load.ts'
import { openRecordCommands } from './recording.ts'

const recording = { records: 'true', 'log-level': 'silent' }

describeOn('postgres', 'a provider whose database ends', () => {
  it('answers each request with its record, or with a 503', async (t) => {
    const scope = createScope(t)
    const postgres = await makePostgres({ durable: true })
    scope.after(() => postgres.remove())
    await postgres.start()
    await createDatabase(postgres.url(), { partitions: 2 })
    await loadInProcess(postgres.url(), smallBankLines)
    const deployment = await openDeployment(scope, postgres.url())
    const server = await deployment.openProvider(recording)
    const clients = startClients(deployment, server)
    await until(() => clients.count(200) > 20)

    for (const how of ['crash', 'fast'] as const) {
      const before = clients.count(503)
      await postgres.stop(how)
      await until(() => clients.count(503) > before)
      await postgres.start()
      const answered = clients.count(200)
      await until(() => clients.count(200) > answered + 20)
    }
    await clients.stop()
    await server.close()

    assert.deepEqual([...clients.others()], [503])
    assert.deepEqual(await listSent(postgres.url()), clients.received())
    const { status, stdout } = await openRecordCommands(postgres.url()).run('verify')
    assert.equal(status, 0, stdout)
  })
})

onSmallDisks('a provider whose disk is full', () => {
  describeOn('sqlite', 'a provider whose disk is full', () => {
    it('answers each request with its record, or with a 503, and continues with space', async (t) => {
      const scope = createScope(t)
      const disk = openSmallDisk(scope, 8)
      const file = join(disk.folder, 'bank.db')
      const database = `sqlite:${file}`
      await loadInProcess(database, smallBankLines)
      const deployment = await openDeployment(scope, database)
      const server = await deployment.openProvider(recording)
      const clients = startClients(deployment, server)
      await until(() => clients.count(200) > 20)
      keepLog(scope, `${file}-replay`)

      disk.fill()
      await until(() => clients.count(503) > 0)
      disk.free()
      const answered = clients.count(200)
      await until(() => clients.count(200) > answered + 20)
      await clients.stop()
      await server.close()

      assert.deepEqual([...clients.others()], [503])
      assert.deepEqual(await listSent(database), clients.received())
      const { status, stdout } = await openRecordCommands(database).run('verify')
      assert.equal(status, 0, stdout)
    })
  })
})

describeOn('sqlite', 'a provider whose replay file is locked by another process', () => {
  it('answers each request with its record, or with a 503, and continues', async (t) => {
    const deployment = await openDeployment(t)
    const { database } = deployment
    const server = await deployment.openProvider(recording)
    const clients = startClients(deployment, server)
    await until(() => clients.count(200) > 20)

    const file = openDatabaseFile(`${database}-replay`)
    file.exec('begin exclusive')
    await until(() => clients.count(503) > 0)
    file.close()
    const answered = clients.count(200)
    await until(() => clients.count(200) > answered + 20)
    await clients.stop()
    await server.close()

    assert.deepEqual([...clients.others()], [503])
    assert.deepEqual(await listSent(database), clients.received())
    const { status, stdout } = await openRecordCommands(database).run('verify')
    assert.equal(status, 0, stdout)
  })
})

describe('a provider that is killed', () => {
  it('has a record of each answer that was received', async (t) => {
    const deployment = await openDeployment(t)
    const { database } = deployment
    const server = await deployment.startProvider({ records: 'true' })
    const clients = startClients(deployment, server)

    await until(() => clients.count(200) > 20)
    server.child.kill('SIGKILL')
    await clients.ended

    assert.deepEqual([...clients.others()], [])
    const sent = new Set(await listSent(database))
    assert.deepEqual(
      clients.received().filter((id) => !sent.has(id)),
      [],
    )
    const log = join(await temporaryFolder(t), 'provider.log')
    writeFileSync(log, server.stderr())
    const { status, stdout, stderr } = await openRecordCommands(database).run(
      ...['verify', '--heads', log],
    )
    assert.equal(status, 0, stdout + stderr)
    assert.match(stdout, /has no end yet/)
    const next = await deployment.openProvider(recording)
    assert.equal((await deployment.ask(next, accountsPath)).status, 200)
  })
})
