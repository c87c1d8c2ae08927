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
import { inTransaction, rowsOf } from '../../src/storage/postgres/driver/statements.ts'
import { asOwner, describeOn } from '../support/engines.ts'
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

/** One for all tests that leave it as it was. */
function sharedServer(): Promise<PostgresServer> {
  shared ??= makePostgres().then(async (server) => {
    await server.start()
    return server
  })
  return shared
}

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-connection-'))
  t.after(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o755)
  return folder
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ContractError && error.code === 'unavailable'
}

/** Asks again until there is an answer; what is refused meanwhile must be an outage. */
async function untilAnswered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      assert.ok(isUnavailable(error), String(error))
      await setTimeout(10)
    }
  }
}

describeOn('postgres', 'a database that goes away', () => {
  for (const how of ['fast', 'crash'] as const) {
    it(`is an outage while it is away, and is used again afterwards: ${how}`, async (t) => {
      const server = await openServer(t, { durable: true })
      await createDatabase(server.url())
      const store = await openProviderStore(server.url())
      const claims = await openReplayStore(server.url(), clock)
      t.after(() => store.close())
      t.after(() => claims.close())
      const later = clock().epochMilliseconds / 1000 + 100
      assert.equal(await store.readCustomer('c1'), undefined)
      assert.equal(await claims.recordUse('before', Math.floor(later)), 'first use')

      await server.stop(how)
      const started = performance.now()
      await assert.rejects(store.readCustomer('c1'), isUnavailable)
      await assert.rejects(claims.recordUse('during', Math.floor(later)), isUnavailable)
      assert.ok(performance.now() - started < 5000, 'it says so soon')

      await server.start()
      assert.equal(await untilAnswered(() => store.readCustomer('c1')), undefined)
      assert.equal(
        await untilAnswered(() => claims.recordUse('after', Math.floor(later))),
        'first use',
      )
      assert.equal(await claims.recordUse('before', Math.floor(later)), 'used before')
    })
  }

  it('is an outage where it takes connections and never answers', async (t) => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    t.after(() => silent.close())
    await new Promise((resolve) => silent.once('listening', resolve))
    const { port } = silent.address() as { port: number }
    const pool = makePool(`postgres://x@127.0.0.1:${port}/x`, 'read', { timeoutMs: 300 })
    t.after(() => pool.end())

    await assert.rejects(rowsOf(pool, { name: 'x', text: 'select 1' }, []), isUnavailable)
  })
})

describeOn('postgres', 'a statement', () => {
  it('that takes longer than it may is ended, as an outage', async (t) => {
    const server = await sharedServer()
    const pool = makePool(server.url(), 'write', { timeoutMs: 300 })
    t.after(() => pool.end())
    const started = performance.now()

    await assert.rejects(
      rowsOf(pool, { name: 'x', text: 'select pg_sleep(60)' }, []),
      isUnavailable,
    )

    assert.ok(performance.now() - started < 20_000)
  })

  it('that waits too long for a lock is ended, as an outage', async (t) => {
    const server = await sharedServer()
    const pool = makePool(server.url(), 'read', { timeoutMs: 1000 })
    t.after(() => pool.end())
    await asOwner('create table held (x int)', server.url())
    const holder = new pg.Client({ connectionString: server.url() })
    await holder.connect()
    t.after(() => holder.end())
    await holder.query('begin; lock table held')

    const asked = rowsOf(pool, { name: 'x', text: 'select * from held' }, [])

    await assert.rejects(asked, isUnavailable)
  })

  it('that too many others wait with for a connection is refused at once', async (t) => {
    const server = await sharedServer()
    const pool = makePool(server.url(), 'read', { connections: 1 })
    t.after(() => pool.end())
    const ask = (text: string) => rowsOf(pool, { name: text, text }, [])

    const begun = [ask('select pg_sleep(1)'), ...Array.from({ length: 100 }, () => ask('select 1'))]
    await assert.rejects(ask('select 1'), isUnavailable)
    await assert.rejects(
      inTransaction(pool, async () => assert.fail('it had a connection')),
      isUnavailable,
    )

    assert.equal((await Promise.all(begun)).length, 101)
    assert.deepEqual(await ask('select 1'), [['1']])
  })

  it('that is wrong is a bug, and what is told of it repeats no value', async (t) => {
    const server = await sharedServer()
    const pool = makePool(server.url(), 'read', {})
    t.after(() => pool.end())
    const wrong = { name: 'x', text: `select ($1::text)::int` }

    await assert.rejects(rowsOf(pool, wrong, ['precious']), (error: Error) => {
      assert.ok(!isUnavailable(error))
      assert.doesNotMatch(
        JSON.stringify([error.message, error.stack, error, error.cause]),
        /precious/,
      )
      return true
    })
  })

  it('that changes something is refused on connections for reading', async (t) => {
    const server = await sharedServer()
    const pool = makePool(server.url(), 'read', {})
    t.after(() => pool.end())

    await assert.rejects(rowsOf(pool, { name: 'x', text: 'create table x ()' }, []))
  })
})

/** A server at which the role ana needs a password, and a file that has it. */
async function openServerWithPassword(t: TestContext) {
  const server = await sharedServer()
  await asOwner(`create role ana login password 'first'`, server.url())
  await asOwner('create database bank owner ana', server.url())
  t.after(async () => {
    await asOwner('drop database bank with (force)', server.url())
    await asOwner('drop role ana', server.url())
  })
  const rule = 'host all ana 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n'
  writeFileSync(join(server.folder, 'pg_hba.conf'), rule)
  await asOwner('select pg_reload_conf()', server.url())
  const passwordFile = join(folderOf(t), 'password')
  writeFileSync(passwordFile, 'first\n')
  const url = `postgres://ana@127.0.0.1:${server.port}/bank`
  await createDatabase(url, { passwordFile })
  return { server, passwordFile, url }
}

