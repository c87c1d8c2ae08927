import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import * as openid from 'openid-client'
import { ContractError } from '../../src/contract/index.ts'
import { findRecords, type RecordQuery } from '../../src/disclosures/find-records.ts'
import type { StoredDisclosureRecord } from '../../src/disclosures/record.ts'
import { openStatements } from '../../src/disclosures/statement.ts'
import { verifyRecords } from '../../src/disclosures/verify.ts'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { cdsUrl } from './addresses.ts'
import { openCdsPlatform, type Sharing, share } from './cds.ts'
import { openInterceptedStore } from './intercepted-store.ts'
import { fetchFrom } from './third-party.ts'

const scopes = ['openid', 'email', 'bank:accounts.basic:read', 'bank:transactions:read']

const sharingOnEachEngine = shareOnEachEngine(async (scope) => {
  const calls = openInterceptedStore()
  const platform = await openCdsPlatform(scope, undefined, { openStore: calls.openStore })
  const sharing = await share(platform, { accounts: ['d1', 'd2', 'd3'], scopes })
  const { body } = await sharing.call('/banking/accounts', { headers: { 'x-v': '3' } })
  const [everyday = '', holiday = ''] = body.data.accounts.map(
    ({ accountId }: { readonly accountId: string }) => accountId,
  )
  const { disclosureRecords } = platform.store
  const find = async (query: RecordQuery): Promise<StoredDisclosureRecord[]> => {
    const found = await Array.fromAsync(findRecords(disclosureRecords, query))
    return found.flatMap(([records]) => records)
  }
  return {
    calls,
    platform,
    sharing,
    everyday,
    holiday,
    find,
    /** The answer to a request of the third party, and its records. */
    async call(path: string, options: Parameters<Sharing['call']>[1] = {}) {
      const interactionId = randomUUID()
      const headers = { 'x-fapi-interaction-id': interactionId, ...options.headers }
      const { status } = await sharing.call(path, { ...options, headers })
      const found = await find({ interactionId })
      return {
        status,
        records: found.map(({ time: _time, block: _block, isSent: _isSent, ...record }) => record),
        expected: {
          interactionId,
          thirdPartyId: sharing.thirdParty.id,
          consentId: sharing.arrangementId,
          customerId: 'ana',
          isCustomerPresent: false,
          status,
        },
      }
    },
    async verify() {
      const verifyStatement = await openStatements(platform.signingKeys)
      return verifyRecords(disclosureRecords, verifyStatement, [], () => {})
    },
  }
})

const nothing = { scopes: [], accountIds: [], count: 0 }

describe('the record of an answer', () => {
  it('names the accounts of the records on the page, and their number', async () => {
    const { call } = await sharingOnEachEngine()

    const all = await call('/banking/accounts', { headers: { 'x-v': '3' } })
    const second = await call('/banking/accounts?page=2&page-size=2', { headers: { 'x-v': '3' } })
    const balances = await call('/banking/accounts/balances')

    const basic = { scopes: ['bank:accounts.basic:read'] }
    const accounts = { operation: 'cds-accounts', ...basic }
    assert.deepEqual(all.records, [
      { ...all.expected, ...accounts, accountIds: ['d1', 'd2', 'd3'], count: 3 },
    ])
    assert.deepEqual(second.records, [
      { ...second.expected, ...accounts, accountIds: ['d3'], count: 1 },
    ])
    assert.deepEqual(balances.records, [
      {
        ...balances.expected,
        ...basic,
        operation: 'cds-balances',
        accountIds: ['d1', 'd2'],
        count: 2,
      },
    ])
  })

  it('names the period, and whether the customer is present', async () => {
    const { call, everyday } = await sharingOnEachEngine()
    const window = 'oldest-time=2026-06-01T00:00:00Z&newest-time=2026-06-02T12:00:00Z'

    const { records, expected } = await call(
      `/banking/accounts/${everyday}/transactions?${window}`,
      {
        headers: { 'x-fapi-customer-ip-address': '192.0.2.1' },
      },
    )

    assert.deepEqual(records, [
      {
        ...expected,
        operation: 'cds-transactions',
        isCustomerPresent: true,
        scopes: ['bank:transactions:read'],
        accountIds: ['d1'],
        count: 2,
        oldest: '2026-06-01T00:00:00Z',
        newest: '2026-06-02T12:00:00Z',
      },
    ])
  })

  it('has the error of a request that got no data', async () => {
    const { call, everyday, platform } = await sharingOnEachEngine()
    const operation = 'cds-balance'
    const noScope = await call('/banking/payments/scheduled')
    const noVersion = await call(`/banking/accounts/${everyday}/balance`, {
      headers: { 'x-v': '99' },
    })
    const unknown = await call('/banking/accounts/none/balance')
    const invalid = await call('/banking/accounts/balances', { method: 'POST', body: 'no object' })
    await platform.restrictions.set({ accountId: 'd1' }, 'blocked')
    const refused = await call(`/banking/accounts/${everyday}/balance`)
    await platform.restrictions.end({ accountId: 'd1' })

    for (const [{ status, records, expected }, named, error, code] of [
      [noScope, 'cds-scheduled-payments', 'insufficientScope', 403],
      [noVersion, operation, 'unsupportedVersion', 406],
      [unknown, operation, 'unknownAccount', 404],
      [invalid, 'cds-balances', 'missingField', 400],
    ] as const) {
      assert.equal(status, code)
      assert.deepEqual(records, [{ ...expected, operation: named, ...nothing, error }])
    }
    const error = 'accountUnavailable'
    assert.deepEqual(refused.records, [
      { ...refused.expected, operation, ...nothing, error, isRefusal: true },
    ])
  })

  it('is written for UserInfo too', async () => {
    const { sharing, platform, find } = await sharingOnEachEngine()
    const { config, dpop } = sharing.thirdParty
    config[openid.customFetch] = fetchFrom(platform.port)
    const { access_token: token } = sharing.tokens
    const before = (await find({ customerId: 'ana' })).length

    await openid.fetchUserInfo(config, token, openid.skipSubjectCheck, { DPoP: dpop })

    const last = (await find({ customerId: 'ana' })).slice(before)
    assert.deepEqual(
      last.map(({ operation, scopes: disclosed, count }) => [operation, disclosed, count]),
      [['userinfo', ['email'], 1]],
    )
  })

  it('is not written for a request whose token or proof is invalid', async () => {
    const { platform, sharing } = await sharingOnEachEngine()
    const interactionId = randomUUID()
    const headers = { 'x-v': '3', 'x-fapi-interaction-id': interactionId }
    const answers = await Promise.all(
      [{}, { authorization: `DPoP ${sharing.tokens.access_token}` }].map((each) =>
        fetchFrom(platform.port)(cdsUrl('/banking/accounts').href, {
          method: 'GET',
          headers: { ...headers, ...each },
          body: undefined,
          redirect: 'manual',
        }),
      ),
    )

    assert.deepEqual(
      answers.map(({ status }) => status),
      [401, 401],
    )
    const { find } = await sharingOnEachEngine()
    assert.deepEqual(await find({ interactionId }), [])
  })

  it('notes the first and the last disclosure of each scope', async () => {
    const { call, find, platform, sharing } = await sharingOnEachEngine()
    await call('/banking/accounts', { headers: { 'x-v': '3' } })

    const disclosures = await platform.store.disclosures.list(sharing.arrangementId)

    const records = await find({ customerId: 'ana' })
    for (const { scope, first, last } of disclosures) {
      const times = records.filter((each) => each.scopes.includes(scope)).map(({ time }) => time)
      assert.deepEqual([first, last], [times.at(0), times.at(-1)])
    }
    assert.ok(disclosures.length > 0)
  })
})

