import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import pg from 'pg'
import { countNames, type PlatformStatus } from '../../src/contract/index.ts'
import type { ProviderWriter } from '../../src/intake/writer.ts'
import { openStatusReader } from '../../src/server/read-status.ts'
import { openProviderWriter } from '../../src/storage/open.ts'
import { minimalProduct } from '../catalogue/products.ts'
import {
  createScope,
  describe,
  describeOn,
  describeOnce,
  listSessions,
  newDatabase,
  runSql,
  type Scope,
} from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findFreePort } from '../support/free-port.ts'
import { openIntake } from '../support/intake.ts'
import { openPlatform, type Platform } from '../support/platform.ts'
import { runInProcess } from '../support/process.ts'
import { createSmallBank, smallBankLines } from '../support/small-bank.ts'
import { until } from '../support/until.ts'

async function fetchStatus(platform: Platform): Promise<PlatformStatus> {
  const token = await platform.issueToken(await platform.register(['operations.read']))
  const { status, body, text } = await platform.get('/v1/status', {
    authorization: `Bearer ${token}`,
  })
  assert.equal(status, 200, text)
  return body
}

/** Commits after every two lines. */
async function loadInBatches(
  scope: Scope,
  database: string,
  lines: readonly object[],
): Promise<void> {
  const file = join(await temporaryFolder(scope), 'lines.ndjson')
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const { status, stderr } = await runInProcess([
    'load',
    file,
    '--batch',
    '2',
    '--database',
    database,
  ])
  assert.equal(status, 0, stderr)
}

describe('the status', () => {
  it('counts what the database contains, and describes the last load', async (t) => {
    const database = await createSmallBank(t)
    const platform = await openPlatform(t, { database })
    await platform.made(minimalProduct)
    const { servers, counts, feeds, lastLoad, time } = await fetchStatus(platform)

    assert.deepEqual(counts, {
      customers: 2,
      accounts: 2,
      products: 1,
      drafts: 0,
      activeConsents: 0,
      unavailable: [],
    })
    assert.deepEqual(feeds, [])
    assert.deepEqual(
      servers.map(({ role, status, reasons }) => ({ role, status, reasons })),
      [{ role: 'platform', status: 'ok', reasons: [] }],
    )
    assert.equal(time, '2026-07-01T00:00:00Z')
    const { committed: _, ...lines } = lastLoad ?? assert.fail('no load')
    assert.deepEqual(lines, {
      created: smallBankLines.length,
      changed: 0,
      unchanged: 0,
      deleted: 0,
    })
  })

  it('adds up the batches of one load, and replaces an earlier load', async (t) => {
    const database = await newDatabase(t)
    const reader = openStatusReader({ database }, [], Temporal.Now.instant)
    const before = await reader.read()
    assert.equal(before.lastLoad, undefined)
    await reader.close()

    await loadInBatches(t, database, smallBankLines)
    await loadInBatches(t, database, [...smallBankLines, ...smallBankLines])
    const again = openStatusReader({ database }, [], Temporal.Now.instant)
    const { lastLoad } = await again.read()
    await again.close()
    assert.equal(lastLoad?.unchanged, 2 * smallBankLines.length)
    assert.equal(lastLoad?.created, 0)
  })

  it('has all batches of the load that was committed last, even if another was committed between them', async (t) => {
    const scope = createScope(t)
    const database = await newDatabase(scope)
    const [first, second] = await Promise.all(
      ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'].map((loadTime) =>
        openProviderWriter(database, {
          loadTime: Temporal.Instant.from(loadTime),
          inBatches: true,
        }),
      ),
    )
    if (!first || !second) assert.fail()
    scope.after(async () => {
      await first.close()
      await second.close()
    })
    const commit = async (writer: ProviderWriter, id: string) => {
      const record = { name: id, email: undefined, emails: [], record: '{}', match: '{}' }
      await writer.write([{ type: 'customer', id, ...record, file: 0, line: 1 }])
      assert.deepEqual(await Array.fromAsync(writer.findErrors()), [])
      await writer.commit()
    }
    await commit(first, 'c1')
    await commit(second, 'c2')
    await commit(first, 'c3')
    const reader = openStatusReader({ database }, [], Temporal.Now.instant)
    scope.after(reader.close)

    assert.equal((await reader.read()).lastLoad?.created, 2)
  })
})

describeOn('sqlite', 'the counts of the status', () => {
  it('are complete in a large database, and let the event loop run', async (t) => {
    const database = await newDatabase(t)
    const file = new DatabaseSync(database.replace('sqlite:', ''))
    file.exec(`
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 50000)
      insert into customer (number, id, record) select i * 3, i, iif(i % 2, '{}', null) from n;
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 6000)
      insert into product select i, 1, 'c', 'b', null, null, 0 from n`)
    file.close()
    // Loading the code takes turns too.
    const first = openStatusReader({ database }, [], Temporal.Now.instant)
    t.after(first.close)
    await first.read()
    const again = openStatusReader({ database }, [], Temporal.Now.instant)
    t.after(again.close)
    let turns = 0
    let isRead = false
    const countTurn = () => {
      turns += 1
      if (!isRead) setImmediate(countTurn)
    }
    countTurn()
    const { counts } = await again.read()
    isRead = true

    assert.partialDeepStrictEqual(counts, { customers: 25_000, products: 6000, unavailable: [] })
    assert.ok(turns > 25, `${turns} turns`)
  })
})

