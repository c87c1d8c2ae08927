import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { it } from 'node:test'
import { loadMetrics, serverMetrics } from '../../src/server/observe/metric-definitions.ts'
import { openDeployment } from '../support/deployment.ts'
import {
  currentEngine,
  currentLayout,
  describe,
  describeOn,
  describeOnce,
  describeOnLayouts,
  newDatabase,
} from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { send } from '../support/http.ts'
import { requestToken } from '../support/platform.ts'
import { runInProcess } from '../support/process.ts'
import { accountsPath, balancesPath } from '../support/small-bank.ts'
import { publicUrl, subdomain } from '../support/tokens.ts'
import { until } from '../support/until.ts'
import { openUpstream } from '../support/upstream.ts'
import { parseSamples, sampleValue, scrape } from './scrape.ts'

const withMetrics = { 'metrics-port': '0', 'log-level': 'silent' }
const requests = 'holdfast_request_duration_seconds'

describeOnce('the metrics of a provider', () => {
  it('count requests and their duration by operation and status', async (t) => {
    const deployment = await openDeployment(t)
    const server = await deployment.openProvider(withMetrics)
    for (let count = 0; count < 3; count += 1) await deployment.ask(server, accountsPath)
    await deployment.ask(server, balancesPath, {}, '{"data":{"accountIds":["a1"]}}')
    await deployment.ask(server, '/v1/banking/customer/missing/accounts')
    await send(server.port, '/nowhere')
    await send(server.port, '/health/live')

    const samples = await scrape(server)
    const count = (operation: string, status: string) =>
      sampleValue(samples, `${requests}_count`, { operation, status })

    assert.equal(count('B1', '200'), 3)
    assert.equal(count('B1', '404'), 1)
    assert.equal(count('B2', '200'), 1)
    assert.equal(count('none', '404'), 1)
    assert.equal(count('live', '200'), 1)
    const buckets = samples
      .filter(({ name, labels }) => name === `${requests}_bucket` && labels['status'] === '404')
      .filter(({ labels }) => labels['operation'] === 'B1')
    assert.deepEqual(
      buckets.map(({ labels }) => labels['le']),
      [
        '0.001',
        '0.0025',
        '0.005',
        '0.01',
        '0.025',
        '0.05',
        '0.1',
        '0.25',
        '0.5',
        '1',
        '1.5',
        '4',
        '6',
        '+Inf',
      ],
    )
    assert.equal(buckets.at(-1)?.value, 1)
    const seconds = sampleValue(samples, `${requests}_sum`, { operation: 'B1', status: '200' }) ?? 0
    assert.ok(seconds > 0 && seconds < 30, String(seconds))
  })

  it('count a client that closes the connection before the response as 499', async (t) => {
    const deployment = await openDeployment(t)
    const server = await deployment.openProvider(withMetrics)
    const aborting = new AbortController()
    // The fetch of the unknown key does not complete, so the request does not either.
    deployment.keyServer.respondWith(() => aborting.abort())
    const token = deployment.mint(accountsPath, {}, { kid: 'not-yet' })

    await assert.rejects(
      fetch(server.address + accountsPath, {
        headers: { authorization: `Bearer ${token}` },
        signal: aborting.signal,
      }),
    )

    await until(
      async () =>
        sampleValue(await scrape(server), `${requests}_count`, {
          operation: 'B1',
          status: '499',
        }) === 1,
    )
    const { rejections } = JSON.parse(
      await (await fetch(new URL('/rejections', server.metrics))).text(),
    )
    assert.equal(rejections[0].reason, 'the client closed the connection')
  })

  it('count rejected tokens by reason, and replayed tokens', async (t) => {
    const deployment = await openDeployment(t)
    const server = await deployment.openProvider(withMetrics)
    const token = deployment.mint(accountsPath)
    const ask = (authorization: string) =>
      send(server.port, accountsPath, { headers: ['authorization', authorization] })
    await ask(`Bearer ${token}`)
    for (let count = 0; count < 2; count += 1) await ask(`Bearer ${token}`)
    await ask(`Bearer ${deployment.mint(accountsPath, { aud: 'x' })}`)
    await ask(`Bearer ${deployment.mint(accountsPath, {}, { kid: 'sender@example.com' })}`)
    await ask('Basic x')
    await send(server.port, accountsPath)

    const samples = await scrape(server)
    const rejections = samples.filter(({ name }) => name === 'holdfast_token_rejections_total')

    assert.deepEqual(
      Object.fromEntries(
        rejections
          .filter(({ value }) => value > 0)
          .map(({ labels, value }) => [labels['reason'], value]),
      ),
      {
        'no token': 1,
        'not a bearer token': 1,
        aud: 1,
        'unknown key': 1,
        'jti was used before': 2,
      },
    )
    assert.equal(sampleValue(samples, 'holdfast_token_replays_total'), 2)
    assert.equal(
      rejections.length,
      serverMetrics.holdfast_token_rejections_total.labels.reason.length,
      'all reasons are present from the start',
    )
  })

  it('include the age of the keys and the number of fetches', async (t) => {
    const deployment = await openDeployment(t)
    await deployment.keyServer.stop()
    const server = await deployment.openProvider(withMetrics)
    assert.equal(sampleValue(await scrape(server), 'holdfast_key_set_age_seconds'), undefined)

    await send(server.port, '/health/ready')
    await deployment.keyServer.restart()
    await until(async () => (await send(server.port, '/health/ready')).status === 200)

    const samples = await scrape(server)
    const fetches = (outcome: string) =>
      sampleValue(samples, 'holdfast_key_set_fetches_total', { outcome }) ?? 0
    assert.equal(fetches('fetched'), 1)
    assert.ok(fetches('failed') >= 1)
    const age = sampleValue(samples, 'holdfast_key_set_age_seconds') ?? -1
    assert.ok(age >= 0 && age < 60, String(age))
  })
})

