import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { TokenRejected } from '../auth/token.ts'
import {
  ContractError,
  type ErrorCode,
  errorTable,
  refusalHeader,
  type Scope,
} from '../contract/index.ts'
import { CdsError } from '../platform/cds/errors.ts'
import type { Answer } from './answer-record.ts'
import { respondThenDrain } from './drain-body.ts'
import { setInteractionId } from './interaction-id.ts'
import { jsonType } from './json.ts'
import type { HttpLimits } from './limits.ts'
import { overloaded } from './load-shedding.ts'
import {
  describeExcess,
  describeOrigin,
  type LogDetail,
  type RequestLogOptions,
  readTool,
} from './request-log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The error of the Consumer Data Standards that the response has. */
    cdsError?: CdsError
  }
  interface FastifyContextConfig {
    /** The body of errors of a route that does not use the interface’s own. */
    formatError?: (status: number, sentence: string) => object
  }
}

/** The Retry-After of an error without one of its own. */
export const retryAfterDefaultSeconds = 1

export interface ErrorHandlerOptions extends Pick<RequestLogOptions, 'metrics'> {
  /** Whether a key id or an issuer is known, so that the log may contain it. */
  readonly isKnown?: ((name: string) => boolean) | undefined
}

/**
 * The only place where an error becomes a response. A replayed token takes precedence over any other error except 503,
 * which is sent without waiting for the replay check, and without a record.
 */
export function createErrorHandler(
  { metrics, isKnown = () => false }: ErrorHandlerOptions,
  limits: HttpLimits,
) {
  return async (thrown: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => {
    if (thrown instanceof CdsError) return sendCdsError(request, reply, thrown)
    const isUnavailable = thrown instanceof ContractError && thrown.code === 'unavailable'
    const { answerRecord } = request
    if (isUnavailable) answerRecord?.abandon()
    const recorded = isUnavailable
      ? undefined
      : (answerRecord?.record(describeAnswer(thrown)) ?? request.tokenRecorded)
    const error = await (recorded ?? Promise.resolve()).then(
      () => thrown,
      (rejection: Error) => rejection,
    )
    setInteractionId(request, reply)
    const known = error instanceof ContractError ? error : undefined
    const code = noteFailure(request, error)
    const { status, message, ...rest } = errorTable[code]
    if (error === overloaded) metrics?.countShedRequest()
    if (error instanceof TokenRejected) {
      metrics?.recordRejection(error.reason, readTool(request))
      request.logDetail = rejectionDetail(error, isKnown)
    }

    const challenge = authenticateChallenge(code, request)
    if (challenge !== undefined) reply.header('www-authenticate', challenge)
    if (status === 429 || status === 503)
      reply.header('retry-after', known?.retryAfterSeconds ?? retryAfterDefaultSeconds)
    if (known?.circumstance) reply.header(refusalHeader, 'true')
    // Fastify's own messages may repeat request data, so they are never sent.
    const sentence = 'example' in rest ? (known?.message ?? 'the body must be JSON') : message
    const { formatError } = request.routeOptions.config ?? {}
    const body = formatError?.(status, sentence) ?? { error: sentence, ...known?.members }
    const text = JSON.stringify(body)
    reply.status(status).type(jsonType)
    const { readableDidRead, complete } = request.raw
    // The handler stopped reading the body before its end: the rest would be read as the next request.
    const isReceiving = readableDidRead && !complete
    if (code !== 'body_too_large' && !isReceiving) return reply.send(text)
    reply.headers({ connection: 'close', 'content-length': Buffer.byteLength(text) })
    return reply.send(respondThenDrain(request.raw, text, limits))
  }
}

/** The cause is for the log: why a token was rejected, or why the data is unavailable. */
function sendCdsError(
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: CdsError,
): FastifyReply {
  const { status, headers, body, cause, limit } = thrown
  request.cdsError = thrown
  if (cause instanceof Error) {
    request.logDetail = { level: 'warn', message: 'request failed', fields: { err: cause } }
  } else if (limit !== undefined) {
    request.failure = describeExcess(limit)
  } else if (cause !== undefined) {
    request.logDetail = { level: 'info', message: 'token rejected', fields: { reason: cause } }
  }
  return reply.status(status).headers(headers).type(jsonType).send(JSON.stringify(body))
}

function describeAnswer(error: FastifyError | Error): Answer {
  const code = errorCode(error)
  const { circumstance, limit }: Partial<ContractError> =
    error instanceof ContractError ? error : {}
  return {
    status: errorTable[code].status,
    count: 0,
    error: code,
    ...(circumstance && { isRefusal: true, circumstance }),
    ...(limit && { limit }),
  }
}

/** Sets what is logged and counted about a request that failed. */
export function noteFailure(request: FastifyRequest, error: FastifyError | Error): ErrorCode {
  const code = errorCode(error)
  const { status, message } = errorTable[code]
  const { circumstance, limit }: Partial<ContractError> =
    error instanceof ContractError ? error : {}
  const excess = limit && describeExcess(limit)
  request.failure = { code, reason: failureReason(error, message), circumstance, ...excess }
  // Overload is logged once a second with a count, not for each request.
  if (status >= 500 && error !== overloaded) request.logDetail = failureDetail(error, code)
  return code
}

/** Never the sentence of a response that depends on the request: it may contain names that the client chose. */
function failureReason(error: Error, message: string): string {
  if (error instanceof TokenRejected) return error.reason
  return (error instanceof ContractError ? error.reason : undefined) ?? message
}

/** Errors of Fastify itself, by their code. */
const fastifyCodes: ReadonlyMap<string, ErrorCode> = new Map([
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'body_too_large'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'unsupported_media_type'],
])

