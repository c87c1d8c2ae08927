import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createDatabase } from '../../src/storage/open.ts'
import { toText, transactions } from '../load/follower.ts'
import { put } from '../load/lines.ts'
import { describeOn, runSql } from '../support/engines.ts'
import { makePostgres, type PostgresServer } from '../support/postgres.ts'
import { runHoldfast, startHoldfast } from '../support/process.ts'
import { until } from '../support/until.ts'

/** Nothing but a commit that waits for it writes the log to the disk soon. */
const settings = {
  synchronous_commit: 'off',
  wal_writer_delay: '10s',
  wal_writer_flush_after: '1GB',
  wal_buffers: '64MB',
  autovacuum: 'off',
}

let server: PostgresServer
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
  server = await makePostgres({ durable: true, settings })
  await server.start()
  await createDatabase(server.url())
}

async function count(table: string): Promise<number> {
  const [[rows] = []] = await runSql(`select count(*) from ${table}`, server.url())
  return Number(rows)
}

async function crash(): Promise<void> {
  await server.stop('crash')
  await server.start()
}

describeOn('postgres', 'a server that commits asynchronously by default', () => {
  it('does not lose a committed batch of a load in a crash', async (t) => {
    const batch = [put.customer('c1'), put.account('a1', ['c1']), ...transactions(0, 10)]
    const load = startHoldfast(t, ['load', '-', '--batch', `${batch.length}`], {
      environment: { HOLDFAST_DATABASE: server.url() },
    })
    // The input stays open: at its end, the server would write its log when it drops the temporary tables.
    load.stdin.write(toText(batch))
    await until(async () => (await count('entry')) > 0 || load.exitCode !== null)

    await crash()

    assert.equal(await count('entry'), 10)
  })

  it('does not lose a registered API client in a crash', async () => {
    const { status } = await runHoldfast([
      'client',
      'add',
      'core',
      '--scope',
      'data.write',
      '--database',
      server.url(),
    ])
    assert.equal(status, 0)

    await crash()

    assert.equal(await count('api_client'), 1)
  })
})
