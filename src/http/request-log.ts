import { createHash } from 'node:crypto'
import type { FastifyBaseLogger, FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import type { Origin } from '../auth/token.ts'
import type { ErrorCode, MonitoredRole, RefusalCircumstance } from '../contract/index.ts'
import type { RejectionReason } from '../contract/rejection-reasons.ts'
import type { RequestLimit } from '../contract/request-limits.ts'
import { interactionHeader } from '../contract/response-headers.ts'
import { findTool, type Tool } from '../contract/tools.ts'
import { trafficLimits } from '../contract/traffic-limits.ts'
import { customerAddressHeader } from '../platform/cds/request-headers.ts'
import type { CallCounts } from '../platform/usage/call-counts.ts'
import type { CountedOperation } from '../platform/usage/operations.ts'

export interface RequestMetrics {
  recordRequest(operation: string, status: number, seconds: number, tool?: Tool): void
  recordRejection(reason: RejectionReason, tool?: Tool): void
  /** Counts a request that was rejected because of overload. */
  countShedRequest(): void
  recordFailure(failed: FailedRequest): void
  /** Counts a request over a limit. */
  countLimitedRequest(limit: RequestLimit): void
  countRefusal(circumstance: RefusalCircumstance): void
  /** Sets the result of a readiness check. */
  recordReadiness(role: MonitoredRole, probe: string, isPassed: boolean): void
}

/** A request that was answered with an error, without anything that its client sent except the interaction id. */
export interface FailedRequest {
  /** When it ended, in milliseconds since the Unix epoch. */
  readonly time: number
  readonly role: MonitoredRole
  readonly interactionId: string
  readonly operation: string
  readonly status: number
  /** Absent if the error is not one of the contract. */
  readonly code?: ErrorCode | undefined
  readonly reason: string
  /** If the provider refused to share. */
  readonly circumstance?: RefusalCircumstance | undefined
  readonly tool?: Tool | undefined
}

/** What the log line of a failed request contains in addition. */
export interface LogDetail {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: 'token rejected' | 'request failed' | typeof requestMessage
  readonly fields: Readonly<Record<string, unknown>>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The calls of the route are counted as those of this operation. */
    counted?: CountedOperation | undefined
  }
  interface FastifyRequest {
    logDetail?: LogDetail
    /** The third party, if it is known. */
    thirdPartyId?: string | undefined
    /** If its session says so. */
    tool?: Tool
    /** Why the request failed. */
    failure?: Pick<FailedRequest, 'code' | 'reason' | 'circumstance'> & {
      /** The one that a request with the status 429 is over. */
      readonly limit?: RequestLimit | undefined
    }
    /** When the response started, if it is a stream of events: how long it then lasts is the client's choice. */
    streamStart?: number
    /** The status to log if this server aborts a response after its start. */
    abortStatus?: number
  }
}

/** The line of a request without a `LogDetail`. */
export interface RequestLine {
  readonly operation: string
  readonly status: number
  /** Of an error of the contract: several errors have the same status. */
  readonly code?: ErrorCode | undefined
  readonly durationMs: number
  readonly interactionId: string
}

export interface RequestLog extends FastifyBaseLogger {
  /** Does the same as `info` with the message `request`, with less code: almost every request ends with this line. */
  readonly writeRequestLine?: ((line: RequestLine) => void) | undefined
}

export interface RequestLogOptions {
  readonly log?: RequestLog | undefined
  readonly metrics?: RequestMetrics | undefined
  readonly usage?: Pick<CallCounts, 'count'> | undefined
  /** The server that receives the requests. */
  readonly role: MonitoredRole
}

/** Logged if the client disconnected before the response was sent; the status that nginx uses. */
export const clientClosedStatus = 499

/** The operation of a request that matches none. */
export const noOperation = 'none'

/**
 * Logs and counts a request that arrived at `start`. Must be called when its response is closed. The log line has neither
 * path nor query: they contain ids of customers and accounts.
 */
