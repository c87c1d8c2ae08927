import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { ContractError } from '../../src/contract/index.ts'
import { createDatabase, openProviderStore, openReplayStore } from '../../src/storage/open.ts'
import { makePool } from '../../src/storage/postgres/driver/pool.ts'
import { inTransaction, runStatement } from '../../src/storage/postgres/driver/statements.ts'
import { describeOn, runSql } from '../support/engines.ts'
import { makePostgres, type PostgresOptions, type PostgresServer } from '../support/postgres.ts'

const clock = () => Temporal.Now.instant()

async function openServer(t: TestContext, options?: PostgresOptions): Promise<PostgresServer> {
  const server = await makePostgres(options)
  t.after(() => server.remove())
  await server.start()
  return server
}

let shared: Promise<PostgresServer> | undefined
after(async () => (await shared)?.remove())

/** For tests that restore its state. */
function sharedServer(): Promise<PostgresServer> {
  shared ??= makePostgres().then(async (server) => {
    await server.start()
    return server
  })
  return shared
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-connection-'))
  t.after(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o755)
  return folder
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ContractError && error.code === 'unavailable'
}

/** Retries until the call succeeds. Every failure must be an outage. */
async function untilAnswered<Result>(call: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      assert.ok(isUnavailable(error), String(error))
      await setTimeout(10)
    }
  }
}

describeOn('postgres', 'a database that becomes unreachable', () => {
  for (const mode of ['fast', 'crash'] as const) {
    it(`fails calls as unavailable, and is used again afterwards: ${mode}`, async (t) => {
      const server = await openServer(t, { durable: true })
      await createDatabase(server.url())
      const store = await openProviderStore(server.url())
      const replay = await openReplayStore(server.url(), clock)
      t.after(() => store.close())
      t.after(() => replay.close())
      const later = clock().epochMilliseconds / 1000 + 100
      assert.equal(await store.readCustomer('c1'), undefined)
      assert.equal(await replay.recordUse('before', Math.floor(later)), 'first use')

      await server.stop(mode)
      const started = performance.now()
      await assert.rejects(store.readCustomer('c1'), isUnavailable)
      await assert.rejects(replay.recordUse('during', Math.floor(later)), isUnavailable)
      assert.ok(performance.now() - started < 5000, 'the calls fail soon')

      await server.start()
      assert.equal(await untilAnswered(() => store.readCustomer('c1')), undefined)
      assert.equal(
        await untilAnswered(() => replay.recordUse('after', Math.floor(later))),
        'first use',
      )
      assert.equal(await replay.recordUse('before', Math.floor(later)), 'used before')
    })
  }

  it('fails calls as unavailable if it accepts connections but never responds', async (t) => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    t.after(() => silent.close())
    await new Promise((resolve) => silent.once('listening', resolve))
    const { port } = silent.address() as { port: number }
    const pool = makePool(`postgres://x@127.0.0.1:${port}/x`, 'read', { timeoutMs: 300 })
    t.after(() => pool.end())

    await assert.rejects(runStatement(pool, { name: 'x', text: 'select 1' }, []), isUnavailable)
  })
})

