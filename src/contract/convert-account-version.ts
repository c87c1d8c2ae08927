import { formatDecimal } from './decimal.ts'
import { earlierTypes, valuesV3 } from './enumerations.ts'
import type { BankingAccount, BankingAccountV3 } from './records/banking-account.ts'
import { isObject } from './schema.ts'

/**
 * Converts a banking account from version 3 to version 4, as the interface's Versioning section lists the
 * changes (docs/decisions/0020-account-versions.md). Parts that are already in version 4 are unchanged, and
 * so are parts that fit neither version: the validator reports them.
 */
export function upgradeAccount(account: BankingAccountV3): BankingAccount {
  return changed(account, {
    depositRates: each(upgradeRate),
    lendingRates: oneOrEach(upgradeRate),
    features: each(upgradeFeature),
    fees: each(upgradeFee),
  }) as BankingAccount
}

/**
 * Converts a banking account from version 4 to version 3. Content that version 3 has no field for is
 * omitted or added to `additionalInfo`. Upgrading and then downgrading a version-3 record returns the same
 * record, except for a fee of type VARIABLE with a price, and for fields without effect: an accrual
 * frequency without a rate, a blank text, a text that repeats the name of a fee or the link of a condition.
 */
export function downgradeAccount(account: BankingAccount): BankingAccountV3 {
  return changed(account, {
    depositRates: each(downgradeRate),
    lendingRates: oneOrEach(downgradeLendingRate),
    features: each(downgradeFeature),
    fees: each(downgradeFee),
    loan: (loan) => changed(loan, { repaymentType: only(valuesV3.repaymentType) }),
  }) as BankingAccountV3
}

/** The version-3 field for the rate of a fee or discount, by rate type. */
export const rateFields = {
  BALANCE: 'balanceRate',
  TRANSACTION: 'transactionRate',
  INTEREST_ACCRUED: 'accruedRate',
  FEE: 'feeRate',
} as const

type Fields = Record<string, unknown>
/** Returns the new value of a field, or undefined to omit the field. */
type Change = (value: unknown) => unknown

export function upgradeRate(rate: unknown): unknown {
  return changed(rate, {
    tiers: each((tier) =>
      changed(tier, {
        minimumValue: numberToText,
        maximumValue: numberToText,
        applicabilityConditions: (condition) =>
          isObject(condition) ? upgradeCondition(condition) : condition,
      }),
    ),
  })
}

/** OTHER requires a text, which is the link if there is no other. Without either, there is no condition. */
function upgradeCondition(condition: Fields): Fields[] {
  const { additionalInfo, additionalInfoUri, ...others } = condition
  const isEmpty = isBlank(additionalInfo) && isBlank(additionalInfoUri)
  if (isEmpty && Object.keys(others).length === 0) return []
  return [withInfo({ rateApplicabilityType: 'OTHER', ...condition }, additionalInfoUri)]
}

export function downgradeRate(rate: unknown): unknown {
  return conditionsToText(changed(rate, earlierRate))
}

const earlierRate = { applicationType: () => undefined, tiers: each(downgradeTier) }

/** Version 3 has no rate type for a balance transfer, so that rate is omitted. */
function downgradeLendingRate(rate: unknown): unknown {
  const { lendingRateType } = rate as Fields
  const isKnown = only(valuesV3.lendingRateType)(lendingRateType) !== undefined
  if (lendingRateType !== undefined && !isKnown) return undefined
  return conditionsToText(
    changed(rate, {
      ...earlierRate,
      repaymentType: only(valuesV3.repaymentType),
      loanPurpose: only(valuesV3.loanPurpose),
    }),
  )
}

/** A version-3 rate has no conditions. They become text, or the rate would appear unconditional. */
function conditionsToText(rate: unknown): unknown {
  const { applicabilityConditions, ...rest } = rate as Fields
  const conditions = (applicabilityConditions ?? []) as Fields[]
  return withText(rest, conditions.map(conditionText))
}

function downgradeTier(tier: unknown): unknown {
  return changed(tier, {
    minimumValue: Number,
    maximumValue: Number,
    applicabilityConditions: (conditions) => downgradeConditions(conditions as Fields[]),
  })
}

