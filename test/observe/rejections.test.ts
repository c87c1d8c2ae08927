import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { errorClauses, overloadClause, RejectionList } from '../../src/contract/index.ts'
import { rejectionTable } from '../../src/contract/rejection-reasons.ts'
import { validator } from '../../src/contract/validate.ts'
import { nodeHttp } from '../../src/http/node-http.ts'
import { openRejectionLog } from '../../src/server/observe/rejection-log.ts'
import { settingNames, variableName } from '../../src/server/settings/settings.ts'
import { type Deployment, openDeployment } from '../support/deployment.ts'
import { describe, describeOnce, type Scope } from '../support/engines.ts'
import { findEvent, readEvents } from '../support/event-stream.ts'
import { type Answer, send } from '../support/http.ts'
import { requestToken } from '../support/platform.ts'
import { accountsPath } from '../support/small-bank.ts'
import { until } from '../support/until.ts'

const withMetrics = { 'metrics-port': '0', 'log-level': 'info' }
const isList = validator(RejectionList)

/** Sends requests to a platform with the scope operations.read. */
async function openCaller(deployment: Deployment, port: number) {
  const client = await deployment.addClient('operator', 'operations.read')
  const token = await requestToken(port, client)
  const headers = { authorization: `Bearer ${token}` }
  const list = async (path = ''): Promise<Answer> => {
    const answer = await send(port, `/v1/rejections${path}`, { headers })
    assert.equal(answer.status, 200, answer.text)
    return answer
  }
  return { token, list, stream: `http://127.0.0.1:${port}/v1/metrics/stream` }
}

/** Sends a request with its own interaction id. */
async function reject(
  port: number,
  path: string,
  authorization?: string,
  userAgent = 'other',
): Promise<string> {
  const id = randomUUID()
  const headers = {
    'x-fapi-interaction-id': id,
    'user-agent': userAgent,
    ...(authorization && { authorization }),
  }
  const { status } = await send(port, path, { headers })
  assert.ok(status >= 400)
  return id
}

