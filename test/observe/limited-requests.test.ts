import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { PasscodeLimit, RequestLimit } from '../../src/contract/request-limits.ts'
import type { TrafficLimit } from '../../src/contract/traffic-limits.ts'
import { type Deployment, openDeployment } from '../support/deployment.ts'
import { describeOnce, type Scope } from '../support/engines.ts'
import type { LocalServer } from '../support/local-server.ts'
import { accountsPath } from '../support/small-bank.ts'
import { until } from '../support/until.ts'
import { openUpstream, respondJson } from '../support/upstream.ts'
import { sampleValue, scrape } from './scrape.ts'

const flags = { 'metrics-port': '0' }

interface Limited {
  readonly server: LocalServer
  /** Sends a request. One of the first `count` is over the limit. */
  send(): Promise<Response>
  readonly count: number
}

/** A request with wrong credentials of an API client. The correct ones are always accepted. */
function authenticate(server: LocalServer, path: string, clientId: string): Promise<Response> {
  return fetch(server.address + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: clientId, client_secret: 'x'.repeat(43) }),
  })
}

async function openStreams({ addClient, openPlatform }: Deployment): Promise<Limited> {
  const server = await openPlatform(flags)
  const { id, secret } = await addClient('operators', 'operations.read')
  const issued = await fetch(`${server.address}/v1/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: id, client_secret: secret }),
  })
  const { token } = (await issued.json()) as { readonly token: string }
  const headers = { authorization: `Bearer ${token}` }
  return {
    server,
    count: 33,
    send: () => fetch(`${server.address}/v1/metrics/stream`, { headers }),
  }
}

type OtherLimit = Exclude<RequestLimit, PasscodeLimit | TrafficLimit>

/** All but those of consent, whose tests are beside it. */
const limits: Record<OtherLimit, (scope: Scope, deployment: Deployment) => Promise<Limited>> = {
  async customer_per_minute(_scope, { openProvider, ask }) {
    const server = await openProvider({ ...flags, 'customer-requests-per-minute': '1' })
    return { server, count: 2, send: () => ask(server, accountsPath) }
  },
  async requests_per_second(_scope, { openProvider, ask }) {
    const server = await openProvider({ ...flags, 'provider-requests-per-second': '1' })
    return { server, count: 50, send: () => ask(server, accountsPath) }
  },
  async wrong_secrets_of_client(_scope, { openPlatform }) {
    const server = await openPlatform(flags)
    return { server, count: 11, send: () => authenticate(server, '/v1/token', 'one') }
  },
  async wrong_secrets_by_address(_scope, { openIntake }) {
    const server = await openIntake(flags)
    let clients = 0
    const send = () => authenticate(server, '/v1/token', `client-${clients++}`)
    return { server, count: 200, send }
  },
  metric_streams: (_scope, deployment) => openStreams(deployment),
  async upstream(scope, { openGuard, ask }) {
    const body = '{"error":"Too many requests: over the limit upstream"}'
    const upstream = await openUpstream(scope, (response, request) => {
      response.setHeader('retry-after', '7')
      respondJson(body, 429)(response, request)
    })
    const server = await openGuard({ ...flags, upstream: upstream.address })
    return { server, count: 1, send: () => ask(server, accountsPath) }
  },
}

describeOnce('a response 429', () => {
  for (const [limit, open] of Object.entries(limits)) {
    it(`names the limit ${limit} in the body, the log and the metric`, async (t) => {
      const { server, send, count } = await open(t, await openDeployment(t))
      const answers = await Promise.all(Array.from({ length: count }, send))

      const limited = answers.filter(({ status }) => status === 429)
      assert.ok(limited.length > 0)
      for (const answer of limited) {
        assert.deepEqual(await answer.json(), {
          error: `Too many requests: over the limit ${limit}`,
        })
        assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
      }
      const readLimits = () =>
        server.log().flatMap(({ status, limit: named }) => (status === 429 ? [named] : []))
      // A line is written after the response.
      await until(() => readLimits().length === limited.length)
      assert.deepEqual(
        readLimits(),
        limited.map(() => limit),
      )
      const value = sampleValue(await scrape(server), 'holdfast_limited_requests_total', { limit })
      assert.equal(value, limited.length)
    })
  }
})
