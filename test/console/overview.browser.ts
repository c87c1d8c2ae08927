import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fileScope } from '../support/engines.ts'
import { runHoldfast } from '../support/process.ts'
import { assertQuiet, check, openConsole } from './console-browser.ts'

const console = await openConsole(fileScope)

describe('the overview in a browser', () => {
  it('shows what runs, how much data there is, and the last load', async () => {
    const page = await console.visit('/console')
    await page.getByText('Nothing needs attention.').waitFor()
    const counts = await page.locator('.counts li').allInnerTexts()
    assert.deepEqual(
      counts.map((text) => text.replaceAll(/\s+/g, ' ')),
      ['25 Customers', '85 Accounts', '26 Products', '0 Drafts', '0 Active consents'],
    )
    for (const server of ['Provider', 'Platform', 'Intake']) {
      await page.getByRole('row', { name: new RegExp(`${server} Ready`) }).waitFor()
    }
    await page.getByText(/^Last load .* ago: [\d,]+ created\.$/).waitFor()
    await check(page, 'overview')
    assertQuiet(page)
    await page.context().close()
  })

  it('lists what needs attention first, since when, and what to do', async () => {
    const page = await console.visit('/console')
    const hour = 3_600_000
    const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
    await page.route('**/v1/status', async (route) => {
      const response = await route.fetch()
      const status = await response.json()
      const [platform, provider] = status.servers
      const intake = {
        role: 'intake',
        status: 'unavailable',
        reasons: ['no response within 2 s'],
        since: ago(4 * hour),
      }
      const late = { feed: 'cards', batch: 1204, lines: 9, time: ago(2 * hour) }
      const onTime = { feed: 'core', batch: 80, lines: 80, time: ago(8000) }
      const json = {
        ...status,
        servers: [platform, provider, intake],
        feeds: [
          { ...late, usualSeconds: 30, isLate: true },
          { ...onTime, usualSeconds: 30, isLate: false },
        ],
      }
      await route.fulfill({ response, json })
    })
    const items = page.locator('.overview > .card').first().getByRole('listitem')
    await items.nth(1).waitFor()
    assert.deepEqual(
      (await items.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ')),
      [
        'Server Intake: no response within 2 s First seen 4 h ago. Check that it runs, and read its log.',
        'Feed cards has not sent a batch for 2 h Usually every 30 s; the last batch was 1,204. Check the program that sends it.',
      ],
    )
    await page.getByRole('row', { name: /cards Late 30 s 1,204 · 2 h ago/ }).waitFor()
    await page.getByRole('row', { name: /core On time 30 s 80 · / }).waitFor()
    await check(page, 'overview-attention')
    assertQuiet(page)
    await page.context().close()
  })

  it('does not say that all is well while a list is not read', async () => {
    const page = await console.visit('/console/reports')
    const checks = Promise.withResolvers<void>()
    await page.route('**/v1/checks', async (route) => {
      await checks.promise
      await route.fulfill({ status: 500, json: { error: 'broken' } })
    })
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByText('The checks and the catalogue are being read.').waitFor()
    assert.equal(await page.getByText('Nothing needs attention.').count(), 0)
    checks.resolve()
    await page.getByText('Not everything could be read now.').waitFor()
    assert.equal(await page.getByText('Nothing needs attention.').count(), 0)
    await check(page, 'overview-not-known')
    assertQuiet(page)
    await page.context().close()
  })

  it('names counts that are not available, with the reason', async () => {
    const page = await console.visit('/console')
    await page.route('**/v1/status', async (route) => {
      const response = await route.fetch()
      const { counts, ...status } = await response.json()
      const { customers: _, accounts: __, ...others } = counts
      const unavailable = [
        { name: 'customers', reason: 'failed' },
        { name: 'accounts', reason: 'pending' },
      ]
      await route.fulfill({ response, json: { ...status, counts: { ...others, unavailable } } })
    })
    const count = (hasText: RegExp) => page.locator('.counts li', { hasText })
    await count(/–\s*Customers \(the database could not count them in time\)/).waitFor()
    await count(/–\s*Accounts \(still being counted\)/).waitFor()
    await count(/26\s*Products/).waitFor()
    assertQuiet(page)
    await page.context().close()
  })

  it('keeps what it shows while the server restarts, and continues by itself', async () => {
    const page = await console.visit('/console')
    await page.getByText('Nothing needs attention.').waitFor()
    await console.stop()
    await page.getByText('The server cannot be reached.').waitFor()
    await page.getByText('What follows was read').waitFor()
    await page.getByText('Not known', { exact: true }).first().waitFor()
    assert.equal(await page.getByText('Nothing needs attention.').count(), 0)
    assert.equal(await page.locator('.counts').count(), 1)
    await check(page, 'overview-stale')

    await console.start()
    await page.getByText('The server cannot be reached.').waitFor({ state: 'detached' })
    await page.getByText('Nothing needs attention.').waitFor()
    assertQuiet(page)
    await page.context().close()
  })

  it('asks to sign in again when the session has ended, and continues', async () => {
    const page = await console.visit('/console')
    await page.getByText('Nothing needs attention.').waitFor()
    const flags = ['--database', console.database]
    const { status } = await runHoldfast(['client', 'rotate', 'demo', ...flags])
    assert.equal(status, 0)
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await check(page, 'session-ended')
    await page.getByRole('button', { name: 'Sign in to the demo' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('Nothing needs attention.').waitFor()
    assertQuiet(page)
    await page.context().close()
  })
})
