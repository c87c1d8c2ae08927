import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { fileScope } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { bankingAccount, customer, restriction } from '../support/lines.ts'
import { loadInProcess } from '../support/load.ts'
import { startServer } from '../support/process.ts'
import { assertQuiet, check, focusOn, openClient, openConsole } from './console-browser.ts'

const accountsPath = '/v1/banking/customer/c/accounts'

const console = await openConsole(fileScope)
await loadInProcess(console.database, [
  customer('endangered'),
  customer('careful'),
  bankingAccount('stopped', { careful: true }),
  restriction({ customerId: 'endangered' }, 'harm'),
  restriction({ accountId: 'stopped' }, 'blocked'),
])

describe('the monitoring page', () => {
  /** Sends a request that is rejected, without a token unless the headers have one. */
  async function reject(
    path = accountsPath,
    more: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const id = randomUUID()
    const headers = { 'x-fapi-interaction-id': id, ...more }
    const { status } = await send(console.provider, path, { headers })
    assert.ok(status >= 400)
    return id
  }

  /** The platform calls the provider, as for the explorer. */
  async function callProvider(call: object): Promise<void> {
    const { port, token } = await openClient(console, 'reader', 'data.read')
    const headers = { authorization: `Bearer ${token}` }
    const answer = await send(port, '/v1/explorer/calls', { method: 'POST', body: call, headers })
    assert.equal(answer.status, 200, answer.text)
  }

  /** The figure with this title, once its chart is drawn. */
  async function findChart(page: Page, title: string) {
    const chart = page.locator('figure').filter({ has: page.getByRole('heading', { name: title }) })
    await chart.locator('.chart-plot svg').waitFor()
    return chart
  }

  it('shows charts that move, and why a request was rejected', async () => {
    const page = await console.visit('/console/monitoring')
    const rejections = await findChart(page, 'Rejected tokens per 10 seconds')
    for (const title of ['Requests per second', 'Latency', 'Errors per 10 seconds']) {
      await findChart(page, title)
    }
    await page.getByText('Live', { exact: true }).waitFor()
    for (let count = 0; count < 9; count += 1) await reject()
    const id = await reject()

    await rejections.getByText('10 tokens were rejected').waitFor()
    await rejections.getByText('No token').first().waitFor()
    const reasons = page.getByRole('region', { name: 'Rejections by reason' })
    await reasons.getByRole('button', { name: 'No token' }).waitFor()
    await reasons.getByText('Authentication, 1:').waitFor()
    await check(page, 'monitoring')

    await page.getByLabel('Interaction ID').fill(id)
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByRole('heading', { name: 'No token' }).waitFor()
    assert.equal(new URL(page.url()).pathname, `/console/monitoring/rejections/${id}`)
    await page.getByText('Authentication, 1:').waitFor()
    await check(page, 'monitoring-rejection')
    await page.goBack()
    await page.getByRole('heading', { name: 'Monitoring', exact: true }).waitFor()
    // A reload finds the samples of the minutes before.
    await (await findChart(page, 'Rejected tokens per 10 seconds'))
      .getByText('10 tokens were rejected')
      .waitFor()
    assertQuiet(page)
    await page.context().close()
  })

  it('shows the values of all charts at the crosshair, and as tables', async () => {
    const page = await console.visit('/console/monitoring')
    const requests = await findChart(page, 'Requests per second')
    const latency = await findChart(page, 'Latency')
    await requests.locator('.chart-plot').hover()
    const time = (chart: typeof requests) => chart.locator('.chart-legend li').last().innerText()
    assert.equal(await time(requests), await time(latency))

    await latency.getByRole('slider').press('Home')
    const first = await time(latency)
    await page.keyboard.press('ArrowRight')
    assert.notEqual(await time(latency), first)
    assert.equal(await time(requests), await time(latency))

    await latency.getByText('Table: Latency').click()
    const table = latency.getByRole('table')
    await table.getByRole('columnheader', { name: 'p99' }).waitFor()
    assert.ok((await table.getByRole('row').count()) > 1)
    await check(page, 'monitoring-table')
    assertQuiet(page)
    await page.context().close()
  })

  it('is usable with the keyboard alone', async () => {
    const id = await reject()
    const page = await console.visit('/console/monitoring')
    await focusOn(page, 'Interaction ID')
    await page.keyboard.type('not an id')
    await page.keyboard.press('Enter')
    await page.getByText('Enter the UUID').waitFor()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type(id)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'No token' }).waitFor()
    assert.equal(await page.evaluate('document.activeElement.innerText'), 'Rejected request')
    assert.equal(await page.title(), 'Rejected request – Holdfast')
    await page.goBack()
    await focusOn(page, 'No token')
    await page.keyboard.press('Enter')
    await page.getByText('Only “No token”').waitFor()
    assert.equal(new URL(page.url()).search, '?reason=no+token')
    await page.context().close()
  })

  it('lists what the provider refused to share, without customers and accounts', async () => {
    const page = await console.visit('/console/monitoring')
    await page.getByText('The provider has not refused to share').waitFor()
    await check(page, 'monitoring-no-refusals')
    const params = { customerId: 'careful', accountId: 'stopped' }
    await callProvider({ operation: 'getCustomer', params: { customerId: 'endangered' } })
    await callProvider({ operation: 'getAccountContact', params })

    const counts = page.getByRole('region', { name: 'Refusals by circumstance' })
    await counts.getByRole('rowheader', { name: 'Harm' }).waitFor()
    const latest = page.getByRole('region', { name: 'Latest refusals' })
    await latest.getByRole('link', { name: 'Blocked' }).first().waitFor()
    assert.doesNotMatch(await latest.innerText(), /endangered|careful|stopped/)
    await check(page, 'monitoring-refusals')

    await focusOn(page, 'Harm')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'refused to share: harm' }).waitFor()
    await page.getByText('Decision 65:').waitFor()
    await check(page, 'monitoring-refusal')
    assertQuiet(page)
    await page.context().close()
  })

  it('labels requests of checks and of the console, and leaves them out', async () => {
    await reject('/v1/banking/customer/checked/accounts', { 'user-agent': 'holdfast-check' })
    const page = await console.visit('/console/monitoring')
    const latest = page.getByRole('region', { name: 'Latest rejections' })
    await latest.getByText('Check', { exact: true }).first().waitFor()
    await page.getByLabel('Console and checks').selectOption('false')
    await latest.getByText('Check', { exact: true }).first().waitFor({ state: 'detached' })
    assert.equal(new URL(page.url()).search, '?tools=false')
    await findChart(page, 'Requests per second')
    await check(page, 'monitoring-others')
    assertQuiet(page)
    await page.context().close()
  })

  it('says that metrics are off, and how to switch them on', async () => {
    const { database } = console
    const { address } = await startServer(fileScope, ['serve', 'platform'], { database })
    const other = { platform: address, database }
    const page = await console.visitAs(['operations.read'], '/console/monitoring', other)
    await page.getByText('Metrics are off').waitFor()
    await page.getByText('HOLDFAST_METRICS_PORT').first().waitFor()
    assert.equal(await page.getByRole('heading', { name: 'Latency' }).count(), 0)
    assert.equal(await page.getByText('No request of the last hour was rejected').count(), 0)
    await check(page, 'monitoring-off')
    assertQuiet(page)
    await page.context().close()
  })

  it('says that an id is unknown', async () => {
    const page = await console.visit(`/console/monitoring/rejections/${randomUUID()}`)
    await page.getByText('No rejected request of the last hour has this interaction ID').waitFor()
    await check(page, 'monitoring-unknown')
    await page.goto(`${console.platform}/console/monitoring/rejections/<img src=x>`)
    await page.getByText('interactionId must be a UUID').waitFor()
    assertQuiet(page)
    await page.context().close()
  })

  it('connects again after the server has restarted, and keeps its chart', async () => {
    await reject()
    const page = await console.visit('/console/monitoring')
    const rejections = await findChart(page, 'Rejected tokens per 10 seconds')
    const reasons = rejections.locator('.chart-legend')
    await reasons.getByText('No token').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await console.stop()
    await page.getByText('Connection lost').waitFor()
    await page.getByText('Last updated').waitFor()
    await check(page, 'monitoring-lost')
    await console.start()
    await page.getByText('Live', { exact: true }).waitFor()
    await reject(accountsPath, { authorization: 'Bearer malformed' })
    await reasons.getByText('Token is not a signed JWT').waitFor()
    await reasons.getByText('No token').waitFor()
    await page.context().close()
  })

  it('has no connection while the tab is hidden', async () => {
    const page = await console.visit('/console/monitoring')
    await page.getByText('Live', { exact: true }).waitFor()
    const isStream = (request: Request) => request.url().endsWith('/v1/metrics/stream')
    const setHidden = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))`)
    const closed = page.waitForEvent('requestfailed', isStream)
    await setHidden(true)
    assert.equal((await closed).failure()?.errorText, 'net::ERR_ABORTED')
    const opened = page.waitForEvent('request', isStream)
    await setHidden(false)
    await opened
    await reject('/v1/banking/customer/hidden/accounts')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.context().close()
  })

  it('asks to sign in again when the session ends, and continues', async () => {
    const page = await console.visit('/console/monitoring')
    await page.getByText('Live', { exact: true }).waitFor()
    const [session] = await page.context().cookies()
    const { csrf_token: token } = (await page.evaluate(
      `fetch('/v1/session').then((response) => response.json()).then(({ session }) => session)`,
    )) as { csrf_token: string }
    const headers = { cookie: `${session?.name}=${session?.value}`, 'x-csrf-token': token }
    const { status } = await send(console.platform, '/v1/session', { method: 'DELETE', headers })
    assert.equal(status, 200)

    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
    await page.getByRole('button', { name: 'Sign in to the demo' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('Live', { exact: true }).waitFor()
    await findChart(page, 'Latency')
    await page.context().close()
  })

  it('shows a client without the scope which one is missing', async () => {
    const page = await console.visitAs(['products.read'], '/console/monitoring')
    await page.getByText('This page needs the scope operations.read').waitFor()
    await page.context().close()
  })
})
