import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { assertEach, type NamedCase } from '../support/assert-each.ts'
import { describe, describeOnce } from '../support/engines.ts'
import { readErrors, sharedPlatform } from '../support/platform.ts'
import { type Product, productWithFields } from './products.ts'
import { getValue, joinPath, kinds, type Part, parts, productWith } from './record-table.ts'

/** Fields that a read returns under another name. */
const readAs: Readonly<Record<string, string>> = {
  discount_maximum: 'fee_maximum',
  discount_minimum: 'fee_minimum',
}

/** Merges products that differ only in one list element into one product with all elements. */
function mergeProducts(part: string, products: readonly Product[]) {
  const [, list] = /^(\w+)\[0\]/.exec(part) ?? []
  if (list === undefined) return products.map((product, index) => ({ product, indexes: [index] }))
  const elements = products.flatMap((product) => product[list])
  return [{ product: { ...products[0], [list]: elements }, indexes: [...products.keys()] }]
}

type FieldType = Part['fields'][string]

const otherInfo = { additional_info: 'What it is' }

/** Valid and invalid values of a field. */
function getValues(path: string, type: FieldType) {
  if (typeof type !== 'string') {
    return { valid: type, invalid: ['ANYTHING', type[0]?.toLowerCase(), '', null, 3, [type[0]]] }
  }
  const { valid, invalid } = kinds[type]
  // A tier accepts its bounds as JSON numbers too.
  const acceptsNumber = type !== 'decimal' || /tiers.*_value$/.test(path)
  return { valid, invalid: acceptsNumber ? invalid : [...invalid, 1] }
}

describeOnce('the record table', () => {
  it('has every field of the interface', () => {
    const file = new URL('../support/interface-fields.txt', import.meta.url)
    const [, section = ''] = /\[ProductInput\]\n(.*?)\n\n/s.exec(readFileSync(file, 'utf8')) ?? []
    const inInterface = section.split('\n').map((line) => line.split(' ')[0] ?? '')
    const inTable = new Set([
      ...Object.entries(parts).flatMap(([part, { fields, required = {}, siblings = {} }]) => [
        ...[...Object.keys(fields), ...Object.keys(required)].map((field) => joinPath(part, field)),
        ...Object.keys(siblings).map((field) => joinPath(part.replace(/\.\w+$/, ''), field)),
      ]),
    ])
    const known = new Set([...inTable].map((path) => path.replaceAll('[0]', '')))

    assert.ok(inInterface.length > 100)
    assert.deepEqual(
      inInterface.filter((path) => !known.has(path)),
      [],
    )
  })
})

describe('a product', () => {
  const open = sharedPlatform()

  async function assertReadAsWritten(part: string, field: string): Promise<void> {
    const platform = await open()
    const { fields = {} } = parts[part] ?? {}
    const { valid } = getValues(joinPath(part, field), fields[field] ?? [])
    const readPath = joinPath(part, readAs[field] ?? field)
    const written = valid.map((value) => {
      const info = value === 'OTHER' && 'additional_info' in fields ? otherInfo : {}
      return productWith(part, { ...info, [field]: value })
    })

    for (const { product, indexes } of mergeProducts(part, written)) {
      const answer = await platform.create(product)
      assert.equal(answer.status, 201, answer.text)
      const read = await platform.read(answer.body.product_id)
      assert.deepEqual(read, answer.body)
      for (const [place, index] of indexes.entries()) {
        const path = readPath.replace('[0]', `[${place}]`)
        assert.deepEqual(getValue(read, path), valid[index])
      }
    }
  }

  for (const [part, { fields }] of Object.entries(parts)) {
    if (Object.keys(fields).length === 0) continue
    it(`returns every field of ${part || 'the record'} as it was written`, () =>
      assertEach(
        Object.keys(fields).map((field) => [
          joinPath(part, field),
          () => assertReadAsWritten(part, field),
        ]),
      ))
  }
})

