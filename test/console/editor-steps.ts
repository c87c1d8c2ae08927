import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { productWithFields } from '../catalogue/products.ts'
import type { Answer } from '../support/http.ts'
import { until } from '../support/until.ts'

/** What a person does in the product editor. */

export const newProduct = '/console/catalogue/new'
export const editPath = (id: string) => `/console/catalogue/${id}/edit`

export const field = (page: Page, name: string) => page.locator(`[name="${name}"]`)
export const save = (page: Page) => page.getByRole('button', { name: 'Save draft' }).click()
export const isSaved = (page: Page) => page.getByText('The draft is saved.').waitFor()
export const openSection = (page: Page, title: string) =>
  page.locator('form').getByRole('heading', { name: title, exact: true }).click()

/** The id in the address of the page. */
export function readId(page: Page): string {
  return /catalogue\/([^/]+)\/edit/.exec(page.url())?.[1] ?? assert.fail(page.url())
}

/** Waits until an element whose attribute has this value has the focus. */
export async function waitForFocus(page: Page, attribute: string, value: string): Promise<void> {
  let focused: unknown
  await until(
    async () => {
      focused = await page.evaluate(`document.activeElement.getAttribute('${attribute}')`)
      return focused === value
    },
    () => `expected ${value}, has ${focused}`,
  )
}

export async function fillBasics(page: Page, name: string): Promise<void> {
  await field(page, 'name').fill(name)
  await field(page, 'brand').fill('Example Bank')
  await field(page, 'product_category').selectOption('TERM_DEPOSITS')
}

/** Signs in again on a page whose session ended. The button to sign out is also found behind the dialog. */
export async function signIn(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Sign in to the demo' })
  await button.click()
  await button.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
}

/** Sends a request with the session of a page. */
export function readWithSession(
  page: Page,
  path: string,
): Promise<Pick<Answer, 'status' | 'body'>> {
  return page.evaluate(
    `fetch(${JSON.stringify(path)}).then(async (response) => ({ status: response.status, body: await response.json() }))`,
  )
}

export function readDraft(page: Page, id: string): Promise<Pick<Answer, 'status' | 'body'>> {
  return readWithSession(page, `/v1/data-provider/cdr/products/${id}/draft`)
}

export async function countDrafts(page: Page, name: string): Promise<number> {
  const path = '/v1/data-provider/cdr/product-drafts?page-size=1000'
  const { body } = await readWithSession(page, path)
  return body.data.drafts.filter((draft: { name: string }) => draft.name === name).length
}

export const productNamed = (name: string) => productWithFields({ name })
