import { isUtf8 } from 'node:buffer'
import { STATUS_CODES } from 'node:http'
import {
  type Operation,
  type RefusalCircumstance,
  refusalCircumstances,
  refusalHeader,
} from '../../contract/index.ts'
import { parseJson } from '../../contract/parse-json.ts'
import { isObject } from '../../contract/schema.ts'
import { type HeaderFields, isCollected, joinChunks, type UpstreamResponse } from './exchange.ts'
import { type UpstreamFailure, upstreamError } from './failures.ts'

/** The text of the error that replaces a body which is not one of the interface, or undefined to hand the response on. */
type Replacement = string | undefined

/** Decides what the client gets. Throws if it gets an error with another status instead of the response. */
export function judgeResponse(operation: Operation, response: UpstreamResponse): Replacement {
  const { status, headers, body } = response
  if (status < 300) {
    const failure = findFailure(operation, response)
    if (failure) throw upstreamError(failure)
    return undefined
  }
  if (status < 400) throw upstreamError('redirect')
  if (status > 599) throw upstreamError('invalid HTTP')
  const isPlainJson = isJson(headers) && !isEncoded(headers)
  if (isPlainJson && isCollected(body) && hasErrorBody(joinChunks(body))) return undefined
  if (status >= 500) throw upstreamError(serverFailure(status), readRetryAfter(headers))
  // Otherwise, they concern the credentials of the guard: the client's token was valid.
  if ([401, 403, 407].includes(status) && !readRefusal(response))
    throw upstreamError('credentials rejected')
  return STATUS_CODES[status] ?? 'Rejected'
}

/** The circumstance of a refusal that does not name one. */
const circumstances: ReadonlyMap<number, RefusalCircumstance> = new Map([
  [403, 'harm'],
  [404, 'blocked'],
  [422, 'blocked'],
  [429, 'traffic_threshold'],
])

/** The circumstance in which the upstream refuses to share. Undefined if the response is not a refusal. */
export function readRefusal({
  status,
  headers,
}: UpstreamResponse): RefusalCircumstance | undefined {
  const byStatus = circumstances.get(status)
  const value = byStatus && headers[refusalHeader]
  if (value === 'true') return byStatus
  return refusalCircumstances.find((circumstance) => circumstance === value)
}

function findFailure(
  { mayBeEmpty }: Operation,
  { status, headers, body, isComplete }: UpstreamResponse,
): UpstreamFailure | undefined {
  // The guard requests neither a range nor a coding.
  if (status === 206) return 'invalid HTTP'
  const isEmpty = isCollected(body) && body.length === 0
  if (isEmpty && (isComplete || status === 204)) return mayBeEmpty ? undefined : 'response is empty'
  if (isEncoded(headers)) return 'compressed response'
  if (!isJson(headers)) return 'response is not JSON'
  // The end of the connection is that of the body only if nothing is missing from the JSON object.
  return isComplete ? undefined : 'connection closed'
}

/** As a whole, or for the transfer. The guard accepts no coding, and undici decodes only chunks. */
function isEncoded(headers: HeaderFields): boolean {
  const { 'content-encoding': content = 'identity', 'transfer-encoding': transfer = 'chunked' } =
    headers
  return (
    String(content).toLowerCase() !== 'identity' || String(transfer).toLowerCase() !== 'chunked'
  )
}

function isJson({ 'content-type': type }: HeaderFields): boolean {
  return typeof type === 'string' && /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)
}

const errorBytesMax = 64 * 1024

/** The interface's `{ error }`. */
function hasErrorBody(bytes: Buffer): boolean {
  if (bytes.length > errorBytesMax) return false
  // With a byte order mark, it is not JSON.
  const body = isUtf8(bytes) ? parseJson(bytes.toString()) : undefined
  return isObject(body) && typeof body['error'] === 'string' && body['error'] !== ''
}

function serverFailure(status: number): UpstreamFailure {
  if (status === 503) return 'unavailable'
  return status === 504 ? 'gateway timeout' : 'server error'
}

const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

/** In seconds. The field states seconds or a date. */
function readRetryAfter({ 'retry-after': value }: HeaderFields): number | undefined {
  if (typeof value !== 'string') return undefined
  if (/^\d{1,6}$/.test(value)) return Number(value)
  const milliseconds = httpDate.test(value) ? Date.parse(value) - Date.now() : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, Math.ceil(milliseconds / 1000))
}
