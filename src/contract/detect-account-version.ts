import { rateFields } from './convert-account-version.ts'
import { values } from './enumerations.ts'
import { featureTypesV3 } from './records/banking-account.ts'
import { lendingRateTypesV3, loanPurposesV3, repaymentTypesV3 } from './records/banking-rates.ts'
import { isObject } from './schema.ts'

type Fields = Readonly<Record<string, unknown>>

/** Fields of a fee or discount that exist in only one of the two versions. */
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
 * Detects the version of a banking account from fields and values that only one version has. A record without any is
 * version 4; a record with some of each is `mixed`.
 */
export function detectAccountVersion(account: unknown): 3 | 4 | 'mixed' {
  const found = new Set(isObject(account) ? versionMarkers(account) : [])
  if (!found.has(3)) return 4
  return found.has(4) ? 'mixed' : 3
}

function* versionMarkers(account: Fields): Generator<3 | 4> {
  for (const rate of [...elements(account['depositRates']), ...elements(account['lendingRates'])]) {
    yield* rateMarkers(rate)
  }
  for (const { isActivated, featureType } of elements(account['features'])) {
    if (typeof isActivated === 'boolean') yield 3
    if (typeof isActivated === 'string') yield 4
    yield* newValueMarkers(featureType, values.featureType, featureTypesV3)
  }
  for (const fee of elements(account['fees'])) {
    if (fee['feeType'] === 'VARIABLE') yield 3
    for (const priced of [fee, ...elements(fee['discounts'])]) yield* priceMarkers(priced)
  }
  for (const { repaymentType } of elements(account['loan'])) {
    yield* newValueMarkers(repaymentType, values.repaymentType, repaymentTypesV3)
  }
}

function* rateMarkers(rate: Fields): Generator<3 | 4> {
  if (rate['applicabilityConditions'] !== undefined) yield 4
  yield* newValueMarkers(rate['lendingRateType'], values.lendingRateType, lendingRateTypesV3)
  yield* newValueMarkers(rate['repaymentType'], values.repaymentType, repaymentTypesV3)
  yield* newValueMarkers(rate['loanPurpose'], values.loanPurpose, loanPurposesV3)
  // A numeric bound proves nothing: version 4 accepts it on load as well.
  for (const { minimumValue, maximumValue, applicabilityConditions } of elements(rate['tiers'])) {
    if (isObject(applicabilityConditions)) yield 3
    if (Array.isArray(applicabilityConditions)) yield 4
    if ([minimumValue, maximumValue].some((bound) => typeof bound === 'string')) yield 4
  }
}

function* priceMarkers(priced: Fields): Generator<3 | 4> {
  for (const version of [3, 4] as const) {
    if (priceFields[version].some((field) => Object.hasOwn(priced, field))) yield version
  }
}

/** Yields 4 for a value that version 4 added to an enumeration. */
function* newValueMarkers(
  value: unknown,
  all: readonly string[],
  earlier: readonly string[],
): Generator<3 | 4> {
  if (typeof value === 'string' && all.includes(value) && !earlier.includes(value)) yield 4
}

/** The objects in a list. A single object counts as a list of one. */
function elements(value: unknown): Fields[] {
  return [value].flat().filter(isObject)
}
