import { formatDecimal } from './decimal.ts'
import {
  type BankingAccount,
  type BankingAccountV3,
  featureTypesV3,
} from './records/banking-account.ts'
import { lendingRateTypesV3, loanPurposesV3, repaymentTypesV3 } from './records/banking-rates.ts'
import { isObject } from './schema.ts'

/**
 * Version 3 of the banking account as version 4, by the list of changes in the interface's Versioning
 * section (docs/decisions/0020-account-versions.md). What is in version 4 already stays as it is, and
 * so does what fits neither: it is for the validator to name.
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
 * Version 4 as version 3. What version 3 has no room for is left out or told as text. Upgrading and
 * downgrading a version-3 record gives it back, but for what says nothing in it: an amount beside
 * the fee type VARIABLE, an accrual frequency without a rate.
 */
export function downgradeAccount(account: BankingAccount): BankingAccountV3 {
  return changed(account, {
    depositRates: each(downgradeDepositRate),
    lendingRates: oneOrEach(downgradeLendingRate),
    features: each(downgradeFeature),
    fees: each(downgradeFee),
    loan: (loan) => changed(loan, { repaymentType: only(repaymentTypesV3) }),
  }) as BankingAccountV3
}

/** Written where version 4 asks for a text that version 3 did not have; taken out on the way back. */
const unspecified = 'Not specified'

/** Where version 3 kept the rate of a fee or discount, by what the rate is of. */
export const rateFields = {
  BALANCE: 'balanceRate',
  TRANSACTION: 'transactionRate',
  INTEREST_ACCRUED: 'accruedRate',
  FEE: 'feeRate',
} as const

type Fields = Record<string, unknown>
/** The new content of a field; undefined leaves the field out. */
type Change = (value: unknown) => unknown

function upgradeRate(rate: unknown): unknown {
  return changed(rate, {
    tiers: each((tier) =>
      changed(tier, {
        minimumValue: numberToText,
        maximumValue: numberToText,
        applicabilityConditions: (condition) =>
          isObject(condition)
            ? [withInfo({ rateApplicabilityType: 'OTHER', ...condition })]
            : condition,
      }),
    ),
  })
}

function downgradeDepositRate(rate: unknown): unknown {
  return tellConditions(changed(rate, { tiers: each(downgradeTier) }))
}

/** Version 3 has no word for a balance transfer, and no other that would be true. */
function downgradeLendingRate(rate: unknown): unknown {
  const { lendingRateType } = rate as Fields
  if (lendingRateType !== undefined && !only(lendingRateTypesV3)(lendingRateType)) return undefined
  return tellConditions(
    changed(rate, {
      repaymentType: only(repaymentTypesV3),
      loanPurpose: only(loanPurposesV3),
      tiers: each(downgradeTier),
    }),
  )
}

/** A rate of version 3 has no conditions, only a text: without it the rate would look free of them. */
function tellConditions(rate: unknown): unknown {
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

/** Several conditions become one text, so that none is lost to the reader. */
function downgradeConditions(conditions: readonly Fields[]): unknown {
  if (conditions.length === 0) return undefined
  const [uri, ...uris] = conditions.flatMap(({ additionalInfoUri }) => additionalInfoUri ?? [])
  const text = [...conditions.map(conditionText), ...uris].join('; ')
  return {
    ...(text !== unspecified && { additionalInfo: text }),
    ...(uri !== undefined && { additionalInfoUri: uri }),
  }
}

function conditionText({
  rateApplicabilityType,
  additionalValue,
  additionalInfo,
}: Fields): unknown {
  const type = rateApplicabilityType === 'OTHER' ? [] : [rateApplicabilityType]
  const short = [...type, additionalValue].filter(Boolean).join(' ')
  return [short, additionalInfo].filter(Boolean).join(': ')
}

/** Adds to what an object says in `additionalInfo`. */
function withText(fields: Fields, texts: readonly unknown[]): Fields {
  if (texts.length === 0) return fields
  const info = [fields['additionalInfo'], ...texts].filter(Boolean).join('; ')
  return { ...fields, additionalInfo: info }
}

function upgradeFeature(feature: unknown): unknown {
  const words = new Map<unknown, string>([
    [true, 'ACTIVATED'],
    [false, 'NOT_ACTIVATED'],
  ])
  return changed(feature, { isActivated: (value) => words.get(value) ?? value })
}

/** UNKNOWN leaves the field out: either boolean would be a claim. */
function downgradeFeature(feature: unknown): unknown {
  const known = new Map<unknown, boolean>([
    ['ACTIVATED', true],
    ['NOT_ACTIVATED', false],
  ])
  const { featureType } = feature as Fields
  const old = changed(feature, { isActivated: (value) => known.get(value) }) as Fields
  if (only(featureTypesV3)(featureType)) return old
  const info =
    String(old['additionalInfo'] ?? '').trim() === '' ? featureType : old['additionalInfo']
  return { ...old, featureType: 'OTHER', additionalInfo: info }
}

function upgradeFee(fee: unknown): unknown {
  const upgraded = changed(upgradeMethod(fee, 'feeMethodUType'), {
    discounts: each((discount) => upgradeMethod(discount, 'discountMethodUType')),
  })
  if (!isObject(upgraded) || upgraded['feeType'] !== 'VARIABLE') return upgraded
  return withInfo({
    ...upgraded,
    feeType: 'OTHER',
    ...(upgraded['feeMethodUType'] === undefined && { feeMethodUType: 'variable', variable: {} }),
  })
}

/** With the text that OTHER asks for, where it has none. */
function withInfo(fields: Fields): Fields {
  const info = fields['additionalInfo']
  const isBlank = info === undefined || (typeof info === 'string' && info.trim() === '')
  return isBlank ? { ...fields, additionalInfo: unspecified } : fields
}

/**
 * One amount or one rate beside the other fields becomes the method that it stood for. The accrual
 * frequency goes with the rate: without one it says nothing.
 */
function upgradeMethod(priced: unknown, methodField: string): unknown {
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

function downgradeFee(fee: unknown): unknown {
  const { feeMethodUType, feeType, additionalInfo } = fee as Fields
  const old = changed(downgradeMethod(fee, 'feeMethodUType'), {
    discounts: each((discount) => downgradeMethod(discount, 'discountMethodUType')),
  }) as Fields
  if (feeType === 'OTHER' && additionalInfo === unspecified) {
    const { additionalInfo: _, ...rest } = old
    return { ...rest, feeType: 'VARIABLE' }
  }
  if (feeMethodUType !== 'variable') return old
  const type = feeType === undefined || feeType === 'OTHER' ? [] : [feeType]
  return { ...withText(old, type), feeType: 'VARIABLE' }
}

/** The method as one amount or one rate; its limits have no field of their own and are told. */
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

/** A copy of an object with some fields changed, in the order it had. */
function changed(value: unknown, changes: Readonly<Record<string, Change>>): unknown {
  if (!isObject(value)) return value
  const entries = Object.entries(value)
    .map(([field, content]) => [field, changeOf(changes, field)(content)] as const)
    .filter(([, content]) => content !== undefined)
  return Object.fromEntries(entries)
}

/** A field may be named like something that every object has. */
function changeOf(changes: Readonly<Record<string, Change>>, field: string): Change {
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

/** Leaves out a value that the earlier version does not have. */
function only(list: readonly string[]): Change {
  return (value) => (list.includes(value as string) ? value : undefined)
}

const same: Change = (value) => value
const numberToText: Change = (value) =>
  Number.isFinite(value) ? formatDecimal(value as number) : value
