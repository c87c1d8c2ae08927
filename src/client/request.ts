import { pathId } from '../contract/ids.ts'
import type { Operation } from '../contract/index.ts'
import type { ResolvedOptions } from './options.ts'

/** The input of any operation. */
export interface AnyInput {
  readonly params: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly interactionId?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** One call of an operation, as its requests need it. */
export interface PreparedCall {
  /** The name of the method. */
  readonly id: string
  readonly operation: Operation
  /** The URI in the token's audience: the path as it is sent, without a query. */
  readonly resource: string
  /** The query of the first request. Links replace it. */
  readonly query: string
  /** The body as JSON. */
  readonly body?: string
  /** Sent as `x-fapi-interaction-id`. */
  readonly interactionId?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export function prepareCall(
  id: string,
  operation: Operation,
  { params, query, body, interactionId, signal }: AnyInput,
  { providerUrl, resourceUrl }: Pick<ResolvedOptions, 'providerUrl' | 'resourceUrl'>,
): PreparedCall {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeSegment(name, params[name] ?? ''),
  )
  const resource = (operation.base === 'resource' ? resourceUrl : providerUrl) + path
  const call = { id, operation, resource, query: buildQuery(query), interactionId, signal }
  return operation.body ? { ...call, body: JSON.stringify(body) } : call
}

function encodeSegment(name: string, id: string): string {
  if (!pathId.test(id)) throw new RangeError(`${name} must be ${pathId.mustBe}`)
  return encodeURIComponent(id)
}

function buildQuery(query: AnyInput['query'] = {}): string {
  return Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')
}
