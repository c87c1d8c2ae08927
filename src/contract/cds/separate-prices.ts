import { rateFields, upgradeMethod } from '../convert-account-version.ts'
import type { Problem } from '../rules.ts'
import { isObject } from '../schema.ts'

type Fields = Record<string, unknown>

/** A fee or a discount as several, each with one price, and what is left out of it. */
export interface SeparatePrices {
  readonly objects: readonly Fields[]
  readonly lost: readonly Problem[]
}

const methods = ['fixedAmount', 'rateBased', 'variable']
/** The fields with a price in both structures, in the order of the resulting objects. */
const priceFields = [
  'fixedAmount',
  'amount',
  'rateBased',
  ...Object.values(rateFields),
  'variable',
] as const

/**
 * A fee of the catalogue has one method, but holders publish fees with an amount and a rate. Each price becomes a fee, the
 * one that `feeMethodUType` names first. A discount that is a part of the fee applies to all of them; any other stays with
 * the first, because it would count several times.
 */
export function separateFee(fee: Fields): SeparatePrices {
  const { objects, lost } = separatePrices(fee, 'feeMethodUType')
  const [first = fee, ...others] = objects
  return { objects: [first, ...others.map(removeOwnDiscounts)], lost }
}

export function separateDiscount(discount: Fields): SeparatePrices {
  return separatePrices(discount, 'discountMethodUType')
}

function separatePrices(priced: Fields, methodField: string): SeparatePrices {
  const fields = priceFields.filter((field) => Object.hasOwn(priced, field))
  const { [methodField]: method, ...unnamed } = priced
  const [first = ''] = fields
  const expected = methods.includes(first) ? first : undefined
  if (fields.length === 0 || (fields.length === 1 && method === expected)) {
    return { objects: [priced], lost: [] }
  }
  const rest = Object.fromEntries(
    Object.entries(unnamed).filter(([field]) => !fields.some((each) => each === field)),
  )
  const parts = fields.map((field) => {
    const one = { ...rest, [field]: priced[field] }
    const named = methods.includes(field) ? { ...one, [methodField]: field } : one
    const object = upgradeMethod(named, methodField) as Fields
    return { field, object, price: object[String(object[methodField])] }
  })
  const worth = parts.filter(({ price }) => !addsNothing(price))
  const kept = worth.length > 0 ? worth : parts.slice(0, 1)
  const isNamed = ({ object }: { readonly object: Fields }) => object[methodField] === method
  const objects = [...kept.filter(isNamed), ...kept.filter((part) => !isNamed(part))].map(
    ({ object }) => object,
  )
  return {
    objects: removeRepeated(objects),
    lost: [
      ...parts
        .filter((part) => !kept.includes(part))
        .map(({ field }) => ({
          path: field,
          reason: 'is left out: it adds nothing to the other price',
        })),
      ...(method === undefined || parts.some(isNamed)
        ? []
        : [{ path: methodField, reason: 'is left out: there is no such price' }]),
    ],
  }
}

/** Some holders publish zero for every price that a fee does not have. */
function addsNothing(price: unknown): boolean {
  if (!isObject(price)) return false
  const { amount, rate, ...limits } = price
  const value = amount ?? rate
  const isZero = value === undefined || /^-?0+(\.0+)?$/.test(String(value))
  return isZero && !['amountRange', 'feeMinimum', 'feeMaximum'].some((field) => field in limits)
}

/** Some holders publish the price in both structures. */
function removeRepeated(objects: readonly Fields[]): Fields[] {
  const sortFields = (object: Fields) =>
    JSON.stringify(object, (_name, value) =>
      isObject(value) ? Object.fromEntries(Object.entries(value).sort()) : value,
    )
  return [...new Map(objects.map((object) => [sortFields(object), object])).values()]
}

function removeOwnDiscounts(fee: Fields): Fields {
  const { discounts, ...rest } = fee
  if (!Array.isArray(discounts)) return fee
  const shared = discounts.filter((discount) => !isObject(discount) || isPartOfFee(discount))
  return shared.length > 0 ? { ...rest, discounts: shared } : rest
}

/** Also a discount without a price, such as a condition in words. */
function isPartOfFee({ rateBased, ...discount }: Fields): boolean {
  const isRateOfFee = !isObject(rateBased) || rateBased['rateType'] === 'FEE'
  const others = priceFields.filter((field) => field !== rateFields.FEE)
  return isRateOfFee && !others.some((field) => Object.hasOwn(discount, field))
}
