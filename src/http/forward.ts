import type { Readable } from 'node:stream'
import { TLSSocket } from 'node:tls'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isForwardable, isId } from '../contract/ids.ts'
import {
  ContractError,
  describeRefusal,
  errorTable,
  type Input,
  locateAccounts,
  type Operation,
  type OperationOf,
  refusalHeader,
} from '../contract/index.ts'
import { interactionHeader } from '../contract/response-headers.ts'
import { judgeResponse, readRefusal } from '../provider/upstream/answer.ts'
import { isCollected, joinChunks, type UpstreamResponse } from '../provider/upstream/exchange.ts'
import {
  answered,
  failureOf,
  type UpstreamOutcome,
  upstreamError,
  upstreamFailures,
} from '../provider/upstream/failures.ts'
import type { RequestHeaders } from '../provider/upstream/request-headers.ts'
import { handOnHeaders } from '../provider/upstream/response-headers.ts'
import type { ResponseValidation } from '../provider/upstream/response-validation.ts'
import type { Upstream } from '../provider/upstream/upstream.ts'
import type { ValidationMode, ValidationOutcome } from '../provider/upstream/validation-modes.ts'
import { retryAfterDefaultSeconds } from './error-handler.ts'
import { countBytes, jsonType, sendReserved, streamBytes, untilSent } from './json.ts'
import type { Responder } from './provider-app.ts'
import { findRecordsInBody } from './records-in-body.ts'
import type { RequestInput } from './request.ts'

export interface UpstreamMetrics {
  recordUpstreamRequest(operation: string, outcome: UpstreamOutcome, seconds: number): void
  countUpstreamCheck(operation: string, outcome: ValidationOutcome): void
}

interface ForwardOptions {
  readonly upstream: Upstream
  readonly requestHeaders: RequestHeaders
  readonly mode: ValidationMode
  readonly check: ResponseValidation
  readonly metrics?: UpstreamMetrics | undefined
  readonly tracing?: UpstreamTracing | undefined
}

/** Adds a span for each call of the upstream, which the upstream can continue. */
interface UpstreamTracing {
  traceCalls<Args extends readonly unknown[], Result>(
    name: string,
    call: (...args: Args) => Promise<Result>,
  ): (...args: Args) => Promise<Result>
  traceHeaders(): Readonly<Record<string, string>>
}

/** The upstream may have several. */
const upstreamLimit = { limit: 'upstream' } as const

/** In mode `report`, larger responses are counted and not checked: parsing one would delay other requests. */
const validatedBytesMax = 512 * 1024

/** Responds with the upstream's response to the same request. */
export function forwardTo(options: ForwardOptions, operation: Operation): Responder {
  const { upstream, requestHeaders, mode, check, metrics, tracing } = options

  const send = (request: FastifyRequest, reply: FastifyReply): Promise<UpstreamResponse> => {
    const interactionId = String(reply.getHeader(interactionHeader))
    const exchange = upstream.send({
      method: operation.method,
      path: request.url,
      headers: requestHeaders(request.raw.rawHeaders, {
        ...tracing?.traceHeaders(),
        [interactionHeader]: interactionId,
        // That of the client may name a charset, or be sent twice: the upstream would parse something that was not checked.
        ...(request.bodyBytes && { 'content-type': 'application/json' }),
      }),
      body: request.bodyBytes,
    })
    reply.raw.once('close', exchange.abort)
    return exchange.response
  }
  const forward = tracing ? tracing.traceCalls('call upstream', send) : send

  return async (request, reply, input) => {
    requireForwardable(operation, input)
    // A replayed token must not reach the upstream.
    await request.tokenRecorded
    const start = performance.now()
    const record = (outcome: UpstreamOutcome): void =>
      metrics?.recordUpstreamRequest(operation.ref, outcome, (performance.now() - start) / 1000)
    let response: UpstreamResponse | undefined
    try {
      // The client disconnected while the use of the token was recorded.
      if (reply.raw.closed) throw upstreamError('client closed the connection')
      try {
        response = await forward(request, reply)
      } finally {
        reply.waitMs = performance.now() - start
        // The client may take long to read the response.
        delete request.bodyBytes
      }
      const replacement = judgeResponse(operation, response)
      if (mode === 'enforce' && response.status < 300) requireValid(operation, response, check)
      if (response.status >= 400) {
        const circumstance = readRefusal(response)
        const reason = circumstance
          ? describeRefusal(circumstance)
          : `upstream: status ${response.status}`
        request.failure = { reason, circumstance, ...(response.status === 429 && upstreamLimit) }
        if (response.status >= 500) logFailure(request)
      }
      await recordAnswer(request, response)
      if (replacement === undefined) handOn(reply, response)
      else replaceBody(reply, response, replacement)
    } catch (error) {
      if (response) discard(response)
      const failure = failureOf(error)
      if (failure) record(failure)
      throw error
    }
    if (isCollected(response.body)) record(answered)
    else watchStream(request, reply, response.body, record)
    const isSample = mode === 'report' && response.status < 300 && check.selects(operation)
    if (isSample) validateSample(operation, response, check)
    return untilSent(reply)
  }
}

