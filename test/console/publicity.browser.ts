import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { productWithFields } from '../catalogue/products.ts'
import { fileScope } from '../support/engines.ts'
import { productPath } from '../support/platform.ts'
import { runHoldfast } from '../support/process.ts'
import { assertQuiet, check, openClient, openConsole } from './console-browser.ts'
import { editPath, field, isSaved, readDraft, save, waitForFocus } from './editor-steps.ts'

const console = await openConsole(fileScope)
const catalogue = await openClient(console)

/** A product that the public catalogue leaves out until its rate says how it is applied. */
const productWithGap = (name: string) =>
  productWithFields({ name, deposit_rates: [{ deposit_rate_type: 'VARIABLE', rate: '0.04' }] })

/** The status with which anyone who compares products gets this one. */
async function readPublicStatus(id: string): Promise<number> {
  const url = `${console.platform}/cds-au/v1/banking/products/${encodeURIComponent(id)}`
  return (await fetch(url, { headers: { 'x-v': '7' } })).status
}

const openReview = (page: Page) => page.getByRole('button', { name: 'Publish …' }).click()

describe('a product that is published and not public', () => {
  it('is named everywhere, with links to the fields that are missing', async () => {
    const id = await catalogue.made(productWithGap('Hidden saver'))
    assert.equal(await readPublicStatus(id), 404)

    const page = await console.visit('/console')
    await page.getByText('Hidden saver is not in the public catalogue').waitFor()
    await check(page, 'overview-attention')
    await page.goto(`${console.platform}/console/catalogue?text=Hidden`)
    await page.getByRole('cell', { name: 'Published, 1 gap' }).waitFor()
    await page.getByRole('link', { name: 'Hidden saver' }).click()
    await page.getByText('Published, 1 gap').waitFor()
    await page.getByRole('link', { name: 'Edit', exact: true }).click()

    const panel = page.getByRole('region', { name: 'Public catalogue' })
    await panel.getByText('Not visible to comparison sites: 1 gap.').waitFor()
    await check(page, 'editor-gaps')
    const count = page.getByRole('button', { name: 'Public catalogue: 1 gap' })
    assert.equal(await count.isVisible(), false)
    await page.setViewportSize({ width: 360, height: 740 })
    await count.click()
    assert.equal(await panel.evaluate('document.activeElement.ariaLabel'), 'Public catalogue')
    await page.setViewportSize({ width: 1280, height: 900 })
    await field(page, 'name').fill('Shown saver')
    await openReview(page)
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Not visible', { exact: true }).waitFor()
    await dialog.getByText('/cds-au/v1/banking/products').waitFor()
    await check(page, 'editor-publish-gaps')
    await dialog.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('It is not in the public catalogue: 1 gap.').waitFor()
    assert.equal(await readPublicStatus(id), 404)

    await panel.getByRole('link', { name: 'Deposit rate 1 › Application type' }).click()
    await waitForFocus(page, 'name', 'deposit_rates[0].application_type')
    await field(page, 'deposit_rates[0].application_type').selectOption('UPFRONT')
    await panel.getByText('Complete: it will be public when it is published.').waitFor()
    await openReview(page)
    await dialog.getByText('Not visible', { exact: true }).waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('It is in the public catalogue.').waitFor()
    assert.equal(await readPublicStatus(id), 200)
    await page.goto(`${console.platform}/console/catalogue?text=Shown`)
    await page.getByRole('cell', { name: 'Public', exact: true }).waitFor()
    assertQuiet(page)
    await page.context().close()
  })

  it('is named by the command in the same words', async () => {
    const id = await catalogue.made(productWithGap('Command saver'))
    const flags = ['--database', console.database]
    const list = await runHoldfast(['products', 'list', '--limit', '1000', ...flags])
    assert.match(list.stdout, /Published, 1 gap .*Command saver/)

    const page = await console.visit(editPath(id))
    await field(page, 'name').fill('Renamed saver')
    await save(page)
    await isSaved(page)
    const { stdout } = await runHoldfast(['products', 'publish', id, ...flags])
    assert.match(stdout, /^published version 2\nIt is not in the public catalogue: 1 gap\. Run /)
    await page.context().close()
  })
})

describe('the values of a product', () => {
  it('are entered in the units of people, and unlikely ones are confirmed', async () => {
    const id = await catalogue.made(productWithGap('Careful saver'))
    const page = await console.visit(editPath(id))
    const rate = field(page, 'deposit_rates[0].rate')
    assert.equal(await rate.inputValue(), '4')
    await rate.fill('4.5')
    await page.getByText('Stored as 0.045').waitFor()
    const frequency = 'deposit_rates[0].application_frequency'
    await field(page, frequency).fill('3')
    await page.getByLabel('Application frequency: unit').selectOption('weeks')
    await field(page, 'effective_from').fill('2027-01-01T00:00')
    await field(page, 'effective_to').fill('2026-01-01T00:00')
    await page.locator('form').getByRole('heading', { name: 'Fees', exact: true }).click()
    await page.getByRole('button', { name: 'Add fee' }).click()
    await field(page, 'fees[0].name').fill('Fee of nothing')
    await save(page)
    await page.getByRole('link', { name: 'Effective to: It must not be before' }).waitFor()
    await field(page, 'effective_to').fill('2028-01-01T00:00')
    await save(page)
    await isSaved(page)
    const { body } = await readDraft(page, id)
    assert.partialDeepStrictEqual(body.product, {
      deposit_rates: [{ rate: '0.045', application_frequency: 'P3W' }],
    })

    await rate.fill('450')
    await openReview(page)
    const dialog = page.getByRole('dialog')
    const publish = dialog.getByRole('button', { name: 'Publish' })
    const highRate = 'Deposit rate 1 › Rate is above 50 % a year: 450 %.'
    await dialog.getByRole('link', { name: 'Fee 1 has no amount.' }).waitFor()
    await check(page, 'editor-unlikely-values')
    await dialog.getByRole('link', { name: highRate }).click()
    await waitForFocus(page, 'name', 'deposit_rates[0].rate')
    assert.equal(await dialog.count(), 0)
    await page.getByRole('region', { name: 'Values to check' }).getByText(highRate).waitFor()
    await openReview(page)
    await dialog.getByText(highRate).waitFor()
    assert.equal(await publish.isEnabled(), false)
    await dialog.getByLabel('I have checked these values').check()
    await publish.click()
    await page.getByText('The product is published as version 2.').waitFor()
    assert.equal((await catalogue.get(productPath(id))).status, 200)
    assertQuiet(page)
    await page.context().close()
  })
})
