import { isObject } from '../schema.ts'
import { isCurrency } from './currencies.ts'
import { cdsScalars } from './field-types.ts'
import { isMasked } from './masked-number.ts'
import { toCountryCode } from './shared/countries.ts'

type Report = (path: string, reason: string) => void
type Fields = Readonly<Record<string, unknown>>

/** Reports what the standards do not allow in a value that is valid in the interface. */
export type Check = (value: unknown, path: string, report: Report) => void

interface ObjectRules {
  /** Fields that the standards require, and the interface does not or with another format. */
  readonly required?: Readonly<Record<string, Check>>
  /** Fields with another format than in the interface. */
  readonly optional?: Readonly<Record<string, Check>>
  /** Fields that are required on a condition, which completes "is required". */
  readonly conditional?: readonly Condition[]
}

interface Condition {
  readonly field: string
  readonly when: string
  readonly isMet: (fields: Fields) => boolean
}

/** The interface and the standards allow the same values. */
export const anything: Check = () => {}

export function object({ required = {}, optional = {}, conditional = [] }: ObjectRules): Check {
  const fields = [
    ...Object.entries(required).map(([name, check]) => ({ name, check, isRequired: true })),
    ...Object.entries(optional).map(([name, check]) => ({ name, check, isRequired: false })),
  ]
  return (value, path, report) => {
    if (!isObject(value)) return
    for (const { name, check, isRequired } of fields) {
      const found = value[name]
      if (found !== undefined) check(found, join(path, name), report)
      else if (isRequired) report(join(path, name), 'is required')
    }
    for (const { field, when, isMet } of conditional) {
      if (value[field] === undefined && isMet(value)) {
        report(join(path, field), `is required ${when}`)
      }
    }
  }
}

export function list(check: Check): Check {
  return (value, path, report) => {
    if (!Array.isArray(value)) return
    for (const [index, element] of value.entries()) check(element, `${path}[${index}]`, report)
  }
}

function text(mustBe: string, test: (text: string) => boolean): Check {
  return (value, path, report) => {
    if (!test(String(value))) report(path, `must ${mustBe}`)
  }
}

export const amount = text(`be ${cdsScalars.amount.mustBe}`, cdsScalars.amount.test)

export const currency = text('be a currency code of ISO 4217', isCurrency)

export const country = text(
  'be a country code of ISO 3166-1',
  (value) => toCountryCode(value) !== undefined,
)

/** `MaskedAccountString` and `MaskedPANString`: a number for display. */
export const maskedNumber = text('have an x for each digit except the last four', isMasked)

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}
