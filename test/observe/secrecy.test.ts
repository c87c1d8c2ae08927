import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { openDeployment } from '../support/deployment.ts'
import {
  currentEngine,
  describe,
  describeOnce,
  newDatabase,
  runSql,
  type Scope,
} from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { send } from '../support/http.ts'
import { loadInProcess } from '../support/load.ts'
import { runHoldfast } from '../support/process.ts'
import { until } from '../support/until.ts'
import {
  askAll,
  askWrongly,
  type Bank,
  caller,
  markedBank,
  sayNonsense,
} from './marked-requests.ts'
import { openMarkers } from './markers.ts'

/** Takes a table away, so that whoever needs it fails in a way that nobody foresaw. */
async function breakDatabase(database: string): Promise<void> {
  const sql = 'alter table balance rename to elsewhere'
  if (currentEngine() === 'postgres') return void (await runSql(sql, database))
  const file = new DatabaseSync(database.slice('sqlite:'.length), { timeout: 5000 })
  file.exec(sql)
  file.close()
}

async function assertNothingPrinted(t: TestContext, workers: string): Promise<void> {
  const markers = openMarkers()
  const bank = markedBank(markers)
  const deployment = await openDeployment(t, await loaded(t, bank))
  const server = await deployment.startProvider({
    'log-level': 'trace',
    'metrics-port': '0',
    workers,
  })
  const { send, sent } = caller(deployment, server, markers)

  const answered = await askAll(bank, send)
  const statuses = await askWrongly(bank, deployment, markers, send)
  await sayNonsense(server, markers)
  await breakDatabase(deployment.database)
  const balances = `/v1/banking/customer/${bank.customerId}/accounts/balances`
  const body = JSON.stringify({ data: { accountIds: [bank.bankingId] } })
  assert.equal((await send(balances, { method: 'POST', body })).status, 500)
  const metrics = await (await fetch(server.metrics)).text()
  assert.equal(await server.stop(), 0)

  assert.ok(answered.includes(bank.email), 'the data is what is served')
  assert.deepEqual(new Set(statuses), new Set([200, 400, 401, 404, 405, 413, 415, 422]))
  const lines = server.log().filter(({ interactionId }) => sent.includes(String(interactionId)))
  assert.equal(lines.length, sent.length, 'a line for each request')
  assert.ok(lines.some(({ msg, level }) => msg === 'request failed' && level === 50))
  markers.assertNoneIn(server.output())
  markers.assertNoneIn(metrics)
}

describe('everything that a provider prints, at the lowest level', () => {
  it('holds nothing of what was sent or stored', (t) => assertNothingPrinted(t, '1'))
})

describeOnce('everything that two workers print, at the lowest level', () => {
  it('holds nothing of what was sent or stored', (t) => assertNothingPrinted(t, '2'))
})

async function loaded(scope: Scope, { lines }: Bank): Promise<string> {
  const database = await newDatabase(scope)
  await loadInProcess(database, lines, Temporal.Now.instant().toString())
  return database
}

describe('everything that a platform prints, at the lowest level', () => {
  it('holds no secret, no token and nothing of a product', async (t) => {
    const markers = openMarkers()
    const deployment = await openDeployment(t)
    const added = await runHoldfast([
      'client',
      'add',
      markers.text('client'),
      '--scope',
      'products.write',
      '--database',
      deployment.database,
    ])
    const [, clientId = '', secret = ''] =
      /client_id: (\S+)\nclient_secret: (\S+)/.exec(added.stdout) ?? []
    const server = await deployment.startPlatform({ 'log-level': 'trace' })
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
    await sayNonsense(server, markers)
    assert.equal(await server.stop(), 0)

    assert.deepEqual(statuses, [401, 400, 201, 400, 401, 400, 200])
    assert.ok(server.log().filter(({ msg }) => msg === 'request').length >= statuses.length)
    markers.assertNoneIn(server.output())
  })
})

describe('what a load prints of lines that it refuses', () => {
  it('holds no value of them', async (t) => {
    const markers = openMarkers()
    const folder = await temporaryFolder(t)
    const m = (what: string) => markers.text(what)
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

    const { status, stdout, stderr } = await runHoldfast([
      'load',
      file,
      '--database',
      await newDatabase(t),
    ])

    assert.equal(status, 1)
    for (let line = 1; line <= lines.length; line += 1) {
      assert.match(stderr, new RegExp(`lines\\.ndjson:${line}: `))
    }
    markers.assertNoneIn(stdout + stderr)
  })
})

describeOnce('the log', () => {
  it('has a line for each request, also for the last ones before a stop', async (t) => {
    const deployment = await openDeployment(t)
    const server = await deployment.startProvider({ workers: '2' })
    const path = '/v1/banking/customer/c1/accounts'
    const ids = Array.from({ length: 200 }, () => randomUUID())

    await Promise.all(
      ids.map((id) => deployment.ask(server, path, { 'x-fapi-interaction-id': id })),
    )
    assert.equal(await server.stop(), 0)

    const lines = server.log().filter(({ msg }) => msg === 'request')
    assert.deepEqual(new Set(lines.map((line) => line['interactionId'])), new Set(ids))
    for (const { operation, status, durationMs, worker, level } of lines) {
      assert.deepEqual([operation, status, level], ['B1', 200, 30])
      assert.ok(Number(durationMs) > 0)
      assert.ok([1, 2].includes(Number(worker)))
    }
  })

  it('has a line for an error that nothing caught, without its message, and the server goes on', async (t) => {
    const markers = openMarkers()
    const folder = await temporaryFolder(t)
    const module = join(folder, 'uncaught.mjs')
    const message = `${markers.text('error')}\n    at ${markers.text('line')} (x:1:1)`
    const error = `new TypeError(${JSON.stringify(message)})`
    writeFileSync(
      module,
      `process.on('SIGUSR2', () => { Promise.reject(${error}); throw ${error} })`,
    )
    const deployment = await openDeployment(t)
    const server = await deployment.startProvider({}, { nodeFlags: ['--import', module] })
    const uncaught = () => server.log().filter(({ msg }) => msg === 'uncaught error')

    server.child.kill('SIGUSR2')
    await until(() => uncaught().length === 2)

    assert.equal((await deployment.ask(server, '/v1/banking/customer/c1/accounts')).status, 200)
    for (const { level, err } of uncaught()) {
      assert.deepEqual([level, Object(err).type], [50, 'TypeError'])
      assert.match(String(Object(err).stack), /uncaught\.mjs:1:/)
    }
    assert.equal(await server.stop(), 0)
    markers.assertNoneIn(server.output())
  })

  it('has no line for probes, but at debug', async (t) => {
    const deployment = await openDeployment(t)
    for (const level of ['info', 'debug']) {
      const server = await deployment.startProvider({ 'log-level': level })
      await send(server.port, '/health/live')
      await server.stop()

      const probes = server.log().filter(({ operation }) => operation === 'live')
      assert.equal(probes.length, level === 'debug' ? 1 : 0)
    }
  })

  it('is written soon, without a stop', async (t) => {
    const deployment = await openDeployment(t)
    const server = await deployment.startProvider()

    await deployment.ask(server, '/v1/banking/customer/c1/accounts')

    await until(() => server.log().some(({ operation }) => operation === 'B1'))
  })
})
