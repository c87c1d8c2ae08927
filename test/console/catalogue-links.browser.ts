import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { toCdsProductDetail } from '../../src/contract/index.ts'
import { minimalProduct, productWithFields } from '../catalogue/products.ts'
import { fileScope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runHoldfast } from '../support/process.ts'
import { assertQuiet, check, openClient, openConsole } from './console-browser.ts'
import { editPath, field, save } from './editor-steps.ts'

const productUrl = (id: string) => `/console/catalogue/${id}`
const link = 'https://bank.example/apply'
const script = 'javascript:alert(1)'
const console = await openConsole(fileScope)
const catalogue = await openClient(console)

describe('links and origins of products in the console', () => {
  it('says at the field what a link must be, and rejects another scheme', async () => {
    const id = await catalogue.made(minimalProduct)
    const page = await console.visit(editPath(id))
    const control = field(page, 'application_uri')
    await page.getByText('A link that starts with https:// or http://.').first().waitFor()

    await control.fill(script)
    await save(page)

    const problem = 'Enter a link that starts with https:// or http://.'
    await page.locator('.error').getByText(problem).first().waitFor()
    assert.equal(await control.getAttribute('aria-invalid'), 'true')
    assertQuiet(page)
    await page.context().close()
  })

  it('shows a link as text that was stored with another scheme', async () => {
    const overview_uri = 'https://bank.example/saver'
    const links = { application_uri: link, additional_information: { overview_uri } }
    const id = await catalogue.made(productWithFields(links))
    const database = new DatabaseSync(console.database.replace(/^sqlite:/, ''))
    const update = 'update product_version set shown = replace(shown, ?, ?) where product = ?'
    database.prepare(update).run(link, script, id)
    database.close()

    const page = await console.visit(productUrl(id))

    await page.getByRole('link', { name: overview_uri }).waitFor()
    await page.getByText(script).first().waitFor()
    assert.equal(await page.locator('a[href^="javascript"]').count(), 0)
    assertQuiet(page)
    await page.context().close()
  })

  it('shows where an imported product comes from, until it is changed here', async () => {
    const file = join(await temporaryFolder(fileScope), 'details')
    const product = {
      ...minimalProduct,
      product_id: 'imported',
      last_updated: '2026-05-01T00:00:00Z',
    }
    writeFileSync(file, JSON.stringify(toCdsProductDetail(product as never, 7)))
    const flags = ['--origin', 'https://other.example/cds-au/v1', '--database', console.database]
    const { status, stderr } = await runHoldfast(['products', 'import', file, ...flags])
    assert.equal(status, 0, stderr)

    const page = await console.visit(productUrl('imported'))
    await page.getByText('Imported from https://other.example', { exact: true }).waitFor()
    await check(page, 'product-imported')
    await catalogue.replace('imported', minimalProduct)
    await page.goto(`${console.platform}${productUrl('imported')}/history`)
    await page.getByRole('cell', { name: 'https://other.example', exact: true }).waitFor()
    await page.getByRole('cell', { name: 'Written here', exact: true }).waitFor()
    await check(page, 'history-imported')
    await page.goto(`${console.platform}${productUrl('imported')}`)
    await page.getByRole('heading', { name: 'What customers read' }).waitFor()
    assert.equal(await page.getByText('Imported from').count(), 0)
    assertQuiet(page)
    await page.context().close()
  })
})