describe('the rejected requests', () => {
  it('are found by interaction id and by reason, with the clause and the setting', async (t) => {
    const deployment = await openDeployment(t)
    const provider = await deployment.openProvider(withMetrics)
    const platform = await deployment.openPlatform({
      ...withMetrics,
      'provider-metrics-url': provider.metrics,
    })
    const { list } = await openCaller(deployment, platform.port)
    const token = deployment.mint(accountsPath, { aud: 'https://elsewhere.example' })
    const audience = await reject(provider.port, accountsPath, `Bearer ${token}`)
    const missing = '/v1/banking/customer/ana.silva@example.com/accounts'
    const unknown = await reject(provider.port, missing, `Bearer ${deployment.mint(missing)}`)
    const scope = await reject(platform.port, '/v1/data-provider/cdr/product-drafts')

    const { body } = await list()
    const byId = await list(`/${audience.toUpperCase()}`)
    const byReason = await list('?reason=Customer%20not%20found')

    assert.deepEqual(isList.problems(body), [])
    assert.deepEqual(
      body.data.map(({ interactionId }: { interactionId: string }) => interactionId),
      [scope, unknown, audience],
    )
    const [found] = byId.body.data
    assert.match(found.time, /^20/)
    assert.deepEqual(byId.body.data, [
      {
        time: found.time,
        interactionId: audience,
        role: 'provider',
        operation: 'B1',
        status: 401,
        code: 'unauthorized',
        reason: 'aud',
        clause: rejectionTable.aud.clause,
        setting: 'HOLDFAST_PROVIDER_URL',
      },
    ])
    assert.deepEqual(
      byReason.body.data.map((each: typeof found) => [each.interactionId, each.clause]),
      [[unknown, errorClauses.customer_not_found?.clause]],
    )
    assert.deepEqual(
      byReason.body.reasons.map((each: typeof found) => [each.reason, each.count]),
      [['Customer not found', 1]],
    )
    assert.deepEqual(body.sources.slice(0, 2), [
      { role: 'provider', state: 'ok' },
      { role: 'platform', state: 'ok' },
    ])
    assert.equal(body.sources[2].setting, 'HOLDFAST_INTAKE_METRICS_URL')
    assert.deepEqual((await list(`/${randomUUID()}`)).body.data, [])
    assert.doesNotMatch(JSON.stringify(body), /ana.silva|elsewhere|customer\//)
  })
})

describeOnce('the rejected requests', () => {
  it('name the console and checks, and can be listed without them', async (t) => {
    const deployment = await openDeployment(t)
    const provider = await deployment.openProvider(withMetrics)
    const platform = await deployment.openPlatform({
      ...withMetrics,
      'provider-metrics-url': provider.metrics,
    })
    const { list } = await openCaller(deployment, platform.port)
    const other = await reject(provider.port, accountsPath)
    const check = await reject(provider.port, accountsPath, undefined, 'holdfast-check')
    const call = await reject(provider.port, accountsPath, undefined, 'holdfast-console')
    const page = await reject(platform.port, '/console/assets/nothing.js')

    const all = (await list()).body
    const others = (await list('?tools=false')).body

    assert.deepEqual(isList.problems(all), [])
    assert.deepEqual(
      all.data.map(({ interactionId, tool }: Record<string, string>) => [interactionId, tool]),
      [
        [page, 'console'],
        [call, 'console'],
        [check, 'check'],
        [other, undefined],
      ],
    )
    assert.equal(all.reasons.length, 4)
    assert.deepEqual(
      others.data.map(({ interactionId }: Record<string, string>) => interactionId),
      [other],
    )
    assert.deepEqual(
      others.reasons.map(({ reason, count }: Record<string, unknown>) => [reason, count]),
      [['no token', 1]],
    )
  })

  it('include requests that cannot be parsed', async (t) => {
    const deployment = await openDeployment(t)
    const server = await deployment.openPlatform(withMetrics)
    const { list } = await openCaller(deployment, server.port)
    const large = { cookie: 'x'.repeat(20_000) }
    assert.equal((await send(server.port, '/', { headers: large })).status, 431)
    await reject(server.port, '/nowhere')

    const { body } = await list()

    assert.deepEqual(
      body.data.map(({ status, operation, code }: Record<string, unknown>) => [
        status,
        operation,
        code,
      ]),
      [
        [404, 'none', 'route_not_found'],
        [431, 'none', 'headers_too_large'],
      ],
    )
    const headers = { authorization: 'Bearer x' }
    assert.equal((await send(server.port, '/v1/rejections', { headers })).status, 401)
    const { port } = new URL(server.metrics)
    assert.equal((await send(Number(port), '/rejections', { method: 'POST' })).status, 405)
    assert.equal((await send(Number(port), '/rejectionsx')).status, 404)
  })

  it('are kept for an hour, up to 2000', () => {
    let now = 0
    const log = openRejectionLog(() => now)
    const entry = { role: 'provider', interactionId: 'x', operation: 'B1', status: 401 } as const
    for (let count = 0; count < 2500; count += 1) {
      log.record({ ...entry, time: count, reason: count < 600 ? 'iss' : 'aud' })
    }

    const { rejections, reasons } = log.report()
    now = 60 * 60_000 + 1000

    assert.deepEqual([rejections.length, rejections[0]?.time], [100, 2499])
    assert.deepEqual(
      reasons.map(({ reason, count }) => [reason, count]),
      [
        ['aud', 1900],
        ['iss', 100],
      ],
    )
    assert.equal(log.entries().length, 1500)
  })

  it('name only settings that exist', () => {
    const variables = new Set(settingNames.map(variableName))
    const named = [
      ...Object.values(rejectionTable),
      ...Object.values(errorClauses),
      overloadClause,
    ].flatMap((row) => ('setting' in row && row.setting) || [])

    assert.ok(named.length > 3)
    assert.deepEqual(
      named.filter((name) => !variables.has(name)),
      [],
    )
  })
})

describeOnce('a platform without metrics', () => {
  it('names the settings that turn them on', async (t) => {
    const deployment = await openDeployment(t)
    const platform = await deployment.openPlatform()
    const { list, stream, token } = await openCaller(deployment, platform.port)
    await reject(platform.port, '/nowhere')

    const { data } = await findEvent(readEvents(stream, token), () => true)
    const { body } = await list()

    const problem = 'its metrics are not configured'
    const sources = [
      { role: 'provider', state: 'off', problem, setting: 'HOLDFAST_PROVIDER_METRICS_URL' },
      { role: 'platform', state: 'off', problem, setting: 'HOLDFAST_METRICS_PORT' },
      { role: 'intake', state: 'off', problem, setting: 'HOLDFAST_INTAKE_METRICS_URL' },
    ]
    assert.deepEqual(data.sources, sources)
    assert.deepEqual(body, { data: [], reasons: [], sources })
  })
})

/** A server in place of a provider's metrics port. */
async function openHostile(scope: Scope, respond: (response: ServerResponse) => void) {
  const server = nodeHttp.createServer((_request, response) => respond(response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  scope.after(async () => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}/metrics`
}

describeOnce('a platform whose provider’s metrics cannot be read', () => {
  const hostile: readonly [string, (response: ServerResponse) => void, RegExp][] = [
    ['respond too slowly', () => {}, /^timed out$/],
    ['are endless', (response) => void response.write('x'.repeat(9 << 20)), /^too large$/],
    ['are no metrics', (response) => void response.end('<html>}{ 1\n\0'), /no metrics of Holdfast/],
    ['fail', (response) => void response.writeHead(500).end(), /^status 500$/],
    ['redirect', (response) => void response.writeHead(302, { location: '/' }).end(), /302/],
  ]
  it('states why, and shows its own', async (t) => {
    const deployment = await openDeployment(t)
    await Promise.all(
      hostile.map(async ([name, respond, problem]) => {
        const url = await openHostile(t, respond)
        const platform = await deployment.openPlatform({
          ...withMetrics,
          'provider-metrics-url': url,
        })
        const { list, stream, token } = await openCaller(deployment, platform.port)
        // On a busy machine, each of them may take longer than allowed at first.
        const { data } = await findEvent(readEvents(stream, token), ({ data: { sources } }) =>
          problem.test(sources[0].problem),
        )

        const [source, own] = data.sources
        assert.equal(source.state, 'unreachable', name)
        assert.equal(source.setting, 'HOLDFAST_PROVIDER_METRICS_URL')
        assert.deepEqual(own, { role: 'platform', state: 'ok' })
        assert.equal((await list()).body.sources[0].state, 'unreachable', name)
      }),
    )
  })

  it('ignores what is no metric, and values that are no numbers', async (t) => {
    const deployment = await openDeployment(t)
    let count = 0
    const url = await openHostile(t, (response) => {
      count += 10
      response.end(
        [
          `holdfast_request_duration_seconds_count{operation="B1",status="200"} ${count}`,
          'holdfast_request_duration_seconds_count{operation="B2",status="200"} NaN',
          'holdfast_request_duration_seconds_bucket{operation="B1",le="x"} 5',
          `holdfast_token_rejections_total{reason="<script>\\"\\n"} ${count}`,
          'holdfast_token_rejections_total{reason="__proto__"',
          'holdfast_shed_requests_total -5',
          '__proto__ 1',
          '{}{} 1',
        ].join('\n'),
      )
    })
    const platform = await deployment.openPlatform({ ...withMetrics, 'provider-metrics-url': url })
    const { stream, token } = await openCaller(deployment, platform.port)

    const { data } = await findEvent(readEvents(stream, token), () => true)

    assert.ok(data.requests > 0)
    assert.deepEqual(
      data.rejections.map(({ reason, total }: Record<string, unknown>) => [reason, total]),
      [['<script>"\n', 10]],
    )
    assert.equal(data.shed, 0)
    assert.equal(data.latency?.p99, undefined)
  })

  it('shows them again once the provider has restarted', async (t) => {
    const deployment = await openDeployment(t)
    const provider = await deployment.openProvider(withMetrics)
    const url = provider.metrics
    const platform = await deployment.openPlatform({ ...withMetrics, 'provider-metrics-url': url })
    const { stream, token } = await openCaller(deployment, platform.port)
    const events = readEvents(stream, token)
    const next = async (state: string) => {
      for (;;) {
        const { value } = await events.next()
        if (value?.data.sources[0].state === state) return value.data
      }
    }
    await next('ok')
    await provider.close()
    const { sources } = await next('unreachable')
    await deployment.openProvider({ ...withMetrics, 'metrics-port': new URL(url).port })
    const again = await next('ok')
    await events.return(undefined)

    assert.match(sources[0].problem, /ECONNREFUSED|ECONNRESET/)
    assert.ok(again.requests < 100, 'a counter that starts again is not a negative rate')
  })
})

