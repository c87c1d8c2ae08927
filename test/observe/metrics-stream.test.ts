import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { MetricsSample } from '../../src/contract/index.ts'
import { MetricsSample as SampleSchema } from '../../src/contract/records/monitoring.ts'
import { validator } from '../../src/contract/validate.ts'
import { createMetricsReader, openMetrics } from '../../src/server/observe/metrics.ts'
import { openMonitoring } from '../../src/server/observe/monitoring.ts'
import { describe, describeOnce, type Scope } from '../support/engines.ts'
import { findEvent, readEvents } from '../support/event-stream.ts'
import { openPlatform, type PlatformOptions } from '../support/platform.ts'
import { until } from '../support/until.ts'

const path = '/v1/metrics/stream'
const limits = { intervalMs: 10, historyMs: 60_000, lingerMs: 60_000, idleIntervalMs: 60_000 }
const isSample = validator(SampleSchema)

/** A platform that samples its own metrics a hundred times a second. */
async function openObserved(scope: Scope, options: PlatformOptions = {}) {
  const metrics = openMetrics()
  const origin = {
    roles: ['platform'] as const,
    reader: createMetricsReader(metrics),
    setting: 'HOLDFAST_METRICS_PORT',
  }
  const monitoring = openMonitoring([origin], limits)
  scope.after(async () => monitoring.close())
  const platform = await openPlatform(scope, {
    metrics,
    monitoring: async () => monitoring,
    ...options,
  })
  const client = await platform.register(['operations.read'])
  const token = await platform.issueToken(client)
  const address = `http://127.0.0.1:${platform.port}${path}`
  return { metrics, platform, client, token, address, read: () => readEvents(address, token) }
}

describe('the stream of metrics', () => {
  it('ends when its client is removed, and not before', async (t) => {
    const { platform, client, read } = await openObserved(t, { monitoringLimits: { verifyMs: 5 } })
    const events = read()
    const first = await events.next()
    assert.equal(first.value?.event, 'sample')
    await platform.unregister(client)

    const end = await findEvent(events, ({ event }) => event === 'end')

    assert.deepEqual(end.data, { reason: 'unauthorized' })
    assert.equal((await platform.send(path)).status, 401)
  })
})

