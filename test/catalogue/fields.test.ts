import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { assertEach, type NamedCase } from '../support/assert-each.ts'
import { describe, describeOnce } from '../support/engines.ts'
import { readRefusals, sharedPlatform } from '../support/platform.ts'
import { type Product, plainWith } from './products.ts'
import { kinds, type Part, parts, pathIn, productWith, valueAt } from './record-table.ts'

/** Where a read shows a field under another name. */
const readAs: Readonly<Record<string, string>> = {
  discount_maximum: 'fee_maximum',
  discount_minimum: 'fee_minimum',
}

/** Products that each have one element in the same list, as one that has all; others stay as they are. */
function inFewProducts(part: string, products: readonly Product[]) {
  const [, list] = /^(\w+)\[0\]/.exec(part) ?? []
  if (list === undefined) return products.map((product, index) => ({ product, indexes: [index] }))
  const elements = products.flatMap((product) => product[list])
  return [{ product: { ...products[0], [list]: elements }, indexes: [...products.keys()] }]
}

type FieldType = Part['fields'][string]

const otherInfo = { additional_info: 'What it is' }

/** The values of a field that are valid, and those that are not. */
function valuesOf(path: string, type: FieldType) {
  if (typeof type !== 'string') {
    return { valid: type, invalid: ['ANYTHING', type[0]?.toLowerCase(), '', null, 3, [type[0]]] }
  }
  const { good: valid, bad: invalid } = kinds[type]
  // A tier accepts its bounds as JSON numbers too.
  const acceptsNumber = type !== 'decimal' || /tiers.*_value$/.test(path)
  return { valid, invalid: acceptsNumber ? invalid : [...invalid, 1] }
}

