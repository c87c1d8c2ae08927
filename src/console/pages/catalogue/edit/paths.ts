import { isObject } from '../../../../contract/schema.ts'

/** Where a value is in a product: `['fees', 0, 'name']` is `fees[0].name`. */
export type Path = readonly (string | number)[]

export function formatPath(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? part : `${text}.${part}`
  }, '')
}

/** The id of the control of a field, or of the container of a list or a record. */
export function toFieldId(path: string): string {
  return `field-${path.replaceAll(/[^\w]+/g, '-')}`
}

/** A copy of `root` with another value at the path. Undefined removes a field or an element. */
export function setAt(root: unknown, path: Path, value: unknown): unknown {
  const [part, ...rest] = path
  if (part === undefined) return value
  if (Array.isArray(root)) {
    const element = setAt(root[Number(part)], rest, value)
    return root.toSpliced(Number(part), 1, ...(element === undefined ? [] : [element]))
  }
  const fields = isObject(root) ? root : {}
  const content = setAt(fields[part], rest, value)
  const { [part]: _, ...others } = fields
  return keepKey(fields, content === undefined ? others : { ...fields, [part]: content })
}

export function getAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, part) => {
    const hasPart = typeof value === 'object' && value !== null && Object.hasOwn(value, part)
    return hasPart ? (value as Record<string, unknown>)[part] : undefined
  }, root)
}

const keys = new WeakMap<object, number>()
let keyCount = 0

/** Identifies an element of a list while it is edited and moved. */
export function findElementKey(element: unknown, index: number): string {
  if (!isObject(element)) return `at-${index}`
  const key = keys.get(element) ?? ++keyCount
  keys.set(element, key)
  return `element-${key}`
}

function keepKey(before: object, after: object): object {
  const key = keys.get(before)
  if (key !== undefined) keys.set(after, key)
  return after
}
