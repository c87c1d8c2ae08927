import { formatDecimal } from '../../decimal.ts'
import { scalars } from '../../scalars.ts'
import { isCurrency } from '../currencies.ts'
import { type CdsScalar, type CdsScalarName, cdsScalars } from '../field-types.ts'
import { isMasked, maskNumber } from '../masked-number.ts'
import type { Field, Fields, IdKind, JsonSchema, Shape } from './shapes.ts'
import { member, optional, required, requiredIf, toText } from './shapes.ts'

/** The field types of the Consumer Data Standards, and how values of the interface become such. */

function scalar(schema: JsonSchema, write: Shape['write']): Shape {
  return { write, describe: () => schema }
}

function ofString(schema: JsonSchema, convert: (text: string) => string | undefined): Shape {
  return scalar({ type: 'string', ...schema }, (value) =>
    typeof value === 'string' ? convert(value) : undefined,
  )
}

/** A type of products. A number becomes a decimal, which may have at most 16 places. */
function ofCdsScalar(name: CdsScalarName, schema: JsonSchema = {}): Shape {
  const { test, write }: CdsScalar = cdsScalars[name]
  return scalar({ type: 'string', ...schema }, (value) => {
    const text = write && typeof value === 'number' ? toDecimal(value) : value
    if (!test(text)) return undefined
    return write ? write(text as string) : text
  })
}

function toDecimal(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined
  return formatDecimal(value).replace(/(\.\d{16})\d+$/, '$1')
}

export const text = ofString({}, (value) => value)
/** Display text that must not be empty. */
export const nonEmpty = ofString({ minLength: 1 }, (value) =>
  value.trim() === '' ? undefined : value,
)
/** Text that the standards require. Without it, it is empty. */
export const anyText: Field = required(text, { otherwise: '' })
/** A name for display, or the description instead. */
export const displayName: Field = required(text, {
  read: ({ displayName, description }) => displayName ?? description,
  otherwise: '',
})
export const uri = ofCdsScalar('uri', { format: 'uri' })
export const amount = ofCdsScalar('amount', { pattern: '^-?\\d{1,16}\\.\\d{2,}$' })
export const rate = ofCdsScalar('rate', { pattern: '^-?\\d{1,16}(\\.\\d{1,16})?$' })
export const duration = ofString({ format: 'duration' }, (value) =>
  scalars.duration.test(value) ? value : undefined,
)
export const dateTime = ofString({ format: 'date-time' }, (value) =>
  scalars.dateTime.test(value) ? value.toUpperCase() : undefined,
)
const currency = ofString({ pattern: '^[A-Z]{3}$', default: 'AUD' }, (value) =>
  isCurrency(value) ? value : undefined,
)

/** The amount of a payment, whose direction is known. */
const payableAmount = scalar(
  { type: 'string', pattern: '^\\d{1,16}\\.\\d{2,}$' },
  (value, context) => {
    const written = amount.write(value, context)
    return typeof written === 'string' ? written.replace('-', '') : undefined
  },
)

/** The day of a date or of a time, as it is written. */
export const date = ofString({ format: 'date' }, (value) => {
  const day = value.slice(0, 'YYYY-MM-DD'.length)
  return scalars.dateOrDateTime.test(value) ? day : undefined
})

/** A local time or a date, at `time` of which a period begins or ends. It gets the offset of the time zone. */
export function localDateTime(time: string): Shape {
  return scalar({ type: 'string', format: 'date-time' }, (value, { timeZone }) => {
    if (typeof value !== 'string') return undefined
    if (scalars.dateTime.test(value)) return value.toUpperCase()
    const local = scalars.date.test(value) ? `${value}T${time}` : value
    if (!scalars.localDateTime.test(local)) return undefined
    return Temporal.PlainDateTime.from(local)
      .toZonedDateTime(timeZone)
      .toString({ timeZoneName: 'never' })
  })
}

