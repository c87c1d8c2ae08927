import { refusalHeader } from '../../contract/index.ts'
import type { HeaderFields } from './exchange.ts'
import { connectionFields, listConnectionOptions } from './request-headers.ts'

/**
 * Fields that the guard sets: the length of what it sends, its own interaction id, and that a response is a refusal. There
 * are no cookies in the interface. `alt-svc` would send clients to another server, past the guard.
 */
const ownFields = [
  ...['alt-svc', 'content-length', 'set-cookie', 'x-fapi-interaction-id'],
  refusalHeader,
]

const dropped: ReadonlySet<string> = new Set([...connectionFields, ...ownFields])

const noOptions: readonly string[] = []

/** Passes the header fields of a response that are to be handed on to `reply`. */
export function handOnHeaders(
  headers: HeaderFields,
  reply: { header(name: string, value: string | string[]): unknown },
): void {
  const { connection } = headers
  const isUsual = connection === undefined || connection === 'keep-alive'
  const options = isUsual ? noOptions : listConnectionOptions([connection].flat().join())
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || dropped.has(name) || options.includes(name)) continue
    reply.header(name, value)
  }
}