describeOn('postgres', 'a statement', () => {
  it('that exceeds its timeout is cancelled, and fails as unavailable', async (t) => {
    const server = await sharedServer()
    const pool = makePool(server.url(), 'write', { timeoutMs: 300 })
    t.after(() => pool.end())
    const started = performance.now()

    await assert.rejects(
      runStatement(pool, { name: 'x', text: 'select pg_sleep(60)' }, []),
      isUnavailable,
    )

    assert.ok(performance.now() - started < 20_000)
  })

  it('that waits too long for a lock is cancelled, and fails as unavailable', async (t) => {
    const server = await sharedServer()
    const pool = makePool(server.url(), 'read', { timeoutMs: 1000 })
    t.after(() => pool.end())
    await runSql('create table locked (x int)', server.url())
    const holder = new pg.Client({ connectionString: server.url() })
    await holder.connect()
    t.after(() => holder.end())
    await holder.query('begin; lock table locked')

    const query = runStatement(pool, { name: 'x', text: 'select * from locked' }, [])

    await assert.rejects(query, isUnavailable)
  })

  it('is rejected at once if too many others wait for a connection', async (t) => {
    const server = await sharedServer()
    const pool = makePool(server.url(), 'read', { connections: 1 })
    t.after(() => pool.end())
    const run = (text: string) => runStatement(pool, { name: text, text }, [])

    const begun = [run('select pg_sleep(1)'), ...Array.from({ length: 100 }, () => run('select 1'))]
    await assert.rejects(run('select 1'), isUnavailable)
    await assert.rejects(
      inTransaction(pool, async () => assert.fail('the work must not begin')),
      isUnavailable,
    )

    assert.equal((await Promise.all(begun)).length, 101)
    assert.deepEqual(await run('select 1'), [['1']])
  })

  it('that is invalid fails with an error that contains no value', async (t) => {
    const server = await sharedServer()
    const pool = makePool(server.url(), 'read', {})
    t.after(() => pool.end())
    const wrong = { name: 'x', text: `select ($1::text)::int` }

    await assert.rejects(runStatement(pool, wrong, ['precious']), (error: Error) => {
      assert.ok(!isUnavailable(error))
      assert.doesNotMatch(
        JSON.stringify([error.message, error.stack, error, error.cause]),
        /precious/,
      )
      return true
    })
  })

  it('that writes is rejected on connections for reading', async (t) => {
    const server = await sharedServer()
    const pool = makePool(server.url(), 'read', {})
    t.after(() => pool.end())

    await assert.rejects(runStatement(pool, { name: 'x', text: 'create table x ()' }, []))
  })
})

/** A server where the role ana needs a password, and a file with the password. */
async function openServerWithPassword(t: TestContext) {
  const server = await sharedServer()
  await runSql(`create role ana login password 'first'`, server.url())
  await runSql('create database bank owner ana', server.url())
  t.after(async () => {
    await runSql('drop database bank with (force)', server.url())
    await runSql('drop role ana', server.url())
  })
  const rule = 'host all ana 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n'
  writeFileSync(join(server.folder, 'pg_hba.conf'), rule)
  await runSql('select pg_reload_conf()', server.url())
  const passwordFile = join(temporaryFolder(t), 'password')
  writeFileSync(passwordFile, 'first\n')
  const url = `postgres://ana@127.0.0.1:${server.port}/bank`
  await createDatabase(url, { passwordFile })
  return { server, passwordFile, url }
}

/** A proxy that counts the connections to a server. */
async function openCountingProxy(t: TestContext, { port }: PostgresServer) {
  let made = 0
  const listener = createServer((incoming) => {
    made += 1
    const outgoing = connect(port, '127.0.0.1')
    for (const socket of [incoming, outgoing]) socket.on('error', () => {})
    incoming.pipe(outgoing).pipe(incoming)
  }).listen(0, '127.0.0.1')
  t.after(() => listener.close())
  await once(listener, 'listening')
  return { port: (listener.address() as AddressInfo).port, made: () => made }
}

