import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { fileScope } from '../support/engines.ts'
import { productPath } from '../support/platform.ts'
import {
  assertQuiet,
  check,
  focusOn,
  hostileStrings,
  openClient,
  openConsole,
} from './console-browser.ts'
import {
  countDrafts,
  editPath,
  field,
  fillBasics,
  isSaved,
  newProduct,
  openSection,
  productNamed,
  readDraft,
  readId,
  save,
  signIn,
  waitForFocus,
} from './editor-steps.ts'

const console = await openConsole(fileScope)
const catalogue = await openClient(console)

describe('the product editor in a browser', () => {
  it('says what to correct in plain words, saves a draft and publishes it', async () => {
    const page = await console.visit(newProduct)
    await page.getByRole('heading', { name: 'New product' }).waitFor()
    await save(page)
    const summary = page.getByRole('region', { name: /3 errors to correct/ })
    await summary.getByRole('link', { name: 'Brand: Enter a value.' }).click()
    await waitForFocus(page, 'name', 'brand')
    await page.getByText('Select a value.').nth(1).waitFor()

    await fillBasics(page, 'Browser saver')
    await openSection(page, 'Deposit rates')
    await page.getByRole('button', { name: 'Add deposit rate' }).click()
    await field(page, 'deposit_rates[0].deposit_rate_type').selectOption('FIXED')
    await field(page, 'deposit_rates[0].rate').fill('4,25 %')
    await field(page, 'deposit_rates[0].application_frequency').fill('monthly')
    await save(page)
    await page.getByRole('region', { name: /2 errors to correct/ }).waitFor()
    await check(page, 'editor-errors')
    await page
      .getByRole('link', {
        name: 'Deposit rate 1 › Application frequency: Enter a duration, such as 1 month: a whole number and its unit.',
      })
      .click()
    await waitForFocus(page, 'name', 'deposit_rates[0].application_frequency')
    await field(page, 'deposit_rates[0].application_frequency').fill('1')
    await field(page, 'deposit_rates[0].rate').fill('4.25')
    await page.getByText('Stored as 0.0425').waitFor()
    await field(page, 'effective_from').fill('2026-01-01T00:00')
    await save(page)
    await isSaved(page)
    await page.getByRole('heading', { level: 1, name: 'Edit Browser saver' }).waitFor()
    const id = readId(page)
    assert.equal((await catalogue.get(productPath(id))).status, 404)
    await check(page, 'editor')

    await page.getByRole('button', { name: 'Publish …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Browser saver').first().waitFor()
    await check(page, 'editor-publish')
    await dialog.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('The product is published as version 1.').waitFor()
    const body = await catalogue.read(id)
    assert.partialDeepStrictEqual(body, {
      deposit_rates: [{ deposit_rate_type: 'FIXED', rate: '0.0425', application_frequency: 'P1M' }],
      effective_from: '2026-01-01T00:00:00Z',
    })
    assertQuiet(page)
    await page.context().close()
  })

  it('changes a published product as a draft, shows the difference and discards it', async () => {
    const id = await catalogue.made(productNamed('Discarded'))
    const page = await console.visit(editPath(id))
    await field(page, 'name').fill('Discarded later')
    await page.getByRole('button', { name: 'Publish …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Publish this draft?' })
    await dialog.getByText('Discarded later').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.equal((await catalogue.read(id))['name'], 'Discarded')
    assert.equal((await readDraft(page, id)).body.product.name, 'Discarded later')

    await page.getByRole('button', { name: 'Discard draft …' }).click()
    await page.getByRole('button', { name: 'Discard draft', exact: true }).click()
    await page.getByText('The draft is discarded.').waitFor()
    assert.equal(await field(page, 'name').inputValue(), 'Discarded')
    assert.equal((await readDraft(page, id)).status, 404)
    await page.context().close()
  })

  it('duplicates a product under a new id', async () => {
    const id = await catalogue.made(productNamed('Original'))
    const page = await console.visit(`${newProduct}?from=${id}`)
    await field(page, 'name').waitFor()
    assert.equal(await field(page, 'name').inputValue(), 'Copy of Original')
    await save(page)
    await isSaved(page)
    assert.notEqual(readId(page), id)
    await page.context().close()
  })

  it('shows only the fields of the chosen method, and keeps what was entered for the other', async () => {
    const page = await console.visit(newProduct)
    await openSection(page, 'Fees')
    await page.getByRole('button', { name: 'Add fee' }).click()
    assert.equal(await field(page, 'fees[0].fixed_amount.amount').count(), 0)
    await field(page, 'fees[0].fee_method_u_type').selectOption('fixedAmount')
    await field(page, 'fees[0].fixed_amount.amount').fill('4.00')
    await field(page, 'fees[0].fee_method_u_type').selectOption('rateBased')
    await field(page, 'fees[0].rate_based.rate').waitFor()
    assert.equal(await field(page, 'fees[0].fixed_amount.amount').count(), 0)
    await field(page, 'fees[0].fee_method_u_type').selectOption('fixedAmount')
    assert.equal(await field(page, 'fees[0].fixed_amount.amount').inputValue(), '4.00')
    await field(page, 'fees[0].fee_type').selectOption('PERIODIC')
    await page.getByLabel('Additional value: unit').waitFor()
    await page.context().close()
  })

  it('moves, duplicates and removes entries of a list and keeps the focus', async () => {
    const page = await console.visit(newProduct)
    await openSection(page, 'Features')
    for (const [index, type] of ['CARD_ACCESS', 'OFFSET', 'REDRAW'].entries()) {
      await page.getByRole('button', { name: 'Add feature' }).click()
      await waitForFocus(page, 'name', `features[${index}].feature_type`)
      await field(page, `features[${index}].feature_type`).selectOption(type)
    }
    await page.getByRole('button', { name: 'Move up feature 3' }).click()
    await waitForFocus(page, 'aria-label', 'Move up feature 2')
    await page.keyboard.press('Enter')
    await waitForFocus(page, 'aria-label', 'Move down feature 1')
    await page.getByRole('button', { name: 'Duplicate feature 1' }).click()
    assert.deepEqual(await readTypes(page), ['REDRAW', 'REDRAW', 'CARD_ACCESS', 'OFFSET'])
    await page.getByRole('button', { name: 'Remove feature 4' }).click()
    await waitForFocus(page, 'aria-label', 'Remove feature 3')
    assert.deepEqual(await readTypes(page), ['REDRAW', 'REDRAW', 'CARD_ACCESS'])
    await page.context().close()
  })

  async function readTypes(page: Page): Promise<string[]> {
    const count = await page.locator('select[name$=".feature_type"]').count()
    const names = Array.from({ length: count }, (_, index) => `features[${index}].feature_type`)
    return Promise.all(names.map((name) => field(page, name).inputValue()))
  }

  it('loses no change of two editors: the second continues on top of the first', async () => {
    const id = await catalogue.made(productNamed('Shared'))
    const first = await console.visit(editPath(id))
    const second = await console.visitAs(['products.write'], editPath(id))
    await field(first, 'brand').fill('Brand of the first')
    await field(second, 'name').fill('Name of the second')
    await save(first)
    await isSaved(first)
    await save(second)
    const dialog = second.getByRole('dialog', { name: 'Another editor saved this draft' })
    await dialog.getByText('The last change was made by').waitFor()
    await dialog.getByText('Name of the second').waitFor()
    await check(second, 'editor-conflict')
    assert.equal((await readDraft(first, id)).body.product.name, 'Shared')

    await dialog.getByRole('button', { name: 'Continue with mine on top of theirs' }).click()
    assert.equal(await field(second, 'brand').inputValue(), 'Brand of the first')
    await save(second)
    await isSaved(second)
    const { product } = (await readDraft(first, id)).body
    assert.deepEqual([product.name, product.brand], ['Name of the second', 'Brand of the first'])

    // The first now takes the draft of the second.
    await field(first, 'name').fill('Name of the first')
    await save(first)
    await first.getByRole('button', { name: 'Take theirs' }).click()
    await first.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal(await field(first, 'name').inputValue(), 'Name of the second')
    assertQuiet(first)
    assertQuiet(second)
    await first.context().close()
    await second.context().close()
  })

  it('warns if the product was published by another editor since the draft was made', async () => {
    const id = await catalogue.made(productNamed('Outdated'))
    const page = await console.visit(editPath(id))
    await field(page, 'name').fill('Mine')
    await save(page)
    await isSaved(page)
    await catalogue.replace(id, { ...productNamed('Outdated'), brand: 'Theirs' })
    await page.getByRole('button', { name: 'Publish …' }).click()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: /has changed since this draft/ })
    await dialog.getByRole('button', { name: 'Continue with mine on top of theirs' }).click()
    assert.equal(await field(page, 'brand').inputValue(), 'Theirs')
    await page.getByRole('button', { name: 'Publish …' }).click()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('The product is published as version 3.').waitFor()
    const body = await catalogue.read(id)
    assert.deepEqual([body['name'], body['brand']], ['Mine', 'Theirs'])
    await page.context().close()
  })

  it('keeps what was entered when the session ends, also after a reload', async () => {
    const page = await console.visit(newProduct)
    await fillBasics(page, 'Survivor')
    await page.context().clearCookies()
    await save(page)
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await signIn(page)
    assert.equal(await field(page, 'name').inputValue(), 'Survivor')

    await page.context().clearCookies()
    await page.reload()
    await signIn(page)
    await page.getByText('Your unsaved changes are restored').waitFor()
    assert.equal(await field(page, 'name').inputValue(), 'Survivor')
    await save(page)
    await isSaved(page)
    assertQuiet(page)
    await page.context().close()
  })

  it('keeps what was entered while the server restarts', async () => {
    const page = await console.visit(newProduct)
    const name = `Restarted ${randomUUID()}`
    await fillBasics(page, name)
    await console.stop()
    await save(page)
    await page.getByText('The server cannot be reached.').waitFor()
    await console.start()
    await save(page)
    const saved = page.getByText('The draft is saved.')
    const ended = page.getByRole('dialog', { name: 'Your session has ended' })
    await saved.or(ended).first().waitFor()
    if (await ended.isVisible()) {
      await signIn(page)
      await save(page)
      await saved.waitFor()
    }
    assert.equal(await countDrafts(page, name), 1)
    await page.context().close()
  })

  it('creates one draft with a double click on a slow network, and after a lost answer', async () => {
    const page = await console.visit(newProduct)
    const slow = await page.context().newCDPSession(page)
    await slow.send('Network.enable')
    await slow.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 500,
      downloadThroughput: -1,
      uploadThroughput: -1,
    })
    const name = `Double ${randomUUID()}`
    await fillBasics(page, name)
    await page.getByRole('button', { name: 'Save draft' }).dblclick()
    await isSaved(page)
    assert.equal(await countDrafts(page, name), 1)

    const other = await console.visit(newProduct)
    const lost = `Lost ${randomUUID()}`
    await fillBasics(other, lost)
    await other.route('**/product-drafts', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await save(other)
    await other.getByText('The server cannot be reached.').waitFor()
    await other.unroute('**/product-drafts')
    await field(other, 'brand').fill('Changed meanwhile')
    await save(other)
    await isSaved(other)
    assert.equal(await countDrafts(other, lost), 1)
    const { body } = await readDraft(other, readId(other))
    assert.equal(body.product.brand, 'Changed meanwhile')
    await page.context().close()
    await other.context().close()
  })

  it('needs only a keyboard for a product with a rate and a fee', async () => {
    const page = await console.visit(newProduct)
    const { keyboard } = page
    const type = async (label: string, text: string) => {
      await focusOn(page, label)
      await keyboard.type(text)
    }
    await page.getByRole('heading', { name: 'New product' }).focus()
    await type('Name', 'Keyboard saver')
    await type('Product category', 'Term')
    await type('Brand', 'Example Bank')
    await type('Description', 'Made without a mouse')
    await focusOn(page, 'Deposit rates')
    await keyboard.press('Enter')
    await focusOn(page, 'Add deposit rate')
    await keyboard.press('Enter')
    await keyboard.type('Fix')
    await type('Rate', '5')
    await focusOn(page, 'Fees')
    await keyboard.press('Enter')
    await focusOn(page, 'Add fee')
    await keyboard.press('Enter')
    await keyboard.type('Monthly fee')
    await type('Fee type', 'Peri')
    await type('Fee method', 'Fixed')
    await type('Amount', '2.50')
    await focusOn(page, 'Save draft')
    await keyboard.press('Enter')
    await isSaved(page)
    await page.getByRole('heading', { name: 'Edit Keyboard saver' }).focus()
    await focusOn(page, 'Publish …', 300)
    await keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Publish this draft?' }).waitFor()
    await focusOn(page, 'Publish')
    await keyboard.press('Enter')
    await page.getByText('The product is published as version 1.').waitFor()
    const body = await catalogue.read(readId(page))
    assert.partialDeepStrictEqual(body, {
      product_category: 'TERM_DEPOSITS',
      deposit_rates: [{ deposit_rate_type: 'FIXED', rate: '0.05' }],
      fees: [{ name: 'Monthly fee', fee_type: 'PERIODIC', fixed_amount: { amount: '2.50' } }],
    })
    await page.context().close()
  })

  it('runs no text that is typed into any field', async () => {
    const page = await console.visit(newProduct)
    for (const section of ['Deposit rates', 'Fees', 'Features', 'Bundles', 'Card art', 'Links']) {
      await openSection(page, section)
      const add = page
        .locator('details.section[open]')
        .last()
        .getByRole('button', { name: /^Add (?!$)/ })
      if (section !== 'Links') await add.last().click()
    }
    const controls = page.locator('form input:not([type]):visible, form textarea:visible')
    const count = await controls.count()
    assert.ok(count > 20, String(count))
    for (let index = 0; index < count; index += 1) {
      await controls.nth(index).fill(hostileStrings[index % hostileStrings.length] ?? '')
    }
    for (const text of hostileStrings) await field(page, 'name').fill(text)
    await save(page)
    await page.getByRole('region', { name: /errors to correct/ }).waitFor()
    assertQuiet(page)
    await page.context().close()

    const name = `${hostileStrings[0]} ${hostileStrings[1]}`
    const second = await console.visit(newProduct)
    await fillBasics(second, name)
    await save(second)
    await isSaved(second)
    await second.getByRole('button', { name: 'Publish …' }).click()
    await second.getByRole('dialog').getByText(name).first().waitFor()
    assertQuiet(second)
    await second.context().close()
  })

  it('says which scope is missing to a client that may only read products', async () => {
    const page = await console.visitAs(['products.read'], newProduct)
    await page.getByText('This page needs the scope products.write').waitFor()
    assert.equal(await page.getByRole('textbox').count(), 0)
    await page.context().close()
  })
})
