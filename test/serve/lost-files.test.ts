import assert from 'node:assert/strict'
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { createDatabase, openProviderWriter, openReplayStore } from '../../src/storage/open.ts'
import { openDeployment } from '../support/deployment.ts'
import {
  createScope,
  describeOn,
  newDatabase,
  type Scope,
  shareOnEachEngine,
} from '../support/engines.ts'
import { runHoldfast, runInProcess, type Server, startServer } from '../support/process.ts'
import { accountsPath } from '../support/small-bank.ts'
import { until } from '../support/until.ts'
import { ask, countOccurrences } from './traffic.ts'

const lostMessage = 'database files were deleted or replaced'
const restoredMessage = 'the database files were restored'
const clock = () => Temporal.Instant.fromEpochMilliseconds(0)

async function untilReady({ address }: Server, isReady: boolean): Promise<void> {
  await until(async () => (await fetch(`${address}/health/ready`)).ok === isReady)
}

function databasePath(database: string): string {
  return database.slice('sqlite:'.length)
}

describeOn('sqlite', 'a provider whose database files change while it runs', () => {
  const shared = shareOnEachEngine(async (scope) => {
    const deployment = await openDeployment(scope)
    return { deployment, served: await deployment.startProvider() }
  })

  for (const file of ['', '-wal', '-replay', '-replay-wal']) {
    for (const change of ['deleted', 'replaced']) {
      it(`responds with 503 while bank.db${file} is ${change}, and logs it once`, async () => {
        const { deployment, served } = await shared()
        const path = databasePath(deployment.database) + file
        const used = deployment.mint(accountsPath)
        assert.equal((await ask(served, used)).status, 200)
        const before = countOccurrences(served.stderr(), lostMessage)

        renameSync(path, `${path}.away`)
        if (change === 'replaced') copyFileSync(`${path}.away`, path)

        await until(() => countOccurrences(served.stderr(), lostMessage) > before, served.stderr)
        for (const token of [used, deployment.mint(accountsPath)]) {
          const { status, text, headers } = await ask(served, token)
          assert.deepEqual([status, text], [503, '{"error":"Service unavailable"}'])
          assert.ok(headers['retry-after'])
        }
        await untilReady(served, false)
        assert.equal((await fetch(`${served.address}/health/live`)).status, 200)
        assert.equal(countOccurrences(served.stderr(), lostMessage), before + 1)

        renameSync(`${path}.away`, path)
        await until(
          () => countOccurrences(served.stderr(), restoredMessage) > before,
          served.stderr,
        )
        assert.equal((await ask(served, used)).status, 401)
        assert.equal((await ask(served, deployment.mint(accountsPath))).status, 200)
      })
    }
  }

  it('accepts no token from the moment its replay file is replaced', async () => {
    const { deployment, served } = await shared()
    const path = `${databasePath(deployment.database)}-replay`
    copyFileSync(path, `${path}.copy`)
    renameSync(path, `${path}.away`)
    renameSync(`${path}.copy`, path)

    const { status } = await ask(served, deployment.mint(accountsPath))

    renameSync(`${path}.away`, path)
    assert.equal(status, 503)
  })
})

describeOn('sqlite', 'a platform whose database is deleted', () => {
  it('responds with 503 and is not ready', async (t) => {
    const scope = createScope(t)
    const database = await newDatabase(scope)
    await runInProcess(['keys', 'add', '--database', database])
    const served = await startServer(scope, ['serve', 'platform'], { database })
    const keys = () => fetch(`${served.address}/.well-known/jwks.json`)
    assert.equal((await keys()).status, 200)

    rmSync(databasePath(database))

    await until(() => countOccurrences(served.stderr(), lostMessage) === 1, served.stderr)
    assert.equal((await keys()).status, 503)
    await untilReady(served, false)
  })
})

describeOn('sqlite', 'a load whose database file changes meanwhile', () => {
  for (const [change, apply] of Object.entries({
    deleted: (path: string) => rmSync(path),
    replaced: (path: string) => {
      copyFileSync(path, `${path}.copy`)
      renameSync(`${path}.copy`, path)
    },
  })) {
    it(`fails instead of committing into a file that was ${change}`, async (t) => {
      const database = await newDatabase(t)
      const writer = await openProviderWriter(database, { loadTime: clock() })
      t.after(() => writer.close())

      apply(databasePath(database))

      await assert.rejects(writer.commit(), {
        name: 'DatabaseError',
        message: /^the database \/.*bank\.db was deleted or replaced during the load: /,
      })
    })
  }
})

describeOn('sqlite', 'a replay file', () => {
  /** A database with a used token. */
  async function servedDatabase(scope: Scope): Promise<{ database: string; replayFile: string }> {
    const database = await newDatabase(scope)
    const replays = await openReplayStore(database, clock)
    await replays.recordUse('used', 100)
    await replays.close()
    return { database, replayFile: `${databasePath(database)}-replay` }
  }

  it('is replaced only on request if it is lost', async (t) => {
    const deployment = await openDeployment(t)
    await (await openReplayStore(deployment.database, clock)).close()
    rmSync(`${databasePath(deployment.database)}-replay`)
    const flags = ['--subdomain', 'bank', '--jwks-url', deployment.keyServer.url]

    const { status, stderr } = await runHoldfast(
      ['serve', 'provider', ...flags, '--provider-url', 'https://bank.example', '--port', '0'],
      { environment: { HOLDFAST_DATABASE: deployment.database } },
    )

    assert.equal(status, 1)
    assert.match(stderr, /^the replay file \/.*-replay is missing: .*--new-replay-file.*\n$/)
    assert.equal(existsSync(`${databasePath(deployment.database)}-replay`), false)
    for (const _ of ['first', 'again']) {
      const served = await deployment.startProvider({ 'new-replay-file': '' })
      assert.equal((await ask(served, deployment.mint(accountsPath))).status, 200)
      await served.kill()
    }
    await (await openReplayStore(deployment.database, clock)).close()
  })

  it('is rejected if it belongs to another database', async (t) => {
    const [one, other] = [await servedDatabase(t), await servedDatabase(t)]
    copyFileSync(other.replayFile, one.replayFile)

    await assert.rejects(openReplayStore(one.database, clock), {
      name: 'DatabaseError',
      message: /^the replay file \/.*-replay does not belong to the database \/.*bank\.db: /,
    })
  })

  it('keeps the used tokens if its database is created again', async (t) => {
    const { database } = await servedDatabase(t)
    rmSync(databasePath(database))
    await createDatabase(database)

    const replays = await openReplayStore(database, clock)
    t.after(() => replays.close())

    assert.equal(await replays.recordUse('used', 100), 'used before')
    assert.equal(await replays.recordUse('new', 100), 'first use')
  })

  it('is used while a load locks the database, and registered in it afterwards', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const database = await newDatabase(t)
    const load = new DatabaseSync(databasePath(database))
    t.after(() => load.close())
    const recorded = load.prepare('select count(*) as count from replay_file')
    load.exec('begin immediate')
    const replays = await openReplayStore(database, clock)
    t.after(() => replays.close())
    assert.equal(await replays.recordUse('used', 100), 'first use')
    t.mock.timers.tick(2000)
    load.exec('rollback')
    assert.equal(recorded.get()?.['count'], 0)

    t.mock.timers.tick(2000)

    assert.equal(recorded.get()?.['count'], 1)
  })
})