function errorCode(error: FastifyError | Error): ErrorCode {
  if (error instanceof ContractError) return error.code
  if (error instanceof TokenRejected) return 'unauthorized'
  const { code = '', statusCode = 500 } = error as Partial<FastifyError>
  const known = fastifyCodes.get(code)
  if (known) return known
  // Fastify's other client errors concern the syntax of the body: JSON, Content-Length.
  return statusCode < 500 ? 'invalid_request' : 'internal'
}

/** The token itself is never logged. */
function rejectionDetail(
  { reason, origin, expected }: TokenRejected,
  isKnown: (name: string) => boolean,
): LogDetail {
  const fields = {
    reason,
    ...(origin && describeOrigin(origin, isKnown)),
    ...(expected !== undefined && { expected }),
  }
  return { level: 'info', message: 'token rejected', fields }
}

/** An unavailable dependency is a warning; anything else is a bug. */
function failureDetail(error: Error, code: ErrorCode): LogDetail {
  const level = errorTable[code].status > 500 ? 'warn' : 'error'
  const reason = error instanceof ContractError ? error.reason : undefined
  const fields = reason === undefined ? { code, err: error } : { code, reason }
  return { level, message: 'request failed', fields }
}

/** For requests that other credentials could make. One without a bearer token gets no error code (RFC 6750, section 3.1). */
function authenticateChallenge(
  code: ErrorCode,
  { headers, routeOptions }: FastifyRequest,
): string | undefined {
  if ('challenge' in errorTable[code]) return 'Basic realm="holdfast", charset="UTF-8"'
  if (code === 'insufficient_scope') return scopeChallenge(routeOptions.config.operation?.scope)
  if (code === 'product_scope_missing') return scopeChallenge('products.write')
  if (errorTable[code].status !== 401) return undefined
  const isTokenSent = /^bearer\s+\S/i.test(headers.authorization ?? '')
  return isTokenSent ? 'Bearer error="invalid_token"' : 'Bearer'
}

function scopeChallenge(scope: Scope | undefined): string {
  return `Bearer error="insufficient_scope", scope="${scope}"`
}
