import type { HeaderFields } from './exchange.ts'
import { connectionFields, listConnectionOptions } from './request-headers.ts'

/** Fields that the guard sets: the length of what it sends, its own interaction id. There are no cookies in the interface. */
const ownFields = ['content-length', 'set-cookie', 'x-fapi-interaction-id']

const dropped: ReadonlySet<string> = new Set([...connectionFields, ...ownFields])

/** The header fields of a response to hand on. */
export function selectResponseHeaders(headers: HeaderFields): Record<string, string | string[]> {
  const options = listConnectionOptions([headers['connection'] ?? ''].flat().join())
  const selected: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || dropped.has(name) || options.includes(name)) continue
    selected[name] = value
  }
  return selected
}