describe('the metrics of a provider', () => {
  it('include connections, event loop lag, memory and CPU time', async (t) => {
    const deployment = await openDeployment(t)
    const server = await deployment.openProvider(withMetrics)
    await deployment.ask(server, accountsPath)

    const samples = await scrape(server)
    const connections = (pool: string) =>
      sampleValue(samples, 'holdfast_database_connections', { pool })

    if (currentEngine() === 'postgres') {
      for (const pool of ['read', 'write']) {
        assert.ok((connections(pool) ?? 0) >= 1, pool)
        assert.equal(sampleValue(samples, 'holdfast_database_pending_requests', { pool }), 0)
      }
    } else {
      assert.equal(connections('read'), undefined)
    }
    assert.ok((sampleValue(samples, 'process_resident_memory_bytes') ?? 0) > 10_000_000)
    assert.ok((sampleValue(samples, 'process_cpu_seconds_total') ?? 0) > 0)
    assert.equal(sampleValue(samples, 'holdfast_workers'), 1)
    const lag = sampleValue(samples, 'holdfast_event_loop_lag_seconds', { percentile: '100' }) ?? -1
    assert.ok(lag >= 0 && lag < 10, String(lag))
  })
})

describeOnce('the metrics of a provider with two workers', () => {
  it('are aggregated over both workers, and do not decrease when one is killed', async (t) => {
    const deployment = await openDeployment(t)
    const server = await deployment.startProvider({
      ...withMetrics,
      workers: '2',
      'log-level': 'warn',
    })
    const count = 60
    // Each on a new connection, so that every worker gets some.
    const ask = async () => {
      const headers = ['authorization', `Bearer ${deployment.mint(accountsPath)}`]
      assert.equal((await send(server.port, accountsPath, { headers })).status, 200)
    }
    const requestCount = async () =>
      sampleValue(await scrape(server), `${requests}_count`, { operation: 'B1' })
    await Promise.all(Array.from({ length: count }, ask))

    const before = await scrape(server)
    assert.equal(sampleValue(before, `${requests}_count`, { operation: 'B1' }), count)
    assert.equal(sampleValue(before, `${requests}_bucket`, { operation: 'B1', le: '+Inf' }), count)
    assert.equal(sampleValue(before, 'holdfast_workers'), 2)

    const [killed = 0] = server.workers()
    process.kill(killed, 'SIGKILL')
    await until(() => server.output().includes(`"pid":${killed},`))
    assert.equal(await requestCount(), count)
    await until(async () => sampleValue(await scrape(server), 'holdfast_workers') === 2)
    await ask()
    assert.equal(await requestCount(), count + 1)
  })

  it('can be read by as many clients at once as the port accepts', async (t) => {
    const deployment = await openDeployment(t)
    const server = await deployment.startProvider({ ...withMetrics, workers: '2' })
    const port = Number(new URL(server.metrics).port)
    // Those who ask for the same metrics share their collection.
    const paths = Array.from({ length: 16 }, (_, index) => `/metrics?name=other${index}`)

    const answers = await Promise.all(paths.map((path) => send(port, path)))

    assert.ok(answers.every(({ status }) => status === 200))
    assert.equal(server.stderr(), '')
  })
})

describeOnce('the metrics of a platform', () => {
  it('count its requests', async (t) => {
    const server = await (await openDeployment(t)).openPlatform(withMetrics)
    await send(server.port, '/.well-known/jwks.json')

    assert.equal(
      sampleValue(await scrape(server), `${requests}_count`, { operation: 'T2', status: '200' }),
      1,
    )
  })
})

