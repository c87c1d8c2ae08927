import { isObject } from '../../../../contract/schema.ts'
import { diffProducts } from '../../../../platform/catalogue/diff.ts'

/**
 * The changes from `base` to `mine`, applied to `theirs`. Where both changed the same value, mine is kept. Both changes
 * of a list are kept if they concern different elements.
 */
export function mergeChanges(base: unknown, mine: unknown, theirs: unknown): unknown {
  if (isSame(base, mine)) return theirs
  if (isSame(base, theirs)) return mine
  if (isObject(base) && isObject(mine) && isObject(theirs)) {
    const names = new Set([...Object.keys(theirs), ...Object.keys(mine)])
    const merged = [...names].map((name) => [
      name,
      mergeChanges(base[name], mine[name], theirs[name]),
    ])
    return Object.fromEntries(merged.filter(([, value]) => value !== undefined))
  }
  if (Array.isArray(base) && Array.isArray(mine) && Array.isArray(theirs)) {
    return mergeLists(base, mine, theirs)
  }
  return mine
}

type List = readonly unknown[]

function mergeLists(base: List, mine: List, theirs: List): List {
  if (base.length === mine.length && base.length === theirs.length) {
    return mine.map((element, index) => mergeChanges(base[index], element, theirs[index]))
  }
  const ours = findChange(base, mine)
  const other = findChange(base, theirs)
  const [first, second] = ours.start <= other.start ? [ours, other] : [other, ours]
  if (first.end > second.start) return mine
  return [
    ...base.slice(0, first.start),
    ...first.elements,
    ...base.slice(first.end, second.start),
    ...second.elements,
    ...base.slice(second.end),
  ]
}

/** The elements of `base` between its equal start and its equal end, and what replaces them. */
function findChange(base: List, changed: List) {
  const shorter = Math.min(base.length, changed.length)
  let start = 0
  while (start < shorter && isSame(base[start], changed[start])) start += 1
  let rest = 0
  while (rest < shorter - start && isSame(base.at(-1 - rest), changed.at(-1 - rest))) rest += 1
  return { start, end: base.length - rest, elements: changed.slice(start, changed.length - rest) }
}

/** Independent of the order of fields. */
export function isSame(a: unknown, b: unknown): boolean {
  return diffProducts({ a }, { a: b }).length === 0
}
