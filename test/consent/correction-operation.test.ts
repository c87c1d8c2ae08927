import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { CorrectionNotice } from '../../src/contract/index.ts'
import { put } from '../load/lines.ts'
import { describe, type Scope } from '../support/engines.ts'
import { openPlatform } from '../support/platform.ts'
import { correct, openCorrections, timeZone } from './corrections.ts'
import { makeThirdParty } from './stores.ts'

/** Corrections of two customers, of which three third parties can have received data. */
async function openOperation(t: Scope) {
  const opened = await openCorrections(t)
  const { bank, store, disclose } = opened
  await store.thirdParties.add(makeThirdParty('t1', { name: 'Budget' }))
  await bank.fill([put.balance('a1', { currentBalance: '1.00' })])
  await disclose(
    { operation: 'cds-customer' },
    { operation: 'cds-customer', thirdPartyId: 't2', consentId: 'r2' },
    { operation: 'cds-balance' },
    { operation: 'cds-balance', thirdPartyId: 't3', consentId: 'r3' },
    { operation: 'userinfo', customerId: 'c2', consentId: 'r4' },
  )
  const name = { email: 'new@example.com' }
  await bank.fill([
    correct(put.customer('c1', name)),
    correct(put.customer('c2', name)),
    correct(put.balance('a1', { currentBalance: '2.00' })),
  ])
  const platform = await openPlatform(t, { database: bank.database(), settings: { timeZone } })
  const token = await platform.issueToken(await platform.register(['consent.read']))
  const call = (query = '', bearer = token) =>
    platform.get(`/v1/correction-notices${query}`, { authorization: `Bearer ${bearer}` })
  return { ...opened, platform, call }
}

const describeNotice = ({ type, consentId }: CorrectionNotice) => `${type} ${consentId}`

describe('the operation listCorrectionNotices', () => {
  it('returns the notices that the command lists, page by page', async (t) => {
    const { call, list } = await openOperation(t)
    const listed = await list()
    const { status, body } = await call()
    assert.deepEqual([status, body], [200, { data: listed }])
    assert.equal(listed.length, 5)
    const found: CorrectionNotice[] = []
    let pages = 0
    for (let cursor = ''; ; pages += 1) {
      const { body } = await call(`?page-size=1${cursor}`)
      found.push(...body.data)
      if (body.next === undefined) break
      cursor = `&cursor=${body.next}`
    }
    assert.deepEqual(found, listed)
    // With all notices of a correction on one page.
    assert.equal(pages, 2)
  })

  it('is filtered by time, customer and third party', async (t) => {
    const { call, store } = await openOperation(t)
    const [{ time } = assert.fail()] = await store.corrections.list({ limit: 1 })
    const day = time.toZonedDateTimeISO(timeZone).toPlainDate()
    const all = [
      'banking.balance r1',
      'banking.balance r3',
      'customer r1',
      'customer r2',
      'customer r4',
    ]
    for (const [query, expected] of [
      ['customer=c2', all.slice(4)],
      ['third-party=t2', ['customer r2']],
      ['customer=c2&third-party=t2', []],
      [`since=${day}&until=${day.add({ days: 1 })}`, all],
      [`since=${day.add({ days: 1 })}`, []],
      [`until=${day}`, []],
      [`since=${time}`, all],
      [`until=${time}`, []],
    ] as const) {
      const { status, body } = await call(`?${query}`)
      assert.equal(status, 200)
      assert.deepEqual(body.data.map(describeNotice).sort(), expected, query)
    }
  })

  it('requires the scope consent.read, and names an invalid parameter', async (t) => {
    const { call, platform } = await openOperation(t)
    const other = await platform.issueToken(await platform.register(['operations.write']))
    assert.equal((await call('', other)).status, 403)
    assert.equal((await platform.get('/v1/correction-notices')).status, 401)
    const encode = (text: string) => Buffer.from(text).toString('base64url')
    for (const [query, pattern] of [
      ['since=yesterday', /^since must be a date \(YYYY-MM-DD\) or an RFC 3339 date-time/],
      ['until=2026-02-30', /^until must be a date/],
      ['page-size=0', /^page-size must be/],
      ['cursor=x', /^cursor must be the next of a previous page$/],
      [`cursor=${encode('1 r1')}`, /^cursor must be the next of a previous page$/],
      [`cursor=${encode('999999999999999999 1')}`, /^cursor must be/],
    ] as const) {
      const { status, body } = await call(`?${query}`)
      assert.equal(status, 400, query)
      assert.match(body.error, pattern)
    }
  })
})
