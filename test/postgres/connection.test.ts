import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { connect as connectSecurely } from 'node:tls'
import pg from 'pg'
import { ContractError } from '../../src/contract/index.ts'
import { createDatabase, openProviderStore, openReplayStore } from '../../src/storage/open.ts'
import { makePool } from '../../src/storage/postgres/driver/pool.ts'
import { inTransaction, runStatement } from '../../src/storage/postgres/driver/statements.ts'
import { makeAuthority } from '../support/certificates.ts'
import { describeOn, runSql } from '../support/engines.ts'
import { makePostgres, type PostgresOptions, type PostgresServer } from '../support/postgres.ts'
import { until } from '../support/until.ts'

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
  it('fails calls as unavailable, and is used again afterwards', async (t) => {
    const server = await openServer(t, { durable: true })
    await createDatabase(server.url(), { partitions: 2 })
    const store = await openProviderStore(server.url())
    const replay = await openReplayStore(server.url(), clock)
    t.after(() => store.close())
    t.after(() => replay.close())
    const later = Math.floor(clock().epochMilliseconds / 1000) + 1000

    for (const mode of ['fast', 'crash'] as const) {
      assert.deepEqual(await store.readCustomer('c1'), { missing: 'customer' })
      assert.equal(await replay.recordUse(`before ${mode}`, later), 'first use')

      await server.stop(mode)
      await assert.rejects(store.readCustomer('c1'), isUnavailable)
      await assert.rejects(replay.recordUse('during', later), isUnavailable)
      await server.start()

      assert.deepEqual(await untilAnswered(() => store.readCustomer('c1')), { missing: 'customer' })
      assert.equal(await untilAnswered(() => replay.recordUse(`after ${mode}`, later)), 'first use')
      assert.equal(await replay.recordUse(`before ${mode}`, later), 'used before')
    }
  })

  it('fails calls as unavailable if it accepts connections but never responds', async (t) => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    t.after(() => silent.close())
    await new Promise((resolve) => silent.once('listening', resolve))
    const { port } = silent.address() as { port: number }
    const pool = makePool(`postgres://x@127.0.0.1:${port}/x`, 'read', { timeoutMs: 300 })
    t.after(() => pool.end())

    await assert.rejects(runStatement(pool, 'select 1', []), isUnavailable)
  })
})