describeOnce('the rejected requests of a platform with two workers', () => {
  it('are those of both workers, also after one has been replaced', async (t) => {
    const deployment = await openDeployment(t)
    const platform = await deployment.startPlatform({ ...withMetrics, workers: '2' })
    const { list, stream, token } = await openCaller(deployment, platform.port)
    const ids = await Promise.all(
      Array.from({ length: 20 }, () => reject(platform.port, '/nowhere')),
    )
    const listed = async () => {
      const { body } = await list()
      return body.data.map(({ interactionId }: { interactionId: string }) => interactionId)
    }
    assert.deepEqual((await listed()).sort(), ids.sort())

    const before = platform.workers()
    process.kill(platform.pid, 'SIGUSR2')
    await until(() => platform.output().includes('all workers were replaced'))
    assert.notDeepEqual(platform.workers(), before)
    assert.deepEqual((await listed()).sort(), ids.sort())
    assert.deepEqual((await list('?reason=Resource%20not%20found')).body.reasons[0].count, 20)

    const events = readEvents(stream, token)
    const { value } = await events.next()
    assert.deepEqual(value?.data.sources[1], { role: 'platform', state: 'ok' })
    const stopped = platform.stop()
    const end = await findEvent(events, ({ event }) => event === 'end')
    assert.deepEqual(end.data, { reason: 'shutdown' })
    assert.equal(await stopped, 0)
    assert.doesNotMatch(platform.output(), /aborted/)
  })
})
