import type { CdsScalarName } from '../../contract/cds/field-types.ts'
import {
  type CdsDetailVersion,
  type CdsEnumeration,
  type CdsListVersion,
  type CdsObject,
  type CdsType,
  isLater,
  listAbsentValues,
  restructuredIn,
  toCdsName,
  toDetailVersion,
} from '../../contract/cds/mapping.ts'
import { cdsProduct } from '../../contract/cds/product-fields.ts'
import { toPascalCase } from '../../contract/openapi/value-lists.ts'
import type { Schema } from './components.ts'

/** The schema of a product in Get Products. */
export function describeListedProduct(version: CdsListVersion): Schema {
  const fields = Object.entries(cdsProduct.fields).filter(([, { inList }]) => inList)
  return describeObject(
    'BankingProduct',
    { fields: Object.fromEntries(fields) },
    toDetailVersion(version),
  )
}

/** The schema of a product in Get Product Detail. */
export function describeProductDetail(version: CdsDetailVersion): Schema {
  return describeObject('BankingProductDetail', cdsProduct, version, 'BankingProduct')
}

/** The names of parts begin with `parts`. */
function describeObject(
  title: string,
  { fields, restructured }: CdsObject,
  version: CdsDetailVersion,
  parts = title,
): Schema {
  if (restructured && version < restructuredIn) {
    const description = `The structure before version ${restructuredIn} of the product. ${restructured.description}`
    return { title, type: 'object', description, additionalProperties: true }
  }
  const present = Object.entries(fields).filter(([, { since }]) => !isLater(since, version))
  const required = present.flatMap(([field, { mandatory }]) =>
    mandatory === true ? toCdsName(field) : [],
  )
  return {
    title,
    type: 'object',
    properties: Object.fromEntries(
      present.map(([field, { type }]) => {
        const name = toCdsName(field)
        return [name, describeType(parts + toPascalCase(name), type, version)]
      }),
    ),
    ...(required.length > 0 && { required }),
  }
}

function describeType(name: string, type: CdsType, version: CdsDetailVersion): Schema {
  if (typeof type === 'string') return scalarSchemas[type]
  if ('oneOf' in type) return { type: 'string', enum: listValues(type, version) }
  if ('object' in type) return describeObject(name, type.object, version)
  if ('list' in type) {
    const items =
      typeof type.list === 'string'
        ? scalarSchemas[type.list]
        : describeObject(name, type.list, version)
    return { type: 'array', items }
  }
  return scalarSchemas[type.otherwise]
}

/** Those of the version, and those that replace values of later versions. */
function listValues(type: CdsEnumeration, version: CdsDetailVersion): readonly string[] {
  const absent = listAbsentValues(type, version)
  if (absent.length === 0) return type.oneOf
  const { before } = type
  const earlier = typeof before === 'object' ? absent.map((value) => before[value]) : []
  const values = [...type.oneOf, ...earlier].filter((value) => value !== undefined)
  return [...new Set(values)].filter((value) => !absent.includes(value))
}

const text = { type: 'string' } as const

const scalarSchemas: Readonly<Record<CdsScalarName, Schema>> = {
  text,
  ascii: text,
  pathSegment: text,
  uri: { type: 'string', format: 'uri' },
  dateTime: { type: 'string', format: 'date-time' },
  duration: { type: 'string', format: 'duration' },
  currency: { type: 'string', pattern: '^[A-Z]{3}$', default: 'AUD' },
  amount: { type: 'string', pattern: '^-?\\d{1,16}\\.\\d{2,}$' },
  rate: { type: 'string', pattern: '^-?\\d{1,16}(\\.\\d{1,16})?$' },
  adjustment: { type: 'string', pattern: '^\\d{1,16}(\\.\\d{1,16})?$' },
  count: { type: 'string', pattern: '^\\d+$' },
  flag: { type: 'boolean' },
  naturalNumber: { type: 'integer', minimum: 0 },
  positiveInteger: { type: 'integer', minimum: 1 },
}
