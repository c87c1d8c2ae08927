import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { minimalProduct, productWithFields } from '../catalogue/products.ts'
import { fileScope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { assertQuiet, check, openClient, openConsole } from './console-browser.ts'

const catalogueUrl = '/console/catalogue'

const line = (record: object) => `${JSON.stringify({ type: 'product', record })}\n`

const folder = await temporaryFolder(fileScope)
const console = await openConsole(fileScope)
const catalogue = await openClient(console)

describe('the import of products in a browser', () => {
  const choose = async (page: Page, name: string, text: string) => {
    const file = join(folder, name)
    writeFileSync(file, text)
    await page.getByLabel('File (NDJSON)').setInputFiles(file)
  }

  it('imports a file after a preview that names invalid lines, and creates nothing twice', async () => {
    const existing = await catalogue.made(productWithFields({ name: 'Imported before' }))
    const text = [
      line({ ...minimalProduct, product_id: existing, name: 'Imported again' }),
      JSON.stringify({ ...minimalProduct, name: 'Imported new' }),
      line({ ...minimalProduct, name: 'Imported bad', product_category: 'CARS', brand: 5 }),
      'not JSON',
      '{"type":"customer","record":{}}',
      '',
      line({ ...minimalProduct, product_id: existing, name: 'Second line of the same' }),
    ]
      .map((part) => part.trimEnd())
      .join('\n')
    const page = await console.visit(`${catalogueUrl}/import`)
    for (const attempt of ['first', 'second']) {
      await choose(page, `import-${attempt}.ndjson`, text)
      const invalid = page.getByRole('region', { name: 'Invalid lines' })
      await invalid.getByText('Brand must be a string of at least 1 character. brand').waitFor()
      await invalid.getByText('Product category must be one of BUSINESS_LOANS,').waitFor()
      await invalid.getByRole('row', { name: /^4 The line must be a JSON object/ }).waitFor()
      await invalid.getByText('The line is not a product.').waitFor()
      await invalid.getByText('Product ID is that of line 1.').waitFor()
      const replaced = page.getByRole('region', { name: 'Existing products' })
      await replaced.getByRole('row', { name: /Imported again Replaces/ }).waitFor()
      const added = page.getByRole('region', { name: 'New products' })
      await added.getByRole('row', { name: /Imported new/ }).waitFor()
      if (attempt === 'first') await check(page, 'import-preview')
      await page.getByLabel(/^Published products/).check()
      await page.getByRole('button', { name: 'Publish 2 products' }).click()
      await page.getByText('The import is complete').waitFor()
      if (attempt === 'first') await check(page, 'import-done')
      await page.getByRole('button', { name: 'Import another file' }).click()
    }
    assert.equal((await catalogue.read(existing))['name'], 'Imported again')
    await page.goto(`${console.platform}${catalogueUrl}?text=Imported+new`)
    await page.getByText('Page 1 of 1 · 1 product').waitFor()

    // As a draft, and a line that fails because the product changes after the preview.
    await page.goto(`${console.platform}${catalogueUrl}/import`)
    await choose(page, 'failing.ndjson', text)
    await page.getByRole('region', { name: 'Existing products' }).waitFor()
    await catalogue.replace(existing, productWithFields({ name: 'Changed meanwhile' }))
    await page.getByLabel(/^Published products/).check()
    await page.getByRole('button', { name: 'Publish 2 products' }).click()
    await page.getByText('1 line failed').waitFor()
    await page
      .getByRole('row', { name: /Imported again The product has changed since it was read/ })
      .waitFor()
    await check(page, 'import-failed')
    await page.getByRole('button', { name: 'Import another file' }).click()
    await choose(page, 'drafts.ndjson', text)
    await page.getByRole('button', { name: 'Save 2 products as drafts' }).click()
    await page.getByText('The import is complete').waitFor()
    assert.equal((await catalogue.read(existing))['name'], 'Changed meanwhile')
    assertQuiet(page)
    await page.context().close()
  })

  it('rejects files that are not text, and shows an error for each invalid line', async () => {
    const page = await console.visit(`${catalogueUrl}/import`)
    const file = join(folder, 'binary.ndjson')
    writeFileSync(file, Buffer.from([0x7b, 0xff, 0xfe, 0x0a]))
    await page.getByLabel('File (NDJSON)').setInputFiles(file)
    await page.getByText('The file is not UTF-8 text.').waitFor()
    const long = `{"name":"${'x'.repeat(1_100_000)}"}`
    await choose(page, 'long.ndjson', `${long}\n[]\n${long}`)
    const invalid = page.getByRole('region', { name: 'Invalid lines' })
    await invalid.getByRole('row', { name: '1 The line is too long.' }).waitFor()
    await invalid.getByRole('row', { name: '2 The line must be a JSON object.' }).waitFor()
    await invalid.getByRole('row', { name: '3 The line is too long.' }).waitFor()
    await page.getByText('There is nothing to import in this file.').waitFor()
    assertQuiet(page)
    await page.context().close()
  })

  it('imports many lines, and can be stopped and continued', async () => {
    const page = await console.visit(`${catalogueUrl}/import`)
    await choose(
      page,
      'large.ndjson',
      Array.from({ length: 200 }, (_, index) =>
        line({ ...minimalProduct, name: `Large ${index}`, product_id: `bulk-${index}` }),
      ).join(''),
    )
    const stopped = Promise.withResolvers<void>()
    let sent = 0
    await page.route('**/product-drafts', async (route) => {
      sent += 1
      if (sent > 100) await stopped.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Save 200 products as drafts' }).click()
    await page.getByText('100 of 200 products saved as drafts, 0 failed').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    stopped.resolve()
    // The page sends four requests at the same time, and waits for the responses to those it has sent.
    await page.getByText('Stopped: 96 lines were not sent').waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The import is complete').waitFor()
    await page.getByText('200 of 200 products saved as drafts, 0 failed').waitFor()
    assert.equal(sent, 200)
    assertQuiet(page)
    await page.context().close()
  })

  it('shows rates and fees in the units of people, and asks to confirm unlikely ones', async () => {
    const rate = (text: string) => [{ deposit_rate_type: 'FIXED', rate: text }]
    const fees = [
      { name: 'Monthly', fee_method_u_type: 'fixedAmount', fixed_amount: { amount: '5' } },
    ]
    const page = await console.visit(`${catalogueUrl}/import`)
    await choose(
      page,
      'rates.ndjson',
      [
        { ...productWithFields({ name: 'Likely', deposit_rates: rate('0.045'), fees }) },
        { ...productWithFields({ name: 'Unlikely', deposit_rates: rate('4.5'), fees: [{}] }) },
      ]
        .map(line)
        .join(''),
    )
    await page.getByRole('row', { name: /Likely Fixed · 4.5 % a year, Monthly · 5 AUD/ }).waitFor()
    const publish = page.getByRole('button', { name: 'Publish 2 products' })
    await page.getByLabel(/^Published products/).check()
    await page
      .getByText('Line 2, Unlikely: Deposit rate 1 › Rate is above 50 % a year: 450 %.')
      .waitFor()
    await page.getByText('Line 2, Unlikely: Fee 1 has no amount.').waitFor()
    assert.equal(await publish.isEnabled(), false)
    await check(page, 'import-unlikely-values')
    await page.getByLabel('I have checked these values').check()
    await publish.click()
    await page.getByText('The import is complete').waitFor()
    assertQuiet(page)
    await page.context().close()
  })
})
