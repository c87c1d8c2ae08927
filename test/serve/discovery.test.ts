import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { createDatabase } from '../../src/storage/open.ts'
import {
  ask,
  openOutagesFile,
  outagesPath,
  readOutages,
  readStatus,
  statusPath,
} from '../catalogue/discovery.ts'
import { assertCdsError, listVersion, publishedPath } from '../catalogue/published.ts'
import { openDeployment } from '../support/deployment.ts'
import { createScope, describeOn, describeOnce, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { makePostgres } from '../support/postgres.ts'
import { runInProcess, type Server } from '../support/process.ts'
import { until } from '../support/until.ts'
import { countOccurrences } from './traffic.ts'

/** Began an hour ago and lasts a day. */
function currentOutage(explanation: string, isPartial: boolean) {
  const start = Temporal.Now.instant().subtract({ hours: 1 })
  return { outageTime: start.toString(), duration: 'P1D', explanation, isPartial }
}

async function untilStatus(platform: Pick<Server, 'port'>, expected: string): Promise<void> {
  await until(async () => (await readStatus(platform)).status === expected)
}

describeOn('postgres', 'the status of a platform', () => {
  it('is UNAVAILABLE while its database is unreachable', async (t) => {
    const scope = createScope(t)
    const server = await makePostgres({ durable: true })
    scope.after(() => server.remove())
    await server.start()
    await createDatabase(server.url(), { partitions: 2 })
    const platform = await (await openDeployment(scope, server.url())).openPlatform()
    assert.equal((await readStatus(platform)).status, 'OK')

    await server.stop('fast')
    await untilStatus(platform, 'UNAVAILABLE')
    const first = await readStatus(platform)
    // Several checks later, in another second: times have no fraction.
    const later = Temporal.Instant.from(first.detectionTime).add({ seconds: 2 })
    await until(async () => (await readStatus(platform)).updateTime >= later.toString())
    const second = await readStatus(platform)
    assert.deepEqual(second, { ...first, updateTime: second.updateTime })
    assert.ok(first.detectionTime <= first.updateTime)
    assertCdsError(await ask(platform, publishedPath, listVersion), 503, 'Service/Unavailable')

    await server.start()
    await untilStatus(platform, 'OK')
  })
})

describeOn('sqlite', 'a platform with planned outages', () => {
  it('reloads them on SIGHUP, and reports a failure that was not planned', async (t) => {
    const deployment = await openDeployment(t)
    const { file, write, writeText } = await openOutagesFile(t, [])
    const platform = await deployment.startPlatform({ 'outages-file': file, 'log-level': 'info' })
    const reload = async (message: string) => {
      const before = countOccurrences(platform.stderr(), message)
      platform.child.kill('SIGHUP')
      await until(() => countOccurrences(platform.stderr(), message) > before, platform.stderr)
    }
    const path = deployment.database.slice('sqlite:'.length)
    assert.equal((await readStatus(platform)).status, 'OK')

    renameSync(path, `${path}.away`)
    await untilStatus(platform, 'UNAVAILABLE')
    assert.deepEqual(await readOutages(platform), [])
    const partial = currentOutage('Part of it', true)
    write([partial])
    await reload('planned outages reloaded')
    assert.deepEqual(await readOutages(platform), [partial])
    assert.equal((await readStatus(platform)).status, 'UNAVAILABLE')

    const complete = currentOutage('All of it', false)
    write([partial, complete])
    await reload('planned outages reloaded')
    const { status, explanation } = await readStatus(platform)
    assert.deepEqual([status, explanation], ['SCHEDULED_OUTAGE', 'All of it'])

    for (const content of ['{', '{"outages":[{}]}']) {
      writeText(content)
      await reload('planned outages not reloaded: the previous ones stay in use')
      assert.deepEqual(await readOutages(platform), [partial, complete])
    }
    assert.match(platform.stderr(), /outages\[0\]\.outageTime is required/)

    write([])
    await reload('planned outages reloaded')
    assert.equal((await readStatus(platform)).status, 'UNAVAILABLE')
    renameSync(`${path}.away`, path)
    await untilStatus(platform, 'OK')
  })
})

describeOnce('the status of a platform with consent', () => {
  async function openWithProvider(scope: Scope, isAvailable: boolean) {
    const deployment = await openDeployment(scope)
    const provider = await deployment.openProvider()
    if (!isAvailable) await provider.close()
    const flags = { 'provider-url': provider.address, subdomain: 'bank' }
    await runInProcess(['keys', 'add', '--database', deployment.database])
    const issuer = 'http://127.0.0.1:1'
    return deployment.openPlatform({ ...flags, issuer, 'passcode-url': 'http://127.0.0.1:1/' })
  }

  it('is OK while its provider is ready', async (t) => {
    assert.equal((await readStatus(await openWithProvider(t, true))).status, 'OK')
  })

  it('is PARTIAL_FAILURE while its provider is unreachable', async (t) => {
    const platform = await openWithProvider(t, false)

    const first = await readStatus(platform)
    const second = await readStatus(platform)

    assert.equal(first.status, 'PARTIAL_FAILURE')
    assert.equal(second.detectionTime, first.detectionTime)
    assert.equal((await ask(platform, publishedPath, listVersion)).status, 200)
  })

  it('has links below the issuer', async (t) => {
    const platform = await openWithProvider(t, true)

    for (const path of [statusPath, outagesPath]) {
      const { body } = await ask(platform, path)
      assert.equal(body.links.self, `http://127.0.0.1:1${path}`)
    }
  })
})

describeOnce('a platform does not start with a file of outages that', () => {
  const outage = { outageTime: '2026-07-01T00:00:00Z', duration: 'PT1H', explanation: 'x' }
  const list = (...outages: unknown[]) => JSON.stringify({ outages })

  for (const [name, content, faults] of [
    ['is not JSON', '{"outages":', ['FILE is not valid JSON']],
    ['is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), ['FILE is not valid JSON']],
    ['is too large', `${' '.repeat(256 * 1024)}{}`, ['FILE is larger than 262144 bytes']],
    ['is a list', '[]', ['FILE: the record must be an object']],
    ['has no outages', '{}', ['FILE: outages is required']],
    [
      'has too many outages',
      list(...Array.from({ length: 101 }, () => outage)),
      ['FILE: outages must be a list of 0 to 100 elements'],
    ],
    [
      'has several faults',
      list(
        outage,
        { ...outage, outageTime: '2026-07-01T00:00:00', isPartial: 'no' },
        { ...outage, explanation: '', duration: '2 hours', end: 'x' },
        { ...outage, duration: 'PT0S' },
        { ...outage, duration: 'P366D' },
        { ...outage, duration: 'P9999999999D' },
      ),
      [
        'FILE: outages[1].outageTime must be an RFC 3339 date-time',
        'FILE: outages[1].isPartial must be true or false',
        'FILE: outages[2].duration must be an ISO 8601 duration',
        'FILE: outages[2].explanation must be a string of 1 to 1000 characters',
        'FILE: outages[2].end is not a field of this record',
        'FILE: outages[3].duration must be longer than zero and at most one year',
        'FILE: outages[4].duration must be longer than zero and at most one year',
        'FILE: outages[5].duration must be longer than zero and at most one year',
      ],
    ],
  ] as const) {
    it(name, async (t) => {
      const { file, writeText } = await openOutagesFile(t, [])
      writeText(content)

      const { status, stderr } = await runInProcess(['serve', 'platform', '--outages-file', file])

      assert.equal(status, 1)
      assert.deepEqual(
        stderr.trimEnd().replaceAll(file, 'FILE').split('\n').sort(),
        faults.map((fault) => `--outages-file: ${fault}`).sort(),
      )
    })
  }

  it('is missing', async (t) => {
    const file = join(await temporaryFolder(t), 'missing.json')

    const { status, stderr } = await runInProcess(['serve', 'platform'], {
      HOLDFAST_OUTAGES_FILE: file,
    })

    assert.equal(status, 1)
    assert.equal(stderr, `--outages-file: cannot read ${file} (ENOENT)\n`)
  })
})
