import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { openDatabaseFile } from '../support/database-file.ts'
import { type Deployment, openDeployment } from '../support/deployment.ts'
import {
  currentEngine,
  describe,
  describeOnce,
  newDatabase,
  runSql,
  type Scope,
  shareOnEachEngine,
} from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { send } from '../support/http.ts'
import { loadInProcess } from '../support/load.ts'
import { type Flags, runInProcess, type Server } from '../support/process.ts'
import { until } from '../support/until.ts'
import {
  type Bank,
  createMarkedBank,
  openMarkedClient,
  sendAllOperations,
  sendInvalidRequests,
  sendMalformedRequests,
} from './marked-requests.ts'
import { openMarkers } from './markers.ts'

/** Renames a table, so that requests that need it fail with an unexpected error. */
async function breakDatabase(database: string): Promise<void> {
  const sql = 'alter table balance rename to elsewhere'
  if (currentEngine() === 'postgres') return void (await runSql(sql, database))
  const file = openDatabaseFile(database)
  file.exec(sql)
  file.close()
}

/** A server in this process or another. */
type Observed = Pick<Server, 'port' | 'metrics' | 'log' | 'output'>

async function assertNothingPrinted(
  t: TestContext,
  open: (deployment: Deployment, flags: Flags) => Promise<[Observed, () => Promise<void>]>,
): Promise<void> {
  const markers = openMarkers()
  const bank = createMarkedBank(markers)
  const deployment = await openDeployment(t, await loadBank(t, bank))
  const [server, stop] = await open(deployment, { 'log-level': 'trace', 'metrics-port': '0' })
  const { send, sent } = openMarkedClient(deployment, server, markers)

  const answered = await sendAllOperations(bank, send)
  const statuses = await sendInvalidRequests(bank, deployment, markers, send)
  await sendMalformedRequests(server, markers)
  await breakDatabase(deployment.database)
  const balances = `/v1/banking/customer/${bank.customerId}/accounts/balances`
  const body = JSON.stringify({ data: { accountIds: [bank.bankingId] } })
  assert.equal((await send(balances, { method: 'POST', body })).status, 500)
  const metrics = await (await fetch(server.metrics)).text()
  const rejections = await (await fetch(new URL('/rejections', server.metrics))).text()
  await stop()

  assert.ok(answered.includes(bank.email), 'the marked data is served')
  assert.deepEqual(new Set(statuses), new Set([200, 400, 401, 404, 405, 413, 415, 422]))
  const lines = server.log().filter(({ interactionId }) => sent.includes(String(interactionId)))
  assert.equal(lines.length, sent.length, 'one line per request')
  assert.ok(lines.some(({ msg, level }) => msg === 'request failed' && level === 50))
  markers.assertNoneIn(server.output())
  markers.assertNoneIn(metrics)
  assert.ok(JSON.parse(rejections).rejections.length > 10)
  markers.assertNoneIn(rejections)
}

describe('the log of a provider at the lowest level', () => {
  it('contains nothing of requests or stored data', (t) =>
    assertNothingPrinted(t, async (deployment, flags) => {
      const server = await deployment.openProvider(flags)
      return [server, server.close]
    }))
})

describeOnce('the output of two workers at the lowest log level', () => {
  it('contains nothing of requests or stored data', (t) =>
    assertNothingPrinted(t, async (deployment, flags) => {
      const server = await deployment.startProvider({ ...flags, workers: '2' })
      const stop = async () => {
        assert.equal(await server.stop(), 0)
        const workers = server.log().map(({ worker }) => worker)
        assert.deepEqual([...new Set(workers)].sort(), [1, 2], 'each line has its worker')
      }
      return [server, stop]
    }))
})

async function loadBank(scope: Scope, { lines }: Bank): Promise<string> {
  const database = await newDatabase(scope)
  await loadInProcess(database, lines, Temporal.Now.instant().toString())
  return database
}

describe('the output of a platform at the lowest log level', () => {
  it('contains no secret, no token and no product data', async (t) => {
    const markers = openMarkers()
    const deployment = await openDeployment(t)
    const { id: clientId, secret } = await deployment.addClient(markers.text('client'))
    const flags = { 'log-level': 'trace' }
    // The output of a process, and on the other engine only what is logged.
    const server =
      currentEngine() === 'sqlite'
        ? await deployment.startPlatform(flags)
        : await deployment.openPlatform(flags)
    const post = (path: string, body: string, headers: readonly string[] = []) =>
      send(server.port, path, {
        method: 'POST',
        body,
        headers: ['content-type', 'application/json', ...headers],
      })
    const credentials = { client_id: markers.add(clientId), client_secret: markers.add(secret) }

    const answer = await post('/v1/token', JSON.stringify(credentials))
    const token = markers.add(JSON.parse(answer.text).token)
    const bearer = ['authorization', `Bearer ${token}`]
    const products = '/v1/data-provider/cdr/products'
    const product = {
      brand: markers.text('brand'),
      description: markers.text('description'),
      is_tailored: false,
      name: markers.text('name'),
      product_category: 'TRANS_AND_SAVINGS_ACCOUNTS',
    }
    const statuses = [
      await post(
        '/v1/token',
        JSON.stringify({ client_id: markers.text('id'), client_secret: markers.text('secret') }),
      ),
      await post('/v1/token', `{"client_id":"${markers.text('broken')}`),
      await post(products, JSON.stringify(product), [
        ...bearer,
        'idempotency-key',
        markers.text('key'),
      ]),
      await post(products, JSON.stringify({ ...product, [markers.text('field')]: 1 }), bearer),
      await post(products, JSON.stringify(product), [
        'authorization',
        `Bearer ${markers.text('stranger')}`,
      ]),
      await send(
        server.port,
        `${products}/${markers.text('product')}?version=${markers.text('version')}`,
      ),
      await send(server.port, `${products}?brand=${markers.text('brand')}`),
    ].map(({ status }) => status)
    await sendMalformedRequests(server, markers)
    if ('stop' in server) assert.equal(await server.stop(), 0)

    assert.deepEqual(statuses, [401, 400, 201, 400, 401, 400, 200])
    assert.ok(server.log().filter(({ msg }) => msg === 'request').length >= statuses.length)
    markers.assertNoneIn(server.output())
  })
})

