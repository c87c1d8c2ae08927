/** Imports nothing of Node: the function runs in browsers too. */

/** A field that two versions of a product differ in. */
export type FieldChange =
  | { readonly kind: 'added'; readonly path: string; readonly after: unknown }
  | { readonly kind: 'removed'; readonly path: string; readonly before: unknown }
  | {
      readonly kind: 'changed'
      readonly path: string
      readonly before: unknown
      readonly after: unknown
    }

/** Set by the server for each version. */
const assignedFields = ['product_id', 'last_updated']

/**
 * The differences between two products, field by field, with paths such as `fees[0].name`. Equal elements at the start
 * and the end of two lists match each other; those between match by position. The index of an added element is that
 * in `after`, any other index that in `before`.
 */
export function diffProducts(before: object, after: object): FieldChange[] {
  return diffFields('', before, after).filter(({ path }) => !assignedFields.includes(path))
}

function diffFields(path: string, before: object, after: object): FieldChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name) =>
    diffValues(
      path === '' ? name : `${path}.${name}`,
      ownValue(before, name),
      ownValue(after, name),
    ),
  )
}

/** An absent field is undefined, even if objects inherit a property of its name. */
function ownValue(fields: object, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name as keyof typeof fields] : undefined
}

function diffValues(path: string, before: unknown, after: unknown): FieldChange[] {
  if (before === undefined) return after === undefined ? [] : [{ kind: 'added', path, after }]
  if (after === undefined) return [{ kind: 'removed', path, before }]
  if (Array.isArray(before) && Array.isArray(after)) return diffLists(path, before, after)
  if (isRecord(before) && isRecord(after)) return diffFields(path, before, after)
  return before === after ? [] : [{ kind: 'changed', path, before, after }]
}

function diffLists(
  path: string,
  before: readonly unknown[],
  after: readonly unknown[],
): FieldChange[] {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && isEqual(before[start], after[start])) start += 1
  let end = 0
  while (end < shorter - start && isEqual(before.at(-1 - end), after.at(-1 - end))) end += 1

  const length = Math.max(before.length, after.length) - end
  const changes: FieldChange[] = []
  for (let index = start; index < length; index += 1) {
    const old = index < before.length - end ? before[index] : undefined
    const now = index < after.length - end ? after[index] : undefined
    changes.push(...diffValues(`${path}[${index}]`, old, now))
  }
  return changes
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Independent of the order of fields. */
function isEqual(before: unknown, after: unknown): boolean {
  return diffValues('', before, after).length === 0
}
