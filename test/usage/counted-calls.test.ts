import assert from 'node:assert/strict'
import { it } from 'node:test'
import { issuer } from '../consent/addresses.ts'
import { openCdsPlatform, share } from '../consent/cds.ts'
import { fetchFrom } from '../consent/third-party.ts'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { until } from '../support/until.ts'
import { countCalls, readCounts } from './counts.ts'

const setUp = shareOnEachEngine((scope) =>
  openCdsPlatform(scope, undefined, { isCounting: true, thirdPartyLimits: 'cds' }),
)

const present = { 'x-fapi-customer-ip-address': '203.0.113.7' }

describe('each call of the standards', () => {
  it('is counted by operation, tier, status, rejection, third party and presence of the customer', async () => {
    const platform = await setUp()
    const { callCounts } = platform.usage ?? assert.fail()
    const { call, thirdParty } = await share(platform)
    const id = thirdParty.id
    const get = fetchFrom(platform.port)
    const open = (path: string, method = 'GET') =>
      get(`${issuer}${path}`, { method, headers: { 'x-v': '3' }, body: null, redirect: 'manual' })

    for (let count = 0; count < 3; count += 1) {
      await call('/banking/accounts', { headers: { 'x-v': '3', ...present } })
    }
    for (let count = 0; count < 6; count += 1) await call('/common/customer')
    await call('/banking/accounts/unknown/balance', { headers: present })
    await call('/banking/accounts/direct-debits')
    await open('/cds-au/v1/banking/products')
    await open('/cds-au/v1/banking/products', 'OPTIONS')
    await open('/cds-au/v1/discovery/outages')
    await open('/cds-au/v1/banking/payees')
    await open('/cds-au/v1/banking/accounts')
    await open('/oidc/token', 'POST')
    const expected = [
      `accounts highPriority 200  ${id} true 3`,
      'accounts unattended 401   false 1',
      `authorization highPriority 303  ${id} false 1`,
      `balance lowPriority 404  ${id} true 1`,
      `customer unattended 200  ${id} false 5`,
      `customer unattended 429 session_per_second ${id} false 1`,
      `directDebits largePayload 403  ${id} false 1`,
      'metadata highPriority 200   false 1',
      'outages highPriority 406   false 1',
      'products unauthenticated 200   false 1',
      `pushedRequest highPriority 201  ${id} false 1`,
      `token highPriority 200  ${id} false 1`,
      'token highPriority 400   false 1',
    ]
    let found: readonly string[] = []
    await until(
      async () => {
        await callCounts.write()
        found = await readCounts(platform.database)
        return countCalls(found) === countCalls(expected)
      },
      () => found.join('\n'),
    )

    assert.deepEqual(found, expected)
  })
})