describe('an answer whose record cannot be stored', () => {
  const unavailable = () => Promise.reject(new ContractError('unavailable'))

  it('is replaced by a 503, and its record says later that it was not sent', async () => {
    const { calls, call, verify, sharing, find } = await sharingOnEachEngine()
    const { unsent: before } = await verify()
    calls.intercept('disclosureRecords.append', unavailable)
    const interactionId = randomUUID()

    const headers = { 'x-v': '3', 'x-fapi-interaction-id': interactionId }
    const { status, body } = await sharing.call('/banking/accounts', { headers })

    assert.equal(status, 503)
    assert.equal(body.errors[0].code, 'urn:au-cds:error:cds-all:Service/Unavailable')
    assert.deepEqual(await find({ interactionId }), [])
    calls.restore()
    assert.equal((await call('/banking/accounts', { headers: { 'x-v': '3' } })).status, 200)
    const { broken, unsent } = await verify()
    assert.deepEqual([broken, unsent], [[], before + 1])
    assert.deepEqual(
      (await find({ interactionId })).map(({ status, isSent }) => [status, isSent]),
      [[200, false]],
    )
  })

  it('is not noted as a disclosure of the consent', async () => {
    const { calls, platform } = await sharingOnEachEngine()
    const { call, arrangementId } = await share(platform, { accounts: ['d1'], scopes })
    const headers = { 'x-v': '3' }
    calls.intercept('disclosureRecords.append', unavailable)

    const unsent = await call('/banking/accounts', { headers })
    calls.restore()
    const invalid = await call('/banking/accounts?page-size=0', { headers })

    assert.deepEqual([unsent.status, invalid.status], [503, 400])
    assert.deepEqual(await platform.store.disclosures.list(arrangementId), [])
  })

  it('is sent if the record was stored although its answer was lost', async () => {
    const { calls, call, verify } = await sharingOnEachEngine()
    let lost = 0
    calls.intercept('disclosureRecords.append', async (make) => {
      const stored = await make()
      lost += 1
      return lost > 1 ? stored : unavailable()
    })

    const { status, records } = await call('/banking/accounts', { headers: { 'x-v': '3' } })

    calls.restore()
    assert.deepEqual([status, records.length, lost], [200, 1, 2])
    assert.deepEqual((await verify()).broken, [])
  })
})

describe('the answer of a handler that timed out', () => {
  it('is not sent while the record of the error is stored', async () => {
    const { calls, platform, sharing, find } = await sharingOnEachEngine()
    const port = await platform.openAnother({
      limits: { handlerTimeoutMs: 20, checkIntervalMs: 5 },
    })
    const [recording, handled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let reads = 0
    calls.intercept('arrangements.find', async (make) => {
      const found = await make()
      reads += 1
      // The last read of the handler.
      if (reads === 2) {
        await recording.promise
        handled.resolve()
      }
      return found
    })
    calls.intercept('disclosureRecords.append', async (make) => {
      recording.resolve()
      await handled.promise
      for (let turn = 0; turn < 10; turn += 1) await setImmediate()
      return make()
    })
    const interactionId = randomUUID()
    const headers = { 'x-v': '3', 'x-fapi-interaction-id': interactionId }

    const { status, body } = await sharing.call('/banking/accounts', { headers, port })

    calls.restore()
    assert.deepEqual([status, body.data], [503, undefined])
    const records = await find({ interactionId })
    assert.deepEqual(
      records.map(({ error, count }) => [error, count]),
      [['unavailable', 0]],
    )
  })
})
