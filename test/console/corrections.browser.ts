import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { openConsentStore } from '../../src/storage/open.ts'
import { discloseRecords } from '../consent/disclose.ts'
import { makeThirdParty } from '../consent/stores.ts'
import { put } from '../load/lines.ts'
import { fileScope } from '../support/engines.ts'
import { loadInProcess } from '../support/load.ts'
import { runInProcess } from '../support/process.ts'
import { assertQuiet, check, focusOn, hostileStrings, openConsole } from './console-browser.ts'

const console = await openConsole(fileScope)
const store = await openConsentStore(console.database)
fileScope.after(() => store.close())

/** More than a page has. */
const ids = Array.from({ length: 30 }, (_, index) => `t${index}`)

/** Wrong data of two customers, which a third party with a hostile name got, and its correction. */
async function correct(): Promise<void> {
  const pay = (amount: string) =>
    ids.map((id) => put.transaction('x1', id, { amount, postingDateTime: '2026-01-05T00:00:00Z' }))
  const customers = (name: string) =>
    ['x', 'y'].map((id) => put.customer(id, { name, email: `${id}@data.example` }))
  await loadInProcess(console.database, [
    ...customers('Wrong'),
    put.account('x1', ['x'], { users: [{ id: 1 }] }),
    ...pay('-1.00'),
  ])
  await store.thirdParties.add(makeThirdParty('evil', { name: hostileStrings.join(' ') }))
  const period = { oldest: '2026-01-01T00:00:00Z', newest: '2026-02-01T00:00:00Z' }
  const common = { thirdPartyId: 'evil', customerId: 'x' }
  const start = Temporal.Now.instant().subtract({ hours: 2 })
  await discloseRecords(store, start, { ...common, ...period, accountIds: ['x1'] })
  await discloseRecords(
    store,
    start.add({ hours: 1 }),
    { ...common, ...period, accountIds: ['x1'] },
    { ...common, customerId: 'y', operation: 'cds-customer' },
  )
  const corrected = [...customers('Right'), ...pay('-2.00')]
  await loadInProcess(
    console.database,
    corrected.map((line) => `${line.slice(0, -1)},"correction":true}`),
  )
}

describe('the corrections in the console', () => {
  it('say what fills them while there are none', async () => {
    const page = await console.visit('/console/consents')
    await page.getByRole('link', { name: 'Corrections' }).click()
    await page.getByText('No third party can have received data that was corrected').waitFor()
    assert.equal(await page.title(), 'Corrections – Holdfast')
    await check(page, 'corrections-empty')
    assertQuiet(page)
    await page.context().close()
  })

  it('are found and saved with the keyboard alone, with the scope consent.read', async () => {
    await correct()
    const page = await console.visitAs(['consent.read'], '/console/consents/corrections')
    const rows = page.getByRole('table', { name: 'Notices of corrections' }).getByRole('row')
    await rows.nth(1).waitFor()
    assert.equal(await rows.count(), 26)
    await check(page, 'corrections')
    await focusOn(page, 'Next page')
    await page.keyboard.press('Enter')
    await rows.nth(7).waitFor({ state: 'detached' })
    assert.equal(await rows.count(), 7)
    await focusOn(page, 'Customer ID')
    await page.keyboard.type('y')
    await page.keyboard.press('Enter')
    await rows.nth(2).waitFor({ state: 'detached' })
    await rows.filter({ hasText: 'Customer details' }).waitFor()
    await rows.filter({ hasText: '1 time: ' }).waitFor()
    assert.equal(new URL(page.url()).search, '?customer=y')
    await check(page, 'corrections-filtered')

    await focusOn(page, 'Remove filters')
    await page.keyboard.press('Enter')
    await rows.nth(25).waitFor()
    await focusOn(page, 'Save CSV …')
    await page.keyboard.press('Enter')
    await page.getByText('31 notices ready').waitFor()
    await check(page, 'corrections-save')
    await focusOn(page, 'Save notices.csv')
    const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
    const { stdout } = await runInProcess([
      ...['records', 'corrections', '--format', 'csv', '--database', console.database],
    ])
    assert.equal(readFileSync(await file.path(), 'utf8'), stdout)
    assertQuiet(page)
    await page.context().close()
  })

  it('are filtered by day, in the time zone of the data provider', async () => {
    const page = await console.visit('/console/consents/corrections?since=2026-01-01')
    const rows = page.getByRole('table', { name: 'Notices of corrections' }).getByRole('row')
    await rows.nth(1).waitFor()
    await page.getByLabel('Before').fill('2026-01-01')
    await page.getByLabel('Before').press('Enter')
    await page.getByText('No notice matches the filters').waitFor()
    assert.match(page.url(), /since=2026-01-01&until=2026-01-01$/)
    await page.goto(`${console.platform}/console/consents/corrections?since=tomorrow`)
    await page.getByText(/^Error: Corrected since: /).waitFor()
    await check(page, 'corrections-invalid')
    assertQuiet(page)
    await page.context().close()
  })
})
