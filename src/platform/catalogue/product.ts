import type { Product, ProductInput, ProductRead } from '../../contract/index.ts'
import type { ProductContent } from './store.ts'

type Fee = NonNullable<ProductInput['fees']>[number]
type Discount = NonNullable<Fee['discounts']>[number]
type Range = NonNullable<NonNullable<Discount['rate_based']>['amount_range']>
type ReadFee = NonNullable<ProductRead['fees']>[number]
type ReadDiscount = NonNullable<ReadFee['discounts']>[number]

/** A product as the store keeps it. `record` must be normalized. */
export function toProductContent(record: ProductInput | Product): ProductContent {
  const {
    product_id: _id,
    last_updated: _updated,
    ...fields
  } = record as Product & { last_updated?: string }
  return {
    name: fields.name,
    category: fields.product_category,
    brand: fields.brand,
    effectiveFrom: toEpochMilliseconds(fields.effective_from),
    effectiveTo: toEpochMilliseconds(fields.effective_to),
    record: JSON.stringify(fields),
    shown: JSON.stringify(fields.fees ? { ...fields, fees: fields.fees.map(readFee) } : fields),
  }
}

/** The complete record: adds the id and the time of the last update to the stored fields. */
export function addIdentity(fields: string, id: string, lastUpdated: string): string {
  return `{"product_id":${JSON.stringify(id)},${fields.slice(1, -1)},"last_updated":"${lastUpdated}"}`
}

/** The last time with a four-digit year. */
const lastTime = '9999-12-31T23:59:59.999999999Z'

/** Later than `before` even if the clock was set back; equal to it only at the last possible time. */
export function nextUpdateTime(at: Temporal.Instant, before: string | undefined): string {
  const now = Temporal.Instant.fromEpochMilliseconds(at.epochMilliseconds)
  if (before === undefined) return now.toString()
  const next = Temporal.Instant.from(before).add({ milliseconds: 1 })
  if (Temporal.Instant.compare(next, lastTime) > 0) return before
  return (Temporal.Instant.compare(next, now) > 0 ? next : now).toString()
}

/** Any time is after an undefined one. */
export function isAfter(time: string | undefined, before: string | undefined): time is string {
  if (time === undefined || before === undefined) return time !== undefined
  return Temporal.Instant.compare(time, before) > 0
}

/** Rounded up: what begins within a millisecond has not begun at its start. */
export function toEpochMilliseconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const nanoseconds = Temporal.Instant.from(text).epochNanoseconds
  const whole = nanoseconds / 1_000_000n
  return Number(nanoseconds > whole * 1_000_000n ? whole + 1n : whole)
}

/** Adds the fields of the older structure to a fee's discounts, in addition to the newer ones. */
function readFee(fee: Fee): ReadFee {
  const { discounts, ...rest } = fee
  return discounts ? { ...rest, discounts: discounts.map(readDiscount) } : rest
}

const legacyRates = {
  BALANCE: 'balance_rate',
  FEE: 'fee_rate',
  INTEREST_ACCRUED: 'accrued_rate',
  TRANSACTION: 'transaction_rate',
} as const

function readDiscount(discount: Discount): ReadDiscount {
  const { fixed_amount, rate_based, ...rest } = discount
  if (fixed_amount) return { ...rest, fixed_amount, amount: fixed_amount.amount }
  if (!rate_based) return rest
  const { amount_range, ...rate } = rate_based
  return {
    ...rest,
    rate_based: { ...rate, ...(amount_range && { amount_range: readRange(amount_range) }) },
    [legacyRates[rate.rate_type]]: rate.rate,
  }
}

function readRange({ discount_maximum, discount_minimum }: Range) {
  return {
    ...(discount_maximum !== undefined && { fee_maximum: discount_maximum }),
    ...(discount_minimum !== undefined && { fee_minimum: discount_minimum }),
  }
}
