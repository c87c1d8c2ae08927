import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { openDeployment } from '../support/deployment.ts'
import { describe, type Scope } from '../support/engines.ts'
import { loadInProcess } from '../support/load.ts'
import { accountsPath, balancesPath } from '../support/small-bank.ts'
import { openRecordCommands, withoutPlace } from './recording.ts'

const recording = { records: 'true' }
const transactionsPath = '/v1/banking/customer/c1/accounts/a1/transactions'

/** A provider that records its answers, in this process. */
async function openRecordingProvider(scope: Scope) {
  const deployment = await openDeployment(scope)
  const server = await deployment.openProvider(recording)
  return { ...deployment, server, ...openRecordCommands(deployment.database) }
}

const sent = { isSent: true, keyId: 'k1' }

describe('a provider that records its answers', () => {
  it('records the accounts and their number, the period, and what an error was', async (t) => {
    const { server, ask, list } = await openRecordingProvider(t)
    const window = 'oldest-time=2026-06-01T00:00:00Z&newest-time=2026-06-02T00:00:00Z'
    const balances = JSON.stringify({ data: { accountIds: ['a1'] } })

    for (const [path, body] of [
      [accountsPath],
      [balancesPath, balances],
      [`${transactionsPath}?${window}`],
      ['/v1/banking/customer/c1/accounts/none/transactions'],
      [`${accountsPath}?page=0`],
      ['/auth/v1/customer/search', JSON.stringify({ email: 'unknown@example.com' })],
    ] as const) {
      await (await ask(server, path, {}, body)).text()
    }

    const ofCustomer = { ...sent, customerId: 'c1' }
    assert.deepEqual((await list()).map(withoutPlace), [
      { ...ofCustomer, operation: 'B1', status: 200, accountIds: ['a1'], count: 1 },
      { ...ofCustomer, operation: 'B2', status: 200, accountIds: ['a1'], count: 1 },
      {
        ...ofCustomer,
        operation: 'B3',
        status: 200,
        accountIds: ['a1'],
        count: 0,
        oldest: '2026-06-01T00:00:00Z',
        newest: '2026-06-02T00:00:00Z',
      },
      {
        ...ofCustomer,
        operation: 'B3',
        status: 404,
        error: 'account_not_found',
        accountIds: ['none'],
        count: 0,
      },
      {
        ...ofCustomer,
        operation: 'B1',
        status: 400,
        error: 'invalid_request',
        accountIds: [],
        count: 0,
      },
      { ...sent, operation: 'C1', status: 200, accountIds: [], count: 0 },
    ])
  })

  it('records why it refused to share', async (t) => {
    const { server, ask, list, database } = await openRecordingProvider(t)
    const restriction = { accountId: 'a1', reason: 'harm' }
    await loadInProcess(database, [{ type: 'restriction', record: restriction }])

    const response = await ask(server, transactionsPath)

    const [record] = await list()
    assert.equal(response.headers.get('x-sharing-refused'), 'true')
    assert.deepEqual(withoutPlace(record ?? {}), {
      ...sent,
      customerId: 'c1',
      operation: 'B3',
      status: response.status,
      error: 'account_protected',
      isRefusal: true,
      circumstance: 'harm',
      accountIds: ['a1'],
      count: 0,
    })
  })

  it('has one record of a token that is used many times at once', async (t) => {
    const { server, mint, list } = await openRecordingProvider(t)
    const headers = { authorization: `Bearer ${mint(accountsPath)}` }

    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await fetch(server.address + accountsPath, { headers })
        await response.text()
        return response.status
      }),
    )

    assert.deepEqual(statuses.sort(), [200, ...Array(19).fill(401)])
    assert.equal((await list()).length, 1)
  })

  it('answers requests whose tokens are recorded together with a replayed one', async (t) => {
    const { server, mint, ask, list, run } = await openRecordingProvider(t)
    const used = mint(accountsPath)
    const replay = async () => {
      const headers = { authorization: `Bearer ${used}` }
      const response = await fetch(server.address + accountsPath, { headers })
      await response.text()
      return response.status
    }
    assert.equal(await replay(), 200)

    const replays = Promise.all(Array.from({ length: 20 }, replay))
    const responses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await ask(server, balancesPath, {}, '{"data":{"accountIds":["a1"]}}')
        return [response.status, await response.text()] as const
      }),
    )

    assert.deepEqual(await replays, Array(20).fill(401))
    for (const [status, body] of responses) assert.equal(status, 200, body)
    const records = await list()
    assert.equal(records.filter(({ operation }) => operation === 'B1').length, 1)
    assert.equal(records.filter(({ operation }) => operation === 'B2').length, 20)
    await server.close()
    const { status, stdout } = await run('verify')
    assert.equal(status, 0, stdout)
    assert.match(stdout, /^verified 21 records in /)
  })

  it('has no record of an invalid token', async (t) => {
    const { server, mint, list, ask } = await openRecordingProvider(t)
    const headers = { authorization: `Bearer ${mint(balancesPath)}` }

    const rejected = await fetch(server.address + accountsPath, { headers })
    await (await ask(server, accountsPath)).text()

    assert.equal(rejected.status, 401)
    assert.equal((await list()).length, 1)
  })

  it('answers and records requests with ids that cannot exist', async (t) => {
    const { server, ask, list, run } = await openRecordingProvider(t)

    for (const id of ['%00', 'x'.repeat(5000), '%EF%BF%BF']) {
      const response = await ask(server, `/v1/banking/customer/${id}/accounts`)
      assert.equal(response.status, 404, await response.text())
    }
    const after = await ask(server, accountsPath)

    assert.equal(after.status, 200, await after.text())
    assert.deepEqual(
      (await list()).map(({ status }) => status),
      [404, 404, 404, 200],
    )
    assert.equal((await run('verify')).status, 0)
  })

  it('finds the records of a customer and of an interaction, also for a spreadsheet', async (t) => {
    const { server, ask, list, run } = await openRecordingProvider(t)
    const interactionId = randomUUID()
    await (await ask(server, accountsPath)).text()
    const path = '/v1/banking/customer/c2/accounts'
    await (await ask(server, path, { 'x-fapi-interaction-id': interactionId })).text()

    const ofCustomer = await list('--customer', 'c2')
    const shown = JSON.parse((await run('show', interactionId)).stdout)
    const csv = await run('export', '--format', 'csv', '--customer', 'c2')

    assert.equal(ofCustomer.length, 1)
    assert.equal(ofCustomer[0]?.['interactionId'], interactionId)
    assert.deepEqual(shown, ofCustomer[0])
    const [header, row] = csv.stdout.trimEnd().split('\r\n')
    assert.match(header ?? '', /^time,interactionId,operation,status,isSent,error,isRefusal,circ/)
    assert.match(row ?? '', /,B1,200,true,,,,,k1,c2,a2,1,,,/)
  })

  it('signs the beginning and the end of its chain', async (t) => {
    const { server, ask, run } = await openRecordingProvider(t)
    await (await ask(server, accountsPath)).text()

    const open = await run('verify')
    await server.close()
    const closed = await run('verify', '--json')

    assert.match(open.stdout, /^verified 1 record in 1 block of 1 chain\nchain \S+ has no end yet/)
    assert.equal(closed.status, 0, closed.stderr)
    assert.deepEqual(JSON.parse(closed.stdout), {
      chains: 1,
      blocks: 2,
      records: 1,
      unsent: 0,
      open: [],
      broken: [],
    })
    assert.match(server.output(), /records of disclosures signed/)
  })

  it('records nothing without the setting', async (t) => {
    const deployment = await openDeployment(t)
    const server = await deployment.openProvider()
    const { list } = openRecordCommands(deployment.database)

    await (await deployment.ask(server, accountsPath)).text()

    assert.deepEqual(await list(), [])
  })
})
