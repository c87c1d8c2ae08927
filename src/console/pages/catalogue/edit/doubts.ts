import { compareDecimals } from '../../../../contract/decimal.ts'
import { isObject } from '../../../../contract/schema.ts'
import { formatPercent } from '../../../labels.ts'

/** A value that is allowed and seldom meant. */
export interface Doubt {
  readonly path: string
  readonly text: string
}

/** Half of the amount a year. */
const rateMax = '0.5'
const rateLists = ['deposit_rates', 'lending_rates'] as const

/** What a person confirms before a product is published. An end before the start is an error. */
export function findDoubts(product: Readonly<Record<string, unknown>>): Doubt[] {
  return [
    ...rateLists.flatMap((list) => listRecords(product[list]).flatMap(doubtRate(list))),
    ...listRecords(product['fees']).flatMap(([index, fee]) =>
      hasAmount(fee) ? [] : [{ path: `fees[${index}]`, text: 'The fee has no amount.' }],
    ),
  ]
}

type Entry = readonly [index: number, record: Readonly<Record<string, unknown>>]

function listRecords(value: unknown): Entry[] {
  if (!Array.isArray(value)) return []
  return [...value.entries()].filter((entry): entry is [number, Record<string, unknown>] =>
    isObject(entry[1]),
  )
}

const doubtRate =
  (list: string) =>
  ([index, record]: Entry): Doubt[] =>
    (['rate', 'comparison_rate'] as const).flatMap((name) => {
      const rate = record[name]
      const isHigh =
        typeof rate === 'string' && formatPercent(rate) && compareDecimals(rate, rateMax) > 0
      if (!isHigh) return []
      const text = `The rate is ${formatPercent(rate)} a year.`
      return [{ path: `${list}[${index}].${name}`, text }]
    })

/** Where a fee says how much it is. */
const amountFields = [
  ['fixed_amount', 'amount'],
  ['rate_based', 'rate'],
  ['variable', 'fee_minimum'],
  ['variable', 'fee_maximum'],
] as const

function hasAmount(fee: Readonly<Record<string, unknown>>): boolean {
  return amountFields.some(([method, name]) => {
    const record = fee[method]
    return isObject(record) && typeof record[name] === 'string' && record[name] !== ''
  })
}
