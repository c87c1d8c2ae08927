import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import pg from 'pg'
import { openProviderStore } from '../../src/storage/open.ts'
import { currentEngine, describe, describeOnLayouts, listSessions } from '../support/engines.ts'
import { finish, runInProcess } from '../support/process.ts'
import { until } from '../support/until.ts'
import { type Bank, concurrency, openBank, splitLines } from './bank.ts'
import { put } from './lines.ts'

const waitLine = 'waiting for another load to finish\n'

/** Resolves when a load has opened the database. */
async function waitUntilOpen(bank: Bank): Promise<void> {
  const isOpen = async () => {
    if (currentEngine() === 'sqlite') return existsSync(bank.path('bank.db-shm'))
    const condition = `query like '%create temp table%' and state = 'idle'`
    return (await listSessions(bank.database(), condition)).length > 0
  }
  await until(isOpen)
}

/** Takes the lock of a committing load. Returns a function that releases it. */
async function lockDatabase(t: TestContext, bank: Bank): Promise<() => Promise<void>> {
  const end = currentEngine() === 'sqlite' ? lockFile(bank) : await lockLoads(bank)
  let isLocked = true
  const unlock = async () => {
    if (isLocked) await end()
    isLocked = false
  }
  t.after(unlock)
  return unlock
}

function lockFile(bank: Bank): () => Promise<void> {
  const other = new DatabaseSync(bank.path('bank.db'))
  other.exec('begin immediate')
  return async () => other.close()
}

async function lockLoads(bank: Bank): Promise<() => Promise<void>> {
  const other = new pg.Client({ connectionString: bank.database() })
  // The database may be dropped before the connection is closed.
  other.on('error', () => {})
  await other.connect()
  await other.query(`select pg_advisory_lock(hashtext('holdfast load'))`)
  return () => other.end()
}

/** Collects the standard error of a process, to wait for a text in it. */
function watchStderr(load: ReturnType<Bank['start']>) {
  let seen = ''
  load.stderr.on('data', (part) => {
    seen += part
  })
  return {
    async until(text: string) {
      await until(() => seen.includes(text) || load.exitCode !== null)
      assert.ok(seen.includes(text), seen)
    },
  }
}

describe('a load whose input is idle', { concurrency }, () => {
  for (const flags of [[], ['--batch', '1000']]) {
    it(`does not block other writers: ${['load -', ...flags].join(' ')}`, async (t) => {
      const bank = await openBank(t)
      await bank.fill([])
      const idle = bank.start(['load', '-', ...flags])
      const result = finish(idle)
      idle.stdin.write(`${put.customer('c1')}\n${put.account('a1', ['c2'])}\n`)
      await waitUntilOpen(bank)

      const other = await bank.load([put.customer('c2')])
      const scope = ['--scope', 'products.write', '--database', bank.database()]
      const client = await runInProcess(['client', 'add', 'x', ...scope])
      idle.stdin.end(put.customer('c3'))

      assert.deepEqual([other.status, other.stderr], [0, ''])
      assert.deepEqual([client.status, client.stderr], [0, ''])
      assert.deepEqual((await result).stderr, '')
      assert.deepEqual(splitLines(await bank.dump()), [
        put.customer('c1'),
        put.customer('c2'),
        put.customer('c3'),
        put.account('a1', ['c2']),
      ])
    })
  }
})

describe('a load that waits for another load', { concurrency }, () => {
  it('reports it in one line, and continues afterwards', async (t) => {
    const bank = await openBank(t)
    await bank.fill([])
    bank.write('data.ndjson', [put.customer('c1')])
    const unlock = await lockDatabase(t, bank)

    const load = bank.start(['load', 'data.ndjson'])
    const result = finish(load)
    await watchStderr(load).until(waitLine)
    await unlock()

    assert.deepEqual([(await result).status, (await result).stderr], [0, waitLine])
    assert.deepEqual(splitLines(await bank.dump()), [put.customer('c1')])
  })

  it('can be stopped', async (t) => {
    const bank = await openBank(t)
    await bank.fill([])
    bank.write('data.ndjson', [put.customer('c1')])
    await lockDatabase(t, bank)

    const load = bank.start(['load', 'data.ndjson'])
    const result = finish(load)
    await watchStderr(load).until(waitLine)
    load.kill('SIGINT')

    const { status, stdout, stderr } = await result
    assert.equal(stderr, `${waitLine}Stopped by SIGINT. Nothing was changed.\n`)
    assert.deepEqual({ status, stdout }, { status: 130, stdout: '' })
  })
})

describe('a load stopped by a signal', { concurrency }, () => {
  for (const [signal, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    it(`changes nothing and reports so: ${signal}`, async (t) => {
      const bank = await openBank(t)
      await bank.fill([put.customer('c1')])
      const load = bank.start(['load', '-'])
      const result = finish(load)
      load.stdin.on('error', () => {})
      load.stdin.write(`${put.customer('c2')}\n`)
      await waitUntilOpen(bank)

      load.kill(signal)

      assert.deepEqual(await result, {
        status,
        stdout: '',
        stderr: `Stopped by ${signal}. Nothing was changed.\n`,
      })
      assert.deepEqual(splitLines(await bank.dump()), [put.customer('c1')])
    })
  }

  it('reports the committed batches', async (t) => {
    const bank = await openBank(t)
    await bank.fill([])
    const store = await openProviderStore(bank.database())
    t.after(() => store.close())
    const customers = Array.from({ length: 7 }, (_, index) => put.customer(`c${index}`))
    const load = bank.start(['load', '-', '--batch', '3'])
    const result = finish(load)
    load.stdin.on('error', () => {})
    load.stdin.write(customers.map((each) => `${each}\n`).join(''))
    await until(async () => (await store.overview()).customers >= 6)

    load.kill('SIGTERM')

    const { status, stderr } = await result
    assert.match(stderr, /^Stopped by SIGTERM\. Committed: the batches of the first 6 lines, /)
    assert.equal(status, 143)
    assert.deepEqual(splitLines(await bank.dump()), customers.slice(0, 6))
  })
})

describeOnLayouts('a load stopped by a signal during its merge', () => {
  it('changes nothing and reports so', async (t) => {
    const bank = await openBank(t)
    await bank.fill([])
    bank.write('data.ndjson', [put.customer('c1'), put.product('p1')])
    const blocker = new pg.Client({ connectionString: bank.database() })
    blocker.on('error', () => {})
    await blocker.connect()
    t.after(() => blocker.end())
    await blocker.query('begin; lock table product in share mode')
    const load = bank.start(['load', 'data.ndjson'])
    const result = finish(load)
    const waiting = () => listSessions(bank.database(), `wait_event_type = 'Lock'`)
    await until(async () => (await waiting()).length > 0)

    load.kill('SIGINT')

    assert.deepEqual(await result, {
      status: 130,
      stdout: '',
      stderr: 'Stopped by SIGINT. Nothing was changed.\n',
    })
    assert.equal(await bank.dump(), '')
  })
})
