import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { savingsProduct } from '../../src/contract/examples/product.ts'
import { type ProductRead, recordBytesMax } from '../../src/contract/index.ts'
import { fileScope } from '../support/engines.ts'
import { productPath } from '../support/platform.ts'
import { until } from '../support/until.ts'
import { assertQuiet, check, openClient, openConsole } from './console-browser.ts'
import {
  editPath,
  field,
  fillBasics,
  isSaved,
  newProduct,
  productNamed,
  readDraft,
  save,
  signIn,
} from './editor-steps.ts'

const console = await openConsole(fileScope)
const catalogue = await openClient(console)

describe('the product editor in unusual states', () => {
  it('asks before a page with unsaved changes is left, and keeps them in the tab', async () => {
    const page = await console.visit(newProduct)
    await field(page, 'name').fill('Not lost')
    const asked = page.waitForEvent('dialog')
    await page.getByRole('link', { name: 'Holdfast' }).click()
    assert.match((await asked).message(), /unsaved changes/)
    // The dialog is dismissed: the page stays.
    assert.equal(new URL(page.url()).pathname, newProduct)
    assert.equal(await field(page, 'name').inputValue(), 'Not lost')

    await page.reload()
    await page.getByText('Your unsaved changes are restored').waitFor()
    await check(page, 'editor-restored')
    await page.getByRole('button', { name: 'Discard my changes' }).click()
    assert.equal(await field(page, 'name').inputValue(), '')
    await page.context().close()
  })

  it('discards unsaved changes at sign-out, after a question', async () => {
    const page = await console.visit(newProduct)
    await field(page, 'name').fill('Abandoned')
    const asked = page.waitForEvent('dialog')
    const leave = page.getByRole('button', { name: 'Sign out' })
    await leave.click()
    assert.match((await asked).message(), /unsaved changes/)
    // The dialog is dismissed: the session continues.
    assert.equal(await field(page, 'name').inputValue(), 'Abandoned')

    page.removeAllListeners('dialog')
    page.once('dialog', (dialog) => void dialog.accept())
    await leave.click()
    await page.getByRole('heading', { name: 'Sign in to Demo Bank' }).waitFor()
    assert.equal(await page.evaluate('JSON.stringify(sessionStorage)'), '{}')
    await signIn(page)
    await field(page, 'name').waitFor()
    assert.equal(await field(page, 'name').inputValue(), '')
    await page.context().close()
  })

  it('never offers the changes of one client to another', async () => {
    const page = await console.visitAs(['products.write'], newProduct)
    await fillBasics(page, 'Of the first')
    const assertOther = async () => {
      // Behind the dialog, the form of the first client stays until the other one is signed in.
      await until(async () => (await field(page, 'name').inputValue()) === '')
      assert.equal(await page.getByText('Your unsaved changes are restored').count(), 0)
    }
    await page.context().clearCookies()
    await save(page)
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await signIn(page)
    await assertOther()
    await page.reload()
    await assertOther()
    await page.context().close()
  })

  it('keeps a stored field that the contract does not have until it is removed', async () => {
    const id = await catalogue.made(productNamed('Legacy'))
    const file = new DatabaseSync(console.database.slice('sqlite:'.length))
    file
      .prepare(
        `update product_version set shown = json_set(shown, '$.surprise', 'kept', '$.product_category', 'OLD')
         where product = ?`,
      )
      .run(id)
    file.close()

    const page = await console.visit(editPath(id))
    await page.getByText('surprise is not a field of this record.').waitFor()
    assert.equal(await field(page, 'product_category').inputValue(), 'OLD')
    await field(page, 'name').fill('Changed')
    await save(page)
    await page.getByRole('region', { name: /2 errors to correct/ }).waitFor()
    await page.getByRole('link', { name: /^Surprise: It is not a field/ }).click()
    await check(page, 'editor-unknown-field')
    await page.getByRole('button', { name: 'Remove surprise' }).click()
    await field(page, 'product_category').selectOption('TERM_DEPOSITS')
    await save(page)
    await isSaved(page)
    await page.context().close()
  })

  it('shows an error that only the server finds', async () => {
    const page = await console.visit(newProduct)
    await fillBasics(page, 'Too large')
    await field(page, 'description').fill('x'.repeat(recordBytesMax))
    await save(page)
    const summary = page.getByRole('region', { name: /1 error to correct/ })
    await summary.getByText(`the product must be at most ${recordBytesMax} bytes of JSON`).waitFor()
    await field(page, 'description').fill('short')
    await save(page)
    await isSaved(page)
    await page.context().close()
  })

  it('shows a product with content of every kind, and saves it unchanged apart from the change', async () => {
    const id = await catalogue.made(savingsProduct)
    const page = await console.visit(editPath(id))
    await field(page, 'name').waitFor()
    const closed = page.locator('form details:not([open]) > summary')
    while ((await closed.count()) > 0) {
      await closed.evaluateAll((summaries) => {
        for (const summary of summaries) (summary as { click(): void }).click()
      })
    }
    await check(page, 'editor-all-content')
    await field(page, 'fees[0].discounts[1].rate_based.amount_range.discount_maximum').fill('2.50')
    await page.route('**/draft/publish', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await page.getByRole('button', { name: 'Publish …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Publish this draft?' })
    await dialog.getByText('1 field differs.').waitFor()
    const publish = dialog.getByRole('button', { name: 'Publish' })
    await publish.click()
    // The answer was lost. The next attempt finds out that the draft was published.
    await dialog.getByText('The server cannot be reached.').waitFor()
    await page.unroute('**/draft/publish')
    await publish.click()
    await page.getByText('The product is published as version 2.').waitFor()
    const published = await catalogue.read(id)
    const expected = structuredClone(await catalogue.read(id, 1)) as ProductRead
    const range = expected.fees?.[0]?.discounts?.[1]?.rate_based?.amount_range
    assert.ok(range)
    range.fee_maximum = '2.50'
    assert.deepEqual({ ...published, last_updated: '' }, { ...expected, last_updated: '' })
    await page.context().close()
  })

  it('does not create a draft without a change', async () => {
    const id = await catalogue.made(productNamed('Unchanged'))
    const page = await console.visit(editPath(id))
    await save(page)
    await page.getByText('Nothing has changed.').waitFor()
    await page.getByRole('button', { name: 'Publish …' }).click()
    await page.getByRole('dialog', { name: 'Nothing to publish' }).waitFor()
    assert.equal((await readDraft(page, id)).status, 404)
    await page.context().close()
  })

  it('publishes a draft of a product that was deleted meanwhile only if the editor decides so', async () => {
    const id = await catalogue.made(productNamed('Deleted'))
    const page = await console.visit(editPath(id))
    await field(page, 'name').fill('Revived')
    await save(page)
    await isSaved(page)
    await catalogue.remove(id)
    const publish = async () => {
      await page.getByRole('button', { name: 'Publish …' }).click()
      await page.getByRole('button', { name: 'Publish', exact: true }).click()
    }
    await publish()
    const dialog = page.getByRole('dialog', { name: 'The product was deleted' })
    await dialog.getByText('pricing team').waitFor()
    await dialog.getByRole('button', { name: 'Decide later' }).click()
    assert.equal((await catalogue.get(productPath(id))).status, 404)
    await publish()
    await dialog.getByRole('button', { name: 'Continue with mine' }).click()
    await publish()
    await page.getByText('The product is published as version 3.').waitFor()
    assert.equal((await catalogue.read(id))['name'], 'Revived')
    await page.context().close()
  })

  it('continues with a draft that another editor published or discarded', async () => {
    const id = await catalogue.made(productNamed('Published elsewhere'))
    const first = await console.visit(editPath(id))
    await field(first, 'brand').fill('Mine')
    await save(first)
    await isSaved(first)
    const second = await console.visit(editPath(id))
    await second.getByRole('button', { name: 'Publish …' }).click()
    await second.getByRole('button', { name: 'Publish', exact: true }).click()
    await second.getByText('The product is published as version 2.').waitFor()

    await field(first, 'name').fill('Later')
    await save(first)
    const dialog = first.getByRole('dialog', { name: 'The draft was published or discarded' })
    await dialog.getByRole('button', { name: 'Continue with mine on top of theirs' }).click()
    await save(first)
    await isSaved(first)
    const { body } = await readDraft(first, id)
    assert.deepEqual([body.product.name, body.base_version], ['Later', 2])
    await first.context().close()
    await second.context().close()
  })

  it('stays usable with hundreds of fees', async () => {
    const fees = Array.from({ length: 300 }, (_, index) => ({
      name: `Fee ${index + 1}`,
      fee_method_u_type: 'fixedAmount',
      fixed_amount: { amount: '1.00' },
    }))
    const id = await catalogue.made({ ...productNamed('Large'), fees })
    const page = await console.visit(editPath(id))
    await page.getByText('300 fees').waitFor()
    await field(page, 'name').pressSequentially(' and larger')
    // Each key press renders the controls again, so that those of closed entries would make typing slow.
    const controls = await page.locator('form input, form select, form textarea').count()
    assert.ok(controls < 100, `${controls} controls`)
    await page.locator('form summary', { hasText: 'Fee 300' }).click()
    await field(page, 'fees[299].name').fill('The last')
    await save(page)
    await isSaved(page)
    assert.equal((await readDraft(page, id)).body.product.fees[299].name, 'The last')
    assertQuiet(page)
    await page.context().close()
  })
})
