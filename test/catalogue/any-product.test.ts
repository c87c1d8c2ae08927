import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc, { type Arbitrary } from 'fast-check'
import { anyCharacter } from '../support/any-character.ts'
import { describe } from '../support/engines.ts'
import { productPath, sharedPlatform } from '../support/platform.ts'
import { propertyRuns } from '../support/properties.ts'
import { getContent, type Product } from './products.ts'
import { kinds, parts, productWith } from './record-table.ts'

const numRuns = 6

const createArbitrary = (kind: keyof typeof kinds | readonly string[]): Arbitrary<unknown> => {
  if (typeof kind !== 'string') return fc.constantFrom(...kind)
  switch (kind) {
    case 'text':
      return fc.string({ unit: anyCharacter, maxLength: 12 })
    case 'name':
      return fc.string({ unit: anyCharacter, minLength: 1, maxLength: 12 })
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
      return fc.constantFrom(...kinds[kind].valid)
  }
}

/** Pairs of fields of which the second must not be less than the first. */
const ordered = [
  ['effective_from', 'effective_to', (text: unknown) => Date.parse(String(text))],
  ['minimum_value', 'maximum_value', Number],
] as const

/** Satisfies the rules between fields: OTHER needs a text, and the form of a value depends on its type. */
const applyRules = (fields: Product, hasInfo: boolean): Product => {
  const isOther = hasInfo && Object.values(fields).includes('OTHER')
  const { additional_value: _value, ...rest } = fields
  // A pair that may be in the wrong order loses its second field.
  for (const [low, high, toNumber] of ordered) {
    if (low in rest && high in rest && !(toNumber(rest[low]) < toNumber(rest[high])))
      delete rest[high]
  }
  return isOther ? { ...rest, additional_info: 'What it is' } : rest
}

const anyFields = (path: string): Arbitrary<Product> => {
  const { fields, required = {} } = parts[path] ?? { fields: {} }
  const arbitraries = Object.fromEntries(
    Object.entries(fields).map(([field, kind]) => [field, createArbitrary(kind)]),
  )
  return fc
    .record(arbitraries, { requiredKeys: [], noNullPrototype: true })
    .map((some) =>
      applyRules({ ...required, ...some }, 'additional_info' in { ...required, ...fields }),
    )
}

const partNames = Object.keys(parts).filter((path) => path !== '')

/** Any product: top-level fields, and some parts with their required parents. */
const anyProduct: Arbitrary<Product> = fc
  .tuple(
    anyFields(''),
    fc.array(
      fc
        .constantFrom(...partNames)
        .chain((path) => anyFields(path).map((some) => [path, some] as const)),
      { maxLength: 6 },
    ),
  )
  .map(([fields, some]) => {
    const product = { ...fields }
    for (const [path, fields] of some) {
      const [top = ''] = path.split(/[.[]/)
      const added = productWith(path, fields)[top]
      const existing = product[top]
      product[top] =
        Array.isArray(existing) && Array.isArray(added) ? [...existing, ...added] : added
    }
    return product
  })

const legacyRates: Readonly<Record<string, string>> = {
  BALANCE: 'balance_rate',
  FEE: 'fee_rate',
  INTEREST_ACCRUED: 'accrued_rate',
  TRANSACTION: 'transaction_rate',
}

/** The expected response of a read. */
function toExpected(product: Product): Product {
  const fees = product['fees'] as { discounts?: Product[] }[] | undefined
  if (!fees) return product
  const discount = (discountFields: Product): Product => {
    const fixed = discountFields['fixed_amount'] as { amount: string } | undefined
    if (fixed) return { ...discountFields, amount: fixed.amount }
    const rateBased = discountFields['rate_based'] as
      | { rate: string; rate_type: string; amount_range?: Record<string, string> }
      | undefined
    if (!rateBased) return discountFields
    const range = rateBased.amount_range && {
      amount_range: Object.fromEntries(
        Object.entries(rateBased.amount_range).map(([name, value]) => [
          name.replace('discount', 'fee'),
          value,
        ]),
      ),
    }
    return {
      ...discountFields,
      rate_based: { ...rateBased, ...range },
      [legacyRates[rateBased.rate_type] ?? '?']: rateBased.rate,
    }
  }
  return {
    ...product,
    fees: fees.map((fee) =>
      fee.discounts ? { ...fee, discounts: fee.discounts.map(discount) } : fee,
    ),
  }
}

describe('any product', () => {
  const open = sharedPlatform()

  it('is returned as it was created', async () => {
    const { create, read } = await open()

    await fc.assert(
      fc.asyncProperty(anyProduct, async (product) => {
        const made = await create(product)
        assert.equal(made.status, 201, made.text)
        assert.deepEqual(getContent(made.body), toExpected(product))
        assert.deepEqual(await read(made.body.product_id), made.body)
      }),
      propertyRuns(numRuns),
    )
  })

  it('is restored by an update with the response of a version', async () => {
    const { made, replace, read, get } = await open()

    await fc.assert(
      fc.asyncProperty(anyProduct, anyProduct, async (first, second) => {
        const id = await made(first)
        assert.equal((await replace(id, second)).status, 204)
        assert.deepEqual(getContent(await read(id)), toExpected(second))
        const { text } = await get(`${productPath(id)}?version=1`)

        assert.equal((await replace(id, text)).status, 204)

        assert.deepEqual(getContent(await read(id)), getContent(JSON.parse(text)))
        assert.deepEqual(getContent(await read(id, 2)), toExpected(second))
        const again = await get(`${productPath(id)}?version=3`)
        assert.deepEqual(getContent(again.body), toExpected(first))
      }),
      propertyRuns(numRuns / 2),
    )
  })

  it('has the same response for the same idempotency key, which is rejected for another product', async () => {
    const { create } = await open()

    await fc.assert(
      fc.asyncProperty(anyProduct, fc.uuid(), async (product, key) => {
        const headers = { 'idempotency-key': key }
        const [first, second] = [await create(product, headers), await create(product, headers)]
        assert.equal(second.text, first.text)
        const other = await create({ ...product, name: `${product['name']}!` }, headers)
        assert.equal(other.status, 422)
      }),
      propertyRuns(numRuns / 2),
    )
  })
})
