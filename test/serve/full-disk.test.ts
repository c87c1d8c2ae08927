import assert from 'node:assert/strict'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { createPrivateFile } from '../../src/storage/sqlite/driver/files.ts'
import { openSqliteReplayStore } from '../../src/storage/sqlite/replay/replay-store.ts'
import { put } from '../load/lines.ts'
import { openDeployment } from '../support/deployment.ts'
import { createScope, describeOn, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { dumpDatabase, loadInProcess } from '../support/load.ts'
import { kill, runHoldfast, startHoldfast } from '../support/process.ts'
import { accountsPath } from '../support/small-bank.ts'
import { onSmallDisks, openSmallDisk } from '../support/small-disk.ts'
import { until } from '../support/until.ts'

const requests = 20
const megabyte = 1024 * 1024

const baseLines = [put.customer('c1'), put.account('a1', ['c1'])]

function history(count: number, length: number): string {
  const description = ''.padEnd(length, '.')
  const lines = Array.from({ length: count }, (_, index) =>
    // In the order of their IDs, so that each is written when it is read.
    put.transaction('a1', `t${String(index).padStart(6, '0')}`, { description }),
  )
  return [...lines, ''].join('\n')
}

/** A provider on a small disk of its own. */
async function openBank(t: Scope, megabytes: number) {
  const scope = createScope(t)
  const disk = openSmallDisk(scope, megabytes)
  const file = join(disk.folder, 'bank.db')
  const database = `sqlite:${file}`
  await loadInProcess(database, baseLines)
  const deployment = await openDeployment(scope, database)
  const server = await deployment.openProvider({ 'log-level': 'silent' })
  const ask = async () => (await deployment.ask(server, accountsPath)).status
  return {
    disk,
    file,
    database,
    ask,
    logBytes: () => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    async assertServes() {
      for (let turn = 0; turn < requests; turn += 1) assert.equal(await ask(), 200)
    },
  }
}

onSmallDisks('a full disk', () => {
  describeOn('sqlite', 'a load that fills the disk of a running provider', () => {
    it('fails with the reason, changes nothing, and leaves space for requests', async (t) => {
      const bank = await openBank(t, 12)
      await bank.assertServes()
      const before = await dumpDatabase(bank.database)

      const { status, stderr } = await runHoldfast(['load', '-', '--database', bank.database], {
        input: history(4000, 4000),
      })

      const reason = `the database ${bank.file} cannot be written: no space left on the disk`
      assert.match(stderr, new RegExp(`^${reason}.*\n$`))
      assert.equal(status, 1)
      await bank.assertServes()
      assert.ok(bank.logBytes() < megabyte)
      assert.deepEqual(
        readdirSync(bank.disk.folder).filter((name) => !name.startsWith('bank.db')),
        [],
      )
      assert.equal(await dumpDatabase(bank.database), before)
    })

    it('keeps the committed batches, and leaves space for requests', async (t) => {
      const bank = await openBank(t, 12)
      await bank.assertServes()

      const { status, stderr } = await runHoldfast(
        ['load', '-', '--batch', '500', '--database', bank.database],
        { input: history(4000, 4000) },
      )

      assert.match(stderr, /cannot be written: no space left on the disk/)
      assert.equal(status, 1)
      await bank.assertServes()
      const lines = (await dumpDatabase(bank.database)).split('\n').length - 1
      assert.ok(lines > baseLines.length, `${lines} lines were kept`)
      assert.equal((lines - baseLines.length) % 500, 0)
      // A small load still fits.
      await loadInProcess(bank.database, [put.customer('c2')])
    })

    it('releases its space soon after it is killed', async (t) => {
      const scope = createScope(t)
      const bank = await openBank(scope, 64)
      const file = join(await temporaryFolder(scope), 'history.ndjson')
      // More than a load buffers in memory before it writes.
      writeFileSync(file, history(4000, 12_000))
      const load = startHoldfast(scope, ['load', file, '--database', bank.database])
      await until(() => bank.logBytes() > 5 * megabyte || load.exitCode !== null)
      await kill(load)
      assert.equal(load.signalCode, 'SIGKILL', 'the load was still running')

      await until(() => bank.logBytes() < megabyte)
      await bank.assertServes()
    })
  })

  describeOn('sqlite', 'the replay file on a small disk', () => {
    it('never fills the disk with its write-ahead log', async (t) => {
      const scope = createScope(t)
      const disk = openSmallDisk(scope, 3)
      const path = join(disk.folder, 'replay')
      createPrivateFile(path)
      const store = openSqliteReplayStore(path, Temporal.Now.instant)
      scope.after(() => store.close())
      const keptUntil = Math.floor(Date.now() / 1000) + 600

      for (let number = 0; number < 1000; number += 1)
        await store.recordUse(`id ${number}`, keptUntil)
    })

    it('can be written again as soon as there is space', async (t) => {
      const scope = createScope(t)
      const disk = openSmallDisk(scope, 3)
      const path = join(disk.folder, 'replay')
      createPrivateFile(path)
      const store = openSqliteReplayStore(path, Temporal.Now.instant)
      scope.after(() => store.close())
      const keptUntil = Math.floor(Date.now() / 1000) + 600
      await store.recordUse('first', keptUntil)
      disk.fill()
      await assert.rejects(async () => {
        for (let number = 0; ; number += 1) await store.recordUse(`id ${number}`, keptUntil)
      }, /replay cannot be written: no space left on the disk/)

      disk.free()

      assert.ok(await store.recordUse('last', keptUntil))
    })
  })
})
