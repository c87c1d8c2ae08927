import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { productWithFields } from '../catalogue/products.ts'
import { fileScope } from '../support/engines.ts'
import { assertQuiet, check, openClient, openConsole } from './console-browser.ts'
import { loadManyProducts } from './many-products.ts'

const console = await openConsole(fileScope, loadManyProducts)
const catalogue = await openClient(console)
const catalogueUrl = '/console/catalogue'

/** What the page requests of the API from now on, and how it is answered. */
function watchRequests(page: Page) {
  const answers: { readonly status: number; readonly bytes: Promise<number> }[] = []
  page.on('response', (response) => {
    if (!new URL(response.url()).pathname.startsWith('/v1/')) return
    const bytes = response.body().then(({ length }) => length)
    // The page may leave before it has read the body.
    bytes.catch(() => {})
    answers.push({ status: response.status(), bytes })
  })
  return {
    failed: () => answers.filter(({ status }) => status >= 400).length,
    sizes: () => Promise.all(answers.map(({ bytes }) => bytes)),
  }
}

/** Of a page of the list with short names. */
const listBytesMax = 25 * 600

describe('a catalogue of 10,000 products', () => {
  it('is opened product by product without a request that fails', async () => {
    const page = await console.visit(catalogueUrl)
    const requests = watchRequests(page)
    const open = async (path: string, heading: string) => {
      await page.goto(`${console.platform}${catalogueUrl}/${path}`)
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    }

    // A part of the ids of a thousand others.
    await open('bulk-1', 'Product 00001')
    await page.getByText('What customers read').waitFor()
    await open('bulk-1/edit', 'Edit Product 00001')
    await open('bulk-1/history', 'History')
    await page.getByRole('row', { name: /Version 1/ }).waitFor()
    const headers = { authorization: `Bearer ${catalogue.token}` }
    const created = await catalogue.send('/v1/data-provider/cdr/product-drafts', {
      method: 'POST',
      headers,
      body: productWithFields({ name: 'Only a draft' }),
    })
    const id = created.body.product.product_id
    await open(id, 'Only a draft')
    await open(`${id}/edit`, 'Edit Only a draft')
    const deleted = await catalogue.made(productWithFields({ name: 'Short-lived' }))
    await catalogue.remove(deleted)
    await open(deleted, 'Deleted product')
    await page.getByText('The product was deleted.').waitFor()

    assert.equal(requests.failed(), 0)
    assertQuiet(page)
    await page.context().close()
  })

  it('is listed in pages: rows and bytes do not grow with it', async () => {
    const page = await console.visit('/console/api')
    const requests = watchRequests(page)
    const rows = page.locator('tbody tr')

    await page.getByRole('link', { name: /^Catalogue/ }).click()
    await page.getByText(/Page 1 of 40\d · 10,0\d\d products/).waitFor()
    assert.equal(await rows.count(), 25)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText(/Page 2 of 40\d/).waitFor()
    assert.equal(await rows.count(), 25)
    await page.getByLabel('Search').fill('Product 0')
    await page.getByText('Page 1 of 400 · 10,000 products').waitFor()
    assert.equal(await rows.count(), 25)

    const sizes = await requests.sizes()
    assert.ok(sizes.length >= 3)
    assert.ok(Math.max(...sizes) < listBytesMax, String(sizes))
    assert.equal(requests.failed(), 0)
    await page.context().close()
  })

  it('shows the search and the list before the filters on a phone', async () => {
    const page = await console.visit(`${catalogueUrl}?sort=name`)
    await page.setViewportSize({ width: 360, height: 700 })
    const category = page.getByLabel('Category')
    const first = page.locator('tbody th a').first()
    await first.waitFor()

    assert.equal(await category.isVisible(), false)
    const [search, row] = await Promise.all([
      page.getByLabel('Search').boundingBox(),
      first.boundingBox(),
    ])
    assert.ok(search && row && search.y < row.y && row.y < 700)
    await page.getByRole('button', { name: 'Filters (1)' }).click()
    await category.selectOption('Leases')
    await page.getByRole('button', { name: 'Filters (2)' }).waitFor()
    await page.getByText(/5,00\d products/).waitFor()
    await check(page, 'catalogue-filters')
    assertQuiet(page)
    await page.context().close()
  })

  it('is imported again after a preview of the first 50 products of each kind', async () => {
    const page = await console.visit(`${catalogueUrl}/import`)
    const lines = Array.from({ length: 600 }, (_, index) => {
      const product = productWithFields({ name: `Imported ${index}` })
      return `${JSON.stringify({ ...product, product_id: `${index % 2 ? 'bulk' : 'new'}-${index}` })}\n`
    })
    const file = {
      name: 'many.ndjson',
      mimeType: 'application/x-ndjson',
      buffer: Buffer.from(lines.join('')),
    }
    await page.getByLabel('File (NDJSON)').setInputFiles(file)
    for (const name of ['Existing products', 'New products']) {
      await page.getByRole('heading', { name: `${name} (300)` }).waitFor()
      const table = page.locator('.table').filter({ has: page.getByRole('region', { name }) })
      const rows = table.getByRole('row', { name: /Imported/ })
      assert.equal(await rows.count(), 50)
      await table.getByText('50 of 300 rows').waitFor()
      await table.getByRole('button', { name: 'Show 50 more' }).click()
      await table.getByText('100 of 300 rows').waitFor()
      assert.equal(await rows.count(), 100)
    }
    await check(page, 'import-many')
    assertQuiet(page)
    await page.context().close()
  })
})

describe('a product with many fields', () => {
  it('is compared in parts of 50 rows', async () => {
    const product = (type: string) =>
      productWithFields({
        name: 'Product with many features',
        features: Array.from({ length: 250 }, () => ({ feature_type: type })),
      })
    const id = await catalogue.made(product('OFFSET'))
    await catalogue.replace(id, product('REDRAW'))
    const page = await console.visit(`${catalogueUrl}/${id}/history`)
    const diff = page.getByRole('region', { name: /Differences/ })
    const changed = diff.getByRole('row', { name: /Changed Offset Redraw/ })

    await page.getByText('250 fields differ.').waitFor()
    assert.equal(await changed.count(), 50)
    for (const shown of [100, 150, 200, 250]) {
      await page.getByRole('button', { name: 'Show 50 more' }).click()
      await changed.nth(shown - 1).waitFor()
    }
    assert.equal(await changed.count(), 250)
    assertQuiet(page)
    await page.context().close()
  })
})
