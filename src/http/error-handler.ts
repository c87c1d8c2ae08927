import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { TokenRejected } from '../auth/token.ts'
import { ContractError, type ErrorCode, errorTable } from '../contract/index.ts'
import { respondThenDrain } from './drain-body.ts'
import { setInteractionId } from './interaction-id.ts'
import { jsonType } from './json.ts'
import type { HttpLimits } from './limits.ts'
import { overloaded } from './load-shedding.ts'
import { describeOrigin, type LogDetail, type RequestLogOptions } from './request-log.ts'

/** How long a caller is asked to wait, in seconds, where nobody knows better. */
const retryAfterDefault = 1

export interface ErrorHandlerOptions extends Pick<RequestLogOptions, 'metrics'> {
  /** Whether a key id or an issuer is one that we know, and so may be in the log. */
  readonly isKnown?: ((name: string) => boolean) | undefined
}

/**
 * The only place where an error becomes a response. A token that was used before outweighs whatever it is, except
 * that there is no answer at all: that is told at once.
 */
export function createErrorHandler(
  { metrics, isKnown = () => false }: ErrorHandlerOptions,
  limits: HttpLimits,
) {
  return async (thrown: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => {
    const tokenRecorded = isUnavailable(thrown) ? undefined : request.tokenRecorded
    const error = await (tokenRecorded ?? Promise.resolve()).then(
      () => thrown,
      (refusal: Error) => refusal,
    )
    setInteractionId(request, reply)
    const code = codeOf(error)
    const { status, message, ...rest } = errorTable[code]
    if (error instanceof TokenRejected) {
      metrics?.recordRejection(error.reason)
      request.logDetail = refusalOf(error, isKnown)
    }
    // Who turns many away says so itself, in one line.
    if (status >= 500 && error !== overloaded) request.logDetail = failureOf(error, code)

    if (status === 401 || status === 403) {
      reply.header('www-authenticate', challengeOf(code, request))
    }
    if (status === 429 || status === 503) reply.header('retry-after', retryAfterOf(error))
    const sentence = 'example' in rest ? sentenceOf(error) : message
    const text = JSON.stringify({ error: sentence })
    reply.status(status).type(jsonType)
    if (code !== 'body_too_large') return reply.send(text)
    reply.headers({ connection: 'close', 'content-length': Buffer.byteLength(text) })
    return reply.send(respondThenDrain(request.raw, text, limits))
  }
}

function isUnavailable(error: Error): boolean {
  return error instanceof ContractError && error.code === 'unavailable'
}

/** What Fastify refuses by itself, by the code it gives. */
const fastifyCodes: ReadonlyMap<string, ErrorCode> = new Map([
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'body_too_large'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'unsupported_media_type'],
])

function codeOf(error: FastifyError | Error): ErrorCode {
  if (error instanceof ContractError) return error.code
  if (error instanceof TokenRejected) return 'unauthorized'
  const { code = '', statusCode = 500 } = error as Partial<FastifyError>
  const known = fastifyCodes.get(code)
  if (known) return known
  // The rest of its refusals are of the request: bad JSON, a bad escape in the path, a bad length.
  return statusCode < 500 ? 'invalid_request' : 'internal'
}

/** Our own sentences name a field. Fastify's may repeat what was sent, so they are not passed on. */
function sentenceOf(error: FastifyError | Error): string {
  if (error instanceof ContractError) return error.message
  const { code = '' } = error as Partial<FastifyError>
  if (code === 'FST_ERR_BAD_URL') return 'the path must be a valid URL path'
  return 'the body must be JSON'
}

/** What is known of a token that was refused; the token itself is in no log. */
function refusalOf(
  { reason, origin }: TokenRejected,
  isKnown: (name: string) => boolean,
): LogDetail {
  const fields = { reason, ...(origin && describeOrigin(origin, isKnown)) }
  return { level: 'info', message: 'token rejected', fields }
}

/** An outage is somebody else's; the rest is a mistake of ours. */
function failureOf(error: Error, code: ErrorCode): LogDetail {
  const level = code === 'unavailable' ? 'warn' : 'error'
  return { level, message: 'request failed', fields: { code, err: error } }
}

function retryAfterOf(error: Error): number {
  const known = error instanceof ContractError ? error.retryAfterSeconds : undefined
  return known ?? retryAfterDefault
}

/** What is no bearer token at all is answered as if nothing had been sent (RFC 6750, section 3.1). */
function challengeOf(code: ErrorCode, { headers, routeOptions }: FastifyRequest): string {
  if ('challenge' in errorTable[code]) return 'Basic realm="holdfast", charset="UTF-8"'
  if (code === 'insufficient_scope') {
    return `Bearer error="insufficient_scope", scope="${routeOptions.config.operation?.scope}"`
  }
  const isTokenSent = /^bearer\s+\S/i.test(headers.authorization ?? '')
  return isTokenSent ? 'Bearer error="invalid_token"' : 'Bearer'
}
