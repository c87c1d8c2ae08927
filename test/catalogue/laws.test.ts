import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc, { type Arbitrary } from 'fast-check'
import { describe } from '../support/engines.ts'
import { productPath, sharedPlatform } from '../support/platform.ts'
import { contentOf, type Product } from './products.ts'
import { kinds, parts, productWith } from './record-table.ts'

const numRuns = 20

const anyOfKind = (kind: keyof typeof kinds | readonly string[]): Arbitrary<unknown> => {
  if (typeof kind !== 'string') return fc.constantFrom(...kind)
  switch (kind) {
    case 'text':
      return fc.string({ unit: 'binary', maxLength: 12 })
    case 'flag':
      return fc.boolean()
    case 'count':
      return fc.maxSafeNat()
    case 'decimal':
      return fc
        .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat({ max: 999 }))
        .map(([whole, part]) => `${whole}.${part}`)
    case 'ids':
      return fc.array(fc.uuid(), { maxLength: 3 })
    default:
      return fc.constantFrom(...kinds[kind].good)
  }
}

/** What the rules between fields want: a text beside OTHER, and no value whose form hangs on a type. */
const inRule = (fields: Product, hasInfo: boolean): Product => {
  const isOther = hasInfo && Object.values(fields).includes('OTHER')
  const { additional_value: _value, ...rest } = fields
  return isOther ? { ...rest, additional_info: 'What it is' } : rest
}

/** Any fields that a part of the record may have. */
const fieldsOf = (path: string): Arbitrary<Product> => {
  const { fields, least = {} } = parts[path] ?? { fields: {} }
  const arbitraries = Object.fromEntries(
    Object.entries(fields).map(([field, kind]) => [field, anyOfKind(kind)]),
  )
  return fc
    .record(arbitraries, { requiredKeys: [], noNullPrototype: true })
    .map((some) => inRule({ ...least, ...some }, 'additional_info' in { ...least, ...fields }))
}

const places = Object.keys(parts).filter((path) => path !== '')

/** Any product: its own fields, and some of its parts, each with what must be around it. */
const anyProduct: Arbitrary<Product> = fc
  .tuple(
    fieldsOf(''),
    fc.array(
      fc
        .constantFrom(...places)
        .chain((path) => fieldsOf(path).map((some) => [path, some] as const)),
      { maxLength: 6 },
    ),
  )
  .map(([own, some]) => {
    const product = { ...own }
    for (const [path, fields] of some) {
      const [top = ''] = path.split(/[.[]/)
      const added = productWith(path, fields)[top]
      const there = product[top]
      product[top] = Array.isArray(there) && Array.isArray(added) ? [...there, ...added] : added
    }
    return product
  })

const legacyRates: Readonly<Record<string, string>> = {
  BALANCE: 'balance_rate',
  FEE: 'fee_rate',
  INTEREST_ACCRUED: 'accrued_rate',
  TRANSACTION: 'transaction_rate',
}

/** As a read is to show it. */
function shown(product: Product): Product {
  const fees = product['fees'] as { discounts?: Product[] }[] | undefined
  if (!fees) return product
  const discount = (given: Product): Product => {
    const fixed = given['fixed_amount'] as { amount: string } | undefined
    if (fixed) return { ...given, amount: fixed.amount }
    const rated = given['rate_based'] as
      | { rate: string; rate_type: string; amount_range?: Record<string, string> }
      | undefined
    if (!rated) return given
    const range = rated.amount_range && {
      amount_range: Object.fromEntries(
        Object.entries(rated.amount_range).map(([name, value]) => [
          name.replace('discount', 'fee'),
          value,
        ]),
      ),
    }
    return {
      ...given,
      rate_based: { ...rated, ...range },
      [legacyRates[rated.rate_type] ?? '?']: rated.rate,
    }
  }
  return {
    ...product,
    fees: fees.map((fee) =>
      fee.discounts ? { ...fee, discounts: fee.discounts.map(discount) } : fee,
    ),
  }
}

describe('any product', { timeout: 60_000 }, () => {
  const open = sharedPlatform()

  it('is read as it was created, field by field', async () => {
    const { create, read } = await open()

    await fc.assert(
      fc.asyncProperty(anyProduct, async (product) => {
        const made = await create(product)
        assert.equal(made.status, 201, made.text)
        assert.deepEqual(contentOf(made.body), shown(product))
        assert.deepEqual(await read(made.body.product_id), made.body)
      }),
      { numRuns },
    )
  })

  it('is restored by an update with what a version of it answered', async () => {
    const { made, replace, read, get } = await open()

    await fc.assert(
      fc.asyncProperty(anyProduct, anyProduct, async (first, second) => {
        const id = await made(first)
        assert.equal((await replace(id, second)).status, 204)
        assert.deepEqual(contentOf(await read(id)), shown(second))
        const { text } = await get(`${productPath(id)}?version=1`)

        assert.equal((await replace(id, text)).status, 204)

        assert.deepEqual(contentOf(await read(id)), contentOf(JSON.parse(text)))
        assert.deepEqual(contentOf(await read(id, 2)), shown(second))
        const again = await get(`${productPath(id)}?version=3`)
        assert.deepEqual(contentOf(again.body), shown(first))
      }),
      { numRuns: numRuns / 2 },
    )
  })

  it('is answered the same for the same key, and refused for another product', async () => {
    const { create } = await open()

    await fc.assert(
      fc.asyncProperty(anyProduct, fc.uuid(), async (product, key) => {
        const headers = { 'idempotency-key': key }
        const [first, second] = [await create(product, headers), await create(product, headers)]
        assert.equal(second.text, first.text)
        const other = await create({ ...product, name: `${product['name']}!` }, headers)
        assert.equal(other.status, 422)
      }),
      { numRuns: numRuns / 2 },
    )
  })
})
