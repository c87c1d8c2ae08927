import { rateFields } from './convert-account-version.ts'
import { values, valuesV3 } from './enumerations.ts'
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
  for (const feature of elements(account['features'])) {
    if (typeof feature['isActivated'] === 'boolean') yield 3
    if (typeof feature['isActivated'] === 'string') yield 4
    yield* valueMarkers(feature, 'featureType')
  }
  for (const fee of elements(account['fees'])) {
    yield* valueMarkers(fee, 'feeType')
    for (const priced of [fee, ...elements(fee['discounts'])]) yield* priceMarkers(priced)
  }
  for (const loan of elements(account['loan'])) yield* valueMarkers(loan, 'repaymentType')
}

function* rateMarkers(rate: Fields): Generator<3 | 4> {
  const laterFields = ['applicabilityConditions', 'applicationType']
  if (laterFields.some((field) => rate[field] !== undefined)) yield 4
  yield* valueMarkers(rate, 'lendingRateType', 'repaymentType', 'loanPurpose')
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

/** Yields the version of a value that only one of the two has. */
function* valueMarkers(
  fields: Fields,
  ...names: readonly (keyof typeof valuesV3)[]
): Generator<3 | 4> {
  for (const name of names) {
    const has = (list: readonly unknown[]) => list.includes(fields[name])
    if (has(values[name]) !== has(valuesV3[name])) yield has(values[name]) ? 4 : 3
  }
}

/** The objects in a list. A single object counts as a list of one. */
function elements(value: unknown): Fields[] {
  return [value].flat().filter(isObject)
}
