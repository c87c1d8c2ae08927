import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { RegulatoryReport } from '../../src/contract/index.ts'
import { usageDefinitions } from '../../src/contract/usage-definitions.ts'
import { formatReportCsv, formatReportHtml } from '../../src/platform/reports/format-report.ts'
import { openConsentStore } from '../../src/storage/open.ts'
import { requestPasscode, shareAll } from '../demo/demo-browser.ts'
import { fileScope } from '../support/engines.ts'
import { runInProcess } from '../support/process.ts'
import { assertQuiet, check, focusOn, openConsole } from './console-browser.ts'

const console = await openConsole(fileScope)
const store = await openConsentStore(console.database)
fileScope.after(() => store.close())

/** A customer of the demo shares data, which Example Budget reads. */
const budget = await requestPasscode(console, 'zara.zhang1@example.net')
await shareAll(budget)

async function download(page: Page, name: string): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name }).click(),
  ])
  return readFileSync(await file.path(), 'utf8')
}

describe('the history of calls in the console', () => {
  it('shows calls by range, operation and third party, what happened, and the definition of each number', async () => {
    const page = await console.visit('/console/monitoring')
    await page.getByRole('heading', { name: 'Calls per hour' }).waitFor()
    const operations = page.getByRole('table', { name: 'Calls by operation' })
    await operations.getByRole('row', { name: /^Token/ }).waitFor()
    await page
      .getByRole('table', { name: 'Calls by third party' })
      .getByText('Example Budget')
      .waitFor()
    const happened = page.getByRole('table', { name: 'What happened' })
    await happened
      .getByText(/^Started: .*platform/)
      .first()
      .waitFor()
    await happened.getByText('Signing key added').first().waitFor()
    await page.getByLabel('Definition of calls', { exact: true }).click()
    await page.getByText(usageDefinitions.calls).waitFor()
    await check(page, 'operations-usage')

    await page.getByLabel('Range', { exact: true }).selectOption('10m')
    await page.getByRole('heading', { name: 'Calls per minute' }).waitFor()
    await page.getByLabel('Operation', { exact: true }).selectOption({ label: 'Token' })
    await operations.getByRole('row').nth(1).waitFor()
    await page.waitForFunction(
      'document.querySelectorAll(\'[aria-label="Calls by operation"] tbody tr\').length === 1',
    )
    assert.match(new URL(page.url()).search, /range=10m&operation=token/)
    await page.reload()
    await page.getByRole('heading', { name: 'Calls per minute' }).waitFor()
    assert.equal(await page.getByLabel('Operation', { exact: true }).inputValue(), 'token')
    assertQuiet(page)
    await page.context().close()
  })

  it('is usable with the keyboard alone', async () => {
    const page = await console.visit('/console/monitoring')
    await page.getByRole('heading', { name: 'Calls per hour' }).waitFor()
    await focusOn(page, 'Range')
    await page.keyboard.press('ArrowDown')
    await page.getByRole('heading', { name: 'Calls per day' }).waitFor()
    await focusOn(page, 'Definition of calls')
    await page.keyboard.press('Enter')
    await page.getByText(usageDefinitions.calls).waitFor()
    assertQuiet(page)
    await page.context().close()
  })

  it('shows how consent flows ended', async () => {
    const page = await console.visit('/console/consents/flows')
    const ends = page.getByRole('table', { name: 'How flows ended' })
    await ends.getByRole('row', { name: /^Led to a consent 1 100 %/ }).waitFor()
    await check(page, 'flow-ends')
    assertQuiet(page)
    await page.context().close()
  })
})

describe('the overview', () => {
  it('shows the calls of the last 24 hours, and what happened', async () => {
    const page = await console.visit('/console')
    const heading = page.getByRole('heading', { name: 'Third parties, last 24 hours' })
    await heading.waitFor()
    await page
      .getByRole('table', { name: 'What happened' })
      .getByText(/^Started: /)
      .first()
      .waitFor()
    await check(page, 'overview-usage')
    assertQuiet(page)
    await page.context().close()
  })
})

describe('the reports in the console', () => {
  it('show the numbers of a period, and save the documents of the command', async () => {
    const page = await console.visit('/console/reports')
    await page.getByText('Finished', { exact: true }).waitFor()
    await check(page, 'report-finished')
    const finished = await page.getByLabel('Period').inputValue()
    const brand = ['--brand-name', JSON.parse(await download(page, 'Save JSON')).brands[0].name]
    for (const format of ['html', 'csv', 'json']) {
      const flags = ['--period', finished, '--format', format, '--database', console.database]
      const { stdout, stderr } = await runInProcess(['report', ...flags, ...brand])
      assert.equal(await download(page, `Save ${format.toUpperCase()}`), stdout, stderr)
    }

    await focusOn(page, 'Period')
    await page.keyboard.press('Home')
    await page.getByText('Unfinished: the numbers can grow').waitFor()
    const requests = page.getByRole('table', { name: 'Requests' })
    await requests.getByRole('row', { name: /^Consumer data requests [1-9]/ }).waitFor()
    await page.getByText('Each block has its hash').waitFor()
    await check(page, 'report')
    const report: RegulatoryReport = JSON.parse(await download(page, 'Save JSON'))
    assert.equal(report.period, await page.getByLabel('Period').inputValue())
    assert.equal(await download(page, 'Save HTML'), formatReportHtml(report))
    assert.equal(await download(page, 'Save CSV'), formatReportCsv(report))
    assertQuiet(page)
    await page.context().close()
  })

  it('say why there is no report of a period', async () => {
    const page = await console.visit('/console/reports?period=1999-H1')
    await page.getByText('before the records that are kept').waitFor()
    await check(page, 'report-refused')
    assertQuiet(page)
    await page.context().close()
  })
})

describe('the copy of a customer’s records', () => {
  it('is saved from the page of a consent, in the words of the customer', async () => {
    const [consent] = await store.arrangements.list({ limit: 1 }, Temporal.Now.instant())
    const page = await console.visit(`/console/consents/${consent?.id}`)
    await focusOn(page, 'Copy for the customer …')
    await page.keyboard.press('Enter')
    await page.getByText(/\d+ records ready/).waitFor()
    await check(page, 'records-copy')

    const csv = await download(page, 'Save records.csv')
    const html = await download(page, 'Save records.html')

    const rows = csv.trimEnd().split('\r\n')
    assert.equal(rows[0], 'Time,Service,Data,Result,Records,Accounts,From,To')
    assert.match(rows[1] ?? '', /,Example Budget,.*,Shared,\d+,/)
    assert.equal(html.split('<td>Example Budget</td>').length, rows.length)
    assertQuiet(page)
    await page.context().close()
  })
})