describeOnce('an invalid product', () => {
  const open = sharedPlatform()
  const rejectProduct = async (product: unknown) => readErrors(await (await open()).create(product))

  async function assertRejected(part: string, field: string, type: FieldType): Promise<void> {
    const path = joinPath(part, field)
    for (const value of getValues(path, type).invalid) {
      const errors = await rejectProduct(productWith(part, { [field]: value }))
      const named = errors.filter((error) => error.startsWith(`${path} must be `))
      assert.ok(errors.length > 0)
      assert.deepEqual(named, errors.slice(0, 1), JSON.stringify(value))
      if (typeof type === 'string') continue
      for (const each of type) assert.ok(errors[0]?.includes(each), `${each} is not isElement`)
    }
  }

  async function assertRequired(part: string, field: string): Promise<void> {
    const errors = await rejectProduct(productWith(part, { [field]: undefined }))
    assert.equal(errors.length, 1)
    assert.match(errors[0] ?? '', /^\S+ is required/)
    assert.equal(errors[0]?.split(' ')[0], joinPath(part, field))
  }

  async function assertUnknown(part: string, field: string): Promise<void> {
    const product = JSON.stringify(productWith(part, { unknown: 1 }))
    const errors = await rejectProduct(product.replace('"unknown"', `"${field}"`))
    assert.deepEqual(errors, [`${joinPath(part, field)} is not a field of this record`])
  }

  async function assertMustBeObject(part: string): Promise<void> {
    const last = /(\w+)(\[0\])?$/.exec(part)
    if (!last) return
    const [, name = '', isElement] = last
    const parent = part.slice(0, last.index).replace(/\.$/, '')
    const siblings = parts[part]?.siblings ?? {}

    for (const value of ['text', 7, null, [[]]]) {
      const fields = { ...siblings, [name]: isElement ? [value] : value }
      const [first = ''] = await rejectProduct(productWith(parent, fields))
      assert.ok(first.startsWith(`${part} must be an object`), first)
    }
    if (!isElement) return
    const list = part.slice(0, -'[0]'.length)
    const [first = ''] = await rejectProduct(productWith(parent, { [name]: { 0: {} } }))
    assert.ok(first.startsWith(`${list} must be a list`), first)
  }

  for (const [part, { fields, required = {} }] of Object.entries(parts)) {
    it(`is rejected with the name of the field, in ${part || 'the record'}`, () =>
      assertEach([
        ...Object.entries(fields).map(
          ([field, type]): NamedCase => [
            joinPath(part, field),
            () => assertRejected(part, field, type),
          ],
        ),
        ...Object.keys(required).map(
          (field): NamedCase => [
            `without ${joinPath(part, field)}`,
            () => assertRequired(part, field),
          ],
        ),
        ...['feees', 'Name', 'constructor', 'toString', '__proto__'].map(
          (field): NamedCase => [
            `with the unknown ${joinPath(part, field)}`,
            () => assertUnknown(part, field),
          ],
        ),
        [`${part} that is not an object`, () => assertMustBeObject(part)],
      ]))
  }

  it('is rejected with the position of an invalid id in a bundle', async () => {
    const bundle = (id: unknown) => productWith('bundles[0]', { product_ids: ['p-1', id] })

    for (const id of ['x'.repeat(256), 'a/b', 'ö']) {
      assert.equal((await (await open()).create(bundle(id))).status, 201)
    }
    for (const id of ['', 'x'.repeat(257), 'a\nb', 7, null]) {
      const errors = await rejectProduct(bundle(id))
      assert.equal(errors.length, 1)
      assert.match(errors[0] ?? '', /^bundles\[0\]\.product_ids\[1\] must be /)
    }
  })
})

/** The form of an additional value by the type of its record; other types accept any text. */
const amount = {
  expected: 'a decimal string',
  valid: ['2000.00', '0'],
  invalid: ['lots', 'P1M', ''],
}
const whole = {
  expected: 'a whole number as a string',
  valid: ['18', '0'],
  invalid: ['18.5', '-1', 'P1M', ''],
}
const period = {
  expected: 'an ISO 8601 duration',
  valid: ['P1M', 'P3Y'],
  invalid: ['monthly', '12', ''],
}
type Form = typeof amount

