import { replaceType } from '../convert-account-version.ts'
import type { Product } from '../records/product.ts'
import { type CdsScalar, type CdsScalarName, cdsScalars } from './field-types.ts'
import {
  type CdsDetailVersion,
  type CdsEnumeration,
  type CdsListVersion,
  type CdsObject,
  type CdsType,
  cdsDetailVersions,
  cdsListVersions,
  findFormat,
  isLater,
  listAbsentValues,
  restructuredIn,
  toCdsName,
  toDetailVersion,
} from './mapping.ts'
import { cdsProduct } from './product-fields.ts'

/** A product as the catalogue stores it, with the time of its last update. */
export type PublishedProduct = Product & { readonly last_updated: string }

/** A product in the structure of the Consumer Data Standards. */
export type CdsProduct = Readonly<Record<string, unknown>>

/**
 * An entry of Get Products. The product must have no publication faults. Undefined if the version has no such
 * products: those of the category BUY_NOW_PAY_LATER before version 5.
 */
export function toCdsListProduct(
  product: PublishedProduct,
  version: CdsListVersion,
): CdsProduct | undefined {
  return listWriters.get(version)?.(product)
}

/** The product of Get Product Detail. The same applies; the category exists since version 7. */
export function toCdsProductDetail(
  product: PublishedProduct,
  version: CdsDetailVersion,
): CdsProduct | undefined {
  return detailWriters.get(version)?.(product)
}

type Fields = Readonly<Record<string, unknown>>
type WriteObject = (fields: Fields) => Fields | undefined
type WriteValue = (value: unknown, siblings: Fields) => unknown

const asIs: WriteValue = (value) => value

const listedProduct: CdsObject = {
  ...cdsProduct,
  fields: Object.fromEntries(Object.entries(cdsProduct.fields).filter(([, { inList }]) => inList)),
}

const listWriters = new Map(
  cdsListVersions.map((version) => [
    version,
    objectWriter(listedProduct, toDetailVersion(version)),
  ]),
)
const detailWriters = new Map(
  cdsDetailVersions.map((version) => [version, objectWriter(cdsProduct, version)]),
)

function objectWriter(object: CdsObject, version: CdsDetailVersion): WriteObject {
  const { restructured } = object
  if (restructured === undefined || version >= restructuredIn) {
    return enumerationsWriter(object, version, fieldsWriter(object, version))
  }
  const write = fieldsWriter(object, restructuredIn)
  const later = new Set(
    Object.entries(object.fields).flatMap(([field, { since }]) =>
      isLater(since, version) ? toCdsName(field) : [],
    ),
  )
  return enumerationsWriter(object, version, (fields) =>
    Object.fromEntries(
      Object.entries(restructured.downgrade(write(fields)) as Fields).filter(
        ([name]) => !later.has(name),
      ),
    ),
  )
}

function fieldsWriter(
  { fields }: CdsObject,
  version: CdsDetailVersion,
): (fields: Fields) => Fields {
  const writers = Object.entries(fields)
    .filter(([, { since }]) => !isLater(since, version))
    .map(([field, { type }]) => [field, toCdsName(field), valueWriter(type, version)] as const)
  return (record) => {
    const written: Record<string, unknown> = {}
    for (const [field, name, write] of writers) {
      const value = record[field]
      if (value !== undefined) written[name] = write(value, record)
    }
    return written
  }
}

function valueWriter(type: CdsType, version: CdsDetailVersion): WriteValue {
  if (typeof type === 'string') return (value) => writeScalar(type, value)
  if ('object' in type) {
    const write = objectWriter(type.object, version)
    return (value) => write(value as Fields)
  }
  if ('list' in type) return listWriter(type.list, version)
  if ('by' in type) return (value, siblings) => writeScalar(findFormat(type, siblings), value)
  return asIs
}

function writeScalar(name: CdsScalarName, value: unknown): unknown {
  const { write }: CdsScalar = cdsScalars[name]
  return write ? write(value as string) : value
}

function listWriter(element: CdsObject | CdsScalarName, version: CdsDetailVersion): WriteValue {
  if (typeof element === 'string') return asIs
  const write = objectWriter(element, version)
  return (value) => (value as readonly Fields[]).flatMap((fields) => write(fields) ?? [])
}

/** Applies what `added` and `before` say about the values that the version does not have. */
function enumerationsWriter(
  { fields }: CdsObject,
  version: CdsDetailVersion,
  write: (fields: Fields) => Fields,
): WriteObject {
  const absent = Object.entries(fields).flatMap(([field, { type }]) =>
    typeof type === 'object' && 'oneOf' in type
      ? listAbsentValues(type, version).map(
          (value) => [toCdsName(field), value, type.before] as const,
        )
      : [],
  )
  if (absent.length === 0) return write
  return (record) =>
    absent.reduce<Fields | undefined>(
      (written, [name, value, before]) =>
        written?.[name] === value ? replaceValue(written, name, before) : written,
      write(record),
    )
}

function replaceValue(
  written: Fields,
  name: string,
  before: CdsEnumeration['before'],
): Fields | undefined {
  if (before === 'omitObject') return undefined
  if (before !== undefined) return replaceType(written, name, before)
  const { [name]: _, ...rest } = written
  return rest
}