describeOn('postgres', 'a password', () => {
  it('that is missing causes no connection, and calls fail at once until it is back', async (t) => {
    const { server, passwordFile, url } = await openServerWithPassword(t)
    const proxy = await openCountingProxy(t, server)
    const database = url.replace(`:${server.port}/`, `:${proxy.port}/`)
    const store = await openProviderStore(database, { passwordFile })
    const replay = await openReplayStore(database, clock, { passwordFile })
    t.after(() => store.close())
    t.after(() => replay.close())
    const before = proxy.made()
    renameSync(passwordFile, `${passwordFile}-moved`)
    const atServer = `from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid()`
    await runSql(`select pg_terminate_backend(pid) ${atServer}`, server.url())

    let rejected = 0
    for (const end = performance.now() + 300; performance.now() < end; ) {
      const calls = [
        store.readCustomer('c1'),
        store.readCustomer('c2'),
        replay.recordUse('x', Math.floor(Date.now() / 1000) + 100),
      ]
      await Promise.all(calls.map((call) => assert.rejects(call, isUnavailable)))
      rejected += calls.length
    }

    assert.ok(rejected > 10, `${rejected} calls`)
    assert.equal(proxy.made(), before)
    assert.deepEqual(await runSql(`select count(*) ${atServer}`, server.url()), [['0']])
    renameSync(`${passwordFile}-moved`, passwordFile)
    assert.equal(await untilAnswered(() => store.readCustomer('c1')), undefined)
  })

  it('that is wrong is tried a few times a second, independent of the number of calls', async (t) => {
    const { server, passwordFile, url } = await openServerWithPassword(t)
    const proxy = await openCountingProxy(t, server)
    const database = url.replace(`:${server.port}/`, `:${proxy.port}/`)
    const store = await openProviderStore(database, { passwordFile })
    t.after(() => store.close())
    const before = proxy.made()
    writeFileSync(passwordFile, 'wrong')
    await runSql(
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'ana'`,
      server.url(),
    )

    let calls = 0
    for (const end = performance.now() + 1000; performance.now() < end; calls += 1) {
      await assert.rejects(store.readCustomer('c1'), isUnavailable)
    }

    // The pauses between attempts are 0.1, 0.2 and 0.4 seconds, and the next one is longer.
    assert.ok(calls > 100, `${calls} calls`)
    assert.ok(proxy.made() - before <= 5, `${proxy.made() - before} connections`)
    writeFileSync(passwordFile, 'first')
    assert.equal(await untilAnswered(() => store.readCustomer('c1')), undefined)
  })

  it('is read from the file again for every connection', async (t) => {
    const { server, passwordFile, url } = await openServerWithPassword(t)

    const store = await openProviderStore(url, { passwordFile })
    t.after(() => store.close())
    await runSql(`alter role ana password 'second'`, server.url())
    writeFileSync(passwordFile, 'second')
    await runSql(
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'ana'`,
      server.url(),
    )

    assert.equal(await untilAnswered(() => store.readCustomer('c1')), undefined)
    writeFileSync(passwordFile, 'third')
    await assert.rejects(openProviderStore(url, { passwordFile }), {
      name: 'DatabaseError',
      message: /password authentication failed/,
    })
    await assert.rejects(openProviderStore(url, { passwordFile: `${passwordFile}-missing` }), {
      name: 'DatabaseError',
      message: /cannot be read/,
    })
  })
})

/** Creates a certificate for a name, signed by a certificate authority of the test. */
function certify(folder: string, name: string): void {
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const key = ['-newkey', 'rsa:2048', '-nodes']
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
    '-subj',
    '/CN=test',
    '-days',
    '2',
  )
  openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', `/CN=${name}`)
  writeFileSync(join(folder, 'names'), `subjectAltName=${name}\n`)
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names']
  openssl('x509', '-req', '-in', 'server.csr', ...signed, '-out', 'server.crt', '-days', '2')
  chmodSync(join(folder, 'server.key'), 0o600)
  if (process.getuid?.() === 0) chownSync(join(folder, 'server.key'), 65_534, 65_534)
}

describeOn('postgres', 'an encrypted connection', () => {
  const files = (folder: string) => ({
    ssl: 'on',
    ssl_cert_file: join(folder, 'server.crt'),
    ssl_key_file: join(folder, 'server.key'),
  })

  it('is established with a server whose certificate matches its name and is trusted', async (t) => {
    const folder = temporaryFolder(t)
    certify(folder, 'IP:127.0.0.1')
    const server = await openServer(t, { settings: files(folder) })

    for (const mode of ['verify-full', 'require']) {
      const url = `${server.url()}?sslmode=${mode}&sslrootcert=${join(folder, 'ca.crt')}`
      await createDatabase(url)
      const store = await openProviderStore(url)
      await store.overview()
      const encrypted = await runSql(
        `select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'holdfast'`,
        server.url(),
      )
      await store.close()

      assert.deepEqual(encrypted, [[true]])
    }
  })

  it('is not established with a server whose certificate authority is unknown', async (t) => {
    const folder = temporaryFolder(t)
    certify(folder, 'IP:127.0.0.1')
    const server = await openServer(t, { settings: files(folder) })

    for (const mode of ['verify-full', 'require']) {
      await assert.rejects(openProviderStore(`${server.url()}?sslmode=${mode}`), {
        name: 'DatabaseError',
        message: /certificate/,
      })
    }
  })

  it('is not established with a server whose certificate is for another name', async (t) => {
    const folder = temporaryFolder(t)
    certify(folder, 'DNS:other.example')
    const server = await openServer(t, { settings: files(folder) })
    const authority = `sslrootcert=${join(folder, 'ca.crt')}`

    for (const mode of ['verify-full', 'require']) {
      await assert.rejects(openProviderStore(`${server.url()}?sslmode=${mode}&${authority}`), {
        name: 'DatabaseError',
        message: /altnames|certificate/,
      })
    }
  })
})
