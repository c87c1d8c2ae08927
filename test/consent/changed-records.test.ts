import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { emptyChain, sealBlock } from '../../src/disclosures/block.ts'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { runInProcess } from '../support/process.ts'
import { openTokens } from './back-office.ts'
import { openDashboard, readText } from './dashboard-consents.ts'
import { discloseRecords, makeRecord } from './disclose.ts'
import { issuer, nextCustomer, signInToConsents } from './platform.ts'

const platformOnEachEngine = shareOnEachEngine(openDashboard)
const time = Temporal.Instant.from('2026-03-01T10:00:00Z')
const fields = [
  ...['operation', 'interactionId', 'thirdPartyId', 'consentId', 'isCustomerPresent', 'status'],
  ...['scopes', 'accountIds', 'count', 'oldest', 'newest', 'error', 'isRefusal', 'limit'],
]
const values = ['nonsense', '', 7, -1.5, true, null, undefined, ['nonsense'], [7], {}]

describe('a record that was changed in the database', () => {
  it('harms no reader of the records around it', async (t) => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const window = { oldest: '2026-01-01T00:00:00Z', newest: '2026-02-01T00:00:00Z' }
    const given = { customerId: customer.id, thirdPartyId: 'tp', accountIds: customer.accounts }
    const changes = fields.flatMap((field) => values.map((value) => ({ [field]: value }) as object))
    await discloseRecords(platform.store, time, { ...given, count: 12 })
    for (const change of changes) {
      const record = makeRecord({ ...given, ...window })
      const lines = JSON.stringify({ kind: 'disclosure', ...record, ...change })
      const block = sealBlock(emptyChain(randomUUID()), ['{}'], time)
      await platform.store.disclosureRecords.append({ ...block, lines }, [record])
    }
    await discloseRecords(platform.store, time, { ...given, count: 34 })
    const browser = await signInToConsents(platform, customer)

    const pages: string[] = []
    for (let path = '/consents/records'; path !== ''; ) {
      await browser.open(`${issuer}${path}`)
      assert.equal(browser.page.status, 200, platform.log.at(-1) ?? '')
      pages.push(readText(browser))
      const [, earlier = ''] = /href="([^"]*before=[^"]*)"/.exec(browser.page.text) ?? []
      path = earlier
    }
    const shown = pages.join(' ')
    assert.match(shown, / 12 records.* 34 records|34 records.* 12 records/)
    assert.match(shown, /from nonsense to 1 February 2026/)
    assert.match(shown, /from 1 January 2026 to nonsense/)

    await browser.open(`${issuer}/consents/records.csv`)
    assert.match(browser.page.text, /,34,/)
    await browser.open(`${issuer}/consents/records.html`)
    assert.match(browser.page.text, /<td>34<\/td>/)
    const authorization = `Bearer ${await (await openTokens(t, platform))('consent.read')}`
    const read = (path: string) => send(platform.port, path, { headers: { authorization } })
    const listed = await read(`/v1/customers/${customer.id}/records`)
    assert.equal(listed.status, 200, listed.text)
    const notices = await read(`/v1/correction-notices?customer=${customer.id}`)
    assert.equal(notices.status, 200, notices.text)
    const ofCustomer = ['records', 'export', '--customer', customer.id]
    for (const args of [
      ofCustomer,
      [...ofCustomer, '--format', 'csv'],
      ['report', '--period', '2026-H1', '--format', 'html'],
      ['report', '--period', '2026-H1', '--format', 'csv'],
      ['records', 'verify'],
    ]) {
      const { status, stderr } = await runInProcess([...args, '--database', platform.database])
      assert.equal(status, 1, args.join(' '))
      assert.match(stderr, /the records were changed|chains broken/, args.join(' '))
    }
  })
})
