import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { after, before, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import pg from 'pg'
import { readLine } from '../../src/intake/line.ts'
import type { LocatedItem, ProviderWriter } from '../../src/intake/writer.ts'
import {
  createDatabase,
  openFeedStore,
  openFeedWriter,
  openProviderWriter,
} from '../../src/storage/open.ts'
import { abandonOnAbort } from '../../src/storage/postgres/driver/abandon.ts'
import { lockSession, unlockSession } from '../../src/storage/postgres/driver/locks.ts'
import { makePool } from '../../src/storage/postgres/driver/pool.ts'
import { put } from '../load/lines.ts'
import { openDeployment } from '../support/deployment.ts'
import { describeOn, runSql, type Scope } from '../support/engines.ts'
import { commitOne, createBatch, passChecks } from '../support/feed.ts'
import { temporaryFolder } from '../support/folder.ts'
import { send } from '../support/http.ts'
import { batchPath } from '../support/intake.ts'
import { inTime } from '../support/patience.ts'
import { requestToken } from '../support/platform.ts'
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
async function openLoad(
  customer: string,
  options = { abortMs },
): Promise<{
  readonly controller: AbortController
  readonly writer: ProviderWriter
}> {
  const controller = new AbortController()
  const { signal } = controller
  const writer = await openProviderWriter(database, { loadTime: clock(), signal }, options)
  await writer.write(toItems([put.customer(customer)]))
  return { controller, writer }
}

/** Waits until a session meets a condition. */
async function untilSession(condition: string): Promise<void> {
  await until(async () => (await countSessions(condition)) > 0)
}

async function countSessions(condition: string): Promise<number> {
  const sessions = `select from pg_stat_activity where pid <> pg_backend_pid() and ${condition}`
  return (await runSql(sessions, database)).length
}

/** Takes the lock of loads. Returns a function that releases it. */
async function lockLoads(scope: Scope): Promise<() => Promise<void>> {
  const other = new pg.Client({ connectionString: database })
  await other.connect()
  scope.after(() => other.end())
  await other.query(lockSession)
  return async () => void (await other.query(unlockSession))
}

async function setStandby(name: string): Promise<void> {
  await runSql(`alter system set synchronous_standby_names = '${name}'`, database)
  await runSql('select pg_reload_conf()', database)
  await until(
    async () => (await runSql('show synchronous_standby_names', database))[0]?.[0] === name,
  )
}

/** Commits while no synchronous standby is reachable. */
async function beginWithoutStandby<Result>(scope: Scope, commit: () => Promise<Result>) {
  const unlock = await lockLoads(scope)
  const committed = commit()
  committed.catch(() => {})
  await untilSession(`wait_event = 'advisory'`)
  await setStandby('missing')
  scope.after(() => setStandby(''))
  await unlock()
  await untilSession(`wait_event = 'SyncRep'`)
  return { committed }
}

/** Commits while no synchronous standby is reachable, and cancels the wait for one. */
async function commitWithoutStandby(scope: Scope, commit: () => Promise<unknown>) {
  const { committed } = await beginWithoutStandby(scope, commit)
  return cancelWaits(committed)
}

/** Cancels every wait for a standby until a call ends. */
async function cancelWaits(call: Promise<unknown>): Promise<unknown> {
  let isEnded = false
  const end = () => {
    isEnded = true
  }
  call.then(end, end)
  const waiting = `wait_event = 'SyncRep'`
  await until(async () => {
    await runSql(`select pg_cancel_backend(pid) from pg_stat_activity where ${waiting}`, database)
    return isEnded
  })
  return call
}

/** What must end although the server does not respond. */
async function whileFrozen(work: () => Promise<void>): Promise<void> {
  server.freeze()
  try {
    await inTime(work())
  } finally {
    server.thaw()
  }
}

describeOn('postgres', 'a load on a server that stops responding', () => {
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
    const { committed } = await beginWithoutStandby(t, () => writer.commit())

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

describeOn('postgres', 'a feed on a server that stops responding', () => {
  it('can be aborted during a commit, and closed', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const writer = await openFeedWriter(database, { clock, signal }, { abortMs })
    assert.ok('result' in (await commitOne(writer, createBatch('f', 1, [put.customer('f1')]))))

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

describeOn('postgres', 'a commit whose wait for a standby is cancelled', () => {
  it('fails a load, which reports that the changes may be lost', async (t) => {
    const { writer } = await openLoad('unreplicated')

    await assert.rejects(
      commitWithoutStandby(t, () => writer.commit()),
      { name: 'DatabaseError', message: /a failover may lose them \(run the load again/ },
    )
    await writer.close()

    assert.ok((await listCustomers()).includes('unreplicated'))
  })

  it('fails a batch, which is not confirmed before a standby has it', async (t) => {
    const writer = await openFeedWriter(database, { clock })
    t.after(() => writer.close())
    const batch = createBatch('unreplicated', 1, [put.customer('u1')])
    const unavailable = { name: 'ContractError', code: 'unavailable' }

    await assert.rejects(
      commitWithoutStandby(t, () => writer.commit([batch])),
      unavailable,
    )
    for (const repeat of [() => writer.findOutcome(batch), () => writer.commit([batch])]) {
      await assert.rejects(cancelWaits(repeat()), unavailable)
    }
    await setStandby('')

    assert.partialDeepStrictEqual(await writer.findOutcome(batch), { result: { created: 1 } })
  })
})

describeOn('postgres', 'a batch that waits for a standby', () => {
  it('is committed when a standby has it, however often its connection was checked', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const writer = await openFeedWriter(database, { clock })
    t.after(() => writer.close())
    await commitOne(writer, createBatch('replicated', 1, [put.customer('r1')]))
    const batch = createBatch('replicated', 2, [put.customer('r2')])
    const { committed } = await beginWithoutStandby(t, () => commitOne(writer, batch))

    await passChecks(t, database)
    await setStandby('')

    assert.partialDeepStrictEqual(await committed, { result: { created: 1 } })
  })
})

describeOn('postgres', 'an aborted transaction', () => {
  it('does not leave a statement running that began after the abort', async (t) => {
    const pool = makePool(database, 'load', { connections: 1 })
    t.after(() => pool.end())
    const client = await pool.connect()
    client.on('error', () => {})
    const controller = new AbortController()
    abandonOnAbort(client, {
      signal: controller.signal,
      isCancelled: () => true,
      closeMs: () => abortMs,
    })

    controller.abort()
    // The cancellation may arrive after the first statement.
    const isCancelled = (error: pg.DatabaseError) => error.code === '57014'
    const sleep = () => client.query('select pg_sleep(600)').then(() => true, isCancelled)
    while (await sleep());
    client.release(true)

    await until(async () => (await countSessions(`query like '%pg_sleep(600)%'`)) === 0)
  })

  it('is cancelled immediately if an earlier commit failed', async (t) => {
    const { controller, writer } = await openLoad('rejected', { abortMs: 3_600_000 })
    t.after(() => writer.close())
    await runSql(
      `create function reject_commit() returns trigger language plpgsql as
         $$ begin raise exception 'no' using errcode = '23514'; end $$;
       create constraint trigger reject_commit after insert on customer
         deferrable initially deferred for each row execute function reject_commit()`,
      database,
    )
    try {
      await assert.rejects(writer.commit(), /23514/)
    } finally {
      await runSql('drop function reject_commit cascade', database)
    }
    await writer.rollback()
    await writer.write(toItems([put.customer('waiting')]))
    await lockLoads(t)

    const committed = writer.commit()
    committed.catch(() => {})
    await untilSession(`wait_event = 'advisory'`)
    controller.abort()

    await assert.rejects(committed, aborted)
  })
})

describeOn('postgres', 'commands on a server that stops responding', () => {
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

  it('answer a batch in progress before they exit', async (t) => {
    const { addClient, startIntake } = await openDeployment(t, database)
    const intake = await startIntake({ 'shutdown-timeout': '4' })
    const authorization = `Bearer ${await requestToken(intake.port, await addClient('core', 'data.write'))}`
    await lockLoads(t)
    const answered = send(intake.port, batchPath('core', 1), {
      method: 'PUT',
      headers: { authorization, 'content-type': 'application/x-ndjson' },
      body: put.customer('unanswered'),
    })
    answered.catch(() => {})
    await untilSession(`wait_event = 'advisory'`)

    await whileFrozen(async () => {
      process.kill(intake.pid, 'SIGTERM')
      assert.equal((await answered).status, 503)
      assert.equal(await intake.ended, 0)
    })
  })
})
