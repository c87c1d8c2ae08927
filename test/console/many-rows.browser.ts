import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { openDatabaseFile } from '../support/database-file.ts'
import { fileScope } from '../support/engines.ts'
import { until } from '../support/until.ts'
import { assertQuiet, openConsole } from './console-browser.ts'
import { loadManyProducts } from './many-products.ts'

const consentCount = 100_000
/** On a page of a list. */
const rowsMax = 25
/** Of the responses to one action, as they are sent. */
const actionBytesMax = 40_000
/** Of everything that a browser loads for the first page, with its font. */
const firstPageBytesMax = 150_000
/** Of a page: one with a row for each product would have more. */
const elementsMax = 1500

const console = await openConsole(fileScope, loadManyProducts)
const file = openDatabaseFile(console.database)
const ends = Date.now() + 365 * 86_400_000
file.exec(`
  insert into arrangement
    (id, third_party, customer, accounts, scopes, starts, ends, status, updated)
  select 'many-' || i, 'budget', 'c-' || (i % 1000), '["a"]', 'bank:accounts.basic:read', i, ${ends}, 'active', i
  from (with recursive n(i) as (select 1 union all select i + 1 from n where i < ${consentCount}) select i from n)`)
file.close()

interface Traffic {
  /** The paths of the requests to the API. */
  readonly paths: readonly string[]
  readonly bytes: number
}

/** What the page requests until `action` has shown its result. Those that are repeated by a timer are left out. */
async function measure(page: Page, action: () => Promise<void>): Promise<Traffic> {
  const paths: string[] = []
  const sizes: Promise<number>[] = []
  const note = (response: Awaited<ReturnType<Page['waitForResponse']>>) => {
    const { pathname } = new URL(response.url())
    if (!pathname.startsWith('/v1/') || pathname === '/v1/status') return
    paths.push(pathname)
    sizes.push(response.finished().then(() => response.request().sizes().then(readSize)))
  }
  page.on('response', note)
  await action()
  // On a busy machine, the page may show a response before the test is informed of it.
  await until(() => paths.length > 0)
  page.off('response', note)
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  return { paths, bytes }
}

const readSize = ({ responseBodySize }: { readonly responseBodySize: number }) => responseBodySize

async function assertSmall(page: Page, { bytes }: Traffic): Promise<void> {
  assert.ok(bytes > 0 && bytes < actionBytesMax, `${bytes} bytes`)
  const rows = await page.locator('main tbody tr').count()
  assert.ok(rows > 0 && rows <= rowsMax, `${rows} rows`)
  const elements = await page.locator('body *').count()
  assert.ok(elements < elementsMax, `${elements} elements`)
}

describe('the console with many products and consents', () => {
  it('loads less than 150 kB before it shows the first page', async () => {
    const page = await console.open()
    const sizes: Promise<number>[] = []
    page.on('response', (response) => {
      sizes.push(response.finished().then(() => response.request().sizes().then(readSize)))
    })
    await page.goto(`${console.platform}/console`)
    await page.getByRole('button', { name: 'Sign in to the demo' }).waitFor()
    await page.evaluate('document.fonts.ready.then(() => undefined)')
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)

    assert.ok(sizes.length >= 4, `${sizes.length} responses`)
    assert.ok(bytes > 0 && bytes < firstPageBytesMax, `${bytes} bytes`)
    await page.context().close()
  })

  it('shows a page of 10,000 products, and finds one with one request', async () => {
    const page = await console.visit('/console/checks')
    const products = page.getByRole('link', { name: /^Catalogue/ })
    const opened = await measure(page, async () => {
      await products.click()
      await page.getByText(/^Page 1 of 40\d · 10,0\d\d products$/).waitFor()
    })
    await assertSmall(page, opened)
    const turned = await measure(page, async () => {
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByText(/^Page 2 of 40\d/).waitFor()
    })
    await assertSmall(page, turned)
    const found = await measure(page, async () => {
      await page.goto(`${console.platform}/console/catalogue?text=Product+09876`)
      await page.getByRole('link', { name: 'Product 09876' }).waitFor()
    })
    await assertSmall(page, found)

    const list = '/v1/data-provider/cdr/product-summaries'
    for (const { paths } of [opened, turned, found]) {
      assert.deepEqual(
        paths.filter((path) => path === list),
        [list],
      )
    }
    assertQuiet(page)
    await page.context().close()
  })

  it(`shows a page of ${consentCount} consents, and filters them with one request`, async () => {
    const page = await console.visit('/console/checks')
    const first = page.getByText(/^many-/).first()
    const opened = await measure(page, async () => {
      await page.getByRole('link', { name: /^Consents/ }).click()
      await first.waitFor()
    })
    await assertSmall(page, opened)
    const turned = await measure(page, async () => {
      const response = page.waitForResponse(/\/v1\/consents\?.*cursor=/)
      await page.getByRole('button', { name: 'Next page' }).click()
      await response
      await page.locator('main [aria-busy=false]').waitFor()
    })
    await assertSmall(page, turned)
    const filtered = await measure(page, async () => {
      await page.getByLabel('Customer ID').fill('c-77')
      await page.getByLabel('Customer ID').press('Enter')
      await page.waitForURL(/customer=c-77/)
      await page
        .getByRole('cell', { name: /^c-77 / })
        .first()
        .waitFor()
    })
    await assertSmall(page, filtered)

    for (const { paths } of [opened, turned, filtered]) {
      assert.deepEqual(
        paths.filter((path) => path === '/v1/consents'),
        ['/v1/consents'],
      )
    }
    assertQuiet(page)
    await page.context().close()
  })
})
