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

const timedOut = new ContractError('unavailable', 'the handler timed out')

/** A request from the start of its handler until its response is sent or its client disconnects. */
interface InFlightRequest {
  readonly since: number
  readonly reply: FastifyReply
  /** Its place among the requests that are being handled. */
  index: number
  isHandled: boolean
  /** It was answered in place of its handler, which may still run. */
  isExpired: boolean
  isClosed: boolean
  reservedBytes: number
}

declare module 'fastify' {
  interface FastifyReply {
    inFlight: InFlightRequest | undefined
    /**
     * Counts the bytes of a response until it is sent; throws if there are too many unsent bytes. Marks the handler as
     * finished: the rest of the time depends on the client.
     */
    reserveBytes(bytes: number): void
    /** How long the handler waited for another server, which fewer requests in flight would not change. */
    waitMs: number
  }
}

export type LoadShedding = ReturnType<typeof openLoadShedding>

/**
 * Limits requests in flight. Requests being handled have an adaptive concurrency limit. Unsent responses are limited
 * separately, by number and bytes: slow clients must not use up the concurrency of the others.
 */
export function openLoadShedding(limits: HttpLimits) {
  const { inFlightMax, unsentBytesMax } = limits
  const concurrency = openConcurrencyLimit(limits)
  const handling = openInFlight<InFlightRequest>()
  let inFlight = 0
  let unsentBytes = 0

  const begin = (reply: FastifyReply): InFlightRequest => {
    const current: InFlightRequest = {
      since: performance.now(),
      reply,
      index: 0,
      isHandled: false,
      isExpired: false,
      // The client may have disconnected while the token was verified.
      isClosed: reply.raw.closed,
      reservedBytes: 0,
    }
    current.index = handling.add(current)
    if (!current.isClosed) inFlight += 1
    reply.inFlight = current
    return current
  }
  const finish = (current: InFlightRequest): void => {
    if (current.isHandled) return
    current.isHandled = true
    handling.delete(current.index, current)
    concurrency.recordLatency(performance.now() - current.since - current.reply.waitMs)
  }

  return {
    /** Whether a request that has just arrived can be answered within the latency target. */
    admits: () =>
      inFlight < inFlightMax && unsentBytes < unsentBytesMax && concurrency.admits(handling.size),

    /** Wraps a handler: counts its requests in flight, and lets `abortExpired` answer in its place. */
    withTimeout: (handler: RouteHandlerMethod): RouteHandlerMethod =>
      function (request, reply) {
        const current = begin(reply)
        let handled: unknown
        try {
          handled = handler.call(this, request, reply)
        } catch (error) {
          finish(current)
          throw error
        }
        if (!(handled instanceof Promise)) return finish(current)
        return handled.then(
          () => finish(current),
          (error) => {
            finish(current)
            // Fastify would send the error while the answer waits for its hooks.
            if (current.isExpired) return reply
            throw error
          },
        )
      },

    reserveBytes({ inFlight: current }: FastifyReply, bytes: number): void {
      // A health endpoint is not counted.
      if (!current) return
      if (current.isExpired) throw timedOut
      // If it is closed, nothing is sent, and nothing would release the bytes: the client disconnected.
      if (!current.isClosed) {
        // A single response is always sent, however large it is.
        if (unsentBytes > 0 && unsentBytes + bytes > unsentBytesMax)
          throw new ContractError('unavailable', 'too many unsent bytes: clients read too slowly')
        current.reservedBytes += bytes
        unsentBytes += bytes
      }
      finish(current)
    },

    /** Must be called when the response is sent or its client disconnects. */
    release({ inFlight: current }: FastifyReply): void {
      if (!current || current.isClosed) return
      current.isClosed = true
      inFlight -= 1
      unsentBytes -= current.reservedBytes
    },

    /** Answers 503 to requests that exceeded the handler timeout. */
    abortExpired(): void {
      const latest = performance.now() - limits.handlerTimeoutMs
      for (const [index, request] of handling) {
        if (request.since > latest) continue
        handling.delete(index, request)
        request.isExpired = true
        const { reply } = request
        // Responds in place of the handler.
        if (!reply.sent) reply.send(timedOut)
      }
    },

    /** Whether so many responses wait for slow clients that other requests may soon be rejected. */
    hasBackpressure: () =>
      unsentBytes > unsentBytesMax / 2 || inFlight - handling.size > inFlightMax / 2,
  }
}