/** Stands before a server, and counts the connections that are made to it. */
async function openCounter(t: TestContext, { port }: PostgresServer) {
  let made = 0
  const proxy = createServer((incoming) => {
    made += 1
    const outgoing = connect(port, '127.0.0.1')
    for (const socket of [incoming, outgoing]) socket.on('error', () => {})
    incoming.pipe(outgoing).pipe(incoming)
  }).listen(0, '127.0.0.1')
  t.after(() => proxy.close())
  await once(proxy, 'listening')
  return { port: (proxy.address() as AddressInfo).port, made: () => made }
}

describeOn('postgres', 'a password', () => {
  it('that is missing makes no connection, and calls fail at once until it is back', async (t) => {
    const { server, passwordFile, url } = await openServerWithPassword(t)
    const counter = await openCounter(t, server)
    const database = url.replace(`:${server.port}/`, `:${counter.port}/`)
    const store = await openProviderStore(database, { passwordFile })
    const claims = await openReplayStore(database, clock, { passwordFile })
    t.after(() => store.close())
    t.after(() => claims.close())
    const before = counter.made()
    renameSync(passwordFile, `${passwordFile}-away`)
    const atServer = `from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid()`
    await asOwner(`select pg_terminate_backend(pid) ${atServer}`, server.url())

    let refused = 0
    for (const end = performance.now() + 300; performance.now() < end; ) {
      const calls = [
        store.readCustomer('c1'),
        store.readCustomer('c2'),
        claims.recordUse('x', Math.floor(Date.now() / 1000) + 100),
      ]
      await Promise.all(calls.map((call) => assert.rejects(call, isUnavailable)))
      refused += calls.length
    }

    assert.ok(refused > 10, `${refused} calls`)
    assert.equal(counter.made(), before)
    assert.deepEqual(await asOwner(`select count(*) ${atServer}`, server.url()), [['0']])
    renameSync(`${passwordFile}-away`, passwordFile)
    assert.equal(await untilAnswered(() => store.readCustomer('c1')), undefined)
  })

  it('that is wrong is tried a few times a second, however many calls there are', async (t) => {
    const { server, passwordFile, url } = await openServerWithPassword(t)
    const counter = await openCounter(t, server)
    const database = url.replace(`:${server.port}/`, `:${counter.port}/`)
    const store = await openProviderStore(database, { passwordFile })
    t.after(() => store.close())
    const before = counter.made()
    writeFileSync(passwordFile, 'wrong')
    await asOwner(
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'ana'`,
      server.url(),
    )

    let calls = 0
    for (const end = performance.now() + 1000; performance.now() < end; calls += 1) {
      await assert.rejects(store.readCustomer('c1'), isUnavailable)
    }

    // Pauses of 0.1, 0.2 and 0.4 seconds lie between attempts, and the next is longer still.
    assert.ok(calls > 100, `${calls} calls`)
    assert.ok(counter.made() - before <= 5, `${counter.made() - before} connections`)
    writeFileSync(passwordFile, 'first')
    assert.equal(await untilAnswered(() => store.readCustomer('c1')), undefined)
  })

  it('comes from a file, which is read again for every connection', async (t) => {
    const { server, passwordFile, url } = await openServerWithPassword(t)

    const store = await openProviderStore(url, { passwordFile })
    t.after(() => store.close())
    await asOwner(`alter role ana password 'second'`, server.url())
    writeFileSync(passwordFile, 'second')
    await asOwner(
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'ana'`,
      server.url(),
    )

    assert.equal(await untilAnswered(() => store.readCustomer('c1')), undefined)
    writeFileSync(passwordFile, 'third')
    await assert.rejects(openProviderStore(url, { passwordFile }), {
      name: 'DatabaseError',
      message: /password authentication failed/,
    })
    await assert.rejects(openProviderStore(url, { passwordFile: `${passwordFile}-nowhere` }), {
      name: 'DatabaseError',
      message: /cannot be read/,
    })
  })
})

/** A certificate for a name, signed by an authority of the test's own. */
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

  it('is made with a server whose certificate is for its name and of a known authority', async (t) => {
    const folder = folderOf(t)
    certify(folder, 'IP:127.0.0.1')
    const server = await openServer(t, { settings: files(folder) })

    for (const mode of ['verify-full', 'require']) {
      const url = `${server.url()}?sslmode=${mode}&sslrootcert=${join(folder, 'ca.crt')}`
      await createDatabase(url)
      const store = await openProviderStore(url)
      await store.overview()
      const encrypted = await asOwner(
        `select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'holdfast'`,
        server.url(),
      )
      await store.close()

      assert.deepEqual(encrypted, [[true]])
    }
  })

  it('is not made with one of an unknown authority', async (t) => {
    const folder = folderOf(t)
    certify(folder, 'IP:127.0.0.1')
    const server = await openServer(t, { settings: files(folder) })

    for (const mode of ['verify-full', 'require']) {
      await assert.rejects(openProviderStore(`${server.url()}?sslmode=${mode}`), {
        name: 'DatabaseError',
        message: /certificate/,
      })
    }
  })

  it('is not made with one whose certificate is for another name', async (t) => {
    const folder = folderOf(t)
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