/** Version 3 has one condition per tier, so several are joined into one text. No condition is an empty one. */
function downgradeConditions(conditions: readonly Fields[]): unknown {
  if (conditions.length === 0) return {}
  const [uri, ...uris] = conditions.flatMap(({ additionalInfoUri }) => additionalInfoUri ?? [])
  const text = [...conditions.map(conditionText), ...uris].join('; ')
  return {
    // A text that only repeats the link says nothing more: the upgrade added it.
    ...(text !== uri && { additionalInfo: text }),
    ...(uri !== undefined && { additionalInfoUri: uri }),
  }
}

function conditionText({ rateApplicabilityType, ...explanation }: Fields): string {
  return describeType(rateApplicabilityType, explanation)
}

/** A type with its value and text, such as `MIN_DEPOSITS 5: each month`. OTHER is only its text. */
function describeType(
  type: unknown,
  { additionalValue, additionalInfo }: Readonly<Fields>,
): string {
  const short = [type === 'OTHER' ? '' : type, additionalValue].filter(Boolean).join(' ')
  return [short, additionalInfo].filter(Boolean).join(': ')
}

/** Appends texts to `additionalInfo`. */
function withText(fields: Fields, texts: readonly unknown[]): Fields {
  if (texts.length === 0) return fields
  const info = [fields['additionalInfo'], ...texts].filter(Boolean).join('; ')
  return { ...fields, additionalInfo: info }
}

function upgradeFeature(feature: unknown): unknown {
  const statuses = new Map<unknown, string>([
    [true, 'ACTIVATED'],
    [false, 'NOT_ACTIVATED'],
  ])
  return changed(feature, { isActivated: (value) => statuses.get(value) ?? value })
}

/** UNKNOWN omits the field: neither boolean would be correct. */
function downgradeFeature(feature: unknown): unknown {
  const known = new Map<unknown, boolean>([
    ['ACTIVATED', true],
    ['NOT_ACTIVATED', false],
  ])
  const old = changed(feature, { isActivated: (value) => known.get(value) }) as Fields
  return replaceType(old, 'featureType', earlierTypes.featureType)
}

/** Replaces a type that an earlier version does not have. It becomes part of the text, with its value. */
export function replaceType(
  fields: Readonly<Fields>,
  name: string,
  earlier: Readonly<Record<string, string>>,
): Readonly<Fields> {
  const type = fields[name]
  if (typeof type !== 'string' || !Object.hasOwn(earlier, type)) return fields
  const { additionalValue: _, ...others } = fields
  const text = describeType(type, fields)
  return { ...others, [name]: earlier[type], ...(text !== '' && { additionalInfo: text }) }
}

export function upgradeFee(fee: unknown): unknown {
  const upgraded = changed(upgradeMethod(fee, 'feeMethodUType'), {
    discounts: each((discount) => upgradeMethod(discount, 'discountMethodUType')),
  })
  if (!isObject(upgraded) || upgraded['feeType'] !== 'VARIABLE') return upgraded
  return upgradeVariableType({
    ...upgraded,
    ...(upgraded['feeMethodUType'] === undefined && { feeMethodUType: 'variable', variable: {} }),
  })
}

/** OTHER requires a text, which is the name of the fee if there is no other. Without either, the fee has no type. */
function upgradeVariableType(fee: Fields): Fields {
  const { feeType: _, ...untyped } = fee
  const { additionalInfo, name } = fee
  if (isBlank(additionalInfo) && isBlank(name)) return untyped
  return withInfo({ ...fee, feeType: 'OTHER' }, name)
}

/** Adds a text if it is missing or blank. */
function withInfo(fields: Fields, text: unknown): Fields {
  return isBlank(fields['additionalInfo']) ? { ...fields, additionalInfo: text } : fields
}

function isBlank(text: unknown): boolean {
  return text === undefined || (typeof text === 'string' && text.trim() === '')
}

/**
 * Converts the one amount or rate to the matching method. The accrual frequency is kept only with a
 * rate: without one it has no effect.
 */
export function upgradeMethod(priced: unknown, methodField: string): unknown {
  if (!isObject(priced) || priced[methodField] !== undefined) return priced
  const amounts = ['amount', ...Object.values(rateFields)].filter((field) => field in priced)
  if (amounts.length > 1) return priced

  const [field = ''] = amounts
  const { [field]: value, accrualFrequency, ...rest } = priced
  if (field === '') return rest
  if (field === 'amount') {
    return { ...rest, [methodField]: 'fixedAmount', fixedAmount: { amount: value } }
  }
  const [rateType] = Object.entries(rateFields).find(([, name]) => name === field) ?? []
  const frequency = accrualFrequency === undefined ? {} : { accrualFrequency }
  return { ...rest, [methodField]: 'rateBased', rateBased: { rateType, rate: value, ...frequency } }
}

