import type { CdsScalarName } from './cds/field-types.ts'
import { type CdsType, findFormat } from './cds/mapping.ts'
import { cdsProduct } from './cds/product-fields.ts'
import { toLabel } from './labels.ts'
import { formatDuration, formatNumber, formatPercent, formatQuantity } from './product-units.ts'
import { isObject } from './schema.ts'

/** Where a value of a product is, which decides what it means. */
export interface Place {
  /** The name of the field. An element of a list has that of the list. */
  readonly name: string
  /** Undefined for a field that the catalogue does not have. */
  readonly type: CdsType | undefined
  /** The record that has the field: its type may depend on another field. */
  readonly record: Readonly<Record<string, unknown>>
  /** Of amounts. */
  readonly currency: string
  readonly isYearly: boolean
}

/** Of amounts without a currency of their own. */
const currencyDefault = 'AUD'

/** The product itself. */
export const productPlace: Place = {
  name: '',
  type: { object: cdsProduct },
  record: {},
  currency: currencyDefault,
  isYearly: false,
}

/** The place of a field or an element of `value`, which is at `place`. */
export function enterPlace(place: Place, value: unknown, part: string | number): Place {
  const { type, name, currency } = place
  if (typeof part === 'number') {
    const isList = typeof type === 'object' && 'list' in type
    const element = isList ? type.list : undefined
    return { ...place, type: typeof element === 'object' ? { object: element } : element }
  }
  const record = isObject(value) ? value : {}
  const fields = typeof type === 'object' && 'object' in type ? type.object.fields : {}
  const own = record['currency']
  return {
    name: part,
    type: Object.hasOwn(fields, part) ? fields[part]?.type : undefined,
    record,
    currency: typeof own === 'string' && own !== '' ? own : currency,
    isYearly: /^(deposit|lending)_rates$/.test(name) && /^(comparison_)?rate$/.test(part),
  }
}

/** The place at a path such as `['fees', 0, 'name']`. */
export function findPlace(product: unknown, path: readonly (string | number)[]): Place {
  let place = productPlace
  let value = product
  for (const part of path) {
    place = enterPlace(place, value, part)
    const content = typeof value === 'object' && value !== null ? value : {}
    value = Object.hasOwn(content, part) ? content[part as keyof typeof content] : undefined
  }
  return place
}

/** `fees[0].name` as `['fees', 0, 'name']`. */
export function parsePath(path: string): (string | number)[] {
  return path
    .split(/[.[\]]+/)
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

/** How people read and enter a value. Undefined for records, lists and unknown fields. */
type Measure = CdsScalarName | 'enumeration'

export function findMeasure({ type, record }: Place): Measure | undefined {
  if (type === undefined || typeof type === 'string') return type
  if ('oneOf' in type) return 'enumeration'
  if (!('by' in type)) return undefined
  const format = findFormat(type, record)
  return format === 'adjustment' ? 'rate' : format
}

/** The types of counts that have a unit. */
const countUnits: ReadonlyMap<unknown, string> = new Map([
  ['DAY', 'day'],
  ['MONTH', 'month'],
  ['LATE_PAYMENT', 'day'],
])

function findCountUnit({ type, record }: Place): string | undefined {
  return typeof type === 'object' && 'by' in type ? countUnits.get(record[type.by]) : undefined
}

/** What follows the number of a value, such as "% a year". */
export function findUnit(place: Place): string | undefined {
  switch (findMeasure(place)) {
    case 'rate':
      return place.isYearly ? '% a year' : '%'
    case 'amount':
      return place.currency
    case 'count': {
      const unit = findCountUnit(place)
      return unit && `${unit}s`
    }
    default:
      return undefined
  }
}

/** A text in words, such as "4.5 % a year" for `0.045`. Undefined if it is shown as it is; times need a time zone. */
export function formatValue(place: Place, text: string): string | undefined {
  switch (findMeasure(place)) {
    case 'rate': {
      const percent = formatPercent(text)
      return percent && (place.isYearly ? `${percent} a year` : percent)
    }
    case 'amount': {
      const amount = formatNumber(text)
      return amount && `${amount} ${place.currency}`
    }
    case 'count': {
      const unit = findCountUnit(place)
      return unit && /^\d{1,18}$/.test(text) ? formatQuantity(text, unit) : formatNumber(text)
    }
    case 'duration':
      return formatDuration(text)
    case 'enumeration':
      return /^\w+$/.test(text) ? toLabel(text) : undefined
    default:
      return undefined
  }
}