/**
 * The upstream never gets an id that no record can have, as a source does not, nor one that a proxy in front of it could
 * resolve to another resource. Only the upstream knows whether the customer of an impossible account exists.
 */
function requireForwardable(operation: Operation, { params, body }: RequestInput): void {
  const { customerId, ...accounts } = params
  if (customerId !== undefined && !isForwardable(customerId))
    throw new ContractError('customer_not_found')
  if (!Object.values(accounts).every(isForwardable)) throw new ContractError('account_not_found')
  if (locateAccounts(operation) !== 'body') return
  const { accountIds } = (body as Input<OperationOf<'listBankingBalances'>>['body']).data
  if (!accountIds.every(isId)) throw new ContractError('account_in_query_not_found')
}

/** Nothing of the response is sent before. It may fail meanwhile. */
async function recordAnswer(
  { answerRecord, failure }: FastifyRequest,
  { status, body }: UpstreamResponse,
): Promise<void> {
  if (!answerRecord) return
  const ignore = (): void => {}
  if (!isCollected(body)) body.once('error', ignore)
  const circumstance = failure?.circumstance
  await answerRecord.record({
    status,
    ...(status < 300 ? isCollected(body) && findRecordsInBody(joinChunks(body)) : { count: 0 }),
    ...(status >= 400 && { error: 'upstream' }),
    ...(circumstance && { isRefusal: true, circumstance }),
    ...(status === 429 && upstreamLimit),
  })
  if (isCollected(body)) return
  if (body.errored) throw body.errored
  body.off('error', ignore)
}

/** Reserves memory for a body, and sets the status and whether it is a refusal. */
function startReply(reply: FastifyReply, response: UpstreamResponse, bytes: number): FastifyReply {
  reply.reserveBytes(bytes)
  if (readRefusal(response)) reply.header(refusalHeader, 'true')
  return reply.status(response.status)
}

function handOn(reply: FastifyReply, response: UpstreamResponse): void {
  const { status, headers, body } = response
  const bytes = isCollected(body) ? countBytes(body) : streamBytes
  handOnHeaders(headers, startReply(reply, response, bytes))
  if (status === 503 && headers['retry-after'] === undefined) {
    reply.header('retry-after', retryAfterDefaultSeconds)
  }
  if (isCollected(body)) {
    if (bytes === 0) reply.send()
    else sendReserved(reply, body, bytes)
    return
  }
  const { 'content-length': length } = headers
  if (length !== undefined) reply.header('content-length', length)
  reply.send(body)
}

function logFailure(request: FastifyRequest): void {
  request.logDetail = { level: 'warn', message: 'request failed', fields: { ...request.failure } }
}

/** Responds with the status of the upstream and an error of the interface. */
function replaceBody(reply: FastifyReply, response: UpstreamResponse, error: string): void {
  discard(response)
  const text = JSON.stringify({ error })
  startReply(reply, response, text.length).type(jsonType)
  for (const name of ['allow', 'retry-after']) {
    const value = response.headers[name]
    if (value !== undefined) reply.header(name, value)
  }
  reply.send(text)
}

function discard({ body }: UpstreamResponse): void {
  if (!isCollected(body)) body.destroy()
}

function requireValid(
  operation: Operation,
  { body }: UpstreamResponse,
  check: ResponseValidation,
): void {
  if (!isCollected(body)) throw upstreamError('too many buffered bytes')
  if (!check.isValid(operation, joinChunks(body))) throw upstreamError('invalid response')
}

/** Records how a streamed response ended. If the upstream failed, the status has been sent already. */
function watchStream(
  request: FastifyRequest,
  { raw }: FastifyReply,
  stream: Readable,
  record: (outcome: UpstreamOutcome) => void,
): void {
  stream.prependListener('error', (error) => {
    const failure = failureOf(error)
    if (!failure || request.raw.socket.destroyed) return
    const code = upstreamFailures[failure]
    request.abortStatus = errorTable[code].status
    request.failure = { code, reason: `upstream: ${failure}` }
    logFailure(request)
    const { socket, httpVersion } = request.raw
    // To a client of HTTP/1.0, a connection that is only closed is the end of a response. TLS has an end of its own.
    if (raw.headersSent && httpVersion === '1.0' && !(socket instanceof TLSSocket)) {
      socket.resetAndDestroy()
    }
  })
  stream.once('close', () => {
    const failure = failureOf(stream.errored) ?? 'client closed the connection'
    record(stream.readableEnded ? answered : failure)
  })
}

/** After the response was sent, or while it is sent. */
function validateSample(
  operation: Operation,
  { body }: UpstreamResponse,
  check: ResponseValidation,
): void {
  if (isCollected(body)) {
    if (countBytes(body) > validatedBytesMax) check.skip(operation)
    else setImmediate(() => check.isValid(operation, joinChunks(body)))
    return
  }
  let chunks: Buffer[] = []
  let bytes = 0
  body.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= validatedBytesMax) chunks.push(chunk)
    else chunks = []
  })
  body.once('end', () => {
    if (bytes > validatedBytesMax) check.skip(operation)
    else check.isValid(operation, Buffer.concat(chunks))
  })
}