describe('the errors of a load', () => {
  it('contain no values of the invalid lines', async (t) => {
    const markers = openMarkers()
    const folder = await temporaryFolder(t)
    const m = (name: string) => markers.text(name)
    const record = { id: m('id'), name: m('name'), email: markers.email() }
    const lines = [
      `{"type":"customer","record":{"name":"${m('broken')}"`,
      JSON.stringify({ type: m('type'), record }),
      JSON.stringify({ type: 'customer', record: { ...record, email: m('email') } }),
      JSON.stringify({ type: 'customer', record: { ...record, phoneNumber: [m('phone')] } }),
      JSON.stringify({ type: 'customer', record: { ...record, address: m('address') } }),
      JSON.stringify({
        type: 'banking.account',
        holders: [{ customerId: m('holder') }],
        record: { accountId: m('account'), accountNumber: m('number') },
      }),
      JSON.stringify({
        type: 'banking.account',
        holders: [{ customerId: m('holder') }],
        record: { accountId: m('account') },
      }),
      JSON.stringify({
        type: 'banking.balance',
        record: { accountId: m('stray'), currentBalance: m('balance'), availableBalance: '1' },
      }),
      JSON.stringify({
        type: 'banking.balance',
        record: {
          accountId: m('stray'),
          currentBalance: '1',
          availableBalance: `${markers.digits(8)}.5`,
        },
      }),
      JSON.stringify({
        type: 'banking.transaction',
        record: { accountId: m('stray'), transactionId: m('t'), amount: m('amount') },
      }),
      JSON.stringify({ type: 'customer', delete: { id: [m('value')] } }),
    ]
    const file = join(folder, 'lines.ndjson')
    writeFileSync(file, lines.join('\n'))

    const { status, stdout, stderr } = await runInProcess([
      'load',
      file,
      '--database',
      await newDatabase(t),
    ])

    assert.equal(status, 1)
    for (let line = 1; line <= lines.length; line += 1) {
      assert.match(stderr, new RegExp(`lines\\.ndjson:${line}\\)`))
    }
    markers.assertNoneIn(stdout + stderr)
  })
})

/** A process that serves requests until two uncaught errors end it. */
const runWithUncaughtErrors = shareOnEachEngine(async (scope) => {
  const markers = openMarkers()
  const module = join(await temporaryFolder(scope), 'uncaught.mjs')
  const message = `${markers.text('error')}\n    at ${markers.text('line')} (x:1:1)`
  const error = `new TypeError(${JSON.stringify(message)})`
  writeFileSync(module, `process.on('SIGUSR2', () => { Promise.reject(${error}); throw ${error} })`)
  const deployment = await openDeployment(scope)
  const server = await deployment.startProvider({}, { nodeFlags: ['--import', module] })
  const path = '/v1/banking/customer/c1/accounts'
  const ids = Array.from({ length: 100 }, () => randomUUID())
  const askAll = (some: readonly string[]) =>
    Promise.all(some.map((id) => deployment.ask(server, path, { 'x-fapi-interaction-id': id })))
  const requests = () => server.log().filter(({ msg }) => msg === 'request')
  const uncaught = () => server.log().filter(({ msg }) => msg === 'uncaught error')

  await askAll(ids.slice(0, 10))
  await until(() => requests().length === 10)
  await askAll(ids.slice(10))
  const status = await server.stop('SIGUSR2')
  return { server, markers, ids, requests, uncaught, status }
})

describeOnce('the log', () => {
  it('is written while the server runs, with one line per request, including the last ones before its end', async () => {
    const { ids, requests, status } = await runWithUncaughtErrors()

    assert.equal(status, 1)
    const lines = requests()
    assert.equal(lines.length, ids.length)
    assert.deepEqual(new Set(lines.map((line) => line['interactionId'])), new Set(ids))
    for (const { operation, status, durationMs, worker, level } of lines) {
      assert.deepEqual([operation, status, level, worker], ['B1', 200, 30, 0])
      assert.ok(Number(durationMs) > 0)
    }
  })

  it('has a line for each uncaught error without its message', async () => {
    const { server, markers, uncaught } = await runWithUncaughtErrors()

    assert.equal(uncaught().length, 2)
    for (const { level, err } of uncaught()) {
      assert.deepEqual([level, Object(err).type], [50, 'TypeError'])
      assert.match(String(Object(err).stack), /uncaught\.mjs:1:/)
    }
    markers.assertNoneIn(server.output())
  })

  it('has lines for health checks only at debug level', async (t) => {
    const deployment = await openDeployment(t)
    for (const level of ['info', 'debug']) {
      const server = await deployment.openProvider({ 'log-level': level })
      await send(server.port, '/health/live')
      await server.close()

      const lines = server.log().filter(({ operation }) => operation === 'live')
      assert.equal(lines.length, level === 'debug' ? 1 : 0)
    }
  })
})
