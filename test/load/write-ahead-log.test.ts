import assert from 'node:assert/strict'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { createDatabase } from '../../src/storage/sqlite/driver/open.ts'
import { releaseLog, watchLog } from '../../src/storage/sqlite/driver/write-ahead-log.ts'
import { openDeployment } from '../support/deployment.ts'
import { createScope, describeOn } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { send } from '../support/http.ts'
import { dumpDatabase, loadInProcess } from '../support/load.ts'
import { holdfastProgram, run, runHoldfast } from '../support/process.ts'
import { onSmallDisks, openSmallDisk } from '../support/small-disk.ts'
import { until } from '../support/until.ts'
import { put } from './lines.ts'

const pageBytes = 4096

/** Writes more than the cache holds, and rolls back. */
function failLoad(path: string): void {
  const writer = new DatabaseSync(path)
  writer.exec('pragma cache_size = 10; begin immediate')
  const insert = writer.prepare('insert into customer (id, match) values (?, ?)')
  for (let id = 0; id < 500; id += 1) insert.run(`${id}`, 'x'.repeat(pageBytes))
  writer.close()
}

function createCustomers(first: number, count: number): string {
  return Array.from({ length: count }, (_, index) =>
    put.customer(`c${first + index}`, { name: `${first + index}`.padEnd(200, '.') }),
  ).join('\n')
}

describeOn('sqlite', 'the write-ahead log of a failed load', () => {
  it('is truncated if the path of the database is a symbolic link', async (t) => {
    const folder = await temporaryFolder(t)
    mkdirSync(join(folder, 'data'))
    const path = join(folder, 'data', 'bank.db')
    const link = join(folder, 'bank.db')
    createDatabase(path)
    symlinkSync(path, link)
    // A server that has the database open keeps the log.
    const reader = new DatabaseSync(path)
    t.after(() => reader.close())
    reader.prepare('select count(*) from customer').get()
    failLoad(link)
    assert.ok(statSync(`${path}-wal`).size > 100 * pageBytes)

    releaseLog(link)

    assert.equal(statSync(`${path}-wal`).size, 0)
  })

  it('causes no error in a server whose folder was moved', async (t) => {
    const folder = join(await temporaryFolder(t), 'data')
    mkdirSync(folder)
    const path = join(folder, 'bank.db')
    createDatabase(path)
    t.mock.timers.enable({ apis: ['setInterval'] })
    const watch = watchLog(path)
    t.after(() => watch.close())

    renameSync(folder, `${folder}-moved`)

    assert.doesNotThrow(() => t.mock.timers.tick(10_000))
  })
})

onSmallDisks('a load that is committed but not checkpointed', () => {
  describeOn('sqlite', 'a load whose log cannot be checkpointed', () => {
    it('succeeds, because its data is committed', async (t) => {
      const { folder } = openSmallDisk(t, 32)
      const path = join(folder, 'bank.db')
      const database = `sqlite:${path}`
      const first = await runHoldfast(['load', '-', '--database', database], {
        input: createCustomers(0, 500),
      })
      assert.equal(first.status, 0, first.stderr)
      const file = join(folder, 'customers.ndjson')
      writeFileSync(file, createCustomers(500, 500))

      // The limit, in blocks of 512 bytes, allows the log but not the checkpointed database.
      const blocks = Math.floor((1.5 * statSync(path).size) / 512)
      const script = `ulimit -f ${blocks}; exec "$@"`
      const args = [process.execPath, holdfastProgram, 'load', file, '--database', database]
      const { status, stderr } = await run(['sh', '-c', script, 'sh', ...args])

      assert.equal(status, 0, stderr)
      assert.ok(statSync(`${path}-wal`).size > 0, 'the limit was reached')
      assert.equal((await dumpDatabase(database)).trimEnd().split('\n').length, 1000)
    })
  })
})

onSmallDisks('the reservation of space for a commit', () => {
  describeOn('sqlite', 'the reservation of space for a commit', () => {
    it('changes no other file, neither for a load nor for a readiness probe', async (t) => {
      const scope = createScope(t)
      // So small that space is always reserved.
      const { folder } = openSmallDisk(scope, 32)
      const path = join(folder, 'bank.db')
      const target = join(folder, 'target')
      writeFileSync(target, 'content')
      symlinkSync(target, `${path}-reserve`)

      await loadInProcess(`sqlite:${path}`, [put.customer('c1')])
      const { openIntake } = await openDeployment(scope, `sqlite:${path}`)
      const intake = await openIntake()
      await until(async () => (await send(intake.port, '/health/ready')).status === 200)

      assert.equal(readFileSync(target, 'utf8'), 'content')
      assert.equal(readlinkSync(`${path}-reserve`), target)
      const left = readdirSync(folder).filter((name) => name.includes('-reserve'))
      assert.deepEqual(left, ['bank.db-reserve'])
    })
  })
})
