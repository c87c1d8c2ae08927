import { isValid } from '../../../../contract/problems.ts'
import { findMeasure, findPlace, parsePath } from '../../../../contract/product-values.ts'
import { ProductInput } from '../../../../contract/records/product.ts'
import { isMissing, type Problem, readFieldRules } from '../../../../contract/rules.ts'
import type { ScalarName } from '../../../../contract/scalars.ts'
import { asNode, isObject, type Node } from '../../../../contract/schema.ts'
import { instruct, instructions } from '../../../explain-problem.ts'

interface Located {
  readonly node: Node
  readonly value: unknown
  /** A format that depends on another field. */
  readonly scalar: ScalarName | undefined
}

/** What a field of the form is, by its path in a product. Undefined if the contract does not have it. */
function locate(product: unknown, path: string): Located | undefined {
  let place: Located = { node: asNode(ProductInput), value: product, scalar: undefined }
  for (const part of parsePath(path)) {
    const { node, value } = place
    if (node.items && typeof part === 'number') {
      const element = Array.isArray(value) ? value[part] : undefined
      place = { node: node.items, value: element, scalar: undefined }
      continue
    }
    const child = Object.hasOwn(node.properties ?? {}, part) ? node.properties?.[part] : undefined
    if (!child) return undefined
    const fields = isObject(value) ? value : {}
    const { scalar } = readFieldRules(node.rules ?? [], fields, String(part))
    const content = Object.hasOwn(fields, part) ? fields[part] : undefined
    place = { node: child, value: content, scalar: scalar ?? child.scalar }
  }
  return place
}

/** What to do about a problem, without the name of its field. */
export function explain(product: unknown, { path, reason }: Problem): string {
  const place = locate(product, path)
  if (!place) return instruct(reason)
  const { node, value, scalar } = place
  if (isMissing(value) && reason === 'is required') return describeMissing(node)
  const format = scalar && instructions[scalar]
  const hasFormat = scalar === undefined || isValid({ type: 'string', scalar }, value)
  if (!isMissing(value) && format && !hasFormat) {
    return findMeasure(findPlace(product, parsePath(path))) === 'rate'
      ? 'Enter a percentage, such as 4.50.'
      : format
  }
  return instruct(reason)
}

function describeMissing(node: Node): string {
  if (node.items) return 'Add an entry.'
  return node.enum ? 'Select a value.' : 'Enter a value.'
}