describeOnce('the table of the record', () => {
  it('has every field of the interface', () => {
    const file = new URL('../support/interface-fields.txt', import.meta.url)
    const [, section = ''] = /\[ProductInput\]\n(.*?)\n\n/s.exec(readFileSync(file, 'utf8')) ?? []
    const inInterface = section.split('\n').map((line) => line.split(' ')[0] ?? '')
    const inTable = new Set([
      ...Object.entries(parts).flatMap(([part, { fields, least = {}, beside = {} }]) => [
        ...[...Object.keys(fields), ...Object.keys(least)].map((field) => pathIn(part, field)),
        ...Object.keys(beside).map((field) => pathIn(part.replace(/\.\w+$/, ''), field)),
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
    const { valid } = valuesOf(pathIn(part, field), fields[field] ?? [])
    const readPath = pathIn(part, readAs[field] ?? field)
    const written = valid.map((value) => {
      const info = value === 'OTHER' && 'additional_info' in fields ? otherInfo : {}
      return productWith(part, { ...info, [field]: value })
    })

    for (const { product, indexes } of inFewProducts(part, written)) {
      const answer = await platform.create(product)
      assert.equal(answer.status, 201, answer.text)
      const read = await platform.read(answer.body.product_id)
      assert.deepEqual(read, answer.body)
      for (const [place, index] of indexes.entries()) {
        const path = readPath.replace('[0]', `[${place}]`)
        assert.deepEqual(valueAt(read, path), valid[index])
      }
    }
  }

  for (const [part, { fields }] of Object.entries(parts)) {
    if (Object.keys(fields).length === 0) continue
    it(`returns every field of ${part || 'the record'} as it was written`, () =>
      assertEach(
        Object.keys(fields).map((field) => [
          pathIn(part, field),
          () => assertReadAsWritten(part, field),
        ]),
      ))
  }
})

describeOnce('an invalid product', () => {
  const open = sharedPlatform()
  const refusalsFor = async (product: unknown) => readRefusals(await (await open()).create(product))

  async function assertRejected(part: string, field: string, type: FieldType): Promise<void> {
    const path = pathIn(part, field)
    for (const value of valuesOf(path, type).invalid) {
      const refusals = await refusalsFor(productWith(part, { [field]: value }))
      const named = refusals.filter((refusal) => refusal.startsWith(`${path} must be `))
      assert.ok(refusals.length > 0)
      assert.deepEqual(named, refusals.slice(0, 1), JSON.stringify(value))
      if (typeof type === 'string') continue
      for (const each of type) assert.ok(refusals[0]?.includes(each), `${each} is not listed`)
    }
  }

  async function assertRequired(part: string, field: string): Promise<void> {
    const refusals = await refusalsFor(productWith(part, { [field]: undefined }))
    assert.equal(refusals.length, 1)
    assert.match(refusals[0] ?? '', /^\S+ is required/)
    assert.equal(refusals[0]?.split(' ')[0], pathIn(part, field))
  }

  async function assertUnknown(part: string, field: string): Promise<void> {
    const product = JSON.stringify(productWith(part, { stranger: 1 }))
    const refusals = await refusalsFor(product.replace('"stranger"', `"${field}"`))
    assert.deepEqual(refusals, [`${pathIn(part, field)} is not a field of this record`])
  }

  async function assertMustBeObject(part: string): Promise<void> {
    const last = /(\w+)(\[0\])?$/.exec(part)
    if (!last) return
    const [, name = '', listed] = last
    const around = part.slice(0, last.index).replace(/\.$/, '')
    const beside = parts[part]?.beside ?? {}

    for (const value of ['text', 7, null, [[]]]) {
      const given = { ...beside, [name]: listed ? [value] : value }
      const [first = ''] = await refusalsFor(productWith(around, given))
      assert.ok(first.startsWith(`${part} must be an object`), first)
    }
    if (!listed) return
    const list = part.slice(0, -'[0]'.length)
    const [first = ''] = await refusalsFor(productWith(around, { [name]: { 0: {} } }))
    assert.ok(first.startsWith(`${list} must be a list`), first)
  }

  for (const [part, { fields, least = {} }] of Object.entries(parts)) {
    it(`is rejected by the name of the field, in ${part || 'the record'}`, () =>
      assertEach([
        ...Object.entries(fields).map(
          ([field, type]): NamedCase => [
            pathIn(part, field),
            () => assertRejected(part, field, type),
          ],
        ),
        ...Object.keys(least).map(
          (field): NamedCase => [
            `without ${pathIn(part, field)}`,
            () => assertRequired(part, field),
          ],
        ),
        ...['feees', 'Name', 'constructor', 'toString', '__proto__'].map(
          (field): NamedCase => [
            `with the unknown ${pathIn(part, field)}`,
            () => assertUnknown(part, field),
          ],
        ),
        [`${part} that is not an object`, () => assertMustBeObject(part)],
      ]))
  }

  it('is rejected by the name of an id in a bundle', async () => {
    const bundle = (id: unknown) => productWith('bundles[0]', { product_ids: ['p-1', id] })

    for (const id of ['x'.repeat(256), 'a/b', 'ö']) {
      assert.equal((await (await open()).create(bundle(id))).status, 201)
    }
    for (const id of ['', 'x'.repeat(257), 'a\nb', 7, null]) {
      const refusals = await refusalsFor(bundle(id))
      assert.equal(refusals.length, 1)
      assert.match(refusals[0] ?? '', /^bundles\[0\]\.product_ids\[1\] must be /)
    }
  })
})

/** What an additional value must be by the type beside it; all other types take any text. */
const amount = { says: 'a decimal string', good: ['2000.00', '0'], bad: ['lots', 'P1M', ''] }
const whole = {
  says: 'a whole number as a string',
  good: ['18', '0'],
  bad: ['18.5', '-1', 'P1M', ''],
}
const period = { says: 'an ISO 8601 duration', good: ['P1M', 'P3Y'], bad: ['monthly', '12', ''] }
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
    { MIN_AGE: whole, MAX_AGE: whole, MIN_INCOME: amount, MIN_TURNOVER: amount },
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

  for (const [places, type, byType] of forms) {
    for (const part of places) {
      const values = parts[part]?.fields[type]
      const list = part.replace(/^(\w+)\[0\].*$/, '$1')
      const elementOf = (value: string, additional: string) => {
        const info = value === 'OTHER' ? { additional_info: 'Yes' } : {}
        const fields = { [type]: value, additional_value: additional, ...info }
        return (productWith(part, fields)[list] as Product[])[0]
      }

      it(`in ${part} has the form that its type asks for`, async () => {
        assert.ok(Array.isArray(values))
        const good = Object.entries(byType).flatMap(([value, form]) =>
          form.good.map((additional) => elementOf(value, additional)),
        )
        const free = values
          .filter((value: string) => !(value in byType))
          .map((value: string) => elementOf(value, 'any text'))
        const answer = await (await open()).create(plainWith({ [list]: [...good, ...free] }))
        assert.equal(answer.status, 201, answer.text)
      })

      it(`in ${part} is refused in another form`, async () => {
        const bad = Object.entries(byType).flatMap(([value, form]) =>
          form.bad.map((additional) => ({ value, form, additional })),
        )
        const elements = bad.map(({ value, additional }) => elementOf(value, additional))
        const refusals = bad.map(
          ({ value, form }, index) =>
            `${part.replace('[0]', `[${index}]`)}.additional_value must be ${form.says} when ${type} is ${value}`,
        )
        const answer = await (await open()).create(plainWith({ [list]: elements }))
        assert.deepEqual(readRefusals(answer), refusals)
      })
    }
  }
})
