import { isValid } from '../../../../contract/problems.ts'
import { ProductInput } from '../../../../contract/records/product.ts'
import { isMissing, type Problem, readFieldRules } from '../../../../contract/rules.ts'
import type { ScalarName } from '../../../../contract/scalars.ts'
import { asNode, isObject, type Node } from '../../../../contract/schema.ts'
import { humanize } from '../../../labels.ts'
import { isRateName } from './units.ts'

interface Place {
  readonly name: string
  readonly node: Node
  readonly value: unknown
  /** A format that depends on another field. */
  readonly scalar: ScalarName | undefined
}

/** What a field of the form is, by its path in a product. Undefined if the contract does not have it. */
function locate(product: unknown, path: string): Place | undefined {
  let place: Place = { name: '', node: asNode(ProductInput), value: product, scalar: undefined }
  for (const part of path.split(/[.[\]]+/).filter((each) => each !== '')) {
    const { node, value } = place
    if (node.items && /^\d+$/.test(part)) {
      const element = Array.isArray(value) ? value[Number(part)] : undefined
      place = { name: place.name, node: node.items, value: element, scalar: undefined }
      continue
    }
    const child = Object.hasOwn(node.properties ?? {}, part) ? node.properties?.[part] : undefined
    if (!child) return undefined
    const fields = isObject(value) ? value : {}
    const { scalar } = readFieldRules(node.rules ?? [], fields, part)
    const content = Object.hasOwn(fields, part) ? fields[part] : undefined
    place = { name: part, node: child, value: content, scalar: scalar ?? child.scalar }
  }
  return place
}

/** What to do, for each format of a text. */
const instructions: Readonly<Partial<Record<ScalarName, string>>> = {
  decimal: 'Enter a number, such as 12.50.',
  wholeNumber: 'Enter a whole number, such as 18.',
  duration: 'Enter a whole number and select its unit.',
  dateTime: 'Enter a day and a time.',
  webUri: 'Enter a link that starts with https:// or http://.',
}

/** What to do about a problem, without the name of its field. */
export function explain(product: unknown, { path, reason }: Problem): string {
  const place = locate(product, path)
  if (!place) return `It ${humanize(reason)}.`
  const { name, node, value, scalar } = place
  if (isMissing(value) && reason === 'is required') return describeMissing(node)
  const format = scalar && instructions[scalar]
  const hasFormat = scalar === undefined || isValid({ type: 'string', scalar }, value)
  if (!isMissing(value) && format && !hasFormat) {
    return scalar === 'decimal' && isRateName(name) ? 'Enter a percentage, such as 4.50.' : format
  }
  return `It ${humanize(reason)}.`
}

function describeMissing(node: Node): string {
  if (node.items) return 'Add an entry.'
  return node.enum ? 'Select a value.' : 'Enter a value.'
}
