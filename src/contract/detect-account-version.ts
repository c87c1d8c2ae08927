import { rateFields } from './convert-account-version.ts'
import { values } from './enumerations.ts'
import { featureTypesV3 } from './records/banking-account.ts'
import { lendingRateTypesV3, loanPurposesV3, repaymentTypesV3 } from './records/banking-rates.ts'
import { isObject } from './schema.ts'

type Fields = Readonly<Record<string, unknown>>

/** What a fee or a discount has in one version alone. */
const priceFields = {
  3: ['amount', 'accrualFrequency', ...Object.values(rateFields)],
  4: [
    'feeMethodUType',
    'discountMethodUType',
    'fixedAmount',
    'rateBased',
    'variable',
    'feeCap',
    'feeCapPeriod',
  ],
} as const

/**
 * The version of the banking account that a record is written in, by what only one of the two has: 4 where it has
 * nothing that only version 3 has, and `mixed` where it has something of each.
 */
export function detectAccountVersion(account: unknown): 3 | 4 | 'mixed' {
  const found = new Set(isObject(account) ? marksOf(account) : [])
  if (!found.has(3)) return 4
  return found.has(4) ? 'mixed' : 3
}

function* marksOf(account: Fields): Generator<3 | 4> {
  for (const rate of [...elements(account['depositRates']), ...elements(account['lendingRates'])]) {
    yield* rateMarks(rate)
  }
  for (const { isActivated, featureType } of elements(account['features'])) {
    if (typeof isActivated === 'boolean') yield 3
    if (typeof isActivated === 'string') yield 4
    yield* laterMarks(featureType, values.featureType, featureTypesV3)
  }
  for (const fee of elements(account['fees'])) {
    if (fee['feeType'] === 'VARIABLE') yield 3
    for (const priced of [fee, ...elements(fee['discounts'])]) yield* priceMarks(priced)
  }
  for (const { repaymentType } of elements(account['loan'])) {
    yield* laterMarks(repaymentType, values.repaymentType, repaymentTypesV3)
  }
}

function* rateMarks(rate: Fields): Generator<3 | 4> {
  if (rate['applicabilityConditions'] !== undefined) yield 4
  yield* laterMarks(rate['lendingRateType'], values.lendingRateType, lendingRateTypesV3)
  yield* laterMarks(rate['repaymentType'], values.repaymentType, repaymentTypesV3)
  yield* laterMarks(rate['loanPurpose'], values.loanPurpose, loanPurposesV3)
  // A bound that is a number is no mark: loading takes it in version 4 too.
  for (const { minimumValue, maximumValue, applicabilityConditions } of elements(rate['tiers'])) {
    if (isObject(applicabilityConditions)) yield 3
    if (Array.isArray(applicabilityConditions)) yield 4
    if ([minimumValue, maximumValue].some((bound) => typeof bound === 'string')) yield 4
  }
}

function* priceMarks(priced: Fields): Generator<3 | 4> {
  for (const version of [3, 4] as const) {
    if (priceFields[version].some((field) => Object.hasOwn(priced, field))) yield version
  }
}

/** A value that version 4 added to a list. */
function* laterMarks(
  value: unknown,
  all: readonly string[],
  earlier: readonly string[],
): Generator<3 | 4> {
  if (typeof value === 'string' && all.includes(value) && !earlier.includes(value)) yield 4
}

/** The objects of a list; one that stands alone counts as a list of one. */
function elements(value: unknown): Fields[] {
  return [value].flat().filter(isObject)
}

/**
 * Where a field of an upgraded account was in the account before: `fees[0].fixedAmount.amount` is the upgraded
 * `fees[0].amount`.
 */
export function findPathBeforeUpgrade(path: string, account: unknown): string {
  let place: unknown = account
  let before = ''
  for (const [segment, index] of path.matchAll(/\[(\d+)\]|[^.[\]]+/g)) {
    if (index !== undefined) {
      // One object became a list of one.
      if (!Array.isArray(place)) continue
      place = place[Number(index)]
      before += segment
      continue
    }
    const field = fieldBeforeUpgrade(segment, place)
    if (field === undefined) continue
    place = isObject(place) && Object.hasOwn(place, field) ? place[field] : undefined
    before += before === '' ? field : `.${field}`
  }
  return before
}

/** Undefined for an object that the upgrade made of the fields beside it. */
function fieldBeforeUpgrade(field: string, fields: unknown): string | undefined {
  if (!isObject(fields) || Object.hasOwn(fields, field)) return field
  const rateField = Object.values(rateFields).find((name) => Object.hasOwn(fields, name))
  if (field === 'fixedAmount' && Object.hasOwn(fields, 'amount')) return undefined
  if (field === 'rateBased' && rateField !== undefined) return undefined
  return field === 'rate' || field === 'rateType' ? (rateField ?? field) : field
}
