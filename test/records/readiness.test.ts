import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openDatabaseFile } from '../support/database-file.ts'
import { openDeployment } from '../support/deployment.ts'
import { createScope, currentEngine, describe, runSql } from '../support/engines.ts'
import { send } from '../support/http.ts'
import type { LocalServer } from '../support/local-server.ts'
import { runInProcess } from '../support/process.ts'
import { accountsPath } from '../support/small-bank.ts'
import { until } from '../support/until.ts'

const untilReady = (server: LocalServer, isReady: boolean) =>
  until(async () => (await send(server.port, '/health/ready')).status === (isReady ? 200 : 503))

/** Others may fail too on a busy machine. */
function assertNamed(server: LocalServer): void {
  const failed = server.log().flatMap(({ msg, probe }) => (msg === 'not ready' ? [probe] : []))
  assert.ok(failed.includes('disclosure records'), failed.join())
}

/** Runs a statement in the database, or in its replay file if the engine has one. */
async function change(database: string, suffix: '' | '-replay', sql: string): Promise<void> {
  if (currentEngine() === 'postgres') return void (await runSql(sql, database))
  using file = openDatabaseFile(database, suffix)
  file.exec(sql)
}

const platformFlags = {
  issuer: 'http://127.0.0.1:1/bank',
  subdomain: 'bank',
  'provider-url': 'http://127.0.0.1:1',
  'passcode-url': 'http://127.0.0.1:1/passcodes',
}

describe('a server that records answers', () => {
  it('is not ready as a provider while tokens can be recorded and answers cannot', async (t) => {
    const scope = createScope(t)
    const { database, openProvider, ask } = await openDeployment(scope)
    const server = await openProvider({ records: 'true' })
    await untilReady(server, true)

    await change(database, '-replay', 'alter table provider_record_key rename to away')
    await untilReady(server, false)
    const { status } = await ask(server, accountsPath)
    await change(database, '-replay', 'alter table away rename to provider_record_key')
    await untilReady(server, true)

    assert.notEqual(status, 200)
    assert.equal((await ask(server, accountsPath)).status, 200)
    assertNamed(server)
  })

  it('is ready as a provider without records', async (t) => {
    const scope = createScope(t)
    const { database, openProvider } = await openDeployment(scope)
    const server = await openProvider()

    await change(database, '-replay', 'alter table provider_record_key rename to away')

    await untilReady(server, true)
  })

  it('is not ready as a platform while no record can be stored, or without a key to sign the first', async (t) => {
    const scope = createScope(t)
    const { database, openPlatform } = await openDeployment(scope)
    const keys = (...args: readonly string[]) =>
      runInProcess(['keys', ...args, '--database', database])
    const first = (await keys('add')).stdout.trim()
    const server = await openPlatform(platformFlags)
    await untilReady(server, true)

    await change(database, '', 'alter table record_block rename to away')
    await untilReady(server, false)
    await change(database, '', 'alter table away rename to record_block')
    await untilReady(server, true)
    await keys('retire', first)
    await untilReady(server, false)
    await keys('add')
    await untilReady(server, true)

    assertNamed(server)
    assert.match(server.output(), /no active key to sign records/)
  })

  it('leaves nothing of its readiness in the records', async (t) => {
    const scope = createScope(t)
    const { database, openProvider, ask } = await openDeployment(scope)
    const server = await openProvider({ records: 'true' })
    await untilReady(server, true)
    await ask(server, accountsPath)
    await server.close()

    const { stdout } = await runInProcess([
      ...['records', 'verify', '--of', 'provider', '--database', database],
    ])

    assert.match(stdout, /^verified 1 record in \d+ blocks of 1 chain\n$/)
  })
})