describeOnce('the stream of metrics', () => {
  it('reports requests, errors, rejections and latency of each second', async (t) => {
    const { metrics, read } = await openObserved(t)
    const events = read()
    await events.next()
    for (let count = 0; count < 99; count += 1) metrics.recordRequest('P4', 200, 0.002)
    metrics.recordRequest('P4', 503, 0.3)
    metrics.recordRequest('P1', 404, 0.002)
    metrics.recordRequest('live', 200, 5)
    metrics.recordRejection('aud')
    metrics.recordRejection('aud')
    metrics.countShedRequest()
    metrics.countBatch('core', 3)

    const { data } = await findEvent(events, (each) => each.data.requests > 0)
    const sample: MetricsSample = data

    assert.deepEqual(isSample.problems(data), [])
    // The length of the interval varies, so rates are compared with each other.
    const one = sample.errors
    const times = (rate: number | undefined) => Math.round((rate ?? 0) / one)
    assert.deepEqual(sample.roles, [{ role: 'platform', rate: sample.requests }])
    assert.equal(times(sample.requests), 101)
    assert.equal(times(sample.clientErrors), 1)
    assert.equal(times(sample.shed), 1)
    assert.deepEqual(
      sample.rejections.map(({ reason, rate, total }) => [reason, times(rate), total]),
      [['aud', 2, 2]],
    )
    assert.deepEqual(
      sample.feeds.map(({ feed, batches }) => [feed, times(batches)]),
      [['core', 1]],
    )
    // Durations between 1 and 2.5 ms are in one bucket, which is divided evenly; 0.3 s is in that from 0.25 to 0.5 s.
    const { p50 = 0, p95 = 0, p99 = 0 } = sample.latency ?? {}
    assert.ok(p50 > 0.0017 && p50 < 0.0018, String(p50))
    assert.ok(p95 > 0.0024 && p95 < 0.0025, String(p95))
    assert.ok(p99 > 0.0024 && p99 < 0.0026, String(p99))
    const later = await findEvent(
      read(),
      (each) => each.data.rejections[0]?.rate === 0 && each.data.requests === 0,
    )
    assert.equal(later.data.rejections[0].total, 2)
    assert.equal('latency' in later.data, false)
  })

  it('has the figures without requests of the console and of checks', async (t) => {
    const { metrics, read } = await openObserved(t)
    const events = read()
    await events.next()
    metrics.recordRequest('P4', 200, 0.002)
    metrics.recordRequest('P4', 200, 0.3, 'console')
    metrics.recordRequest('P1', 401, 0.3, 'check')
    metrics.recordRejection('aud', 'check')
    metrics.recordRejection('iss')

    const { data } = await findEvent(events, (each) => each.data.requests > 0)
    const sample: MetricsSample = data

    assert.deepEqual(isSample.problems(data), [])
    const others = sample.others ?? assert.fail('no others')
    const times = (rate: number) => Math.round(rate / others.requests)
    assert.equal(times(sample.requests), 3)
    assert.deepEqual(
      [sample.clientErrors, others.clientErrors, others.errors].map(times),
      [1, 0, 0],
    )
    assert.deepEqual(others.roles, [{ role: 'platform', rate: others.requests }])
    assert.deepEqual(
      others.rejections.map(({ reason, total }) => [reason, total]),
      [['iss', 1]],
    )
    assert.ok((others.latency?.p99 ?? 1) < 0.0026)
    assert.ok((sample.latency?.p99 ?? 0) > 0.25)
    const later = await findEvent(read(), (each) => each.data.time > data.time)
    assert.equal('others' in later.data, false)
  })

  it('sends the earlier samples to a new client first', async (t) => {
    const { metrics, read } = await openObserved(t)
    const first = read()
    await first.next()
    metrics.recordRequest('P4', 200, 0.002)
    const { data } = await findEvent(first, (each) => each.data.requests > 0)

    const second = await read().next()
    const again = await findEvent(read(), (each) => each.data.time === data.time)

    assert.ok(second.value?.data.time < data.time)
    assert.deepEqual(again.data, data)
  })

  it('has samples of the time before its first client, and none without metrics', async (t) => {
    const metrics = openMetrics()
    const idle = { ...limits, idleIntervalMs: 10 }
    const origin = { roles: ['platform'] as const, setting: 'HOLDFAST_METRICS_PORT' }
    const own = createMetricsReader(metrics)
    let reads = 0
    const reader: typeof own = {
      ...own,
      text(names) {
        reads += 1
        return own.text(names)
      },
    }
    const monitoring = openMonitoring([{ ...origin, reader }], idle)
    const unread = openMonitoring([{ ...origin, reader: undefined }], idle)
    t.after(() => {
      monitoring.close()
      unread.close()
    })
    const listStored = ({ subscribe }: typeof monitoring) => {
      const stored: MetricsSample[] = []
      const unsubscribe = subscribe((samples) =>
        stored.push(...samples.map((sample) => JSON.parse(sample))),
      )
      unsubscribe()
      return stored
    }
    await until(() => reads > 1)
    for (let count = 0; count < 99; count += 1) metrics.recordRequest('P4', 200, 0.002)
    const readsBefore = reads
    await until(() => reads > readsBefore + 2)

    const stored = listStored(monitoring)

    const requests = stored.reduce((sum, sample) => sum + sample.requests * sample.seconds, 0)
    assert.ok(Math.abs(requests - 99) < 0.1, String(requests))
    assert.ok(stored.every(({ seconds }) => seconds > 0))
    assert.deepEqual(listStored(unread), [])
  })

  it('counts as a short request with status 200 in the log and the metrics', async (t) => {
    const { metrics, platform, read } = await openObserved(t)
    const events = read()
    for (let count = 0; count < 20; count += 1) await events.next()
    await events.return(undefined)

    const logged = () =>
      platform.log.map((line) => JSON.parse(line)).find(({ operation }) => operation === 'O2')
    await until(() => logged() !== undefined)
    const [histogram] = await metrics.snapshot(['holdfast_request_duration_seconds'])
    const statuses = Object.keys(histogram?.samples ?? {})
      .filter((sample) => sample.includes('operation="O2"'))
      .map((sample) => /status="(\d+)"/.exec(sample)?.[1])

    assert.equal(logged().status, 200)
    assert.ok(logged().durationMs < 20 * limits.intervalMs, String(logged().durationMs))
    assert.deepEqual([...new Set(statuses)], ['200'])
  })

  it('ends at once when the server shuts down', async (t) => {
    const { platform, read } = await openObserved(t)
    const events = read()
    await events.next()

    const closed = platform.close()
    const end = await findEvent(events, ({ event }) => event === 'end')
    await closed

    assert.deepEqual(end.data, { reason: 'shutdown' })
  })

  it('requires the scope operations.read, and limits the number of clients', async (t) => {
    const { platform, read, token } = await openObserved(t, { monitoringLimits: { streamsMax: 2 } })
    const authorization = (value: string) => ({ authorization: `Bearer ${value}` })
    assert.equal((await platform.get(path)).status, 401)
    assert.equal((await platform.get(path, authorization(platform.token))).status, 403)
    const open = [read(), read()]
    for (const events of open) await events.next()

    const rejected = await platform.get(path, authorization(token))
    await open[0]?.return(undefined)

    assert.equal(rejected.status, 429)
    assert.ok(rejected.headers['retry-after'])
    // The server notices the closed connection after the client did.
    await until(async () => {
      const { status } = await fetch(`http://127.0.0.1:${platform.port}${path}`, {
        headers: authorization(token),
      })
      return status === 200
    })
  })

  it('sends the latest part of a history that is larger than a client may leave unread', async (t) => {
    const lines = Array.from(
      { length: 100 },
      (_, index) => `holdfast_feed_lag_seconds{feed="${`${index}-`.padEnd(64, 'x')}"} 1\n`,
    )
    const reader = { text: async () => lines.join(''), rejections: () => assert.fail() }
    const origin = { roles: ['provider'] as const, reader, setting: '' }
    const monitoring = openMonitoring([origin], { ...limits, intervalMs: 0 })
    t.after(() => monitoring.close())
    let length = 0
    const unsubscribe = monitoring.subscribe((samples) => {
      length += samples.join('').length
    })
    await until(() => length > 4 * 1024 * 1024)
    unsubscribe()
    const { read } = await openObserved(t, { monitoring: async () => monitoring })

    const events = read()
    for (let count = 0; count < 50; count += 1) {
      assert.equal((await events.next()).value?.event, 'sample')
    }
    await events.return(undefined)
  })

  it('disconnects a client that does not read', async (t) => {
    const samples = Array.from({ length: 1000 }, () => JSON.stringify('x'.repeat(64 * 1024)))
    const { platform, token, address } = await openObserved(t, {
      monitoring: async () => ({
        subscribe(listener) {
          listener(samples)
          return () => {}
        },
        listRejections: () => assert.fail(),
      }),
    })

    const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } })

    await assert.rejects(response.arrayBuffer())
    await until(() => platform.log.some((line) => line.includes('"O2"')))
  })
})
