import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { openApp } from '../../src/http/app.ts'
import { createDatabase } from '../../src/storage/open.ts'
import { openDatabaseFile } from '../support/database-file.ts'
import { openDeployment } from '../support/deployment.ts'
import {
  createScope,
  currentEngine,
  describe,
  describeOn,
  describeOnce,
  runSql,
} from '../support/engines.ts'
import { send } from '../support/http.ts'
import { makePostgres } from '../support/postgres.ts'
import { startServer } from '../support/process.ts'
import { createSmallBank } from '../support/small-bank.ts'
import { until } from '../support/until.ts'

const ok = { status: 200, text: '{"status":"ok"}' }
const unavailable = { status: 503, text: '{"status":"unavailable"}' }

async function probe({ port }: { readonly port: number }, name: 'live' | 'ready') {
  const { status, text: body, headers } = await send(port, `/health/${name}`)
  assert.equal(headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(headers['cache-control'], 'no-store')
  return { status, text: body }
}

async function untilReady(server: { readonly port: number }, isReady = true): Promise<void> {
  const expected = isReady ? ok : unavailable
  await until(async () => {
    const answer = await probe(server, 'ready')
    // No other status, whatever the cause.
    assert.ok([200, 503].includes(answer.status), answer.text)
    return answer.status === expected.status
  })
}

/** Makes the database look as if one migration more or fewer had been applied. */
async function setVersion(database: string, change: '+ 1' | '- 1'): Promise<void> {
  if (currentEngine() === 'postgres') {
    await runSql(`update schema_version set version = version ${change}`, database)
    return
  }
  const file = openDatabaseFile(database)
  const version = Number(file.prepare('pragma user_version').get()?.['user_version'])
  file.exec(`pragma user_version = ${version + (change === '+ 1' ? 1 : -1)}`)
  file.close()
}

describeOnce('a provider', () => {
  it('is live and ready without authentication, and reports only the status', async (t) => {
    const deployment = await openDeployment(t)
    const server = await deployment.openProvider()

    assert.deepEqual(await probe(server, 'live'), ok)
    assert.deepEqual(await probe(server, 'ready'), ok)
    assert.equal(deployment.keyServer.requests.length, 1, 'the keys are fetched once')
  })

  it('is live but not ready without keys, and ready once it has them', async (t) => {
    const deployment = await openDeployment(t)
    await deployment.keyServer.stop()
    const server = await deployment.openProvider()

    assert.deepEqual(await probe(server, 'ready'), unavailable)
    assert.deepEqual(await probe(server, 'live'), ok)
    await deployment.keyServer.restart()
    await untilReady(server)

    await deployment.keyServer.stop()
    assert.deepEqual(await probe(server, 'ready'), ok, 'cached keys stay in use')
  })
})

describe('a provider', () => {
  it('is not ready while the database lacks a migration, and is ready with an additional one', async (t) => {
    const deployment = await openDeployment(t)
    const server = await deployment.openProvider()
    await untilReady(server)

    await setVersion(deployment.database, '- 1')
    await untilReady(server, false)
    await setVersion(deployment.database, '+ 1')
    await untilReady(server)
    await setVersion(deployment.database, '+ 1')
    await untilReady(server)
  })
})

describeOnce('a provider', () => {
  it('is not ready during shutdown, and still serves open connections', async (t) => {
    const deployment = await openDeployment(t)
    const server = await deployment.startProvider()
    await untilReady(server)
    const socket = connect(server.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write('GET /health/ready HTTP/1.1\r\n')
    // A response on another connection shows that the server has accepted the first one.
    await probe(server, 'live')

    server.child.kill('SIGTERM')
    await until(() => isRefused(server.port))
    socket.write('host: x\r\n\r\n')
    const answer = await text(socket)

    assert.match(answer, /^HTTP\/1\.1 503 /)
    assert.match(answer, /\{"status":"unavailable"\}/)
    assert.equal(await server.ended, 0)
  })

  it('accepts only GET, and has no other health endpoints', async (t) => {
    const server = await (await openDeployment(t)).openProvider()

    for (const method of ['POST', 'HEAD', 'DELETE']) {
      const answer = await send(server.port, '/health/ready', { method })
      assert.equal(answer.status, 405)
      assert.equal(answer.headers['allow'], 'GET')
    }
    assert.equal((await send(server.port, '/health')).status, 404)
    assert.equal((await send(server.port, '/health/live/x')).status, 404)
  })
})

describe('a platform', () => {
  it('is live and ready, and not ready while its database lacks a migration', async (t) => {
    const deployment = await openDeployment(t)
    const server = await deployment.openPlatform()

    assert.deepEqual(await probe(server, 'live'), ok)
    assert.deepEqual(await probe(server, 'ready'), ok)
    await setVersion(deployment.database, '- 1')
    await untilReady(server, false)
  })
})

describeOn('sqlite', 'the demo', () => {
  it('is ready on both ports', async (t) => {
    const demo = await startServer(t, ['demo'], { database: await createSmallBank(t) })
    const [provider = '', platform = ''] = demo.output().match(/http:\/\/127\.0\.0\.1:\d+/g) ?? []

    for (const address of new Set([provider, platform])) {
      assert.deepEqual(await probe({ port: Number(new URL(address).port) }, 'ready'), ok)
    }
  })
})

describeOn('postgres', 'a provider whose database becomes unreachable', () => {
  it('is not ready until the database is back', async (t) => {
    const scope = createScope(t)
    const postgres = await makePostgres({ durable: true })
    scope.after(() => postgres.remove())
    await postgres.start()
    await createDatabase(postgres.url(), { partitions: 2 })
    const deployment = await openDeployment(scope, postgres.url())
    const server = await deployment.openProvider()
    await untilReady(server)

    await postgres.stop('crash')
    await untilReady(server, false)
    assert.deepEqual(await probe(server, 'live'), ok)
    await postgres.start()
    await untilReady(server)
  })
})

describeOn('sqlite', 'readiness', () => {
  /** A server with only health endpoints, whose readiness probe is that of the test. */
  async function serve(
    t: { after(work: () => Promise<void>): void },
    probe: () => Promise<void>,
    isDegraded?: () => boolean,
  ) {
    const readiness = [
      { name: 'all', probe },
      { name: 'part', probe: async () => {}, ...(isDegraded && { isDegraded }) },
    ]
    const app = openApp('provider', { readiness })
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    t.after(() => app.close())
    return { port: Number(new URL(address).port) }
  }

  it('is probed once for concurrent requests', async (t) => {
    let probes = 0
    const server = await serve(t, async () => {
      probes += 1
    })

    const answers = await Promise.all(Array.from({ length: 100 }, () => probe(server, 'ready')))

    for (const answer of answers) assert.deepEqual(answer, ok)
    assert.ok(probes < 10, `${probes} probes`)
  })

  it('is probed every five seconds without a request, until the server closes', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    let probes = 0
    const readiness = [
      {
        name: 'all',
        probe: async () => {
          probes += 1
        },
      },
    ]
    const app = openApp('provider', { readiness })
    await app.ready()

    t.mock.timers.tick(5000)
    assert.equal(probes, 1)
    await app.close()
    t.mock.timers.tick(60_000)

    assert.equal(probes, 1)
  })

  it('is degraded, with a 200, while a probe says so, unless another probe fails', async (t) => {
    let [isFailed, isDegraded] = [false, true]
    const failing = async () => {
      if (isFailed) throw new Error('failed')
    }
    const server = await serve(t, failing, () => isDegraded)

    assert.deepEqual(await probe(server, 'ready'), { status: 200, text: '{"status":"degraded"}' })
    assert.deepEqual(await probe(server, 'live'), ok)
    isFailed = true
    await untilReady(server, false)
    isFailed = false
    isDegraded = false
    await untilReady(server)
    assert.deepEqual(await probe(server, 'ready'), ok)
  })

  it('is unavailable if the probe does not complete', async (t) => {
    const server = await serve(t, () => new Promise(() => {}))

    assert.deepEqual(await probe(server, 'ready'), unavailable)
  })

  it('is unavailable if the check fails', async (t) => {
    const server = await serve(t, async () => {
      throw new Error('secret')
    })

    assert.deepEqual(await probe(server, 'ready'), unavailable)
  })
})

async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const outcome = await Promise.race([
    once(socket, 'connect').then(() => false),
    once(socket, 'error').then(() => true),
  ]).catch(() => true)
  socket.destroy()
  return outcome
}
