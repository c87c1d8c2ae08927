import type { FastifyReply, RouteHandlerMethod } from 'fastify'
import { ContractError } from '../contract/index.ts'
import { openConcurrencyLimit } from './concurrency-limit.ts'
import { openInFlight } from './in-flight.ts'
import type { HttpLimits } from './limits.ts'

/** What logs of failures call it. */
export const overloadReason = 'overloaded'

/** Created once: a rejection must be cheap, and its stack trace would say nothing. */
export const overloaded = new ContractError('unavailable', 'the server is overloaded', {
  reason: overloadReason,
})

interface InFlightRequest {
  readonly since: number
  readonly reply: FastifyReply
}

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Counts the bytes of a response until it is sent; throws if there are too many unsent bytes. Marks the handler as
     * finished: the rest of the time depends on the client.
     */
    reserveBytes?: (bytes: number) => void
    /** How long the handler waited for another server, which fewer requests in flight would not change. */
    waitMs: number
  }
}

export interface LoadShedding {
  /** Whether a request that has just arrived can be answered within the latency target. */
  admits(): boolean
  /** Wraps a handler: counts its requests in flight, and lets `abortExpired` answer in its place. */
  withTimeout(handler: RouteHandlerMethod): RouteHandlerMethod
  /** Answers 503 to requests that exceeded the handler timeout. */
  abortExpired(): void
  /** Whether so many responses wait for slow clients that other requests may soon be rejected. */
  hasBackpressure(): boolean
}

/**
 * Limits requests in flight. Requests being handled have an adaptive concurrency limit. Unsent responses are limited
 * separately, by number and bytes: slow clients must not use up the concurrency of the others.
 */
export function openLoadShedding(limits: HttpLimits): LoadShedding {
  const { inFlightMax, unsentBytesMax } = limits
  const concurrency = openConcurrencyLimit(limits)
  const handling = openInFlight<InFlightRequest>()
  let inFlight = 0
  let unsentBytes = 0

  /** Counts a request until its response is sent or its client disconnects. */
  const count = (reply: FastifyReply, onResponse: () => void): void => {
    let reserved = 0
    let isClosed = false
    inFlight += 1
    reply.reserveBytes = (bytes) => {
      // The client disconnected, or got a timeout: nothing is sent, and nothing would release the bytes.
      if (isClosed) return onResponse()
      // A single response is always sent, however large it is.
      if (unsentBytes > 0 && unsentBytes + bytes > unsentBytesMax) throw tooManyUnsentBytes()
      reserved += bytes
      unsentBytes += bytes
      onResponse()
    }
    reply.raw.on('close', () => {
      isClosed = true
      inFlight -= 1
      unsentBytes -= reserved
    })
  }

  return {
    admits: () =>
      inFlight < inFlightMax && unsentBytes < unsentBytesMax && concurrency.admits(handling.size),

    withTimeout: (handler) =>
      async function (request, reply) {
        const current: InFlightRequest = { since: performance.now(), reply }
        const index = handling.add(current)
        let isFinished = false
        const finish = (): void => {
          if (isFinished) return
          isFinished = true
          handling.delete(index, current)
          concurrency.recordLatency(performance.now() - current.since - reply.waitMs)
        }
        // The client may have disconnected while the token was verified.
        if (!reply.raw.closed) count(reply, finish)
        try {
          // For a streamed response this waits until all of it is sent.
          await handler.call(this, request, reply)
        } finally {
          finish()
        }
      },

    abortExpired() {
      const latest = performance.now() - limits.handlerTimeoutMs
      for (const [index, request] of handling) {
        if (request.since > latest) continue
        handling.delete(index, request)
        abort(request)
      }
    },

    hasBackpressure: () =>
      unsentBytes > unsentBytesMax / 2 || inFlight - handling.size > inFlightMax / 2,
  }
}

function tooManyUnsentBytes(): ContractError {
  return new ContractError('unavailable', 'too many unsent bytes: clients read too slowly')
}

/** Responds in place of the handler. */
function abort({ reply }: InFlightRequest): void {
  if (reply.sent) return
  reply.send(new ContractError('unavailable', 'the handler timed out'))
}
