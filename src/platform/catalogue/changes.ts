import { createHash } from 'node:crypto'
import {
  ContractError,
  findProblems,
  formatProblem,
  ProductInput,
  problemsMax,
  recordBytesMax,
} from '../../contract/index.ts'
import { isObject } from '../../contract/schema.ts'
import type { Context } from './handler.ts'
import { toProductContent } from './product.ts'
import type { Change, Idempotency, ProductContent } from './store.ts'

export function boundedContent(body: ProductInput): ProductContent {
  const content = toProductContent(body)
  if (Buffer.byteLength(content.record) <= recordBytesMax) return content
  const sentence = `the product must be at most ${recordBytesMax} bytes of JSON`
  throw new ContractError('invalid_request', sentence)
}

/** A draft that was saved before a rule existed may violate it. `record` is the JSON text of the draft. */
export function requireValidDraft(record: string): void {
  const problems = findProblems(ProductInput, JSON.parse(record), problemsMax)
  if (problems.length === 0) return
  throw new ContractError('invalid_request', problems.map(formatProblem).join('; '))
}

export function changeBy({ client, clock }: Context): Change {
  // Every operation that changes products requires a token.
  if (!client) throw new ContractError('unauthorized')
  return { by: client, clock }
}

/** `content` is what a retry with the same key must repeat. */
export function toIdempotency(key: string | undefined, content: object): Idempotency | undefined {
  return key === undefined ? undefined : { key, digest: digest(content) }
}

/** Independent of the order of fields: a client may serialize a retry differently. */
function digest(body: object): string {
  const ordered = JSON.stringify(body, (_name, value) => {
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
  return createHash('sha256').update(ordered).digest('base64url')
}