/** A time of the day, with or without an offset from UTC. */
export const time = ofString({}, (value) =>
  /^T?([01]\d|2[0-4])(:?[0-5]\d(:?[0-5]\d([.,]\d+)?)?)?(Z|[+-]\d\d(:?\d\d)?)?$/i.test(value)
    ? value
    : undefined,
)

/** `mm-dd`, of a date, a time or a day of the year. */
export const dayOfYear = ofString({ pattern: '^\\d{2}-\\d{2}$' }, (value) => {
  if (!scalars.seasonStart.test(value)) return undefined
  return value.length === 'MM-DD'.length ? value : value.slice('YYYY-'.length, 'YYYY-MM-DD'.length)
})

/** A number that cannot be masked digit by digit, such as one of four digits, is not shown at all. */
export const maskedNumber = ofString({}, (value) => {
  const number = maskNumber(value)
  return isMasked(number) ? number : hiddenNumber
})
export const hiddenNumber = 'xxxx'

/** Digits whose leading zeros a number does not have. */
export function digits(length = 0): Shape {
  return scalar({ type: 'string' }, (value) => {
    if (typeof value === 'string') return value
    return Number.isSafeInteger(value) && Number(value) >= 0
      ? String(value).padStart(length, '0')
      : undefined
  })
}

export const flag = scalar({ type: 'boolean' }, (value) =>
  typeof value === 'boolean' ? value : undefined,
)
export const number = scalar({ type: 'number' }, (value) =>
  Number.isFinite(value) ? value : undefined,
)
export const positiveInteger = scalar({ type: 'integer', minimum: 1 }, (value) =>
  cdsScalars.positiveInteger.test(value) ? value : undefined,
)

export function enumeration(values: readonly string[]): Shape {
  return scalar({ type: 'string', enum: values }, (value) =>
    values.includes(value as string) ? value : undefined,
  )
}

/** All members of a union, after the field that names the one that is present. */
export function union(by: string, members: Readonly<Record<string, Shape>>): Record<string, Field> {
  const fields = Object.entries(members).map(
    ([name, shape]) => [name, member(by, name, shape)] as const,
  )
  return { [by]: required(enumeration(Object.keys(members))), ...Object.fromEntries(fields) }
}

/** An id of the third party. */
export function id(kind: IdKind): Shape {
  return scalar({ type: 'string' }, (value, context) => {
    const path = [value].flat()
    const isPath = path.every((each) => typeof each === 'string' || typeof each === 'number')
    return isPath ? context.makeId(kind, path.map(String)) : undefined
  })
}

/** A type that products have too. */
export const productScalars = {
  text: nonEmpty,
  uri,
  amount,
  rate,
  duration,
  adjustment: ofCdsScalar('adjustment', { pattern: '^\\d{1,16}(\\.\\d{1,16})?$' }),
  count: ofCdsScalar('count', { pattern: '^\\d+$' }),
  currency,
} as const satisfies Partial<Record<CdsScalarName, Shape>>

/** The currency of amounts without one, in the interface and in the standards. */
const currencyDefault = 'AUD'

/** Amounts of a currency that does not exist are not written. Without the field, amounts are in Australian dollars. */
function readIn(name: string, currencyName: string) {
  return (record: Fields): unknown =>
    isCurrency(toText(record[currencyName] ?? currencyDefault)) ? record[name] : unwritable
}

/** No shape of an amount allows it. */
const unwritable = Symbol('an amount of an unknown currency')

/** An amount, with the field for its currency. */
export function amountIn(name: string, currencyName: string): Record<string, Field> {
  return {
    [name]: optional(amount, { read: readIn(name, currencyName) }),
    [currencyName]: optional(currency),
  }
}

export function requiredAmountIn(name: string, currencyName: string): Field {
  return required(amount, { read: readIn(name, currencyName) })
}

export function payableAmountIf(
  isRequired: (record: Fields) => boolean,
  name: string,
  currencyName: string,
): Field {
  return requiredIf(isRequired, payableAmount, { read: readIn(name, currencyName) })
}

export const currencyField = optional(currency)
export const shownCurrency = optional(currency, { otherwise: currencyDefault })
