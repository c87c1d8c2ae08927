import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { openDeployment } from '../support/deployment.ts'
import { createScope, describeOnce } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type LogLine, type Server, startServer } from '../support/process.ts'
import { balancesPath } from '../support/small-bank.ts'

const interactionId = '0c0ffee0-1234-4321-8765-0123456789ab'

describeOnce('the log line of a request', () => {
  it('has the same fields in the same order, whether it is logged as information or as a detail', async (t) => {
    const server = await startPlatform(t, 'debug')
    const before = Date.now()
    for (const path of ['/cds-au/v1/banking/products', '/health/live', '/unknown']) {
      const headers = { 'x-v': '5', 'x-fapi-interaction-id': interactionId }
      await (await fetch(server.address + path, { headers })).arrayBuffer()
    }
    await server.stop()

    const lines = server.log().filter(({ msg }) => msg === 'request')
    const [products, probe, unknown] = lines
    assert.equal(lines.length, 3)
    assert.deepEqual(Object.keys(products ?? {}), Object.keys(probe ?? {}))
    assert.deepEqual(
      lines.map(pickFixed),
      [
        { level: 30, operation: 'cds-products', status: 200 },
        { level: 20, operation: 'live', status: 200 },
        { level: 30, operation: 'none', status: 404, code: 'route_not_found' },
      ].map((line) => ({ code: undefined, ...line, worker: 0, interactionId })),
    )
    for (const { time, durationMs } of [products ?? {}, unknown ?? {}]) {
      assert.ok(Number(time) >= before && Number(time) <= Date.now())
      assert.ok(Number(durationMs) > 0 && Number(durationMs) <= Date.now() - before + 1)
    }
  })

  it('has the code of an error, which distinguishes what was not found', async (t) => {
    const deployment = await openDeployment(t)
    const server = await deployment.openProvider({ 'log-level': 'info' })
    const body = (accountId: string) => JSON.stringify({ data: { accountIds: [accountId] } })
    await deployment.ask(server, '/fdx/v6/customer/c1/accounts/a1/contact')
    await deployment.ask(server, '/fdx/v6/customer/c1/accounts/a2/contact')
    await deployment.ask(server, '/customer/c3/accounts/a1/balances')
    await deployment.ask(server, balancesPath, {}, body('a2'))
    await deployment.ask(server, balancesPath, {}, body('a1'))

    assert.deepEqual(
      server.log().flatMap(({ msg, code = 'none' }) => (msg === 'request' ? [code] : [])),
      [
        'contact_not_found',
        'account_not_found',
        'customer_not_found',
        'account_in_query_not_found',
        'none',
      ],
    )
  })

  it('is absent at a level above information', async (t) => {
    const server = await startPlatform(t, 'warn')
    await (await fetch(`${server.address}/unknown`)).arrayBuffer()
    await server.stop()

    assert.deepEqual(server.log(), [])
  })
})

async function startPlatform(t: TestContext, level: string): Promise<Server> {
  const scope = createScope(t)
  const database = `sqlite:${await temporaryFolder(scope)}/lines.db`
  return startServer(scope, ['serve', 'platform', '--create'], { database, 'log-level': level })
}

function pickFixed({ level, worker, operation, status, code, interactionId }: LogLine): LogLine {
  return { level, operation, status, code, worker, interactionId }
}
