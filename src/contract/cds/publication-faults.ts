import { problemsMax } from '../limits.ts'
import type { Product, ProductInput } from '../records/product.ts'
import { isMissing, type Problem } from '../rules.ts'
import { isObject } from '../schema.ts'
import { type CdsScalarName, cdsScalars } from './field-types.ts'
import {
  type CdsCondition,
  type CdsField,
  type CdsObject,
  type CdsType,
  findFormat,
} from './mapping.ts'
import { cdsProduct } from './product-fields.ts'

/**
 * Why a valid product of the catalogue cannot be published, by field of the catalogue, at most `max`: the newest version
 * of the standards requires more than the catalogue does. A product without faults is valid in every version.
 */
export function findPublicationFaults(
  product: ProductInput | Product,
  max = problemsMax,
): Problem[] {
  return [...objectFaults(cdsProduct, product, '').take(max)]
}

type Fields = Readonly<Record<string, unknown>>

function* objectFaults(object: CdsObject, fields: Fields, path: string): Generator<Problem> {
  for (const [name, field] of Object.entries(object.fields)) {
    const value = fields[name]
    const at = path === '' ? name : `${path}.${name}`
    const reason = isMissing(value) ? findRequirement(field, fields) : undefined
    if (reason !== undefined) {
      const how = value === undefined ? 'is required' : 'must not be empty'
      yield { path: at, reason: `${how} for publication${reason}` }
    } else if (value !== undefined) {
      yield* valueFaults(field.type, value, fields, at)
    }
  }
}

/** Completes "is required for publication". Undefined for a field that is not. */
function findRequirement({ mandatory, isAssigned }: CdsField, fields: Fields): string | undefined {
  if (mandatory === undefined || isAssigned) return undefined
  return mandatory === true ? '' : describeIfMet(mandatory, fields)
}

function describeIfMet({ field, is }: CdsCondition, fields: Fields): string | undefined {
  const value = fields[field]
  if (is === undefined) return isMissing(value) ? undefined : ` when ${field} is present`
  return is.includes(value as string) ? ` when ${field} is ${value}` : undefined
}

function* valueFaults(
  type: CdsType,
  value: unknown,
  siblings: Fields,
  path: string,
): Generator<Problem> {
  if (typeof type === 'string') yield* scalarFaults(type, value, path)
  else if ('by' in type) yield* scalarFaults(findFormat(type, siblings), value, path)
  else if ('oneOf' in type)
    yield* expect(type.oneOf.includes(value as string), path, `one of ${type.oneOf.join(', ')}`)
  else if ('object' in type) yield* elementFaults(type.object, value, path)
  else if (!Array.isArray(value)) yield* expect(false, path, 'a list')
  else {
    for (const [index, element] of value.entries()) {
      yield* elementFaults(type.list, element, `${path}[${index}]`)
    }
  }
}

function* elementFaults(
  type: CdsObject | CdsScalarName,
  value: unknown,
  path: string,
): Generator<Problem> {
  if (typeof type === 'string') yield* scalarFaults(type, value, path)
  else if (isObject(value)) yield* objectFaults(type, value, path)
  else yield* expect(false, path, 'an object')
}

function scalarFaults(name: CdsScalarName, value: unknown, path: string): Problem[] {
  const { test, mustBe } = cdsScalars[name]
  return expect(test(value), path, mustBe)
}

function expect(isMet: boolean, path: string, mustBe: string): Problem[] {
  return isMet ? [] : [{ path, reason: `must be ${mustBe} for publication` }]
}
