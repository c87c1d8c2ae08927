import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  type Rejection,
  RejectionList,
  type RejectionMatches,
  refusalCircumstances,
  refusalClause,
} from '../../src/contract/index.ts'
import { validator } from '../../src/contract/validate.ts'
import { openRejectionLog } from '../../src/server/observe/rejection-log.ts'
import { openDeployment } from '../support/deployment.ts'
import { describe, describeOnce } from '../support/engines.ts'
import { send } from '../support/http.ts'
import * as lines from '../support/lines.ts'
import { loadInProcess } from '../support/load.ts'
import { requestToken } from '../support/platform.ts'
import { accountsPath, balancesPath } from '../support/small-bank.ts'
import { sampleValue, scrape } from './scrape.ts'

const withMetrics = { 'metrics-port': '0', 'log-level': 'info' }
const isList = validator(RejectionList)

describe('the refusals of a provider', () => {
  it('are counted by circumstance, and listed without customers and accounts', async (t) => {
    const deployment = await openDeployment(t)
    await loadInProcess(deployment.database, [
      lines.restriction({ accountId: 'a1' }, 'blocked'),
      lines.restriction({ customerId: 'c2' }, 'harm'),
    ])
    const limit = { 'customer-requests-per-minute': '3' }
    const provider = await deployment.openProvider({ ...withMetrics, ...limit })
    const sources = { 'provider-metrics-url': provider.metrics }
    const platform = await deployment.openPlatform({ ...withMetrics, ...sources })
    const client = await deployment.addClient('operator', 'operations.read')
    const headers = { authorization: `Bearer ${await requestToken(platform.port, client)}` }
    const list = async <Body>(path: string): Promise<Body> =>
      (await send(platform.port, `/v1/rejections${path}`, { headers })).body

    const ask = async (path: string, accountId?: string) => {
      const body = accountId && JSON.stringify({ data: { accountIds: [accountId] } })
      const { status, headers } = await deployment.ask(provider, path, {}, body)
      return [status, headers.get('x-sharing-refused')]
    }
    assert.deepEqual(await ask(balancesPath, 'unknown'), [422, null])
    assert.deepEqual(await ask(balancesPath, 'a1'), [422, 'true'])
    for (let count = 0; count < 3; count += 1) {
      assert.deepEqual(await ask(accountsPath.replace('c1', 'c2')), [403, 'true'])
    }
    assert.deepEqual(await ask(accountsPath.replace('c1', 'c2')), [429, 'true'])

    const samples = await scrape(provider)
    const counts = refusalCircumstances.map((circumstance) => [
      circumstance,
      sampleValue(samples, 'holdfast_refusals_total', { circumstance }),
    ])
    const refusals = await list<RejectionList>('?refused=true')
    const all = await list<RejectionList>('')
    const harm = refusals.data.find(({ status }) => status === 403) ?? assert.fail()
    const found = await list<RejectionMatches>(`/${harm.interactionId}`)

    assert.deepEqual(Object.fromEntries(counts), {
      harm: 3,
      blocked: 1,
      suspended: 0,
      attack: 0,
      traffic_threshold: 1,
    })
    assert.deepEqual(isList.problems(refusals), [])
    const refused = [
      'B1 403 harm',
      'B1 403 harm',
      'B1 403 harm',
      'B1 429 traffic_threshold',
      'B2 422 blocked',
    ]
    assert.deepEqual(refusals.data.map(describeRejection).sort(), refused)
    assert.deepEqual(
      Object.fromEntries(refusals.reasons.map(({ circumstance, count }) => [circumstance, count])),
      { harm: 3, blocked: 1, traffic_threshold: 1 },
    )
    assert.deepEqual(harm, {
      time: harm.time,
      interactionId: harm.interactionId,
      role: 'provider',
      operation: 'B1',
      status: 403,
      code: 'customer_protected',
      reason: 'refused to share: harm',
      circumstance: 'harm',
      clause: refusalClause.clause,
    })
    assert.deepEqual(found.data, [harm])
    assert.deepEqual(all.data.map(describeRejection).sort(), [...refused, 'B2 422 undefined'])
  })
})

function describeRejection({ operation, status, circumstance }: Rejection): string {
  return `${operation} ${status} ${circumstance}`
}

describeOnce('the refusals of a provider', () => {
  const entry = { role: 'provider', interactionId: 'X', operation: 'B1', reason: 'r' } as const

  it('are kept for a day, whatever else is rejected', () => {
    let now = 0
    const log = openRejectionLog(() => now)
    log.record({ ...entry, time: 1, status: 403, circumstance: 'harm' })
    for (let count = 0; count < 5000; count += 1) {
      log.record({ ...entry, time: 2, status: 401 })
      log.record({ ...entry, time: 3, status: 429, circumstance: 'traffic_threshold' })
    }
    const statuses = (...query: Parameters<typeof log.report>) =>
      log.report(...query).reasons.map(({ status, count }) => [status, count])

    assert.deepEqual(statuses({ refused: true }), [
      [429, 400],
      [403, 1],
    ])
    assert.equal(statuses().length, 3)
    now = 60 * 60_000 + 10
    assert.deepEqual(statuses(), [])
    assert.equal(statuses({ refused: true }).length, 2)
    assert.equal(statuses({ interactionId: 'x' }).length, 2)
    now *= 24
    assert.deepEqual(statuses({ refused: true }), [])
    assert.deepEqual(log.entries(), [])
  })
})
