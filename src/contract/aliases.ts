import type { TSchema } from 'typebox'
import { formatDecimal } from './decimal.ts'
import { asNode, isObject, type Node } from './schema.ts'

type Rewrite = (value: unknown) => unknown

const asIs: Rewrite = (value) => value

/**
 * Normalises a value to the contract's field names: aliases are renamed, ignored fields are dropped, and
 * numbers become text where both are accepted. It does not validate: content that does not fit is left
 * for the validator to report. A value that needs no change is returned as the same object, so that its
 * text can be stored byte for byte.
 */
export function normalizer(schema: TSchema): Rewrite {
  return rewriteNode(asNode(schema)) ?? asIs
}

function rewriteNode(node: Node): Rewrite | undefined {
  if (node.acceptsNumber) return numberToText
  if (node.properties) return rewriteFields(node)
  if (node.items) return rewriteElements(node.items)
  if (node.anyOf) return rewriteBranches(node.anyOf)
  return undefined
}

function numberToText(value: unknown): unknown {
  return Number.isFinite(value) ? formatDecimal(value as number) : value
}

function rewriteFields(node: Node): Rewrite | undefined {
  const renames = new Map(Object.entries(node.aliases ?? {}))
  const ignores = new Set(node.ignores)
  const companion = node.ignoresWhenPresent
  const inner = new Map<string, Rewrite>()
  for (const [field, type] of Object.entries(node.properties ?? {})) {
    const rewrite = rewriteNode(type)
    if (rewrite) inner.set(field, rewrite)
  }
  if (renames.size + ignores.size + inner.size === 0) return undefined

  return (value) => {
    if (!isObject(value)) return value
    let changed = false
    const entries: [string, unknown][] = []
    const names = new Set(Object.keys(value))
    for (const [name, content] of Object.entries(value)) {
      if (ignores.has(name) && (companion === undefined || Object.hasOwn(value, companion))) {
        changed = true
        continue
      }
      const target = renames.get(name)
      // If both names are present, the alias is left for the validator to reject.
      const field = target !== undefined && !names.has(target) ? target : name
      names.add(field)
      const rewritten = (inner.get(field) ?? asIs)(content)
      changed ||= field !== name || rewritten !== content
      entries.push([field, rewritten])
    }
    return changed ? Object.fromEntries(entries) : value
  }
}

function rewriteElements(items: Node): Rewrite | undefined {
  const rewrite = rewriteNode(items)
  if (!rewrite) return undefined
  return (value) => {
    if (!Array.isArray(value)) return value
    const rewritten = value.map(rewrite)
    return rewritten.some((element, index) => element !== value[index]) ? rewritten : value
  }
}

/** Branches have different JSON types, so each rewrite ignores the values of the others. */
function rewriteBranches(branches: readonly Node[]): Rewrite | undefined {
  const rewrites = branches.flatMap((branch) => rewriteNode(branch) ?? [])
  if (rewrites.length === 0) return undefined
  return (value) => rewrites.reduce((result, rewrite) => rewrite(result), value)
}
