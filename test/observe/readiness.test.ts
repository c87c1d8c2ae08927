import assert from 'node:assert/strict'
import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { createDatabase, openDatabaseProbe, openReplayStore } from '../../src/storage/open.ts'
import { put } from '../load/lines.ts'
import { openDatabaseFile } from '../support/database-file.ts'
import { type Deployment, openDeployment } from '../support/deployment.ts'
import { createScope, describeOn, runSql, type Scope } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { loadInProcess } from '../support/load.ts'
import { makePostgres, type PostgresServer } from '../support/postgres.ts'
import type { Server } from '../support/process.ts'
import { accountsPath } from '../support/small-bank.ts'
import { keepLog, onSmallDisks, openSmallDisk } from '../support/small-disk.ts'
import { until } from '../support/until.ts'

async function untilReady(
  servers: readonly Pick<Server, 'port'>[],
  isReady: boolean,
): Promise<void> {
  for (const { port } of servers) {
    await until(async () => {
      const { status } = await send(port, '/health/ready')
      return status === (isReady ? 200 : 503)
    })
  }
}

/** Asserts that each change is logged once, with the failed probe and the reason. */
async function assertLogged(
  server: Pick<Server, 'log'>,
  probe: string,
  reason: RegExp,
): Promise<void> {
  await until(() => server.log().at(-1)?.['msg'] === 'ready again')
  const changes = server.log().filter(({ msg }) => /^(not ready|ready again)$/.test(String(msg)))
  for (const [index, { msg }] of changes.entries()) {
    assert.equal(msg, index % 2 === 0 ? 'not ready' : 'ready again')
  }
  const reasons = changes
    .filter((line) => line['probe'] === probe)
    .map(({ err }) => (err as { readonly message: string }).message)
  assert.ok(
    reasons.some((message) => reason.test(message)),
    reasons.join(),
  )
}

onSmallDisks('readiness on a full disk', () => {
  describeOn('sqlite', 'servers on a full disk', () => {
    it('are not ready until there is space, and log the reason', async (t) => {
      const scope = createScope(t)
      const disk = openSmallDisk(scope, 8)
      const database = `sqlite:${join(disk.folder, 'bank.db')}`
      await loadInProcess(database, [put.customer('c1')])
      const deployment = await openDeployment(scope, database)
      const provider = await deployment.openProvider()
      const platform = await deployment.openPlatform()
      await untilReady([provider, platform], true)
      for (const name of ['bank.db', 'bank.db-replay']) keepLog(scope, join(disk.folder, name))

      disk.fill()
      await untilReady([provider, platform], false)
      disk.free()
      await untilReady([provider, platform], true)

      const reason = /cannot be written: no space left on the disk$/
      await assertLogged(provider, 'replay records', reason)
      await assertLogged(platform, 'database', reason)
    })
  })
})

describeOn('sqlite', 'a provider', () => {
  async function open(scope: Scope) {
    const deployment = await openDeployment(scope)
    const provider = await deployment.openProvider()
    await untilReady([provider], true)
    return { deployment, provider, file: replayFile(deployment) }
  }
  const replayFile = ({ database }: Deployment) => `${database.slice('sqlite:'.length)}-replay`

  it('is not ready while another process locks the replay file', async (t) => {
    const scope = createScope(t)
    const { provider, file } = await open(scope)
    const lock = openDatabaseFile(file)
    scope.after(async () => lock.close())

    lock.exec('begin immediate')
    await untilReady([provider], false)
    lock.exec('rollback')
    await untilReady([provider], true)

    await assertLogged(provider, 'replay records', /timed out after 1000 ms|locked/)
  })

  it('is not ready while the replay file is corrupt', async (t) => {
    const deployment = await openDeployment(t)
    // In a process of its own, whose locks do not end when the test closes the file.
    const provider = await deployment.startProvider()
    const file = replayFile(deployment)
    assert.equal((await deployment.ask(provider, accountsPath)).status, 200)

    corrupt(file)

    await untilReady([provider], false)
    await until(() => provider.log().some(({ msg }) => msg === 'not ready'))
    assert.match(provider.output(), /-replay is corrupt: restore it from a backup/)
  })

  it('is ready while a load locks the database, and so is a platform', async (t) => {
    const scope = createScope(t)
    const { deployment, provider, file } = await open(scope)
    const platform = await deployment.openPlatform()
    const lock = openDatabaseFile(file.replace(/-replay$/, ''))
    scope.after(async () => lock.close())
    lock.exec('begin immediate')

    await untilReady([provider, platform], true)
  })
})

