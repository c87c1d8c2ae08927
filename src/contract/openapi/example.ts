import { examples } from '../examples/index.ts'
import { parameterExamples } from '../examples/parameters.ts'
import type { Operation } from '../operation.ts'
import type { Node } from '../schema.ts'

/** The example of a schema: its own if it has one, otherwise built from the examples of its fields. */
export function buildExample(node: Node, links = ''): unknown {
  const own = node.name ? examples[node.name]?.[0] : undefined
  if (own && node.name === 'Links') {
    return Object.fromEntries(Object.entries(own).map(([name, link]) => [name, link + links]))
  }
  if (own !== undefined) return own
  if (node.anyOf) return buildExample(node.anyOf[0] ?? {})
  if (node.items) return [buildExample(node.items)]
  const fields = Object.entries(node.properties ?? {})
  return Object.fromEntries(fields.map(([field, type]) => [field, buildExample(type, links)]))
}

/** Links repeat the time window of the request. */
export function buildExampleLinks({ query }: Operation): string {
  const bounds = Object.keys(query.properties).filter((name) => /^(oldest|newest)-/.test(name))
  const link = (name: string) => `&${name}=${encodeURIComponent(parameterExamples[name] ?? '')}`
  return bounds.map(link).join('')
}