describeOn('postgres', 'the counts of the status', () => {
  it('are named as unavailable if one cannot be determined, with the rest of the status', async (t) => {
    const scope = createScope(t)
    const database = await createSmallBank(scope)
    const client = new pg.Client({ connectionString: database })
    await client.connect()
    scope.after(() => client.end())
    await client.query('begin; lock table customer in access exclusive mode')
    const reader = openStatusReader({ database }, [], Temporal.Now.instant, 60_000)
    scope.after(reader.close)
    const { counts, lastLoad } = await reader.read()

    assert.deepEqual(counts, {
      accounts: 2,
      products: 0,
      drafts: 0,
      activeConsents: 0,
      unavailable: [{ name: 'customers', reason: 'failed' }],
    })
    assert.equal(lastLoad?.created, smallBankLines.length)
  })

  it('are pending while they take long, and end when the reader is closed', async (t) => {
    const database = await createSmallBank(t)
    await runSql(
      'alter table product rename to hidden; create view product as select version() as id from pg_sleep(600)',
      database,
    )
    const reader = openStatusReader({ database }, [], Temporal.Now.instant, 0)
    const { counts, lastLoad } = await reader.read()
    const isCounting = async () =>
      (await listSessions(database, `wait_event = 'PgSleep'`)).length === 1
    await until(isCounting)
    await reader.close()

    assert.deepEqual(counts, {
      unavailable: countNames.map((name) => ({ name, reason: 'pending' })),
    })
    assert.equal(lastLoad?.created, smallBankLines.length)
    assert.equal(await isCounting(), false)
  })
})

/** Responds to the readiness probe like a server. */
async function serveHealth(scope: Scope, status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  scope.after(async () => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describeOnce('the status of an intake', () => {
  it('is that of its probe, at the URL of the settings', async (t) => {
    const database = await newDatabase(t)
    const intakeUrl = await serveHealth(t, 200, '{"status":"ok"}')
    const reader = openStatusReader({ database, intakeUrl }, [], Temporal.Now.instant)
    t.after(reader.close)

    assert.deepEqual((await reader.read()).servers.slice(1), [
      { role: 'intake', url: intakeUrl, status: 'ok', reasons: [] },
    ])
  })

  it('is not known without the setting, if a client sends a feed', async (t) => {
    const { database, put } = await openIntake(t)
    const time = '2026-07-01T00:00:00Z'
    const read = async () => {
      const reader = openStatusReader({ database }, [], () => Temporal.Instant.from(time))
      const { servers } = await reader.read()
      await reader.close()
      return servers.slice(1)
    }
    assert.deepEqual(await read(), [])
    await put('core', 1, [])

    assert.deepEqual(await read(), [
      {
        role: 'intake',
        status: 'undetermined',
        reasons: ['HOLDFAST_INTAKE_URL is not set'],
        since: time,
      },
    ])
  })
})

describeOnce('the status of a provider', () => {
  for (const [answer, status, reason] of [
    [[200, '{"status":"ok"}'], 'ok', undefined],
    [[200, '{"status":"degraded"}'], 'degraded', /reports degraded/],
    [[503, '{"status":"unavailable"}'], 'unavailable', /reports unavailable/],
    [[404, '{"error":"Resource not found"}'], 'undetermined', /is not served .*404/],
    [[200, '<html>'], 'undetermined', /is not served/],
  ] as const) {
    it(`is ${status} if its probe responds ${answer.join(' ')}`, async (t) => {
      const database = await newDatabase(t)
      const providerUrl = await serveHealth(t, answer[0], answer[1])
      const reader = openStatusReader({ database, providerUrl }, [], Temporal.Now.instant)
      t.after(reader.close)
      const provider = (await reader.read()).servers[1]

      assert.equal(provider?.status, status)
      assert.equal(provider?.url, providerUrl)
      assert.match(provider?.reasons.join() ?? '', reason ?? /^$/)
    })
  }

  it('is unavailable if it cannot be reached, and a failing probe of the platform is named', async (t) => {
    const database = await newDatabase(t)
    const settings = { database, providerUrl: `http://127.0.0.1:${await findFreePort()}` }
    const failing = { name: 'database files', probe: () => Promise.reject(new Error('lost')) }
    const reader = openStatusReader(settings, [failing], Temporal.Now.instant)
    t.after(reader.close)
    const [platform, provider] = (await reader.read()).servers

    assert.deepEqual(platform?.reasons, ['database files: not available'])
    assert.deepEqual(
      [provider?.status, provider?.reasons],
      ['unavailable', ['cannot be reached (ECONNREFUSED)']],
    )
  })
})
