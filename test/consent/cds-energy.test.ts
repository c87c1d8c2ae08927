import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { energyAccount, restriction } from '../support/lines.ts'
import { assertError, openCdsPlatform, share } from './cds.ts'
import { issuer } from './platform.ts'

const base = `${issuer}/cds-au/v1`
const opened = { creationDate: '2021-01-01T00:00:00Z' }

/** A consent to two energy accounts, one of which is blocked after it, and a bank account. */
const sharingOnEachEngine = shareOnEachEngine(async (scope) => {
  const platform = await openCdsPlatform(scope)
  await platform.provider.load([energyAccount('d7', ['ana'], opened)])
  const sharing = await share(platform, { accounts: ['d1', 'd5', 'd7'] })
  const listIds = async (path: string, version: string): Promise<readonly string[]> => {
    const { body } = await sharing.call(path, { headers: { 'x-v': version } })
    return body.data.accounts.map(({ accountId }: Record<string, string>) => accountId)
  }
  const [bank = ''] = await listIds('/banking/accounts', '3')
  const [home = '', blocked = ''] = await listIds('/energy/accounts', '2')
  await platform.provider.load([restriction({ accountId: 'd7' }, 'blocked')])
  const post = (path: string, version: string, ...accountIds: readonly string[]) =>
    sharing.call(path, {
      method: 'POST',
      headers: { 'x-v': version },
      body: { data: { accountIds } },
    })
  return { sharing, bank, home, blocked, post }
})

describe('Get Energy Accounts', () => {
  it('returns the shared energy accounts that the provider does not refuse, with IDs of the third party', async () => {
    const { sharing, home } = await sharingOnEachEngine()

    const { status, body } = await sharing.call('/energy/accounts', { headers: { 'x-v': '2' } })

    assert.equal(status, 200)
    const [{ plans, ...account }, ...others] = body.data.accounts
    assert.deepEqual(account, {
      accountId: home,
      displayName: 'Home power',
      openStatus: 'OPEN',
      creationDate: '2020-02-29',
    })
    assert.match(plans[0].servicePointIds[0], /^[\w-]{43}$/)
    assert.deepEqual(plans[0].planOverview, { startDate: '2020-02-29' })
    assert.deepEqual(others, [])
    const closed = await sharing.call('/energy/accounts?open-status=CLOSED', {
      headers: { 'x-v': '2' },
    })
    assert.deepEqual(closed.body.data.accounts, [])
  })
})

describe('invoices', () => {
  it('are those of 24 months before the newest date, newest first, for one account, selected ones and all', async () => {
    const { sharing, home, post } = await sharingOnEachEngine()
    const query = 'newest-date=2026-06-30&page-size=1'

    const one = await sharing.call(`/energy/accounts/${home}/invoices?${query}`)
    const all = await sharing.call(`/energy/accounts/invoices?${query}`)
    const selected = await post(`/energy/accounts/invoices?${query}`, '1', home)

    const [invoice] = one.body.data.invoices
    const { servicePoints, ...rest } = invoice
    assert.deepEqual(rest, {
      accountId: home,
      invoiceNumber: 'invoice 2026-06-01',
      issueDate: '2026-06-01',
      balanceAtIssue: '20.00',
      paymentStatus: 'NOT_PAID',
    })
    assert.match(servicePoints[0], /^[\w-]{43}$/)
    assert.deepEqual(one.body.meta, { totalRecords: 2, totalPages: 2 })
    const next = new URL(one.body.links.next)
    assert.equal(next.origin + next.pathname, `${base}/energy/accounts/${home}/invoices`)
    assert.equal(next.searchParams.get('oldest-date'), '2024-06-30')
    assert.deepEqual(all.body.data, one.body.data)
    assert.deepEqual(selected.body.data, one.body.data)
  })
})

describe('billing', () => {
  it('is that of 12 months before the newest time, for one account, selected ones and all', async () => {
    const { sharing, home, post } = await sharingOnEachEngine()
    const headers = { 'x-v': '3' }
    const query = 'newest-time=2026-06-30T00:00:00Z'

    const one = await sharing.call(`/energy/accounts/${home}/billing?${query}`, { headers })
    const all = await sharing.call(`/energy/accounts/billing?${query}`, { headers })
    const selected = await post(`/energy/accounts/billing?${query}`, '3', home)

    assert.deepEqual(one.body.data.transactions, [
      {
        accountId: home,
        executionDateTime: '2026-05-15T09:30:00+00:00',
        transactionUType: 'payment',
        payment: { amount: '20.00', method: 'OTHER' },
      },
    ])
    const self = new URL(one.body.links.self)
    assert.equal(self.searchParams.get('oldest-time'), '2025-06-30T00:00:00Z')
    assert.deepEqual(all.body.data, one.body.data)
    assert.deepEqual(selected.body.data, one.body.data)
  })
})

describe('an energy account', () => {
  const invalid = 'cds-energy:Authorisation/InvalidEnergyAccount'
  const unavailable = 'cds-energy:Authorisation/UnavailableEnergyAccount'

  it('that is a bank account or unknown is invalid', async () => {
    const { sharing, bank, post } = await sharingOnEachEngine()

    for (const id of [bank, 'd5', 'x']) {
      assertError(await sharing.call(`/energy/accounts/${id}/invoices`), 404, invalid)
      assertError(await post('/energy/accounts/invoices', '1', id), 422, invalid)
    }
  })

  it('that the provider refuses is unavailable where it is named, and left out otherwise', async () => {
    const { sharing, home, blocked, post } = await sharingOnEachEngine()

    const one = await sharing.call(`/energy/accounts/${blocked}/invoices`)
    const selected = await post('/energy/accounts/invoices', '1', home, blocked)
    const all = await sharing.call('/energy/accounts/invoices?newest-date=2026-06-30')

    assertError(one, 404, unavailable)
    assertError(selected, 422, unavailable)
    assert.deepEqual(
      selected.body.errors.map(({ detail }: Record<string, string>) => detail),
      [blocked],
    )
    assert.equal(all.body.meta.totalRecords, 2)
  })
})