export function downgradeFee(fee: unknown): unknown {
  const { feeMethodUType, feeType, name } = fee as Fields
  const old = changed(downgradeMethod(fee, 'feeMethodUType'), {
    discounts: each((discount) => downgradeMethod(discount, 'discountMethodUType')),
  }) as Fields
  if (feeMethodUType !== 'variable') return replaceType(old, 'feeType', earlierTypes.feeType)
  const type = feeType === undefined || feeType === 'OTHER' ? [] : [feeType]
  const variable = { ...withText(old, type), feeType: 'VARIABLE' }
  const { additionalInfo, ...rest } = variable as Fields
  // A text that only repeats the name says nothing more: the upgrade added it.
  return additionalInfo === name ? rest : variable
}

/** Converts the method to one amount or rate. Its limits have no version-3 field and become text. */
function downgradeMethod(priced: unknown, methodField: string): unknown {
  const {
    fixedAmount,
    rateBased,
    variable,
    feeCap,
    feeCapPeriod,
    [methodField]: _,
    ...rest
  } = priced as Fields
  const { rateType, rate, accrualFrequency, amountRange } = (rateBased ?? {}) as Fields
  const price = {
    ...(isObject(fixedAmount) && { amount: fixedAmount['amount'] }),
    ...(isObject(rateBased) && { [rateFields[rateType as keyof typeof rateFields]]: rate }),
    ...(accrualFrequency !== undefined && { accrualFrequency }),
  }
  const limits = [
    ...rangeTexts((variable ?? amountRange ?? {}) as Fields),
    ...(feeCap === undefined
      ? []
      : [`at most ${[feeCap, feeCapPeriod].filter(Boolean).join(' in ')}`]),
  ]
  return withText({ ...rest, ...price }, limits)
}

function rangeTexts(range: Fields): string[] {
  const least = range['feeMinimum'] ?? range['discountMinimum']
  const most = range['feeMaximum'] ?? range['discountMaximum']
  return [
    ...(least === undefined ? [] : [`from ${least}`]),
    ...(most === undefined ? [] : [`to ${most}`]),
  ]
}

/** Copies an object with some fields changed, in the same order. */
function changed(value: unknown, changes: Readonly<Record<string, Change>>): unknown {
  if (!isObject(value)) return value
  const entries = Object.entries(value)
    .map(([field, content]) => [field, findChange(changes, field)(content)] as const)
    .filter(([, content]) => content !== undefined)
  return Object.fromEntries(entries)
}

/** Own properties only: a field may be called `toString`. */
function findChange(changes: Readonly<Record<string, Change>>, field: string): Change {
  return (Object.hasOwn(changes, field) ? changes[field] : undefined) ?? same
}

function each(change: Change): Change {
  return (value) =>
    Array.isArray(value)
      ? value.map((element) => change(element)).filter((element) => element !== undefined)
      : value
}

function oneOrEach(change: Change): Change {
  return (value) => (Array.isArray(value) ? each(change)(value) : change(value))
}

/** Omits a value that the earlier version does not have. */
function only(list: readonly string[]): Change {
  return (value) => (list.includes(value as string) ? value : undefined)
}

const same: Change = (value) => value
const numberToText: Change = (value) =>
  Number.isFinite(value) ? formatDecimal(value as number) : value

/**
 * Maps a path in an upgraded account to the path in the original: `fees[0].fixedAmount.amount` was `fees[0].amount`.
 */
export function findPathBeforeUpgrade(path: string, account: unknown): string {
  let place: unknown = account
  let before = ''
  for (const [segment, index] of path.matchAll(/\[(\d+)\]|[^.[\]]+/g)) {
    if (index !== undefined) {
      // The upgrade turned one object into a list of one.
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

/** Undefined for an object that the upgrade created from sibling fields. */
function fieldBeforeUpgrade(field: string, fields: unknown): string | undefined {
  if (!isObject(fields) || Object.hasOwn(fields, field)) return field
  const rateField = Object.values(rateFields).find((name) => Object.hasOwn(fields, name))
  if (field === 'fixedAmount' && Object.hasOwn(fields, 'amount')) return undefined
  if (field === 'rateBased' && rateField !== undefined) return undefined
  return field === 'rate' || field === 'rateType' ? (rateField ?? field) : field
}
