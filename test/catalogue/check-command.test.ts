import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe, type Scope } from '../support/engines.ts'
import { openPlatform } from '../support/platform.ts'
import { runInProcess } from '../support/process.ts'
import { callDrafts } from './draft-calls.ts'
import { minimalProduct, productWithFields } from './products.ts'

const rate = { lending_rate_type: 'VARIABLE', rate: '0.0525' }
const completeRate = {
  ...rate,
  application_type: 'PERIODIC',
  application_frequency: 'P1M',
  loan_purpose: 'OWNER_OCCUPIED',
  repayment_type: 'PRINCIPAL_AND_INTEREST',
}
const homeLoan = (lending_rates: readonly object[], name = 'Home loan') =>
  productWithFields({ name, product_category: 'RESIDENTIAL_MORTGAGES', lending_rates })

const productWithDiscount = (discount_maximum: string) =>
  productWithFields({
    fees: [
      {
        name: 'Keeping',
        fee_type: 'UPFRONT',
        fee_method_u_type: 'fixedAmount',
        fixed_amount: { amount: '4.00' },
        discounts: [
          {
            description: 'Half',
            discount_type: 'BALANCE',
            additional_value: '100.00',
            discount_method_u_type: 'rateBased',
            rate_based: { rate_type: 'FEE', rate: '0.5', amount_range: { discount_maximum } },
          },
        ],
      },
    ],
  })

const faultsOfRate = (index: number) =>
  ['application_type', 'repayment_type', 'loan_purpose'].map(
    (field) => `lending_rates[${index}].${field} is required for publication`,
  )

async function open(t: Scope) {
  const platform = await openPlatform(t)
  const check = (...args: readonly string[]) =>
    runInProcess(['products', 'check', ...args, '--database', platform.database])
  const load = (products: Readonly<Record<string, object>>) =>
    platform.load(
      Object.entries(products).map(([product_id, product]) => ({
        type: 'product',
        record: { product_id, ...product },
      })),
    )
  return { platform, drafts: callDrafts(platform), check, load }
}

describe('holdfast products check', () => {
  it('names product, field and reason of everything that prevents publication', async (t) => {
    const { check, load } = await open(t)
    await load({
      p1: minimalProduct,
      p2: homeLoan([completeRate, rate], 'Loan \u202e'),
      p3: productWithFields({ description: ' ' }),
    })

    const { status, stdout, stderr } = await check()

    assert.deepEqual(stdout.split('\n'), [
      ...faultsOfRate(1).map((sentence) => `p2  Loan \\u202e: ${sentence}`),
      'p3  Saver: description must not be empty for publication',
      '',
    ])
    assert.deepEqual([status, stderr], [1, '2 of 3 products cannot be published\n'])
  })

  it('names an id that cannot be published', async (t) => {
    const { check, load } = await open(t)
    await load({ p1: minimalProduct, ü: minimalProduct, '..': minimalProduct })
    const sentence =
      'product_id must be a string of ASCII characters other than . and .. for publication'

    const all = await check()
    const named = await check('ü', 'p1')

    assert.deepEqual(all.stdout.split('\n'), [
      `..  Saver: ${sentence}`,
      `ü  Saver: ${sentence}`,
      '',
    ])
    assert.deepEqual([named.status, named.stderr], [1, '1 of 2 products cannot be published\n'])
  })

  it('succeeds if all products can be published, and without products', async (t) => {
    const { check, load } = await open(t)
    const empty = await check()
    await load({
      p1: homeLoan([completeRate]),
      p2: productWithDiscount('9.00'),
    })

    const { status, stdout, stderr } = await check()

    assert.deepEqual(
      [empty.status, empty.stdout],
      [0, '0 products checked: nothing prevents publication\n'],
    )
    assert.deepEqual(
      [status, stdout, stderr],
      [0, '2 products checked: nothing prevents publication\n', ''],
    )
    const json = await check('--json')
    assert.deepEqual([json.status, json.stdout], [0, ''])
  })

  it('finds the fault in an amount that read operations return under another name', async (t) => {
    const { check, load } = await open(t)
    await load({ p1: productWithDiscount('12345678901234567.00') })

    const { stdout } = await check('--json')

    assert.equal(
      JSON.parse(stdout).field,
      'fees[0].discounts[0].rate_based.amount_range.discount_maximum',
    )
  })

  it('checks only the products that are named', async (t) => {
    const { check, load } = await open(t)
    await load({ p1: minimalProduct, p2: homeLoan([rate]), p3: minimalProduct })

    const named = await check('p3', 'p1')
    const faulty = await check('p1', 'p2')
    const unknown = await check('p1', '__proto__')

    assert.deepEqual(
      [named.status, named.stdout],
      [0, '2 products checked: nothing prevents publication\n'],
    )
    assert.deepEqual([faulty.status, faulty.stderr], [1, '1 of 2 products cannot be published\n'])
    assert.deepEqual(
      [unknown.status, unknown.stderr],
      [1, 'no product with this ID: run holdfast products list\n'],
    )
  })

  it('checks drafts, those of new products included', async (t) => {
    const { check, drafts, load } = await open(t)
    await load({ p1: minimalProduct, p2: homeLoan([rate]), p3: minimalProduct })
    await drafts.save('p1', homeLoan([rate]))
    await drafts.save('p2', homeLoan([completeRate]))
    const { body } = await drafts.create(homeLoan([rate], 'New loan'))

    const { status, stdout, stderr } = await check('--drafts')

    const created: string = body.product.product_id
    assert.deepEqual(
      stdout.trim().split('\n').sort(),
      faultsOfRate(0)
        .flatMap((sentence) => [`p1  Home loan: ${sentence}`, `${created}  New loan: ${sentence}`])
        .sort(),
    )
    assert.deepEqual([status, stderr], [1, '2 of 3 drafts cannot be published\n'])
    assert.equal((await check('p2', '--drafts')).status, 0)
    assert.deepEqual(
      (await check('p3', '--drafts')).stderr,
      'the product has no draft: run holdfast products list --drafts\n',
    )
  })

  it('reads all pages, and prints no more lines than --limit', async (t) => {
    const { check, load } = await open(t)
    const ids = Array.from({ length: 205 }, (_, index) => `p${1000 + index}`)
    await load(Object.fromEntries(ids.map((id) => [id, homeLoan([rate])])))

    const all = await check('--limit', '1000', '--json')
    const some = await check('--limit', '4')

    const rows = all.stdout.trim().split('\n')
    assert.deepEqual(rows.length, 3 * ids.length)
    assert.deepEqual([...new Set(rows.map((row) => JSON.parse(row).id))], ids)
    assert.deepEqual(JSON.parse(rows[0] ?? ''), {
      id: 'p1000',
      name: 'Home loan',
      field: 'lending_rates[0].application_type',
      reason: 'is required for publication',
    })
    assert.equal(all.stderr, '205 of 205 products cannot be published\n')
    assert.equal(some.stdout.split('\n').length, 5)
    assert.equal(
      some.stderr,
      'only the first 4 lines: use a higher --limit\n205 of 205 products cannot be published\n',
    )
  })
})
