import { replaceType } from '../../convert-account-version.ts'
import { values } from '../../enumerations.ts'
import { fee as feeFields } from '../fee-fields.ts'
import {
  type CdsDetailVersion,
  type CdsEnumeration,
  type CdsField,
  type CdsObject,
  type CdsType,
  findFormat,
  listAbsentValues,
  toCdsName,
} from '../mapping.ts'
import { feature as featureFields } from '../product-fields.ts'
import { depositRate as depositFields, lendingRate as lendingFields } from '../rate-fields.ts'
import { enumeration, productScalars } from './scalars.ts'
import {
  type Field,
  type Fields,
  list,
  type ObjectShape,
  object,
  optional,
  type Shape,
  toText,
} from './shapes.ts'

/** The terms of an account have the structure of those of a product. Here: the detail version with that of an account. */
const productVersions: Readonly<Record<number, CdsDetailVersion>> = { 4: 6, 5: 7 }

/** The shape of a part of a product, whose fields have the names of the standards in accounts. */
function ofProduct(
  name: string,
  { fields }: CdsObject,
  others: Readonly<Record<string, Field>> = {},
  complete: (record: Fields) => Fields = (record) => record,
): ObjectShape {
  const own = Object.entries(fields).map(
    ([field, definition]) => [toCdsName(field), toField(name, field, definition)] as const,
  )
  const enumerations = Object.entries(fields).flatMap(([field, { type }]) =>
    typeof type === 'object' && 'oneOf' in type ? [[toCdsName(field), type] as const] : [],
  )
  return object(name, { ...Object.fromEntries(own), ...others }, (record, { version }) =>
    enumerations.reduce<Fields | undefined>(
      (earlier, [field, type]) => earlier && replaceAbsent(earlier, field, type, version),
      complete(record),
    ),
  )
}

function toField(name: string, field: string, { type, mandatory }: CdsField): Field {
  const shape = toShape(`${name}${capital(toCdsName(field))}`, type)
  if (mandatory === undefined) return optional(shape)
  if (mandatory === true) return { shape, isRequired: true }
  const isRequired = (record: Fields): boolean => {
    const value = record[toCdsName(mandatory.field)]
    return mandatory.is ? mandatory.is.includes(toText(value)) : value !== undefined
  }
  const isMember = typeof type === 'object' && 'object' in type
  return { shape, isRequired, ...(isMember && { isAllowed: isRequired }) }
}

function toShape(name: string, type: CdsType): Field['shape'] {
  if (typeof type === 'string') return toScalar(type)
  if ('oneOf' in type) return enumeration(type.oneOf)
  if ('object' in type) return ofProduct(name, type.object)
  if ('list' in type) {
    return list(typeof type.list === 'string' ? toScalar(type.list) : ofProduct(name, type.list))
  }
  return (record) => toScalar(findFormat({ ...type, by: toCdsName(type.by) }, record))
}

function toScalar(name: string): Shape {
  const found = Object.entries(productScalars).find(([each]) => each === name)
  if (!found) throw new TypeError(`no part of an account has the type ${name}`)
  return found[1]
}

/** Applies what the tables say about values that an earlier version does not have. */
function replaceAbsent(
  record: Fields,
  field: string,
  type: CdsEnumeration,
  version: number,
): Fields | undefined {
  const absent = listAbsentValues(type, productVersions[version] ?? 7)
  if (!absent.includes(toText(record[field]))) return record
  if (type.before === 'omitObject') return undefined
  if (type.before !== undefined) return replaceType(record, field, type.before)
  const { [field]: _, ...others } = record
  return others
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

export const feature = ofProduct(
  'BankingFeature',
  { fields: featureFields },
  {
    isActivated: optional(enumeration(values.isActivated)),
  },
)
export const fee = ofProduct('BankingFee', feeFields)
export const depositRate = ofProduct('BankingDepositRate', depositFields, {}, addApplicationType)
/** Earlier versions of the standards say so of a rate without the field. */
const anyKind = 'UNCONSTRAINED'

export const lendingRate = ofProduct('BankingLendingRate', lendingFields, {}, (record) => ({
  repaymentType: anyKind,
  loanPurpose: anyKind,
  ...addApplicationType(record),
}))

/** Version 3 of the account has no type of application: what is applied at a frequency is applied periodically. */
function addApplicationType(record: Fields): Fields {
  return record['applicationFrequency'] === undefined
    ? record
    : { applicationType: 'PERIODIC', ...record }
}