/** Overwrites all pages but the first while other processes have the file open. */
function corrupt(file: string): void {
  const database = openDatabaseFile(file)
  database.exec('pragma wal_checkpoint(truncate)')
  const pageBytes = 4096
  const { size } = statSync(file)
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(size - pageBytes, 0xaa), 0, size - pageBytes, pageBytes)
  closeSync(descriptor)
  // A commit makes the other processes read the pages again.
  database.exec('pragma user_version = 1')
  database.close()
}

async function setOnServer(server: PostgresServer, setting: string, value: string): Promise<void> {
  await runSql(`alter system set ${setting} = '${value}'`, server.url())
  await runSql('select pg_reload_conf()', server.url())
}

describeOn('postgres', 'servers whose PostgreSQL accepts no writes', () => {
  const cases = [
    ['is read-only', 'default_transaction_read_only', 'on', 'off', /25006/],
    ['waits for a standby', 'synchronous_standby_names', 'missing', '', /timed out after 1000 ms/],
  ] as const

  it('are not ready until it does, and log the reason', async (t) => {
    const scope = createScope(t)
    const postgres = await makePostgres({ durable: true })
    scope.after(() => postgres.remove())
    await postgres.start()
    await createDatabase(postgres.url(), { partitions: 2 })
    const deployment = await openDeployment(scope, postgres.url())
    const provider = await deployment.openProvider()
    const platform = await deployment.openPlatform()
    for (const [, setting, value, back, reason] of cases) {
      await untilReady([provider, platform], true)

      await setOnServer(postgres, setting, value)
      await untilReady([provider, platform], false)
      await setOnServer(postgres, setting, back)
      await untilReady([provider, platform], true)

      await assertLogged(provider, 'replay records', reason)
      await assertLogged(platform, 'database', reason)
    }
  })

  it('leave no backend behind after repeated checks', async (t) => {
    const scope = createScope(t)
    const postgres = await makePostgres({ durable: true })
    scope.after(() => postgres.remove())
    await postgres.start()
    await createDatabase(postgres.url(), { partitions: 2 })
    const options = { timeoutMs: 1000 }
    const replays = await openReplayStore(postgres.url(), Temporal.Now.instant, options)
    const probe = await openDatabaseProbe(postgres.url(), 'write', options)
    scope.after(async () => {
      await setOnServer(postgres, 'synchronous_standby_names', '')
      await probe.close()
      await replays.close()
    })
    await setOnServer(postgres, 'synchronous_standby_names', 'missing')
    const waiting = async () =>
      Number(
        (
          await runSql(
            "select count(*) from pg_stat_activity where wait_event = 'SyncRep'",
            postgres.url(),
          )
        )[0]?.[0],
      )
    let tokens = 0
    const calls = [
      () => probe.test(),
      () => {
        tokens += 1
        return replays.recordUse(`id ${tokens}`, Date.now() / 1000 + 60)
      },
    ]
    // A session applies a changed setting when it is next used.
    for (const call of calls) {
      await until(() =>
        call().then(
          () => false,
          () => true,
        ),
      )
    }

    for (let turn = 0; turn < 3; turn += 1) {
      await Promise.all(calls.map((call) => assert.rejects(call())))
    }

    await until(async () => (await waiting()) <= 2)
  })
})
