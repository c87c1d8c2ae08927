import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { productWithFields } from '../catalogue/products.ts'
import { fileScope } from '../support/engines.ts'
import { assertQuiet, openClient, openConsole } from './console-browser.ts'
import { editPath, field, isSaved, readDraft, save } from './editor-steps.ts'

const console = await openConsole(fileScope, undefined, { 'time-zone': 'Australia/Sydney' })
const catalogue = await openClient(console)

const unitOf = (page: Page, name: string) =>
  field(page, name).locator('xpath=following-sibling::*[contains(@class, "unit")]')

const product = productWithFields({
  effective_from: '2026-07-01T00:00:00+10:00',
  constraints: [
    { constraint_type: 'MIN_BALANCE', additional_value: '1000.00' },
    { constraint_type: 'MAX_LVR', additional_value: '0.8' },
  ],
  deposit_rates: [
    {
      deposit_rate_type: 'FIXED',
      rate: '0.0450',
      additional_value: 'P1Y6M',
      application_frequency: 'P3W',
      tiers: [{ name: 'All', unit_of_measure: 'DOLLAR', minimum_value: '80' }],
    },
  ],
  fees: [
    {
      name: 'Abroad',
      currency: 'NZD',
      fee_method_u_type: 'fixedAmount',
      fixed_amount: { amount: '5.00' },
    },
  ],
})

const edited = async (page: Page, id: string) => {
  await save(page)
  await isSaved(page)
  return (await readDraft(page, id)).body.product
}

describe('the units of values in the product editor', () => {
  it('follow the type of a value, the currency of a fee and the unit of a tier', async () => {
    const page = await console.visit(editPath(await catalogue.made(product)))
    for (const [name, value, unit] of [
      ['constraints[0].additional_value', '1000.00', 'AUD'],
      ['constraints[1].additional_value', '80', '%'],
      ['deposit_rates[0].rate', '4.50', '% a year'],
      ['deposit_rates[0].tiers[0].minimum_value', '80', 'AUD'],
      ['fees[0].fixed_amount.amount', '5.00', 'NZD'],
    ] as const) {
      assert.equal(await field(page, name).inputValue(), value, name)
      assert.equal(await unitOf(page, name).innerText(), unit, name)
    }
    assertQuiet(page)
    await page.context().close()
  })

  it('keep the number that is shown when another type makes it a percentage', async () => {
    const id = await catalogue.made(product)
    const page = await console.visit(editPath(id))
    const bound = field(page, 'deposit_rates[0].tiers[0].minimum_value')
    const unit = field(page, 'deposit_rates[0].tiers[0].unit_of_measure')
    await unit.selectOption('Percent')
    assert.equal(await bound.inputValue(), '80')
    await page.getByText('Stored as 0.80').waitFor()
    const { deposit_rates } = await edited(page, id)
    assert.equal(deposit_rates[0].tiers[0].minimum_value, '0.80')

    await unit.selectOption('Month')
    assert.equal(await bound.inputValue(), '80')
    assert.equal((await edited(page, id)).deposit_rates[0].tiers[0].minimum_value, '80')
    await page.context().close()
  })

  it('keep a duration of several units as text, and the unit of a number that is replaced', async () => {
    const id = await catalogue.made(product)
    const page = await console.visit(editPath(id))
    const term = field(page, 'deposit_rates[0].additional_value')
    assert.equal(await term.inputValue(), 'P1Y6M')
    assert.equal(await unitOf(page, 'deposit_rates[0].additional_value').innerText(), 'as text')
    await term.press('End')
    // P1Y is a number and a unit, and stays text until the field is left.
    await term.press('Backspace')
    await term.press('Backspace')
    await term.pressSequentially('9M')
    const frequency = field(page, 'deposit_rates[0].application_frequency')
    await frequency.fill('')
    await frequency.pressSequentially('12')
    const changed = await edited(page, id)
    assert.equal(changed.deposit_rates[0].additional_value, 'P1Y9M')
    assert.equal(changed.deposit_rates[0].application_frequency, 'P12W')

    await frequency.fill('')
    await frequency.pressSequentially('p1m2d')
    await frequency.press('Tab')
    assert.equal(await frequency.inputValue(), 'P1M2D')
    await term.fill('P2Y')
    await term.press('Tab')
    assert.equal(await term.inputValue(), '2')
    const saved = await edited(page, id)
    assert.equal(saved.deposit_rates[0].application_frequency, 'P1M2D')
    assert.equal(saved.deposit_rates[0].additional_value, 'P2Y')
    await page.context().close()
  })

  it('show a time in the time zone of the data provider by name, and keep its offset', async () => {
    const id = await catalogue.made(product)
    const page = await console.visit(editPath(id))
    const from = field(page, 'effective_from')
    assert.equal(await from.inputValue(), '2026-07-01T00:00')
    assert.equal(await unitOf(page, 'effective_from').innerText(), 'Sydney')
    await field(page, 'effective_to').fill('2026-12-31T23:59')
    const { effective_from, effective_to } = await edited(page, id)
    assert.equal(effective_from, '2026-07-01T00:00:00+10:00')
    assert.equal(effective_to, '2026-12-31T23:59:00+11:00')
    await page.getByText('31 Dec 2026, 23:59:00 (Sydney)').waitFor()
    await page.getByRole('button', { name: 'Publish …' }).click()
    await page
      .getByRole('dialog')
      .getByRole('row', { name: 'Effective to Added 31 Dec 2026, 23:59:00 (Sydney)' })
      .waitFor()
    assertQuiet(page)
    await page.context().close()
  })
})
