import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { productWithFields } from '../catalogue/products.ts'
import { fileScope } from '../support/engines.ts'
import { assertQuiet, openClient, openConsole } from './console-browser.ts'
import { loadManyProducts } from './many-products.ts'

const console = await openConsole(fileScope, loadManyProducts)
const catalogue = await openClient(console)
const catalogueUrl = '/console/catalogue'

/** What the page requests of the API from now on, and how it is answered. */
function watchRequests(page: Page) {
  const answers: { readonly url: string; readonly status: number }[] = []
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (pathname.startsWith('/v1/')) answers.push({ url: pathname, status: response.status() })
  })
  return {
    failed: () => answers.filter(({ status }) => status >= 400),
    count: () => answers.length,
  }
}

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

    assert.ok(requests.count() > 10)
    assert.deepEqual(requests.failed(), [])
    assertQuiet(page)
    await page.context().close()
  })
})
