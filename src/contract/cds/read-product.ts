import { findPathBeforeUpgrade } from '../convert-account-version.ts'
import { findNul, findProblems, printable } from '../problems.ts'
import { Product } from '../records/product.ts'
import type { Problem } from '../rules.ts'
import { isObject } from '../schema.ts'
import { type CdsObject, type CdsType, toCdsName } from './mapping.ts'
import { cdsProduct } from './product-fields.ts'

export interface ReadProduct {
  /** Undefined if a field that the catalogue requires is missing or invalid. */
  readonly product?: Product
  /** What the catalogue cannot hold, by path of the document. */
  readonly lost: readonly Problem[]
  /** What has several prices, of which each became an object of its own. */
  readonly separated: readonly Problem[]
}

/**
 * Converts a product of Get Product Detail, in any of its versions, to a product of the catalogue. The version is detected
 * from the structure. A value that the catalogue does not accept is left out and named; so is an object without a field
 * that the catalogue requires.
 */
export function fromCdsProductDetail(detail: unknown): ReadProduct {
  const document = withoutNulls(detail)
  if (!isObject(document)) {
    return { lost: [{ path: '', reason: 'must be an object' }], separated: [] }
  }

  const reading: Reading = { lost: [], separated: [], origins: new WeakMap() }
  const product = readObject(cdsProduct, document, '', reading)
  const isComplete = removeInvalid(product, reading)
  const lost = reading.lost.map(({ path, reason }) => ({
    path: findPathBeforeUpgrade(path, document),
    reason,
  }))
  const { separated } = reading
  return {
    ...(isComplete && { product: product as Product }),
    lost: removeRepeated(lost),
    separated,
  }
}

type Fields = Record<string, unknown>

interface Reading {
  readonly lost: Problem[]
  readonly separated: Problem[]
  /** The path in the document of each object of the product: indexes change when elements are left out. */
  readonly origins: WeakMap<object, string>
}

/** No product is nested deeper. */
const depthMax = 10

/** In the standards, null means absent. */
function withoutNulls(value: unknown, depth = 0): unknown {
  if (depth > depthMax) return undefined
  const inner = (content: unknown) => withoutNulls(content, depth + 1)
  if (Array.isArray(value)) return value.map(inner).filter((content) => content !== undefined)
  if (!isObject(value)) return value ?? undefined
  const entries = Object.entries(value).map(([name, content]) => [name, inner(content)] as const)
  return Object.fromEntries(entries.filter(([, content]) => content !== undefined))
}

function readObject(object: CdsObject, document: Fields, path: string, reading: Reading): Fields {
  const types = new Map(
    Object.entries(object.fields).map(([field, { type }]) => [toCdsName(field), { field, type }]),
  )
  const upgraded = (object.restructured?.upgrade(document) ?? document) as Fields
  const fields: Fields = {}
  reading.origins.set(fields, path)
  for (const [name, value] of Object.entries(upgraded)) {
    const at = join(path, printable(name))
    const known = types.get(name)
    if (known) fields[known.field] = readValue(known.type, value, at, reading)
    else reading.lost.push({ path: at, reason: 'is not a field of the catalogue' })
  }
  return fields
}

/** A value of another JSON type is left for the validator to find. */
function readValue(type: CdsType, value: unknown, path: string, reading: Reading): unknown {
  if (typeof type === 'string') return value
  if ('object' in type && isObject(value)) return readObject(type.object, value, path, reading)
  if (!('list' in type) || typeof type.list === 'string' || !Array.isArray(value)) return value
  const { list } = type
  return value.flatMap((element, index) =>
    isObject(element) ? readElement(list, element, `${path}[${index}]`, reading) : [element],
  )
}

function readElement(list: CdsObject, element: Fields, path: string, reading: Reading): Fields[] {
  const { objects, lost } = list.separate?.(element) ?? { objects: [element], lost: [] }
  for (const { path: field, reason } of lost) reading.lost.push({ path: join(path, field), reason })
  if (objects.length > 1) {
    const reason = `has ${objects.length} prices, of which each is imported on its own`
    reading.separated.push({ path, reason })
  }
  return objects.map((object) => readObject(list, object, path, reading))
}

/** What was separated has some problems in common. */
function removeRepeated(problems: readonly Problem[]): Problem[] {
  return [
    ...new Map(problems.map((problem) => [`${problem.path} ${problem.reason}`, problem])).values(),
  ]
}

/**
 * Removes what the catalogue rejects: the value that is invalid, or the object that lacks a required field. False if that
 * would be the whole product.
 */
function removeInvalid(product: Fields, { lost, origins }: Reading): boolean {
  for (;;) {
    const problems = [...findProblems(Product, product), ...findNul(product)]
    if (problems.length === 0) return true

    // All are located before the first is removed: a value can have several problems.
    const places = problems.map(({ path }) => locate(product, path))
    for (const [index, place] of places.entries()) {
      lost.push(describeLoss(place, problems[index]?.reason ?? '', origins.get(place.nearest)))
    }
    if (places.some(({ container }) => container === undefined)) return false
    for (const { container, key } of places) {
      if (Array.isArray(container)) container[Number(key)] = undefined
      else Reflect.deleteProperty(container as Fields, key)
    }
    for (const { container, holder, holderKey } of places) {
      // A list with several gaps has already been replaced.
      if (holder && Array.isArray(container) && holder[holderKey] === container) {
        holder[holderKey] = container.filter((element) => element !== undefined)
      }
    }
  }
}

/** An object that lacks a field is lost itself. */
function describeLoss({ rest, isMissing, container }: Place, reason: string, origin = ''): Problem {
  const sentence = reason.replaceAll(/[a-z]+(?:_[a-z]+)+/g, toCdsName)
  return isMissing && container
    ? { path: origin, reason: `is left out: ${rest} ${sentence}` }
    : { path: join(origin, rest), reason: sentence }
}

interface Place {
  readonly isMissing: boolean
  /** The last object on the path, and the rest of the path. */
  readonly nearest: object
  readonly rest: string
  /** What contains the value to remove. Undefined for the product itself. */
  readonly container: Fields | unknown[] | undefined
  readonly key: string
  /** What contains the container. */
  readonly holder: Fields | undefined
  readonly holderKey: string
}

function locate(product: Fields, path: string): Place {
  const keys = [...path.matchAll(/[^.[\]]+/g)].map(([key]) => key)
  const chain: unknown[] = [product]
  for (const key of keys) chain.push((chain.at(-1) as Fields | undefined)?.[key])
  const isMissing = chain.pop() === undefined
  // What lacks a field is removed as a whole.
  const depth = keys.length - (isMissing ? 2 : 1)
  const nearest = chain.findLastIndex(isObject)
  return {
    isMissing,
    nearest: chain[nearest] as object,
    rest: keys.slice(nearest).reduce((rest, key) => join(rest, toCdsName(key)), ''),
    container: chain[depth] as Place['container'],
    key: keys[depth] ?? '',
    holder: chain[depth - 1] as Fields | undefined,
    holderKey: keys[depth - 1] ?? '',
  }
}

/** A number is the index of an element. */
function join(path: string, key: string): string {
  if (/^\d+$/.test(key)) return `${path}[${key}]`
  return path === '' || key === '' ? path + key : `${path}.${key}`
}
