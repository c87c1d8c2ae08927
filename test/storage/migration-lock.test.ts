import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { migrations } from '../../src/storage/sqlite/driver/migrations.ts'
import {
  createDatabase,
  openDatabase,
  schemaVersion,
} from '../../src/storage/sqlite/driver/open.ts'
import { describeOnce } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'

/** Migrates the database to a newer version. The commit follows when the other process waits for the write lock. */
const newerProcess = `
  const { DatabaseSync } = require('node:sqlite')
  const { parentPort, workerData } = require('node:worker_threads')
  const { path, version, opening } = workerData
  const database = new DatabaseSync(path)
  database.exec('begin immediate; pragma user_version = ' + version)
  parentPort.postMessage('locked')
  Atomics.wait(opening, 0, 0)
  Atomics.wait(opening, 0, 1, 100)
  database.exec('commit')
  database.close()`

/** The last schema version of a Holdfast that did not compare the version under the lock. */
const beforePaymentKeys = 8

describeOnce('a SQLite database', () => {
  it('keeps its version when a newer Holdfast migrates it before an older one can', async (t) => {
    const path = join(await temporaryFolder(t), 'bank.db')
    createDatabase(path)
    const database = new DatabaseSync(path)
    t.after(() => database.close())
    database.exec(`pragma user_version = ${migrations.length - 1}`)
    const version = migrations.length + 1
    const opening = new Int32Array(new SharedArrayBuffer(4))
    const newer = new Worker(newerProcess, { eval: true, workerData: { path, version, opening } })
    await once(newer, 'message')

    // The call blocks this thread until the newer process commits.
    Atomics.store(opening, 0, 1)
    Atomics.notify(opening, 0)
    const open = () => openDatabase(path, 'write')

    assert.throws(open, { name: 'DatabaseError', message: /created by a newer version/ })
    assert.equal(schemaVersion(database), version)
    await once(newer, 'exit')
  })

  it('names a possible migration when it stays locked while it is opened', async (t) => {
    const path = join(await temporaryFolder(t), 'bank.db')
    createDatabase(path)
    const database = new DatabaseSync(path)
    t.after(() => database.close())
    database.exec(`pragma user_version = ${migrations.length - 1}; begin immediate`)

    assert.throws(() => openDatabase(path, 'write'), {
      name: 'DatabaseError',
      message:
        /is locked by another process: a migration may be running, so try again in a minute$/,
    })
  })

  it('is migrated again after an earlier Holdfast has written its lower version', async (t) => {
    const path = join(await temporaryFolder(t), 'bank.db')
    createDatabase(path)
    const database = new DatabaseSync(path)
    t.after(() => database.close())
    database.exec(`pragma user_version = ${beforePaymentKeys}`)

    openDatabase(path, 'write').close()

    assert.equal(schemaVersion(database), migrations.length)
  })
})