const forms: readonly [parts: readonly string[], type: string, Readonly<Record<string, Form>>][] = [
  [['fees[0]'], 'fee_type', { PERIODIC: period, LATE_PAYMENT: whole }],
  [
    ['features[0]'],
    'feature_type',
    {
      ADDITIONAL_CARDS: whole,
      FREE_TXNS: whole,
      CASHBACK_OFFER: amount,
      FREE_TXNS_ALLOWANCE: amount,
      FUNDS_AVAILABLE_AFTER: period,
      INTEREST_FREE: period,
      INTEREST_FREE_TRANSFERS: period,
    },
  ],
  [
    ['constraints[0]'],
    'constraint_type',
    {
      MIN_BALANCE: amount,
      MAX_BALANCE: amount,
      OPENING_BALANCE: amount,
      MIN_LIMIT: amount,
      MAX_LIMIT: amount,
      MIN_LVR: amount,
      MAX_LVR: amount,
    },
  ],
  [
    ['eligibility[0]'],
    'eligibility_type',
    { MIN_AGE: whole, MAX_AGE: whole, MIN_INCOME: amount, MIN_TURNOVER: amount },
  ],
  [
    ['fees[0].discounts[0].eligibility[0]'],
    'discount_eligibility_type',
    {
      MIN_AGE: whole,
      MAX_AGE: whole,
      MIN_INCOME: amount,
      MIN_TURNOVER: amount,
      INTRODUCTORY: period,
    },
  ],
  [
    ['fees[0].discounts[0]'],
    'discount_type',
    { BALANCE: amount, DEPOSITS: amount, PAYMENTS: amount, FEE_CAP: period },
  ],
  [
    [
      'deposit_rates[0].applicability_conditions[0]',
      'deposit_rates[0].tiers[0].applicability_conditions[0]',
      'lending_rates[0].applicability_conditions[0]',
      'lending_rates[0].tiers[0].applicability_conditions[0]',
    ],
    'rate_applicability_type',
    {
      MIN_DEPOSITS: whole,
      MIN_PURCHASES: whole,
      MAX_WITHDRAWALS: whole,
      MIN_DEPOSIT_AMOUNT: amount,
      MAX_WITHDRAWAL_AMOUNT: amount,
      DEPOSIT_BALANCE_INCREASED: amount,
    },
  ],
  [['deposit_rates[0]'], 'deposit_rate_type', { FIXED: period, INTRODUCTORY: period }],
  [['lending_rates[0]'], 'lending_rate_type', { FIXED: period, INTRODUCTORY: period }],
]

describeOnce('an additional value', () => {
  const open = sharedPlatform()

  for (const [partNames, type, byType] of forms) {
    for (const part of partNames) {
      const values = parts[part]?.fields[type]
      const list = part.replace(/^(\w+)\[0\].*$/, '$1')
      const createElement = (value: string, additional: string) => {
        const info = value === 'OTHER' ? { additional_info: 'Yes' } : {}
        const fields = { [type]: value, additional_value: additional, ...info }
        return (productWith(part, fields)[list] as Product[])[0]
      }

      it(`in ${part} is accepted in the form of its type`, async () => {
        assert.ok(Array.isArray(values))
        const valid = Object.entries(byType).flatMap(([value, form]) =>
          form.valid.map((additional) => createElement(value, additional)),
        )
        const anyText = values
          .filter((value: string) => !(value in byType))
          .map((value: string) => createElement(value, 'any text'))
        const answer = await (await open()).create(
          productWithFields({ [list]: [...valid, ...anyText] }),
        )
        assert.equal(answer.status, 201, answer.text)
      })

      it(`in ${part} is rejected in another form`, async () => {
        const invalid = Object.entries(byType).flatMap(([value, form]) =>
          form.invalid.map((additional) => ({ value, form, additional })),
        )
        const elements = invalid.map(({ value, additional }) => createElement(value, additional))
        const errors = invalid.map(
          ({ value, form }, index) =>
            `${part.replace('[0]', `[${index}]`)}.additional_value must be ${form.expected} when ${type} is ${value}`,
        )
        const answer = await (await open()).create(productWithFields({ [list]: elements }))
        assert.deepEqual(readErrors(answer), errors)
      })
    }
  }
})