describeOn('sqlite', 'the metrics port', () => {
  it('is closed unless it is configured', async (t) => {
    const server = await (await openDeployment(t)).openProvider()

    assert.equal(server.metrics, '')
    assert.doesNotMatch(server.output(), /metrics/)
    assert.equal((await send(server.port, '/metrics')).status, 404)
  })

  it('serves only metrics', async (t) => {
    const server = await (await openDeployment(t)).openProvider(withMetrics)
    const port = Number(new URL(server.metrics).port)

    assert.equal(new URL(server.metrics).hostname, '127.0.0.1')
    assert.notEqual(port, server.port)
    assert.equal((await send(port, '/')).status, 404)
    assert.equal((await send(port, '/health/ready')).status, 404)
    assert.equal((await send(port, accountsPath)).status, 404)
    assert.equal((await send(port, '/metrics', { method: 'POST' })).status, 405)
    assert.equal((await send(server.port, '/metrics')).status, 404)
  })

  for (const workers of ['1', '2']) {
    it(`is reported if it is already in use, with ${workers} worker(s)`, async (t) => {
      const other = createServer().listen(0, '127.0.0.1')
      t.after(() => void other.close())
      await once(other, 'listening')
      const { port } = other.address() as AddressInfo
      const flags = {
        database: await newDatabase(t),
        subdomain,
        workers,
        port: '0',
        'jwks-url': 'http://127.0.0.1:1/',
        'provider-url': publicUrl,
        'metrics-port': String(port),
      }
      const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])

      const { status, stderr, stdout } = await runInProcess(['serve', 'provider', ...args])

      assert.deepEqual([status, stdout], [1, ''])
      assert.equal(stderr, `port ${port} is already in use: choose another with --metrics-port\n`)
    })
  }
})

describeOnLayouts('the dashboard', () => {
  it('uses only metrics and labels that exist', async (t) => {
    const deployment = await openDeployment(t)
    const server = await deployment.openProvider(withMetrics)
    await deployment.ask(server, accountsPath)
    const folder = await temporaryFolder(t)
    const [lines, file] = [join(folder, 'lines.ndjson'), join(folder, 'load.prom')]
    writeFileSync(lines, '')
    await runInProcess(['load', lines, '--database', deployment.database, '--metrics-file', file])
    await send(server.port, '/health/ready')
    const intake = await deployment.openIntake(withMetrics)
    const token = await requestToken(intake.port, await deployment.addClient('core', 'data.write'))
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/x-ndjson',
    }
    for (const body of ['{}', '']) {
      await send(intake.port, '/v1/feeds/core/batches/1', { method: 'PUT', headers, body })
    }
    await runInProcess(['keys', 'add', '--database', deployment.database])
    const platform = await deployment.openPlatform({
      ...withMetrics,
      subdomain,
      'provider-url': server.address,
      'passcode-url': server.address,
      issuer: 'http://127.0.0.1:1',
    })
    const upstream = await openUpstream(t)
    const guard = await deployment.openGuard({ ...withMetrics, upstream: upstream.address })
    await deployment.ask(guard, accountsPath)
    await until(async () =>
      (await scrape(guard)).some(
        ({ name }) => name === 'holdfast_upstream_checked_responses_total',
      ),
    )
    const samples = [
      ...(await scrape(server)),
      ...(await scrape(guard)),
      ...(await scrape(intake)),
      ...(await scrape(platform)),
      ...parseSamples(readFileSync(file, 'utf8')),
    ]
    const dashboard = readFileSync(
      new URL('../../docs/grafana/holdfast.json', import.meta.url),
      'utf8',
    )

    const expressions = expressionsIn(JSON.parse(dashboard))
    const names = new Set(
      expressions.flatMap((text) => text.match(/\b(holdfast|process)_\w+/g) ?? []),
    )
    const selected = expressions.flatMap((text) => [
      ...text.matchAll(/\b((?:holdfast|process)_\w+)\{([^}]*)\}/g),
    ])

    const isMissing = (name: string) =>
      currentLayout() !== 'citus' && name === 'holdfast_data_node_up'
    for (const name of names) {
      if (!isMissing(name)) assert.notEqual(sampleValue(samples, name), undefined, name)
    }
    for (const [, name = '', labels = ''] of selected) {
      const existing = samples.find((sample) => sample.name === name)?.labels ?? {}
      for (const [, key = ''] of labels.matchAll(/(\w+)[=!]/g)) {
        // Added by Prometheus.
        assert.ok(key === 'job' || key === 'instance' || key in existing, `${name} has no ${key}`)
      }
    }
    const declared = Object.keys({ ...serverMetrics, ...loadMetrics })
    const shown = (metric: string) => [...names].some((name) => name.startsWith(metric))
    assert.deepEqual(
      declared.filter((metric) => !shown(metric)),
      [
        'holdfast_disclosure_record_head',
        'holdfast_disclosure_record_digest',
        'holdfast_load_start_time_seconds',
      ],
      'the dashboard shows every other metric',
    )
  })
})

describeOn('sqlite', 'the guide', () => {
  it('names metrics that exist', () => {
    const guide = readFileSync(new URL('../../docs/guides/observe.md', import.meta.url), 'utf8')
    const named = guide.match(/\bholdfast_\w+/g) ?? []
    const declared = new Set(Object.keys({ ...serverMetrics, ...loadMetrics }))

    assert.ok(named.length > 0)
    assert.deepEqual(
      named.filter((name) => !declared.has(name)),
      [],
    )
  })
})

/** Every query of a dashboard. */
function expressionsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, value]) =>
    (key === 'expr' || key === 'definition') && typeof value === 'string'
      ? [value]
      : expressionsIn(value),
  )
}
