import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { openSigningKeyStore } from '../../src/storage/open.ts'
import { ana, ben } from '../check/data.ts'
import { openBank, openMemoryReplayStore, type Seam, subdomain } from '../check/provider.ts'
import { describeOnce, fileScope, newDatabase, shareOnEachEngine } from '../support/engines.ts'
import { startServer } from '../support/process.ts'
import { until } from '../support/until.ts'
import { assertQuiet, check, focusOn, hostileStrings, openConsole } from './console-browser.ts'

const console = await openConsole(fileScope)

async function untilEnded(page: Page): Promise<void> {
  await page.getByText('The check has ended').waitFor()
}

let isHostile = false

/** Returns hostile texts as ids, from a certain time on. */
const hostile: Seam = {
  answer: (body, { ref, reply }) => {
    if (!isHostile) return body
    reply.header('x-hostile', hostileStrings[1])
    if (ref === 'C3' && body?.id) return { ...body, id: hostileStrings.join(' ') }
    if (ref === 'C2' && body?.accounts) return { accounts: [{ id: hostileStrings[0] }] }
    return body
  },
}

/** A platform in a process of its own, whose provider returns hostile texts and does not conform to the interface. */
const sharedOther = shareOnEachEngine(async (scope) => {
  const database = await newDatabase(scope)
  const { testKeys, serve } = await openBank(scope, openMemoryReplayStore())
  const [{ kid, alg, jwk } = assert.fail()] = testKeys.keys
  const keys = await openSigningKeyStore(database)
  const created = Temporal.Now.instant()
  await keys.add({ id: kid, algorithm: alg, privateKey: jwk, created })
  await keys.close()
  const { url } = await serve(hostile)
  const checkCustomers = `${ana},${ben}`
  const flags = { database, 'provider-url': url, subdomain, 'check-customers': checkCustomers }
  const { address } = await startServer(scope, ['serve', 'platform'], flags)
  return { platform: address, database }
})

describeOnce('the checks in a browser', () => {
  it('run in the demo with live progress, have a report, and can be compared', async () => {
    const page = await console.visit('/console/checks/compare')
    await page.getByText('no two completed runs').waitFor()
    await page.getByRole('link', { name: 'Run a check' }).click()
    await page.getByText('No check has been run yet').waitFor()
    await check(page, 'checks-empty')

    await focusOn(page, 'Run smoke check')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Smoke check in progress' }).waitFor()
    assert.ok(await page.getByRole('button', { name: 'Run smoke check' }).isDisabled())
    const done = () => page.getByRole('progressbar').getAttribute('value')
    await page.getByText(/^[1-9]\d* of \d+ checks/).waitFor()
    const first = Number(await done())
    await until(async () => Number(await done()) > first)
    await check(page, 'checks-running')
    await untilEnded(page)
    await check(page, 'checks-list')

    await page.getByRole('link', { name: 'Open the report' }).click()
    await page.getByRole('heading', { name: 'Smoke check', exact: true }).waitFor()
    assert.equal(await page.title(), 'Check – Holdfast')
    await focusOn(page, 'C3 returns the requested customer')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Clause' }).waitFor()
    await check(page, 'check-report')
    await page.getByRole('link', { name: /^Failed/ }).click()
    await page.getByText('No check failed').waitFor()
    assert.equal(new URL(page.url()).search, '?show=failed')
    await page.goBack()
    await page.getByRole('heading', { name: /^Tokens/ }).waitFor()

    const breadcrumbs = page.getByRole('navigation', { name: 'Breadcrumbs' })
    await breadcrumbs.getByRole('link', { name: 'Checks' }).click()
    await page.getByRole('button', { name: 'Run smoke check' }).click()
    await untilEnded(page)
    await page.getByRole('link', { name: 'since the previous run' }).click()
    await page.getByText('0 newly failing, 0 fixed').waitFor()
    await check(page, 'checks-compare-same')
    assertQuiet(page)
    await page.context().close()
  })

  it('show what was sent, expected and received, and hostile answers as text', async () => {
    const page = await console.visitAs(['operations.write'], '/console/checks', await sharedOther())
    const run = page.getByRole('button', { name: 'Run smoke check' })
    for (const isFaulty of [false, true]) {
      isHostile = isFaulty
      await run.click()
      await page.getByRole('heading', { name: 'Smoke check in progress' }).waitFor()
      await untilEnded(page)
    }
    await page.getByRole('link', { name: 'since the previous run' }).click()
    await page.getByText(/[1-9] newly failing, 0 fixed/).waitFor()
    await check(page, 'checks-compare')
    const [a, b] = ['a', 'b'].map((name) => new URL(page.url()).searchParams.get(name) ?? '')
    await page.getByLabel('Earlier run').selectOption(b ?? '')
    await page.getByLabel('Later run').selectOption(a ?? '')
    await page.getByText(/0 newly failing, [1-9] fixed/).waitFor()

    await page.goBack()
    await page.goBack()
    await page.getByText(/[1-9] newly failing/).waitFor()
    await page.getByRole('link', { name: 'Open the report' }).first().click()
    await page.waitForURL(/show=failed/)
    const result = page.locator('details', { hasText: 'consent.identity.id' })
    await result.locator('summary').click()
    for (const name of ['Reason', 'Sent', 'Expected', 'Received', 'Clause']) {
      await result.getByRole('heading', { name }).first().waitFor()
    }
    const text = await result.innerText()
    for (const string of hostileStrings.slice(0, 6)) {
      assert.ok(text.includes(JSON.stringify(string).slice(1, -1)), `${string} in ${text}`)
    }
    assert.ok(text.includes('authorization: Bearer [token]'))
    assert.ok(text.includes('\\u202eevil'))
    // Everything that the provider returned is on the page.
    await page.evaluate(
      `document.querySelectorAll('details').forEach((each) => { each.open = true })`,
    )
    await check(page, 'check-failed')
    assert.equal(await page.locator('main img, main svg, main script').count(), 0)
    assertQuiet(page)
    await page.context().close()
  })

  it('are interrupted by a restart of the platform, which the page outlives', async () => {
    const page = await console.visit('/console/checks')
    await page.getByRole('button', { name: 'Run full check' }).click()
    await page.getByText(/^[1-9]\d* of \d+ checks/).waitFor()

    await console.stop()
    await page.getByText('The server cannot be reached').waitFor()
    await console.start()

    await page.getByRole('cell', { name: 'interrupted' }).waitFor()
    await page.getByRole('row', { name: 'interrupted' }).getByRole('link').click()
    await page.getByText('The check was interrupted').waitFor()
    await check(page, 'check-interrupted')
    assertQuiet(page)
    await page.context().close()
  })

  it('cannot be run without the scope operations.write', async () => {
    const page = await console.visitAs(['operations.read'], '/console/checks', await sharedOther())
    await page.getByText('with the scope operations.write').waitFor()
    assert.equal(await page.getByRole('button', { name: /Run/ }).count(), 0)
    await page.goto(`${new URL(page.url()).origin}/console/checks/unknown`)
    await page.getByText('Check not found').waitFor()
    assertQuiet(page)
    await page.context().close()
  })
})
