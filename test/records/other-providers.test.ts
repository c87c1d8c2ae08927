import assert from 'node:assert/strict'
import { it } from 'node:test'
import { missing } from '../../src/server/index.ts'
import { accountsPath, openSourceProvider, smallSource } from '../source/source-provider.ts'
import { describe } from '../support/engines.ts'
import { openGuardServer } from '../support/guard-server.ts'
import { accountsPage, openUpstream, type Respond, respondJson } from '../support/upstream.ts'
import { openRecordCommands, withoutPlace } from './recording.ts'

const sent = { isSent: true, keyId: 'k1', customerId: 'c1' }

describe('a guard that records its answers', () => {
  it('records what the upstream answered, and whether it refused', async (t) => {
    const answers: Record<string, Respond> = {
      [accountsPath]: respondJson(accountsPage),
      '/auth/v1/customer/c1/accounts': respondJson('{"accounts":[{"id":"a1","name":"x"}]}'),
      '/auth/v1/customer/c1': respondJson('{"id":"c1","name":"Ana"}'),
      '/v1/banking/customer/c1/accounts/a1': (response) =>
        response
          .writeHead(404, { 'content-type': 'application/json', 'x-sharing-refused': 'blocked' })
          .end('{"error":"Account not found"}'),
    }
    const upstream = await openUpstream(t, (response, request) =>
      answers[request.url ?? '']?.(response, request),
    )
    const guard = await openGuardServer(t, upstream.address, { records: 'true' })
    const { list, run } = openRecordCommands(guard.database)

    for (const path of Object.keys(answers)) await guard.ask(path)
    await guard.ask('/v1/banking/customer/..%2F/accounts')

    assert.deepEqual((await list()).map(withoutPlace), [
      { ...sent, operation: 'B1', status: 200, accountIds: ['a1'], count: 1 },
      { ...sent, operation: 'C2', status: 200, accountIds: ['a1'], count: 1 },
      { ...sent, operation: 'C3', status: 200, accountIds: [], count: 1 },
      {
        ...sent,
        operation: 'BX1',
        status: 404,
        error: 'upstream',
        isRefusal: true,
        circumstance: 'blocked',
        accountIds: ['a1'],
        count: 0,
      },
      {
        ...sent,
        customerId: '../',
        operation: 'B1',
        status: 404,
        error: 'customer_not_found',
        accountIds: [],
        count: 0,
      },
    ])
    await guard.close()
    assert.match((await run('verify')).stdout, /^verified 5 records in \d blocks of 1 chain\n$/)
  })

  it('records a response that it streams, without the number of its records', async (t) => {
    const accounts = Array.from({ length: 1000 }, (_, index) => ({
      accountId: `a${index}`,
      nickname: 'x'.repeat(1000),
    }))
    const body = JSON.stringify({ ...JSON.parse(accountsPage), data: { accounts } })
    const upstream = await openUpstream(t, (response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    )
    const guard = await openGuardServer(t, upstream.address, { records: 'true' })

    const { text } = await guard.ask(accountsPath)

    const records = await openRecordCommands(guard.database).list()
    assert.equal(text, body)
    assert.deepEqual(records.map(withoutPlace), [
      { ...sent, operation: 'B1', status: 200, accountIds: [] },
    ])
  })

  it('forwards a token once, and has one record of it', async (t) => {
    const upstream = await openUpstream(t)
    const guard = await openGuardServer(t, upstream.address, { records: 'true' })
    const headers = ['authorization', `Bearer ${guard.mint(accountsPath)}`]

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => guard.send(accountsPath, { headers })),
    )

    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(401)])
    assert.equal(upstream.requests.length, 1)
    assert.equal((await openRecordCommands(guard.database).list()).length, 1)
  })
})

describe('a source whose answers are recorded', () => {
  it('has a record of each answer, as a provider with a database', async (t) => {
    const source = { ...smallSource, getCustomer: async () => missing('customer') }
    const { provider, ask, database } = await openSourceProvider(t, source, {
      settings: { records: true, recordYears: 7 },
    })
    const address = await provider.listen({ port: 0 })

    await ask(address, accountsPath)
    await ask(address, '/auth/v1/customer/c1')
    await ask(address, '/auth/v1/customer/search', {
      method: 'POST',
      body: { email: 'ana@example.com' },
    })
    await provider.close()

    const { list, run } = openRecordCommands(database)
    assert.deepEqual((await list()).map(withoutPlace), [
      { ...sent, operation: 'B1', status: 200, accountIds: ['a1'], count: 1 },
      {
        ...sent,
        operation: 'C3',
        status: 404,
        error: 'customer_not_found',
        accountIds: [],
        count: 0,
      },
      { ...sent, operation: 'C1', status: 200, accountIds: [], count: 1 },
    ])
    assert.equal((await run('verify')).status, 0)
  })
})
