import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { examples } from '../../src/contract/index.ts'
import { type minimalProduct, productWithFields } from '../catalogue/products.ts'
import { fileScope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { productPath } from '../support/platform.ts'
import { runHoldfast } from '../support/process.ts'
import { assertQuiet, check, focusOn, openClient, openConsole } from './console-browser.ts'
import { loadManyProducts, oddIds } from './many-products.ts'

const catalogueUrl = '/console/catalogue'
const productUrl = (id: string) => `${catalogueUrl}/${encodeURIComponent(id)}`
const savings = examples['ProductInput']?.[0] as typeof minimalProduct

const console = await openConsole(fileScope, loadManyProducts)
const catalogue = await openClient(console)

describe('the catalogue in a browser', () => {
  const rowNames = (page: Page) => page.locator('tbody th').allInnerTexts()
  /** The rows of the page before are shown until those of the next have arrived. */
  const firstRow = (page: Page, name: string) =>
    page.locator('tbody th').first().getByText(name, { exact: true }).waitFor()
  const total = (page: Page, text: string | RegExp) =>
    page.getByRole('navigation', { name: 'Pages of product' }).getByText(text).waitFor()

  /** Shows the page on a narrow screen, on which the table needs no sideways scrolling. */
  const assertStacked = async (page: Page, table: Locator) => {
    await page.setViewportSize({ width: 360, height: 900 })
    assert.equal(await table.evaluate((region) => region.scrollWidth - region.clientWidth), 0)
  }

  /** Holds requests for lists with this text in their query until they are released. */
  const holdLists = async (page: Page, query: string) => {
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>()
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
    await page.route(`**/product-summaries?**${query}**`, async (route) => {
      hold()
      await isReleased
      await route.continue().catch(() => {})
    })
    return { isHeld, release }
  }

  it('lists 10,000 products by page, searches as you type and keeps filters in the URL', async () => {
    const page = await console.visit(catalogueUrl)
    await total(page, /Page 1 of \d+ · 10,0\d\d products/)
    await check(page, 'catalogue')

    await page.getByLabel('Search').pressSequentially('pRODUCT 0012')
    await total(page, /Page 1 of 1 · 10 products/)
    assert.equal(new URL(page.url()).searchParams.get('text'), 'pRODUCT 0012')
    await page.getByLabel('Category').selectOption('Leases')
    await total(page, /5 products/)
    await page.getByLabel('State').selectOption('Draft')
    await page.getByText('No product matches').waitFor()
    await check(page, 'catalogue-empty')
    await page.goBack()
    await total(page, /5 products/)
    await page.reload()
    await total(page, /5 products/)
    assert.equal(await page.getByLabel('Search').inputValue(), 'pRODUCT 0012')

    await page.getByLabel('Search').fill('')
    await page.getByLabel('Category').selectOption('All')
    await page.getByLabel('Brand').fill('Bulk Two')
    await page.getByLabel('Brand').press('Enter')
    await page.getByLabel('State').selectOption('Published')
    await page.getByLabel('Order').selectOption('Name')
    await total(page, /5,000 products/)
    await page.getByRole('button', { name: 'Next' }).click()
    await total(page, /Page 2 of 200/)
    await firstRow(page, 'Product 00051')
    await page.goBack()
    await total(page, /Page 1 of 200/)
    await firstRow(page, 'Product 00001')
    assertQuiet(page)
    await page.context().close()
  })

  it('ignores answers that arrive out of order, and stays usable on a slow network', async () => {
    const page = await console.visit(catalogueUrl)
    await total(page, /products/)
    const client = await page.context().newCDPSession(page)
    const throughput = { downloadThroughput: -1, uploadThroughput: -1 }
    await client.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 500,
      ...throughput,
    })
    const { isHeld, release } = await holdLists(page, 'text=Product+001&')
    await page.getByLabel('Search').fill('Product 001')
    await isHeld
    await page.getByLabel('Search').fill('Product 00123')
    await total(page, /1 product$/)
    release()
    await page.getByRole('link', { name: 'Product 00123' }).click()
    await page.getByRole('heading', { level: 1, name: 'Product 00123' }).waitFor()
    await page.goBack()
    await total(page, /1 product$/)
    assert.deepEqual(await rowNames(page), ['Product 00123'])
    assertQuiet(page)
    await page.context().close()
  })

  it('keeps a brand that is being typed while a list arrives', async () => {
    const page = await console.visit(catalogueUrl)
    await total(page, /10,0\d\d products/)
    const { isHeld, release } = await holdLists(page, 'state=PUBLISHED')
    await page.getByLabel('State').selectOption('Published')
    await isHeld
    await page.getByLabel('Brand').pressSequentially('Bulk')
    release()
    await total(page, /9,0\d\d products/)
    await page.getByLabel('Brand').pressSequentially(' Two')
    await page.getByLabel('Brand').press('Enter')
    await total(page, /5,000 products/)
    await page.context().close()
  })

  it('is usable with the keyboard alone', async () => {
    const page = await console.visit(`${catalogueUrl}?sort=name&text=Product+0000`)
    await total(page, /10 products/)
    await focusOn(page, 'Select Product 00001')
    await page.keyboard.press('Space')
    await focusOn(page, 'Select Product 00002')
    await page.keyboard.press('Space')
    // Past the end of the page, the focus starts again at its beginning.
    await focusOn(page, 'Compare')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Compare products' }).waitFor()
    await page.waitForFunction("document.activeElement.tagName === 'H1'")
    await page.context().close()
  })

  it('shows a product as a customer reads it, with its state, author and JSON', async () => {
    const id = await catalogue.made(savings)
    const page = await console.visit(productUrl(id))
    await page.getByRole('heading', { level: 1, name: 'Everyday Saver' }).waitFor()
    await page.getByText('by pricing team').waitFor()
    const summary = page.getByRole('article')
    for (const text of [
      'Example Bank Everyday · Transaction and savings accounts',
      '3.5 %',
      'Application frequency',
      '1 month',
      '4.00 AUD',
      'Minimum age',
      'Maximum balance',
      'Holds a transaction account',
    ]) {
      await summary.getByText(text).first().waitFor()
    }
    assert.equal(
      await summary.getByRole('link', { name: 'https://bank.example/apply' }).getAttribute('rel'),
      'noopener noreferrer',
    )
    await page.getByText('JSON', { exact: true }).click()
    const json = JSON.parse(await page.locator('pre').innerText())
    assert.deepEqual(json, await catalogue.read(id))
    await check(page, 'product')

    await page.getByRole('link', { name: 'Duplicate' }).click()
    await page.getByRole('heading', { name: 'New product' }).waitFor()
    assert.equal(new URL(page.url()).search, `?from=${id}`)
    assertQuiet(page)
    await page.context().close()
  })

  it('opens products with any id', async () => {
    const page = await console.visit(`${catalogueUrl}?text=Odd&sort=name`)
    for (const id of oddIds) {
      await page.getByRole('link', { name: `Odd ${id}`, exact: true }).click()
      await page.getByRole('heading', { level: 1, name: `Odd ${id}` }).waitFor()
      await page.reload()
      await page.getByRole('heading', { level: 1, name: `Odd ${id}` }).waitFor()
      await page.goBack()
    }
    await page.getByLabel('Select Odd é,ö').check()
    await page.getByLabel('Select Odd a/b?c#d').check()
    await page.getByRole('link', { name: 'Compare', exact: true }).click()
    await page.getByRole('columnheader', { name: 'Odd é,ö' }).waitFor()
    assertQuiet(page)
    await page.context().close()
  })

  it('compares versions field by field, and restores one without losing a later change', async () => {
    const id = await catalogue.made(savings)
    await catalogue.replace(id, {
      ...savings,
      name: 'Renamed Saver',
      eligibility: [],
      application_uri: undefined,
    })
    await catalogue.replace(id, { ...savings, name: 'Third Saver' })
    const page = await console.visit(productUrl(id))
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByRole('heading', { name: 'Version 2 and version 3' }).waitFor()
    await page.getByLabel('Compare version 1').check()
    await page.getByLabel('With version 2').check()
    await page.getByRole('heading', { name: 'Version 1 and version 2' }).waitFor()
    const diff = page.getByRole('region', { name: /Differences/ })
    await diff.getByRole('row', { name: 'Name Changed Everyday Saver Renamed Saver' }).waitFor()
    await diff.getByRole('row', { name: /Application link Removed/ }).waitFor()
    await diff.getByRole('row', { name: /Eligibility 2 Removed/ }).waitFor()
    assert.equal(new URL(page.url()).search, '?from=1&to=2')
    await check(page, 'history')
    await assertStacked(page, diff)
    await diff.getByRole('row', { name: 'Name Changed Everyday Saver Renamed Saver' }).waitFor()

    await page.getByRole('button', { name: 'Restore version 1' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('row', { name: /Name Changed Third Saver Everyday Saver/ }).waitFor()
    await check(page, 'restore')
    await catalogue.replace(id, { ...savings, name: 'Meanwhile' })
    await dialog.getByRole('button', { name: 'Publish now' }).click()
    await dialog.getByText('Nothing was changed').waitFor()
    assert.equal((await catalogue.read(id))['name'], 'Meanwhile')
    await dialog.getByRole('button', { name: 'Show what would change now' }).click()
    await dialog.getByRole('row', { name: /Name Changed Meanwhile Everyday Saver/ }).waitFor()
    await dialog.getByRole('button', { name: 'Publish now' }).click()
    await page.getByRole('row', { name: /5 Updated Demo/ }).waitFor()
    assert.equal((await catalogue.read(id))['name'], 'Everyday Saver')

    await page.getByRole('button', { name: 'Restore version 2' }).click()
    await dialog.getByRole('button', { name: 'Save as a draft' }).click()
    await page.waitForURL(/\/edit$/)
    await page.goto(console.platform + productUrl(id))
    await page.getByText('There is a draft of this product').waitFor()
    await page.getByRole('button', { name: 'See changes' }).click()
    await diff.getByRole('row', { name: /Name Changed Everyday Saver Renamed Saver/ }).waitFor()
    await check(page, 'product-draft')
    await page.getByRole('link', { name: 'Publish …' }).click()
    await dialog.getByText('Where it will be visible').waitFor()
    assertQuiet(page)
    await page.context().close()
  })

  it('compares products with the fields that differ first', async () => {
    const first = await catalogue.made({ ...savings, name: 'Compared A' })
    const second = await catalogue.made({
      ...savings,
      name: 'Compared B',
      deposit_rates: [...(savings['deposit_rates'] as object[])].reverse(),
      features: [],
    })
    const page = await console.visit(`${catalogueUrl}/compare?ids=${first},${second}`)
    const differences = page.getByRole('region', { name: 'Fields that differ' })
    await differences.getByRole('row', { name: 'Name Compared A Compared B' }).waitFor()
    await differences
      .getByRole('row', { name: /Features .* not set/ })
      .first()
      .waitFor()
    assert.equal(await differences.getByRole('row', { name: /Deposit rates/ }).count(), 0)
    await check(page, 'compare')
    await assertStacked(page, differences)
    await differences.getByRole('row', { name: 'Name Compared A Compared B' }).waitFor()
    await page.getByRole('button', { name: /Show \d+ equal fields/ }).click()
    await page
      .getByRole('region', { name: 'Fields that are equal' })
      .getByRole('row', { name: /Deposit rates › Variable › Rate 3.5 % a year 3.5 % a year/ })
      .waitFor()
    assertQuiet(page)
    await page.context().close()
  })

  it('compares a draft of a new product, and recovers after a restart of the server', async () => {
    const { headers, body } = await catalogue.send('/v1/data-provider/cdr/product-drafts', {
      method: 'POST',
      headers: { authorization: `Bearer ${catalogue.token}` },
      body: productWithFields({ name: 'Only a draft' }),
    })
    assert.ok(headers['etag'])
    const { product_id: id } = body.product
    const page = await console.visit(`${catalogueUrl}/compare?ids=${id},bulk-1`)
    await page.getByRole('row', { name: 'Name Only a draft Product 00001' }).waitFor()
    await page.goto(`${console.platform}${catalogueUrl}?state=DRAFT&page=77`)
    await page.getByText('This page is after the end of the list').waitFor()
    await page.goto(`${console.platform}${catalogueUrl}?text=Only+a+draft`)
    await page.getByRole('link', { name: 'Only a draft' }).waitFor()

    await console.stop()
    await page.getByLabel('Search').fill('Product 00005')
    await page.getByText('The server cannot be reached.').waitFor()
    await page.getByText(/What follows was read/).waitFor()
    await check(page, 'catalogue-unreachable')
    await console.start()
    await page.getByRole('link', { name: 'Product 00005' }).click()
    await page.getByRole('heading', { level: 1, name: 'Product 00005' }).waitFor()
    await page.context().close()
  })

  it('deletes a product after a confirmation, unless it has changed', async () => {
    const id = await catalogue.made(productWithFields({ name: 'Short-lived' }))
    const page = await console.visit(productUrl(id))
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete Short-lived?' })
    await check(page, 'delete')
    await catalogue.replace(id, productWithFields({ name: 'Changed' }))
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText('The product has changed since it was read').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Changed' }).waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { level: 1, name: 'Catalogue' }).waitFor()
    assert.equal((await catalogue.get(productPath(id))).status, 404)

    await page.goto(console.platform + productUrl(id))
    await page.getByText('The product was deleted').waitFor()
    await check(page, 'deleted-product')
    await page.context().close()
  })

  it('exports products that match, as lines that a load accepts', async () => {
    const page = await console.visit(`${catalogueUrl}?brand=Bulk+Two&state=PUBLISHED`)
    await page.getByRole('button', { name: 'Export' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('5,000 products are ready').waitFor()
    await check(page, 'export')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('link', { name: 'Download products.ndjson' }).click(),
    ])
    const file = join(await temporaryFolder(fileScope), 'exported.ndjson')
    await download.saveAs(file)
    const { status, stdout, stderr } = await runHoldfast([
      'load',
      file,
      '--dry-run',
      '--database',
      console.database,
    ])
    assert.deepEqual([status, stderr], [0, ''], stdout)
    const names = readFileSync(file, 'utf8').trim().split('\n')
    assert.equal(names.length, 5000)
    assert.ok(names.every((text) => JSON.parse(text).record.brand === 'Bulk Two'))
    assertQuiet(page)
    await page.context().close()
  })
})
