import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { it } from 'node:test'
import {
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import * as tracing from '../../src/server/observe/tracing.ts'
import { productWithFields } from '../catalogue/products.ts'
import { listVersion, publishedPath } from '../catalogue/published.ts'
import { openDeployment } from '../support/deployment.ts'
import { describe, describeOn, describeOnce, newDatabase, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { send } from '../support/http.ts'
import { loadInProcess } from '../support/load.ts'
import { accountsPath, balancesPath } from '../support/small-bank.ts'
import { until } from '../support/until.ts'
import { openUpstream } from '../support/upstream.ts'
import {
  createMarkedBank,
  openMarkedClient,
  sendAllOperations,
  sendInvalidRequests,
} from './marked-requests.ts'
import { openMarkers } from './markers.ts'

/** What the tests read of a span. */
interface Span {
  readonly name: string
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parent: string | undefined
  readonly attributes: Readonly<Record<string, unknown>>
  readonly status: { readonly code: number }
}

let recorded: Span[] = []
new NodeTracerProvider({
  spanProcessors: [
    new SimpleSpanProcessor({
      export(spans, done) {
        recorded.push(...spans.map(toSpan))
        done({ code: 0 })
      },
      async shutdown() {},
    }),
  ],
}).register()

function toSpan(span: ReadableSpan): Span {
  const { name, kind, parentSpanContext, attributes, status } = span
  return {
    name,
    kind,
    ...span.spanContext(),
    parent: parentSpanContext?.spanId,
    attributes,
    status,
  }
}

/** Records the spans of this process from now on. */
function recordSpans(): () => readonly Span[] {
  const spans: Span[] = []
  recorded = spans
  return () => spans
}

/** A module that registers an SDK like the guide, but with an exporter that writes to a file. */
async function createSdkModule(scope: Scope) {
  const folder = await temporaryFolder(scope)
  const [module, spans] = [join(folder, 'tracing.mjs'), join(folder, 'spans.ndjson')]
  writeFileSync(spans, '')
  writeFileSync(
    module,
    `import { appendFileSync } from 'node:fs'
     import { BatchSpanProcessor, NodeTracerProvider } from '${import.meta.resolve('@opentelemetry/sdk-trace-node')}'
     const exporter = {
       export(spans, done) {
         const lines = spans.map(({ name, attributes }) => JSON.stringify({ name, attributes }) + '\\n')
         appendFileSync(${JSON.stringify(spans)}, lines.join(''))
         done({ code: 0 })
       },
       async shutdown() {},
     }
     // So long a delay that spans are exported only at shutdown.
     const provider = new NodeTracerProvider({
       spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: 60_000 })],
     })
     provider.register()
     process.once('beforeExit', () => provider.shutdown())`,
  )
  return {
    options: { environment: { NODE_OPTIONS: `--import=${module}` } },
    text: () => readFileSync(spans, 'utf8'),
  }
}

describe('a provider with an OpenTelemetry SDK', () => {
  it('creates spans for the request, the token verification, the token use and the query, in the trace of the client', async (t) => {
    const deployment = await openDeployment(t)
    const spans = recordSpans()
    const server = await deployment.openProvider({}, tracing)
    const [trace, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
    const id = '11111111-2222-3333-4444-555555555555'

    const response = await deployment.ask(
      server,
      balancesPath,
      { traceparent: `00-${trace}-${parent}-01`, 'x-fapi-interaction-id': id },
      '{"data":{"accountIds":["a1"]}}',
    )
    assert.equal(response.status, 200)
    await until(() => spans().length >= 4)

    const byName = new Map(spans().map((span) => [span.name, span]))
    const route = '/v1/banking/customer/{customerId}/accounts/balances'
    const request = byName.get(`POST ${route}`)
    assert.deepEqual(
      new Set(byName.keys()),
      new Set([`POST ${route}`, 'verify token', 'record token use', 'query']),
    )
    assert.deepEqual(request?.attributes, {
      'http.request.method': 'POST',
      'http.route': route,
      'http.response.status_code': 200,
      'holdfast.operation': 'B2',
      'holdfast.interaction_id': id,
    })
    assert.deepEqual([request?.kind, request?.parent], [1, parent])
    assert.equal(byName.get('verify token')?.parent, request?.spanId)
    assert.equal(byName.get('record token use')?.parent, byName.get('verify token')?.spanId)
    assert.equal(byName.get('query')?.parent, request?.spanId)
    assert.equal(byName.get('query')?.attributes['holdfast.query'], 'listBalances')
    for (const { traceId } of spans()) assert.equal(traceId, trace)
  })
})

describeOnce('a guard with an SDK of OpenTelemetry', () => {
  it('creates a span for the call of the upstream, which continues it', async (t) => {
    const upstream = await openUpstream(t)
    const deployment = await openDeployment(t)
    const spans = recordSpans()
    const server = await deployment.openGuard({ upstream: upstream.address }, tracing)
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736'

    await deployment.ask(server, accountsPath, {
      traceparent: `00-${trace}-00f067aa0ba902b7-01`,
      tracestate: 'vendor=1',
    })
    await until(() => spans().length >= 4)

    const byName = new Map(spans().map((span) => [span.name, span]))
    const call = byName.get('call upstream')
    const request = byName.get('GET /v1/banking/customer/{customerId}/accounts')
    assert.equal(call?.parent, request?.spanId)
    const [received] = upstream.requests
    assert.equal(received?.headers['traceparent'], `00-${trace}-${call?.spanId}-01`)
    assert.equal(received?.headers['tracestate'], 'vendor=1')
  })
})

describeOnce('a provider with an SDK of OpenTelemetry', () => {
  it('starts a trace for each request without one', async (t) => {
    const deployment = await openDeployment(t)
    const spans = recordSpans()
    const server = await deployment.openProvider({}, tracing)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.after(async () => agent.destroy())
    for (let count = 0; count < 2; count += 1) {
      const headers = ['authorization', `Bearer ${deployment.mint(accountsPath)}`]
      assert.equal((await send(server.port, accountsPath, { headers, agent })).status, 200)
    }
    await until(() => spans().length >= 8)

    const requests = spans().filter(({ kind }) => kind === 1)
    assert.equal(requests.length, 2)
    assert.equal(new Set(requests.map(({ traceId }) => traceId)).size, 2)
    for (const { traceId, parent } of requests) {
      assert.equal(parent, undefined)
      assert.equal(spans().filter((span) => span.traceId === traceId).length, 4)
    }
  })

  it('records the type of an error, and marks server errors as failed', async (t) => {
    const deployment = await openDeployment(t)
    await deployment.keyServer.stop()
    const spans = recordSpans()
    const server = await deployment.openProvider({}, tracing)

    assert.equal((await deployment.ask(server, accountsPath)).status, 503)
    assert.equal((await send(server.port, accountsPath)).status, 401)
    assert.equal((await send(server.port, '/nowhere/secret')).status, 404)
    assert.equal((await send(server.port, '/health/live')).status, 200)
    await until(() => spans().filter(({ kind }) => kind === 1).length >= 3)

    const requests = spans().filter(({ kind }) => kind === 1)
    assert.deepEqual(
      requests.map(({ attributes, status }) => [
        attributes['http.response.status_code'],
        status.code,
      ]),
      [
        [503, 2],
        [401, 0],
        [404, 0],
      ],
    )
    assert.deepEqual(
      spans()
        .filter(({ name }) => name === 'verify token')
        .map(({ attributes }) => attributes['error.type']),
      ['ContractError', 'TokenRejected'],
    )
  })

  it('puts nothing of requests or stored data into spans', async (t) => {
    const markers = openMarkers()
    const bank = createMarkedBank(markers)
    const database = await newDatabase(t)
    await loadInProcess(database, bank.lines, Temporal.Now.instant().toString())
    const deployment = await openDeployment(t, database)
    const { options, text } = await createSdkModule(t)
    const server = await deployment.startProvider({ 'log-level': 'trace' }, options)
    const { send, sent } = openMarkedClient(deployment, server, markers)

    await sendAllOperations(bank, send)
    await sendInvalidRequests(bank, deployment, markers, send)
    assert.equal(await server.stop(), 0)

    assert.deepEqual(
      sent.filter((id) => !text().includes(id)),
      [],
    )
    markers.assertNoneIn(text())
    markers.assertNoneIn(server.output())
  })
})

describe('a platform with an OpenTelemetry SDK', () => {
  it('creates spans for its requests and queries', async (t) => {
    const spans = recordSpans()
    const server = await (await openDeployment(t)).openPlatform({}, tracing)

    assert.equal((await send(server.port, '/.well-known/jwks.json')).status, 200)
    await until(() => spans().length >= 2)

    const [query, request] = spans()
    assert.deepEqual([query?.name, request?.name], ['query', 'GET /.well-known/jwks.json'])
    assert.equal(query?.parent, request?.spanId)
  })

  it('lists the published products, with a span for each query', async (t) => {
    const database = await newDatabase(t)
    const record = { product_id: 'p1', ...productWithFields({ name: 'Saver' }) }
    await loadInProcess(database, [{ type: 'product', record }])
    const deployment = await openDeployment(t, database)
    const spans = recordSpans()
    const server = await deployment.openPlatform({}, tracing)

    const answer = await send(server.port, publishedPath, { headers: listVersion })

    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.data.products[0].name, 'Saver')
    const queries = () => spans().flatMap(({ attributes }) => attributes['holdfast.query'] ?? [])
    await until(() => queries().length >= 3)
    assert.deepEqual(queries(), ['readChangeMark', 'listVersions', 'readRecords'])
  })
})

describeOn('sqlite', 'a provider', () => {
  it('serves without the OpenTelemetry API', async (t) => {
    const module = join(await temporaryFolder(t), 'without-api.mjs')
    writeFileSync(
      module,
      `import { registerHooks } from 'node:module'
       registerHooks({
         resolve(specifier, context, next) {
           if (!specifier.startsWith('@opentelemetry/')) return next(specifier, context)
           throw Object.assign(new Error('not installed'), { code: 'ERR_MODULE_NOT_FOUND' })
         },
       })`,
    )
    const deployment = await openDeployment(t)
    const server = await deployment.startProvider({}, { nodeFlags: ['--import', module] })

    assert.equal((await deployment.ask(server, accountsPath)).status, 200)
    assert.equal(await server.stop(), 0)
  })
})
