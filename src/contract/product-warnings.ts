import { compareDecimals } from './decimal.ts'
import { describePath } from './labels.ts'
import { problemsMax } from './limits.ts'
import { formatPercent } from './product-units.ts'
import { isObject } from './schema.ts'

/** A value that is allowed and seldom meant. It is confirmed before the product is published. */
export interface ProductWarning {
  readonly path: string
  /** Completes a sentence that begins with the field. */
  readonly reason: string
  /** In words. */
  readonly value?: string
}

/** Of the amount, in a year. */
const yearlyRateMax = '0.5'

/** At most `problemsMax`. An end before its start is no warning: the contract rejects it. */
export function findProductWarnings(product: object): ProductWarning[] {
  const fields: Fields = { ...product }
  return [
    ...listRecords(fields, 'deposit_rates').flatMap(warnOfRates),
    ...listRecords(fields, 'lending_rates').flatMap(warnOfRates),
    ...listRecords(fields, 'fees').flatMap(warnOfFee),
  ].slice(0, problemsMax)
}

/** For example: `Deposit rate 1 › Rate is above 50 % a year: 450 %.` */
export function formatProductWarning({ path, reason, value }: ProductWarning): string {
  return `${describePath(path)} ${reason}${value === undefined ? '' : `: ${value}`}.`
}

type Fields = Readonly<Record<string, unknown>>
type Entry = readonly [path: string, record: Fields]

/** The product may be one that is being edited. */
function listRecords(product: Fields, name: string): Entry[] {
  const list = product[name]
  if (!Array.isArray(list)) return []
  return list.flatMap((record: unknown, index) =>
    isObject(record) ? [[`${name}[${index}]`, record] as const] : [],
  )
}

function warnOfRates([path, record]: Entry): ProductWarning[] {
  return ['rate', 'comparison_rate'].flatMap((name) => {
    const rate = record[name]
    const value = typeof rate === 'string' ? formatPercent(rate) : undefined
    if (value === undefined || compareDecimals(rate as string, yearlyRateMax) <= 0) return []
    const reason = `is above ${formatPercent(yearlyRateMax)} a year`
    return [{ path: `${path}.${name}`, reason, value }]
  })
}

/** Where a fee says how much it is. */
const feeAmounts = [
  ['fixed_amount', 'amount'],
  ['rate_based', 'rate'],
  ['variable', 'fee_minimum'],
  ['variable', 'fee_maximum'],
] as const

function warnOfFee([path, fee]: Entry): ProductWarning[] {
  const hasAmount = feeAmounts.some(([method, name]) => {
    const record = fee[method]
    return isObject(record) && typeof record[name] === 'string' && record[name] !== ''
  })
  return hasAmount ? [] : [{ path, reason: 'has no amount' }]
}
