import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ContractError, type CorrectionNotice } from '../../src/contract/index.ts'
import { describe } from '../support/engines.ts'
import {
  balance,
  bankingAccount,
  billing,
  customer,
  invoice,
  transaction,
} from '../support/lines.ts'
import type { Line } from '../support/load.ts'
import { runInProcess } from '../support/process.ts'
import { allScopes, ana, openCdsPlatform, type Sharing, savings, share } from './cds.ts'
import { openInterceptedStore } from './intercepted-store.ts'

const june = 'oldest-time=2026-06-01T00:00:00Z&newest-time=2026-06-30T00:00:00Z'
const secondOfJune = 'oldest-time=2026-06-02T00:00:00Z&newest-time=2026-06-02T12:00:00Z'

/** Calls endpoints, `{d1}` being the first account, and returns the statuses. */
async function call({ call }: Sharing, ...paths: readonly string[]): Promise<number[]> {
  const accounts = await call('/banking/accounts', { headers: { 'x-v': '3' } })
  const id = accounts.body.data.accounts[0].accountId
  const statuses: number[] = []
  for (const path of paths) {
    const version = path.includes('/billing') ? '3' : '1'
    const { status } = await call(path.replace('{d1}', id), { headers: { 'x-v': version } })
    statuses.push(status)
  }
  return statuses
}

const transactions = (period: string) => `/banking/accounts/{d1}/transactions?${period}`
const paid = (id: string, day: string, amount: string) =>
  transaction('d1', id, { postingDateTime: `2026-06-${day}T00:00:00Z`, amount })

describe('a correction after third parties got data', () => {
  it('is listed for those whose answers can have contained what was wrong, and for no others', async (t) => {
    const calls = openInterceptedStore()
    const platform = await openCdsPlatform(t, undefined, { openStore: calls.openStore })
    const scopes = [...allScopes]
    const first = await share(platform, { accounts: ['d1', 'd2', 'd5'], scopes })
    const otherAccount = await share(platform, { accounts: ['d2'], scopes })
    const otherPeriod = await share(platform, { scopes })
    const unsent = await share(platform, { scopes })
    const late = await share(platform, { scopes })
    const all = [
      transactions(june),
      ...['/banking/accounts/{d1}/balance', '/common/customer'],
      '/energy/accounts/invoices?oldest-date=2026-05-01&newest-date=2026-05-31',
      '/energy/accounts/billing?oldest-time=2026-05-15T00:00:00Z&newest-time=2026-05-16T00:00:00Z',
    ]
    assert.deepEqual(await call(first, ...all), [200, 200, 200, 200, 200])
    assert.deepEqual(await call(first, transactions(june)), [200])
    assert.deepEqual(await call(otherAccount, '/banking/accounts/{d1}/balance'), [200])
    assert.deepEqual(await call(otherPeriod, transactions(secondOfJune)), [200])
    calls.intercept('disclosureRecords.append', () =>
      Promise.reject(new ContractError('unavailable')),
    )
    assert.equal((await unsent.call('/common/customer')).status, 503)
    calls.restore()
    // Stores the record of the answer that was not sent.
    assert.deepEqual(await call(otherAccount), [])

    const correct = (line: object): Line => ({ ...line, correction: true })
    await platform.provider.load(
      [
        paid('t1', '01', '-100'),
        balance('d1', { currentBalance: '11' }),
        customer(ana.id, { name: 'Anna Silva', email: ana.email, phoneNumber: '+61400000111' }),
        bankingAccount('d1', { ana: true }, { displayName: 'Daily', ...savings }),
        billing('d5', 'p1', '2026-05-15T09:30:00', '30'),
        invoice('d5', 'invoice 2026-05-01', '2026-05-01'),
      ].map(correct),
    )
    await platform.provider.load([paid('t3', '03', '-300')])
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 120_000 })
    assert.deepEqual(await call(late, ...all.slice(0, 3)), [200, 200, 200])

    const { status, stdout, stderr } = await runInProcess([
      ...['records', 'corrections', '--since', '2026-01-01', '--database', platform.database],
    ])
    assert.deepEqual([status, stderr], [0, ''])
    const notices = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as CorrectionNotice)
    const parties = new Map(
      Object.entries({ first, otherAccount, otherPeriod, unsent, late }).map(
        ([name, { thirdParty, arrangementId }]) => [`${thirdParty.id} ${arrangementId}`, name],
      ),
    )
    assert.deepEqual(
      notices
        .map(({ thirdParty, consentId, type, accountId = '', recordId = '', ...rest }) =>
          [
            parties.get(`${thirdParty.id} ${consentId}`),
            ...[rest.customerId, type, accountId, recordId, rest.disclosures],
          ].join(' '),
        )
        .sort(),
      [
        'first ana banking.account d1  2',
        'first ana banking.balance d1  1',
        'first ana banking.transaction d1 t1 2',
        'first ana customer   1',
        'first ana energy.billing d5 p1 1',
        'first ana energy.invoice d5 invoice 2026-05-01 1',
        'otherPeriod ana banking.account d1  1',
      ],
    )
    assert.ok(notices.every(({ isDeleted, thirdParty }) => !isDeleted && thirdParty.name))
  })
})
