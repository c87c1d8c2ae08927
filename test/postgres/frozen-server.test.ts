import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { after, before, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import pg from 'pg'
import { readLine } from '../../src/load/line.ts'
import type { LocatedItem, ProviderWriter } from '../../src/load/writer.ts'
import {
  createDatabase,
  openFeedStore,
  openFeedWriter,
  openProviderWriter,
} from '../../src/storage/open.ts'
import { lockSession, unlockSession } from '../../src/storage/postgres/loads/load-lock.ts'
import { put } from '../load/lines.ts'
import { describeOn, runSql, type Scope } from '../support/engines.ts'
import { commitOne, createBatch } from '../support/feed.ts'
import { temporaryFolder } from '../support/folder.ts'
import { makePostgres, type PostgresServer } from '../support/postgres.ts'
import { finish, startHoldfast } from '../support/process.ts'
import { until } from '../support/until.ts'

/** Long enough for a cancelled statement to end on a busy machine, and short enough to wait for. */
const abortMs = 500

const aborted = { name: 'AbortError' }

let server: PostgresServer
let database: string
let opened: Promise<void> | undefined
before(() => {
  opened = openServer()
  return opened
})
// Without a test that matches the filter of a run, it is called before the other hook has ended.
after(async () => {
  await opened
  await server?.remove()
})

async function openServer(): Promise<void> {
  server = await makePostgres({ settings: { synchronous_commit: 'on' } })
  await server.start()
  database = server.url()
  await createDatabase(database)
}

const clock = () => Temporal.Now.instant()

function toItems(lines: readonly string[]): LocatedItem[] {
  return lines.map((text, index) => {
    const result = readLine(text)
    assert.ok('item' in result, text)
    return { ...result.item, file: 0, line: index + 1 }
  })
}

async function listCustomers(): Promise<string[]> {
  return (await runSql('select id from customer order by id', database)).flat()
}

/** A load with a staged line, and the controller that aborts it. */
async function openLoad(customer: string): Promise<{
  readonly controller: AbortController
  readonly writer: ProviderWriter
}> {
  const controller = new AbortController()
  const { signal } = controller
  const writer = await openProviderWriter(database, { loadTime: clock(), signal }, { abortMs })
  await writer.write(toItems([put.customer(customer)]))
  return { controller, writer }
}

/** Waits until a session meets a condition. */
async function untilSession(condition: string): Promise<void> {
  const sessions = `select from pg_stat_activity where ${condition}`
  await until(async () => (await runSql(sessions, database)).length > 0)
}

/** Takes the lock of loads. Returns a function that releases it. */
async function lockLoads(scope: Scope): Promise<() => Promise<void>> {
  const other = new pg.Client({ connectionString: database })
  await other.connect()
  scope.after(() => other.end())
  await other.query(lockSession)
  return async () => void (await other.query(unlockSession))
}

async function whileFrozen(work: () => Promise<void>): Promise<void> {
  server.freeze()
  try {
    await work()
  } finally {
    server.thaw()
  }
}

describeOn('postgres', 'a load on a server that stops responding', { timeout: 60_000 }, () => {
  it('can be aborted during its merge, and changes nothing', async () => {
    const { controller, writer } = await openLoad('merged')

    await whileFrozen(async () => {
      const committed = writer.commit()
      controller.abort()
      await assert.rejects(committed, aborted)
      await writer.close()
    })

    assert.deepEqual(await listCustomers(), [])
  })

  it('can be aborted while it sends lines', async () => {
    const { controller, writer } = await openLoad('first')
    const many = toItems(
      Array.from({ length: 100 }, (_, index) =>
        put.customer(`c${index}`, { name: 'x'.repeat(1000) }),
      ),
    )

    await whileFrozen(async () => {
      controller.abort()
      const sendForever = async () => {
        for (;;) await writer.write(many)
      }
      await assert.rejects(sendForever(), aborted)
      await writer.close()
    })

    assert.deepEqual(await listCustomers(), [])
  })

  it('can be aborted during its commit, and reports that the outcome is unknown', async (t) => {
    const { controller, writer } = await openLoad('committed')
    const setStandby = async (name: string) => {
      await runSql(`alter system set synchronous_standby_names = '${name}'`, database)
      await runSql('select pg_reload_conf()', database)
    }
    const unlock = await lockLoads(t)
    const committed = writer.commit()
    committed.catch(() => {})
    await untilSession(`wait_event = 'advisory'`)
    await setStandby('missing')
    t.after(() => setStandby(''))
    await unlock()
    await untilSession(`wait_event = 'SyncRep'`)

    await whileFrozen(async () => {
      controller.abort()
      await assert.rejects(committed, {
        message:
          'the connection to the database was lost during the commit: run the load again, which changes nothing twice',
      })
      await writer.close()
    })

    await setStandby('')
    await until(async () => (await listCustomers()).includes('committed'))
  })
})

describeOn('postgres', 'a feed on a server that stops responding', { timeout: 60_000 }, () => {
  it('can be aborted during a commit, and closed', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const writer = await openFeedWriter(database, { clock, signal }, { abortMs })
    assert.ok('summary' in (await commitOne(writer, createBatch('f', 1, [put.customer('f1')]))))

    await whileFrozen(async () => {
      const committed = writer.commit([createBatch('f', 2, [put.customer('f2')])])
      await setImmediate()
      controller.abort()
      await assert.rejects(committed, aborted)
      await writer.close()
    })

    assert.equal((await listCustomers()).includes('f2'), false)
  })
})

describeOn('postgres', 'commands on a server that stops responding', { timeout: 90_000 }, () => {
  it('exit after a stop signal', async (t) => {
    const folder = await temporaryFolder(t)
    const options = { cwd: folder, environment: { HOLDFAST_DATABASE: database } }
    appendFileSync(`${folder}/data.ndjson`, `${put.customer('followed')}\n`)
    const load = startHoldfast(t, ['load', '-'], options)
    const follower = startHoldfast(
      t,
      ['load', '--follow', '--feed', 'file', 'data.ndjson'],
      options,
    )
    load.stdin.on('error', () => {})
    const [loaded, followed] = [finish(load), finish(follower)]
    const store = await openFeedStore(database)
    t.after(() => store.close())
    await until(async () => (await store.find('file'))?.lines === 1)
    await untilSession(`query like '%create temp table%' and state = 'idle'`)
    await lockLoads(t)
    appendFileSync(`${folder}/data.ndjson`, `${put.customer('lost')}\n`)
    await untilSession(`wait_event = 'advisory'`)

    await whileFrozen(async () => {
      load.stdin.end(put.customer('loaded'))
      load.kill('SIGTERM')
      follower.kill('SIGINT')
      assert.deepEqual(await loaded, {
        status: 143,
        stdout: '',
        stderr: 'Stopped by SIGTERM. Nothing was changed.\n',
      })
      const { status, stderr } = await followed
      assert.equal(status, 1, stderr)
      assert.match(
        stderr,
        /Stopped by SIGINT\. The database did not confirm the last batch in time/,
      )
    })

    const customers = await listCustomers()
    assert.deepEqual(
      ['followed', 'loaded', 'lost'].filter((id) => customers.includes(id)),
      ['followed'],
    )
  })
})
