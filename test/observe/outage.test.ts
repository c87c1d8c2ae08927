import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { it } from 'node:test'
import { createDatabase } from '../../src/storage/open.ts'
import { put } from '../load/lines.ts'
import { openDeployment } from '../support/deployment.ts'
import { createScope, describeOn, runSql, type Scope } from '../support/engines.ts'
import { openSender } from '../support/intake.ts'
import { makePostgres, type PostgresServer } from '../support/postgres.ts'
import type { Server } from '../support/process.ts'
import { until } from '../support/until.ts'
import { sampleValue, scrape } from './scrape.ts'

const withMetrics = { 'metrics-port': '0' }

type Scraped = Pick<Server, 'metrics' | 'log'>

function changesOf({ log }: Scraped): unknown[] {
  return log()
    .map(({ msg }) => msg)
    .filter((message) => message === 'not ready' || message === 'ready again')
}

async function readProbe(server: Scraped, probe: string): Promise<number | undefined> {
  return sampleValue(await scrape(server), 'holdfast_readiness_probe_up', { probe })
}

async function openPostgres(scope: Scope): Promise<PostgresServer> {
  const postgres = await makePostgres({ durable: true })
  scope.after(() => postgres.remove())
  await postgres.start()
  await createDatabase(postgres.url(), { partitions: 2 })
  return postgres
}

/** Asserts that one loss of readiness and its end are logged once each, and that the metric has them. */
async function assertReported(
  server: Scraped,
  probe: string,
  lose: () => void | Promise<void>,
  restore: () => void | Promise<void>,
): Promise<void> {
  await until(async () => (await readProbe(server, probe)) === 1)

  await lose()
  await until(async () => (await readProbe(server, probe)) === 0)
  await until(() => changesOf(server).length === 1)
  await restore()
  await until(async () => (await readProbe(server, probe)) === 1)
  await until(() => changesOf(server).length === 2)

  assert.deepEqual(changesOf(server), ['not ready', 'ready again'])
  const lost = server.log().find(({ msg }) => msg === 'not ready')
  assert.equal(lost?.['probe'], probe)
}

describeOn('sqlite', 'a server that loses its database files', () => {
  it('logs that it is not ready although nothing asks for its health', async (t) => {
    const deployment = await openDeployment(t)
    const server = await deployment.openProvider(withMetrics)
    const file = deployment.database.slice('sqlite:'.length)

    await assertReported(
      server,
      'database files',
      () => renameSync(file, `${file}.away`),
      () => renameSync(`${file}.away`, file),
    )
  })
})

describeOn('postgres', 'a server that loses its database', () => {
  it('logs that it is not ready although nothing asks for its health', async (t) => {
    const scope = createScope(t)
    const postgres = await openPostgres(scope)
    const server = await (await openDeployment(scope, postgres.url())).openPlatform(withMetrics)

    await assertReported(
      server,
      'database',
      () => postgres.stop('crash'),
      () => postgres.start(),
    )
  })
})

const outages = [
  {
    outage: 'is stopped',
    begin: (postgres: PostgresServer) => postgres.stop('crash'),
    end: (postgres: PostgresServer) => postgres.start(),
  },
  {
    outage: 'does not respond',
    begin: async (postgres: PostgresServer) => postgres.freeze(),
    end: async (postgres: PostgresServer) => postgres.thaw(),
  },
] as const

describeOn('postgres', 'the lag of a feed', () => {
  for (const { outage, begin, end } of outages) {
    it(`grows from the last known commit while the database ${outage}`, async (t) => {
      const scope = createScope(t)
      const postgres = await openPostgres(scope)
      const deployment = await openDeployment(scope, postgres.url())
      const intake = await deployment.openIntake(withMetrics)
      const sendBatch = await openSender(intake, await deployment.addClient('core', 'data.write'))
      const readLag = async () =>
        sampleValue(await scrape(intake), 'holdfast_feed_lag_seconds', { feed: 'core' })
      await sendBatch('core', 1, [put.customer('c1')])
      const before = (await readLag()) ?? assert.fail('no lag')

      await begin(postgres)
      const during = await readLag()
      await until(async () => (await readProbe(intake, 'database')) === 0)
      const later = await readLag()
      await end(postgres)

      assert.ok(during !== undefined && during > before, `${during} after ${before}`)
      assert.ok(later !== undefined && later > during, `${later} after ${during}`)
      // Only the database knows of this commit.
      await until(async () => {
        const { status } = await sendBatch('core', 2, [put.customer('c2')])
        return status === 200
      })
      await until(async () => ((await readLag()) ?? later) < later)
    })
  }
})

describeOn('postgres', 'the data nodes of a Citus cluster', () => {
  /** A database that a guard takes for the coordinator of a cluster with one data node. */
  async function openCoordinator(scope: Scope): Promise<PostgresServer> {
    const postgres = await openPostgres(scope)
    await runSql(`update schema_version set layout = 'citus'`, postgres.url())
    await runSql(
      `create function run_command_on_workers(text)
        returns table (nodename text, nodeport integer, success boolean, result text)
        language sql as $$ select 'node', 5432, true, '1' $$`,
      postgres.url(),
    )
    return postgres
  }

  for (const { outage, begin, end } of outages) {
    it(`are not reported as reachable while the coordinator ${outage}`, async (t) => {
      const scope = createScope(t)
      const postgres = await openCoordinator(scope)
      const deployment = await openDeployment(scope, postgres.url())
      const guard = await deployment.openGuard({ ...withMetrics, upstream: 'http://127.0.0.1:9' })
      const readUp = async () =>
        sampleValue(await scrape(guard), 'holdfast_data_node_up', { node: 'node:5432' })
      await until(async () => (await readUp()) === 1)

      await begin(postgres)
      await until(async () => (await readUp()) === undefined)
      await until(async () => (await readProbe(guard, 'database')) === 0)
      assert.equal(await readUp(), undefined)
      await end(postgres)

      await until(async () => (await readUp()) === 1)
    })
  }
})
