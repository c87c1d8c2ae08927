import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { fileScope } from '../support/engines.ts'
import { assertQuiet, check, focusOn, hostileStrings, openConsole } from './console-browser.ts'

const response = (page: Page) => page.getByRole('region', { name: 'Response' })

const console = await openConsole(fileScope)

describe('the API reference in a browser', () => {
  it('finds an operation and calls the provider with it, with the keyboard alone', async () => {
    const page = await console.visit('/console/api')
    await page.getByRole('heading', { name: 'Data provider API' }).waitFor()
    await check(page, 'api')
    await focusOn(page, 'Search')
    await page.keyboard.type('transactions b3')
    await page.getByText('1 operation', { exact: true }).waitFor()
    assert.match(page.url(), /text=transactions\+b3/)
    await focusOn(page, 'listBankingTransactions')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Parameters' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/console/api/provider/listBankingTransactions')
    await check(page, 'api-operation')

    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('alert').getByText('Enter customerId. Enter accountId.').waitFor()
    await page.getByLabel('customerId (required)').fill('c-000001')
    await page.getByLabel('accountId (required)').fill('b-000001-1')
    await page.getByLabel('page-size').fill('0')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('query.page-size must be a whole number from 1 to 1000').waitFor()
    await page.getByLabel('page-size').fill('2')
    await page.getByRole('button', { name: 'Send' }).click()
    await response(page).getByText('"totalRecords"').waitFor()
    await check(page, 'api-try-provider')
    assertQuiet(page)
    await page.context().close()
  })

  it('opens nested and recursive schemas', async () => {
    const page = await console.visit('/console/api/platform/createProduct')
    await page.getByRole('heading', { name: 'Request body' }).waitFor()
    for (let depth = 0; depth < 6; depth += 1) {
      const next = page.locator('.schema details:not([open]) > summary').first()
      await next.click()
    }
    assert.ok((await page.locator('.schema .schema').count()) >= 2)
    await check(page, 'api-schema')
    assertQuiet(page)
    await page.context().close()
  })

  it('calls the platform with the session, and asks before a change', async () => {
    const page = await console.visit('/console/api/platform/listProducts')
    await page.getByRole('button', { name: 'Send' }).click()
    await response(page).getByText('"products"').waitFor()

    await page.goto(`${console.platform}/console/api/platform/deleteProduct`)
    await page.getByLabel('productID (required)').fill('..')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('alert').getByText('Enter productID.').waitFor()
    await page.getByLabel('productID (required)').fill(hostileStrings.join(''))
    await page.getByRole('button', { name: 'Send' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('may change data of the platform').waitFor()
    await check(page, 'api-confirm')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.equal(await response(page).count(), 0)
    await page.getByRole('button', { name: 'Send' }).click()
    await dialog.getByRole('button', { name: 'Send' }).click()
    await response(page).getByText('"Product not found"').waitFor()
    assertQuiet(page)
    await page.context().close()
  })

  it('shows what third parties use, and sends what needs no token', async () => {
    const page = await console.visit('/console/api?text=getAccountDetail')
    await page.getByRole('heading', { name: 'Third-party API' }).waitFor()
    await page.getByRole('link', { name: 'getAccountDetail' }).click()
    await page.getByText('the access token of a consent with the scope').waitFor()
    await page.getByText('A third party sends it').waitFor()
    await check(page, 'api-third-party')
    await page.goto(`${console.platform}/console/api/third-party/getStatus`)
    await page.getByLabel('x-v (required)').fill('1')
    await page.getByRole('button', { name: 'Send' }).click()
    await response(page).getByText('"updateTime"').waitFor()
    assertQuiet(page)
    await page.context().close()
  })

  it('shows a command for the intake, and where the session may not', async () => {
    const page = await console.visit('/console/api/intake/putBatch')
    await page.getByText(/^curl -s -X PUT/).waitFor()
    await page.goto(`${console.platform}/console/api/platform/streamMetrics`)
    await page.getByText('The response does not end').waitFor()
    await page.goto(`${console.platform}/console/api/platform/issueToken`)
    await page.getByText('It concerns credentials').waitFor()
    for (const path of ['platform/constructor', '__proto__/x', 'provider/__proto__']) {
      await page.goto(`${console.platform}/console/api/${path}`)
      await page.getByText(/There is no document|The document has no operation/).waitFor()
    }
    assertQuiet(page)
    await page.context().close()

    const reader = await console.visitAs(['products.read'], '/console/api/platform/createProduct')
    await reader.getByText('Your session needs the scope products.write.').waitFor()
    assert.equal(await reader.getByRole('button', { name: 'Send' }).count(), 0)
    await reader.goto(`${console.platform}/console/api/provider/getCustomer`)
    await reader.getByText('Your session needs the scope data.read.').waitFor()
    await check(reader, 'api-no-scope')
    assertQuiet(reader)
    await reader.context().close()
  })
})
