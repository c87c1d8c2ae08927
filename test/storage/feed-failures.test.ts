import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, existsSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { createDatabase } from '../../src/storage/open.ts'
import { put } from '../load/lines.ts'
import { describeOn, newDatabase } from '../support/engines.ts'
import { commitOne, createBatch, openFeeds } from '../support/feed.ts'
import { dumpDatabase } from '../support/load.ts'
import { keepLog, onSmallDisks, openSmallDisk } from '../support/small-disk.ts'
import { until } from '../support/until.ts'

const customerLine = put.customer('c1')
const unavailable = (reason: RegExp) => ({
  name: 'ContractError',
  code: 'unavailable',
  message: reason,
})

const pathOf = (database: string) => database.slice('sqlite:'.length)

/** Takes the write lock. Returns a function that releases it. */
function lock(path: string): () => void {
  const database = new DatabaseSync(path)
  database.exec('begin immediate')
  return () => database.close()
}

/** At any time, one of two connections reads a snapshot. */
const overlappingReads = `
  const { DatabaseSync } = require('node:sqlite')
  const { parentPort, workerData } = require('node:worker_threads')
  const [one, other] = [1, 2].map(() => new DatabaseSync(workerData))
  const signal = new Int32Array(new SharedArrayBuffer(4))
  const begin = (database) => {
    database.exec('begin; select count(*) from feed')
    Atomics.wait(signal, 0, 0, 2)
  }
  begin(one)
  parentPort.postMessage('reading')
  for (;;) {
    begin(other)
    one.exec('commit')
    begin(one)
    other.exec('commit')
  }`

function createCustomers(count: number): string[] {
  return Array.from({ length: count }, (_, index) => put.customer(`c${index}`))
}

describeOn('sqlite', 'a feed writer', () => {
  it('reports a database that stays locked, and commits the same batch later', async (t) => {
    const { database, openWriter } = await openFeeds(t)
    const writer = await openWriter({ waitMaxMs: 20 })
    const batch = createBatch('core', 1, [customerLine])
    const unlock = lock(pathOf(database))
    await assert.rejects(writer.commit([batch]), unavailable(/locked by another process/))
    assert.equal(await writer.findOutcome(batch), undefined)
    unlock()
    assert.ok('result' in (await commitOne(writer, batch)))
  })

  it('stops waiting for a lock when it is aborted', async (t) => {
    const { database, openWriter } = await openFeeds(t)
    const controller = new AbortController()
    const writer = await openWriter({ signal: controller.signal })
    const unlock = lock(pathOf(database))
    const done = writer.commit([createBatch('core', 1, [customerLine])])
    controller.abort()
    await assert.rejects(done, { name: 'AbortError' })
    unlock()
    assert.equal(existsSync(`${pathOf(database)}-waiting`), false)
  })

  it('changes nothing in a file that was moved or replaced', async (t) => {
    const { database, writer, store } = await openFeeds(t)
    const path = pathOf(database)
    const batch = createBatch('core', 1, [customerLine])
    renameSync(path, `${path}-moved`)
    await assert.rejects(writer.commit([batch]), unavailable(/was deleted or replaced/))
    await assert.rejects(writer.findOutcome(batch), unavailable(/was deleted or replaced/))
    copyFileSync(`${path}-moved`, path)
    await assert.rejects(writer.commit([batch]), unavailable(/was deleted or replaced/))
    renameSync(`${path}-moved`, path)
    assert.ok('result' in (await commitOne(writer, batch)))
    assert.equal((await store.find('core'))?.batch, 1)
  })

  it('handles other work while it writes a large batch, which is invisible until the commit', async (t) => {
    const { writer } = await openFeeds(t)
    const batch = createBatch('core', 1, createCustomers(2000))
    let isCommitted = false
    const done = writer.commit([batch]).then(() => {
      isCommitted = true
    })
    let turns = 0
    for (; !isCommitted; turns += 1) {
      if (turns === 3) assert.equal(await writer.findOutcome(batch), undefined)
      await setImmediate()
    }
    await done
    assert.ok(turns > 5, `${turns} turns`)
    assert.ok('result' in ((await writer.findOutcome(batch)) ?? {}))
  })

  it('commits in turn with a writer that commits without a pause', async (t) => {
    const { writer, openWriter } = await openFeeds(t)
    const busy = await openWriter()
    const lines = createCustomers(400)
    let commits = 0
    let isEnded = false
    const commitAll = async () => {
      while (!isEnded) {
        commits += 1
        await busy.commit([createBatch('busy', commits, lines)])
      }
    }
    const all = commitAll()
    for (let number = 1; number <= 5; number += 1) {
      await until(() => commits > number)
      const before = commits
      await commitOne(writer, createBatch('core', number, [customerLine]))
      assert.ok(commits - before <= 2, `${commits - before} commits before the waiting one`)
    }
    isEnded = true
    await all
  })

  it('ignores the request of a process that was killed while it waited', async (t) => {
    const { database, writer, store } = await openFeeds(t)
    const leftover = `${pathOf(database)}-waiting`
    writeFileSync(leftover, '')
    assert.ok('result' in (await commitOne(writer, createBatch('core', 1, [customerLine]))))
    assert.equal(existsSync(leftover), false)
    writeFileSync(leftover, '')
    assert.equal(await store.remove('core'), true)
  })

  it('keeps the log small while reads always overlap', async (t) => {
    const { add, database } = await openFeeds(t)
    const path = pathOf(database)
    await add(customerLine, put.account('a1', ['c1']))
    const reader = new Worker(overlappingReads, { eval: true, workerData: path })
    t.after(async () => void (await reader.terminate()))
    await once(reader, 'message')
    const description = 'x'.repeat(8000)
    const logBytes = () => statSync(`${path}-wal`).size

    let largest = 0
    let isEmptied = false
    for (let number = 0; number < 30 && !isEmptied; number += 1) {
      const ids = Array.from({ length: 400 }, (_, index) => `t${number}-${index}`)
      await add(...ids.map((id) => put.transaction('a1', id, { description })))
      isEmptied = logBytes() < largest
      largest = Math.max(largest, logBytes())
    }
    assert.ok(isEmptied, `${largest} bytes`)
  })

  it('ends a commit before it closes', async (t) => {
    const database = await newDatabase(t)
    const closings: (() => Promise<void>)[] = []
    const { writer } = await openFeeds({ after: (work) => void closings.push(work) }, database)
    const done = writer.commit([createBatch('core', 1, createCustomers(500))])
    for (const close of closings) await close()
    await done
    assert.equal((await dumpDatabase(database)).split('\n').length - 1, 500)
  })
})

onSmallDisks('a feed on a full disk', () => {
  describeOn('sqlite', 'a feed on a full disk', () => {
    it('rejects a batch as a whole, and accepts it once there is space', async (t) => {
      const disk = openSmallDisk(t, 8)
      const path = join(disk.folder, 'bank.db')
      await createDatabase(`sqlite:${path}`)
      const { writer, store, add, database } = await openFeeds(t, `sqlite:${path}`)
      await add(customerLine)
      keepLog(t, path)
      disk.fill()
      const batches = [
        createBatch('one', 1, [put.customer('c2')]),
        createBatch('two', 1, createCustomers(300)),
      ]
      await assert.rejects(writer.commit(batches), unavailable(/no space left/))
      assert.equal((await store.list()).length, 1)
      assert.equal(await dumpDatabase(database), `${customerLine}\n`)
      disk.free()
      for (const outcome of await writer.commit(batches)) assert.ok('result' in outcome)
    })
  })
})