describeOn('postgres', 'a statement', () => {
  it('that exceeds its timeout is cancelled, and fails as unavailable', async (t) => {
    const server = await sharedServer()
    const pool = makePool(server.url(), 'write', { timeoutMs: 300 })
    t.after(() => pool.end())

    await assert.rejects(runStatement(pool, 'select pg_sleep(600)', []), isUnavailable)
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

    const query = runStatement(pool, 'select * from locked', [])

    await assert.rejects(query, isUnavailable)
  })

  it('is rejected at once if too many others wait for a connection', async (t) => {
    const server = await sharedServer()
    const pool = makePool(server.url(), 'read', { connections: 1 })
    t.after(() => pool.end())
    const run = (text: string) => runStatement(pool, text, [])

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
    const wrong = `select ($1::text)::int`

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

    await assert.rejects(runStatement(pool, 'create table x ()', []))
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
  await createDatabase(url, { passwordFile, partitions: 2 })
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

    for (let turn = 0; turn < 20; turn += 1) {
      const calls = [
        store.readCustomer('c1'),
        store.readCustomer('c2'),
        replay.recordUse('x', Math.floor(Date.now() / 1000) + 100),
      ]
      await Promise.all(calls.map((call) => assert.rejects(call, isUnavailable)))
    }

    assert.equal(proxy.made(), before)
    assert.deepEqual(await runSql(`select count(*) ${atServer}`, server.url()), [['0']])
    renameSync(`${passwordFile}-moved`, passwordFile)
    assert.deepEqual(await untilAnswered(() => store.readCustomer('c1')), { missing: 'customer' })
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

    const started = performance.now()
    for (let calls = 0; calls < 200; calls += 1) {
      await assert.rejects(store.readCustomer('c1'), isUnavailable)
    }
    const seconds = (performance.now() - started) / 1000

    // The pauses between attempts are 0.1, 0.2 and 0.4 seconds, and the next ones are longer.
    const attemptsMax = 3 + Math.log2(1 + seconds / 0.1)
    const attempts = proxy.made() - before
    assert.ok(attempts <= attemptsMax, `${attempts} connections in ${seconds} seconds`)
    writeFileSync(passwordFile, 'first')
    assert.deepEqual(await untilAnswered(() => store.readCustomer('c1')), { missing: 'customer' })
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

    assert.deepEqual(await untilAnswered(() => store.readCustomer('c1')), { missing: 'customer' })
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

describeOn('postgres', 'an encrypted connection', () => {
  const authority = makeAuthority('test')

  /** Configures the shared server with a certificate. Returns the file of its authority. */
  async function useCertificate(t: TestContext, names?: readonly string[]): Promise<string> {
    const folder = temporaryFolder(t)
    const server = await sharedServer()
    const { cert, key } = authority.issue('server', { names })
    const write = (name: string, text: string) => {
      const file = join(folder, name)
      writeFileSync(file, text, { mode: 0o600 })
      if (process.getuid?.() === 0) chownSync(file, 65_534, 65_534)
      return file
    }
    for (const [setting, value] of Object.entries({
      ssl_cert_file: write('server.crt', cert),
      ssl_key_file: write('server.key', key),
      ssl: 'on',
    })) {
      await runSql(`alter system set ${setting} = '${value}'`, server.url())
    }
    await runSql('select pg_reload_conf()', server.url())
    t.after(async () => {
      await runSql('alter system set ssl = off', server.url())
      await runSql('select pg_reload_conf()', server.url())
    })
    // The server reloads its certificate some time later.
    const expected = new X509Certificate(cert).fingerprint256
    await until(async () => (await presentedFingerprint(server)) === expected)
    return write('ca.crt', authority.cert)
  }

  it('is established with a server whose certificate matches its name and is trusted', async (t) => {
    const authorityFile = await useCertificate(t)
    const server = await sharedServer()
    await runSql('create database encrypted', server.url())
    t.after(() => runSql('drop database encrypted with (force)', server.url()))

    for (const mode of ['verify-full', 'require']) {
      const url = `${server.url('encrypted')}?sslmode=${mode}&sslrootcert=${authorityFile}`
      await createDatabase(url, { partitions: 2 })
      const store = await openProviderStore(url)
      await store.overview()
      const encrypted = await runSql(
        `select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where datname = 'encrypted'`,
        server.url(),
      )
      await store.close()

      assert.deepEqual(encrypted, [[true]])
    }
  })

  for (const [name, names, isTrusted] of [
    ['certificate authority is unknown', undefined, false],
    ['certificate is for another name', ['other.example'], true],
  ] as const) {
    it(`is not established with a server whose ${name}`, async (t) => {
      const authorityFile = await useCertificate(t, names)
      const server = await sharedServer()
      const trust = isTrusted ? `&sslrootcert=${authorityFile}` : ''

      for (const mode of ['verify-full', 'require']) {
        await assert.rejects(openProviderStore(`${server.url()}?sslmode=${mode}${trust}`), {
          name: 'DatabaseError',
          message: /altnames|certificate/,
        })
      }
    })
  }
})

/** The fingerprint of the certificate of a PostgreSQL server; undefined if it does not encrypt. */
async function presentedFingerprint({ port }: PostgresServer): Promise<string | undefined> {
  const plain = connect(port, '127.0.0.1')
  try {
    // SSLRequest of the PostgreSQL protocol.
    plain.write(Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]))
    const [answer] = (await once(plain, 'data')) as [Buffer]
    if (answer.toString() !== 'S') return undefined
    const socket = connectSecurely({ socket: plain, rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    return socket.getPeerCertificate().fingerprint256
  } finally {
    plain.destroy()
  }
}
