import type { TSchema } from 'typebox'
import { printable } from './problems.ts'
import { asNode, isObject, type Node } from './schema.ts'

/** Returns the value without its unknown fields, and calls `onRemoved` with the path of each. */
export type RemoveUnknownFields = (value: unknown, onRemoved: (path: string) => void) => unknown

/**
 * Removes the fields that none of the schemas has, at any depth. Aliases and ignored fields are known. A value without
 * unknown fields is returned as the same object, so that its text can be stored byte for byte.
 */
export function unknownFieldRemover(...schemas: readonly TSchema[]): RemoveUnknownFields {
  const nodes = schemas.map(asNode)
  return (value, onRemoved) => removeFrom(nodes, value, '', onRemoved)
}

function removeFrom(
  nodes: readonly Node[],
  value: unknown,
  path: string,
  onRemoved: (path: string) => void,
): unknown {
  const branches = listBranches(nodes)
  if (Array.isArray(value)) {
    const items = branches.flatMap((node) => node.items ?? [])
    // Where the schemas end, nothing is known, and the nesting is not bounded.
    if (items.length === 0) return value
    const kept = value.map((element, index) =>
      removeFrom(items, element, `${path}[${index}]`, onRemoved),
    )
    return kept.some((element, index) => element !== value[index]) ? kept : value
  }
  const records = branches.filter(({ properties }) => properties)
  if (!isObject(value) || records.length === 0) return value

  let isChanged = false
  const entries: [string, unknown][] = []
  for (const [name, content] of Object.entries(value)) {
    const at = path === '' ? printable(name) : `${path}.${printable(name)}`
    if (!records.some((node) => accepts(node, name))) {
      isChanged = true
      onRemoved(at)
      continue
    }
    const fields = records.flatMap((node) => findField(node, name) ?? [])
    const kept = removeFrom(fields, content, at, onRemoved)
    isChanged ||= kept !== content
    entries.push([name, kept])
  }
  return isChanged ? Object.fromEntries(entries) : value
}

function listBranches(nodes: readonly Node[]): Node[] {
  return nodes.flatMap((node) => (node.anyOf ? listBranches(node.anyOf) : [node]))
}

function accepts(node: Node, name: string): boolean {
  const { additionalProperties, aliases = {}, ignores = [], properties = {} } = node
  return (
    additionalProperties !== false ||
    Object.hasOwn(properties, name) ||
    Object.hasOwn(aliases, name) ||
    ignores.includes(name)
  )
}

function findField({ aliases = {}, properties = {} }: Node, name: string): Node | undefined {
  const field = Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name
  return Object.hasOwn(properties, field) ? properties[field] : undefined
}
