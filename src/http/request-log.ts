import { createHash } from 'node:crypto'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import type { RejectionReason } from '../auth/rejection-reasons.ts'
import type { Origin } from '../auth/token.ts'
import { interactionHeader } from './interaction-id.ts'

/** What counts requests, where somebody wants to know. */
export interface RequestMetrics {
  recordRequest(operation: string, status: number, seconds: number): void
  recordRejection(reason: RejectionReason): void
}

/** What is said of a request that did not go well, in the one line that it gets. */
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

/** For a caller who was gone before the answer was: it has no status. This is the one that proxies note. */
export const clientClosedStatus = 499

/** How a request is named that is of no operation. */
export const noOperation = 'none'

/**
 * Follows a request to its end, and then writes its line and counts it. The line says nothing of what was asked:
 * a path and a query hold ids of customers and accounts.
 */
export function createRequestLogger({ log, metrics }: RequestLogOptions) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const start = performance.now()
    const { raw } = reply
    raw.on('close', () => {
      const durationMs = performance.now() - start
      const status = raw.writableFinished ? raw.statusCode : clientClosedStatus
      const { operation, probe } = request.routeOptions.config ?? {}
      const name = operation?.ref ?? probe ?? noOperation
      metrics?.recordRequest(name, status, durationMs / 1000)
      // Probes come every second or so, and say nothing of anybody's work.
      const { level, message, fields } = request.logDetail ?? (probe ? probed : went)
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

const went = { level: 'info', message: 'request', fields: undefined } as const
const probed = { ...went, level: 'debug' } as const

/**
 * Whom a refused token says it is from. A name that is not known is anybody's text, and so only its digest
 * is written: enough to compare with a name that one has.
 */
export function describeOrigin(
  { keyId, issuer }: Origin,
  isKnown: (name: string) => boolean,
): Record<string, string | undefined> {
  const shown = (name: string | undefined) =>
    name === undefined || isKnown(name) ? name : digestOf(name)
  return { keyId: shown(keyId), issuer: shown(issuer) }
}

const digestLength = 16

function digestOf(name: string): string {
  return `sha256:${createHash('sha256').update(name).digest('hex').slice(0, digestLength)}`
}
