import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import { type Product, plainWith } from './products.ts'
import { kinds, parts, pathIn, productWith, valueAt } from './record-table.ts'
import { refusalsOf, sharedWorld } from './world.ts'

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

const otherInfo = { additional_info: 'What it is' }

describe('the table of the record that these tests go by', () => {
  it('has every field that the interface has', () => {
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
  const open = sharedWorld()

  for (const [part, { fields, least = {} }] of Object.entries(parts)) {
    for (const [field, kind] of Object.entries(fields)) {
      const path = pathIn(part, field)
      const readPath = pathIn(part, readAs[field] ?? field)
      const isList = typeof kind !== 'string'
      const good: readonly unknown[] = isList ? kind : kinds[kind].good
      const bad: readonly unknown[] = isList
        ? ['ANYTHING', kind[0]?.toLowerCase(), '', null, 3, [kind[0]]]
        : kinds[kind].bad
      // The bounds of a tier are seen as JSON numbers too.
      const refused = /tiers.*_value$/.test(path)
        ? bad
        : [...bad, ...(kind === 'decimal' ? [1] : [])]

      it(`has ${path}, read as it was written`, async () => {
        const world = await open()
        const given = good.map((value) => {
          const info = value === 'OTHER' && 'additional_info' in fields ? otherInfo : {}
          return productWith(part, { ...info, [field]: value })
        })

        for (const { product, indexes } of inFewProducts(part, given)) {
          const answer = await world.create(product)
          assert.equal(answer.status, 201, answer.text)
          const read = await world.read(answer.body.product_id)
          assert.deepEqual(read, answer.body)
          for (const [place, index] of indexes.entries()) {
            const path = readPath.replace('[0]', `[${place}]`)
            assert.deepEqual(valueAt(read, path), good[index])
          }
        }
      })

      it(`is refused by the name of ${path} where that is something else`, async () => {
        const world = await open()

        for (const value of refused) {
          const refusals = refusalsOf(await world.create(productWith(part, { [field]: value })))
          const named = refusals.filter((refusal) => refusal.startsWith(`${path} must be `))
          assert.deepEqual(named, refusals.slice(0, 1), JSON.stringify(value))
          for (const each of isList ? kind : []) assert.ok(refusals[0]?.includes(each))
        }
      })
    }

    for (const field of Object.keys(least)) {
      it(`is refused where ${pathIn(part, field)} is missing`, async () => {
        const world = await open()

        const refusals = refusalsOf(await world.create(productWith(part, { [field]: undefined })))

        assert.equal(refusals.length, 1)
        assert.match(refusals[0] ?? '', /^\S+ is required/)
        assert.equal(refusals[0]?.split(' ')[0], pathIn(part, field))
      })
    }

    it(`is refused by the name of a field that ${part || 'the record'} does not have`, async () => {
      const world = await open()

      for (const stranger of ['feees', 'Name', 'constructor', 'toString', '__proto__']) {
        const text = JSON.stringify(productWith(part, { stranger: 1 })).replace(
          '"stranger"',
          `"${stranger}"`,
        )
        const refusals = refusalsOf(await world.create(text))
        assert.deepEqual(refusals, [`${pathIn(part, stranger)} is not a field of this record`])
      }
    })

    const last = /(\w+)(\[0\])?$/.exec(part)
    if (last) {
      it(`is refused by the name of ${part} where that is no object`, async () => {
        const world = await open()
        const listed = last[2] !== undefined
        const around = part.slice(0, last.index).replace(/\.$/, '')
        const beside = parts[part]?.beside ?? {}

        for (const value of ['text', 7, null, [[]]]) {
          const given = { ...beside, [last[1] ?? '']: listed ? [value] : value }
          const [first = ''] = refusalsOf(await world.create(productWith(around, given)))
          assert.ok(first.startsWith(`${part} must be an object`), first)
        }
        if (!listed) return
        const list = part.slice(0, -'[0]'.length)
        const [first = ''] = refusalsOf(
          await world.create(productWith(around, { [last[1] ?? '']: { 0: {} } })),
        )
        assert.ok(first.startsWith(`${list} must be a list`), first)
      })
    }
  }

  it('takes ids in a bundle, and refuses what cannot be one', async () => {
    const world = await open()
    const bundle = (id: unknown) => productWith('bundles[0]', { product_ids: ['p-1', id] })

    for (const id of ['x'.repeat(256), 'a/b', 'ö']) {
      assert.equal((await world.create(bundle(id))).status, 201)
    }
    for (const id of ['', 'x'.repeat(257), 'a\nb', 7, null]) {
      const refusals = refusalsOf(await world.create(bundle(id)))
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

describe('an additional value', () => {
  const open = sharedWorld()

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
            `${part.replace('[0]', `[${index}]`)}.additional_value must be ${form.says} where ${type} is ${value}`,
        )
        const answer = await (await open()).create(plainWith({ [list]: elements }))
        assert.deepEqual(refusalsOf(answer), refusals)
      })
    }
  }
})