export function createRequestLogger({ log, metrics, usage, role }: RequestLogOptions) {
  return (
    request: FastifyRequest,
    reply: FastifyReply,
    { operation, endpoint, health, document, counted }: FastifyContextConfig,
    start: number,
  ): void => {
    const { raw } = reply
    const { streamStart } = request
    const durationMs = (streamStart ?? performance.now()) - start
    const isAnswered = raw.writableFinished || streamStart !== undefined
    const status = isAnswered ? raw.statusCode : (request.abortStatus ?? clientClosedStatus)
    if (counted) usage?.count({ operation: counted, status, durationMs, ...describeCall(request) })
    const name = operation?.ref ?? endpoint ?? health ?? document ?? noOperation
    const interactionId = String(reply.getHeader(interactionHeader))
    const tool = readTool(request)
    metrics?.recordRequest(name, status, durationMs / 1000, tool)
    const failure = status < 400 ? undefined : describeFailure(request, status)
    if (failure) {
      const time = Date.now()
      const failed = { time, role, interactionId, operation: name, status, ...failure }
      metrics?.recordFailure({ ...failed, ...(tool && { tool }) })
    }
    const line = {
      operation: name,
      status,
      ...(failure?.code && { code: failure.code }),
      durationMs: Math.round(durationMs * 1000) / 1000,
      interactionId,
    }
    const circumstance = failure?.circumstance
    const limit = failure && request.failure?.limit
    if (circumstance) metrics?.countRefusal(circumstance)
    if (limit) metrics?.countLimitedRequest(limit)
    const causes = { ...(circumstance && { circumstance }), ...(limit && { limit }) }
    const detail =
      request.logDetail ?? (circumstance || limit ? requestDetail(causes) : health && healthDetail)
    if (detail) log?.[detail.level]({ ...line, ...detail.fields }, detail.message)
    else if (log?.writeRequestLine) log.writeRequestLine(line)
    else log?.info(line, requestMessage)
  }
}

/** The part of Holdfast that sent a request. */
export function readTool({ tool, headers, routeOptions }: FastifyRequest): Tool | undefined {
  const { endpoint } = routeOptions.config ?? {}
  if (endpoint === 'console' || endpoint === 'sign-in') return 'console'
  return tool ?? findTool(headers['user-agent'])
}

/** What a call is counted by, besides its operation and its status. */
function describeCall({ headers, failure, thirdPartyId }: FastifyRequest) {
  const limit = failure?.limit
  return {
    thirdPartyId,
    rejection: limit !== undefined && Object.hasOwn(trafficLimits, limit) ? limit : undefined,
    isCustomerPresent: headers[customerAddressHeader] !== undefined,
  }
}

/** The response of an endpoint that is not an operation has no code; the log may still state the reason. */
function describeFailure(
  { failure, logDetail }: FastifyRequest,
  status: number,
): Pick<FailedRequest, 'code' | 'reason' | 'circumstance'> {
  if (status === clientClosedStatus) {
    const circumstance = failure?.circumstance
    return { reason: 'the client closed the connection', ...(circumstance && { circumstance }) }
  }
  const logged = logDetail?.fields['reason']
  if (!failure) return { reason: typeof logged === 'string' ? logged : `status ${status}` }
  // The reason names the limit.
  const { limit: _limit, ...described } = failure
  return described
}

export const requestMessage = 'request'

function requestDetail(fields: LogDetail['fields']): LogDetail {
  return { level: 'info', message: requestMessage, fields }
}

/** The failure of a request that gets a 429. */
export function describeExcess(limit: RequestLimit) {
  return { reason: `over the limit ${limit}`, limit }
}

/** Probes arrive every second or so. */
const healthDetail = { level: 'debug', message: requestMessage, fields: undefined } as const

/**
 * The key id and issuer that a rejected token contains. An unknown name is text that the client chose, so only its
 * digest is logged, which is enough to compare it with a name.
 */
export function describeOrigin(
  { keyId, issuer }: Origin,
  isKnown: (name: string) => boolean,
): Record<string, string | undefined> {
  const loggable = (name: string | undefined) =>
    name === undefined || isKnown(name) ? name : digest(name)
  return { keyId: loggable(keyId), issuer: loggable(issuer) }
}

const digestLength = 16

function digest(name: string): string {
  return `sha256:${createHash('sha256').update(name).digest('hex').slice(0, digestLength)}`
}
