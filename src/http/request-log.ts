import { createHash } from 'node:crypto'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import type { RejectionReason } from '../auth/rejection-reasons.ts'
import type { Origin } from '../auth/token.ts'
import { interactionHeader } from './interaction-id.ts'

export interface RequestMetrics {
  recordRequest(operation: string, status: number, seconds: number): void
  recordRejection(reason: RejectionReason): void
}

/** What the log line of a failed request contains in addition. */
export interface LogDetail {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: 'token rejected' | 'client rejected' | 'request failed'
  readonly fields: Readonly<Record<string, unknown>>
}

declare module 'fastify' {
  interface FastifyRequest {
    logDetail?: LogDetail
  }
}

export interface RequestLogOptions {
  readonly log?: FastifyBaseLogger | undefined
  readonly metrics?: RequestMetrics | undefined
}

/** Logged if the client disconnected before the response was sent; the status that nginx uses. */
export const clientClosedStatus = 499

/** The operation of a request that matches none. */
export const noOperation = 'none'

/**
 * Logs and counts a request when its response is closed. The log line has neither path nor query: they contain ids of
 * customers and accounts.
 */
export function createRequestLogger({ log, metrics }: RequestLogOptions) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const start = performance.now()
    const { raw } = reply
    raw.on('close', () => {
      const durationMs = performance.now() - start
      const status = raw.writableFinished ? raw.statusCode : clientClosedStatus
      const { operation, endpoint, probe, document } = request.routeOptions.config ?? {}
      const name = operation?.ref ?? endpoint ?? probe ?? document ?? noOperation
      metrics?.recordRequest(name, status, durationMs / 1000)
      const { level, message, fields } = request.logDetail ?? (probe ? probeDetail : requestDetail)
      log?.[level](
        {
          operation: name,
          status,
          durationMs: Math.round(durationMs * 1000) / 1000,
          interactionId: reply.getHeader(interactionHeader),
          ...fields,
        },
        message,
      )
    })
  }
}

const requestDetail = { level: 'info', message: 'request', fields: undefined } as const
/** Probes arrive every second or so. */
const probeDetail = { ...requestDetail, level: 'debug' } as const

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
