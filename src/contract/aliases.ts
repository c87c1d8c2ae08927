import type { TSchema } from 'typebox'
import { formatDecimal } from './decimal.ts'
import { asNode, isObject, type Node } from './schema.ts'

type Rewrite = (value: unknown) => unknown

const asIs: Rewrite = (value) => value

/**
 * Brings a value into the contract's own spelling: fields under another accepted name are renamed,
 * ignored ones are dropped, numbers become text where both are taken. It judges nothing: what does not
 * fit stays as it is for the validator to name. A value that needs no change comes back as the same
 * object, so that its text can be kept byte for byte.
 */
export function normalizer(schema: TSchema): Rewrite {
  return rewriteOf(asNode(schema)) ?? asIs
}

function rewriteOf(node: Node): Rewrite | undefined {
  if (node.acceptsNumber) return numberToText
  if (node.properties) return fieldsRewrite(node)
  if (node.items) return elementsRewrite(node.items)
  if (node.anyOf) return branchesRewrite(node.anyOf)
  return undefined
}

function numberToText(value: unknown): unknown {
  return Number.isFinite(value) ? formatDecimal(value as number) : value
}

function fieldsRewrite(node: Node): Rewrite | undefined {
  const renames = new Map(Object.entries(node.aliases ?? {}))
  const ignores = new Set(node.ignores)
  const beside = node.ignoresWhenPresent
  const inner = new Map<string, Rewrite>()
  for (const [field, type] of Object.entries(node.properties ?? {})) {
    const rewrite = rewriteOf(type)
    if (rewrite) inner.set(field, rewrite)
  }
  if (renames.size + ignores.size + inner.size === 0) return undefined

  return (value) => {
    if (!isObject(value)) return value
    let changed = false
    const entries: [string, unknown][] = []
    const taken = new Set(Object.keys(value))
    for (const [given, content] of Object.entries(value)) {
      if (ignores.has(given) && (beside === undefined || Object.hasOwn(value, beside))) {
        changed = true
        continue
      }
      const ours = renames.get(given)
      // Both spellings at once: the second stays for the validator to refuse.
      const field = ours !== undefined && !taken.has(ours) ? ours : given
      taken.add(field)
      const rewritten = (inner.get(field) ?? asIs)(content)
      changed ||= field !== given || rewritten !== content
      entries.push([field, rewritten])
    }
    return changed ? Object.fromEntries(entries) : value
  }
}

function elementsRewrite(items: Node): Rewrite | undefined {
  const rewrite = rewriteOf(items)
  if (!rewrite) return undefined
  return (value) => {
    if (!Array.isArray(value)) return value
    const rewritten = value.map(rewrite)
    return rewritten.some((element, index) => element !== value[index]) ? rewritten : value
  }
}

/** Branches differ in kind, so that each rewrite leaves the other's values alone. */
function branchesRewrite(branches: readonly Node[]): Rewrite | undefined {
  const rewrites = branches.flatMap((branch) => rewriteOf(branch) ?? [])
  if (rewrites.length === 0) return undefined
  return (value) => rewrites.reduce((result, rewrite) => rewrite(result), value)
}
