import type { FastifyReply, RouteHandlerMethod } from 'fastify'
import { ContractError } from '../contract/index.ts'
import { openConcurrencyLimit } from './concurrency-limit.ts'
import { openInFlight } from './in-flight.ts'
import type { HttpLimits } from './limits.ts'

/** Made once: a refusal is to cost as little as it can, and this one has no place in the code to tell of. */
export const overloaded = new ContractError('unavailable', 'more requests than can be answered')

interface InFlightRequest {
  readonly since: number
  readonly reply: FastifyReply
}

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Counts the bytes of an answer until it is sent; throws where too many wait already. The handler has done its work:
     * how long the rest takes depends on the client.
     */
    reserveBytes?: (bytes: number) => void
  }
}

export interface LoadShedding {
  /** Whether a request that has just arrived can be answered in good time. */
  admits(): boolean
  /** The handler, counted while it works and given up when it takes too long. */
  withTimeout(handler: RouteHandlerMethod): RouteHandlerMethod
  /** Gives up what has taken too long. */
  check(): void
  /** Whether slow clients hold so many unsent bytes that other requests may soon be rejected. */
  hasBackpressure(): boolean
}

/**
 * The requests in flight. Handlers that work are bounded by what the process can do in good time. Answers that are
 * not sent yet are bounded by their number and their bytes: slow clients must not take the place of others.
 */
export function openLoadShedding(limits: HttpLimits): LoadShedding {
  const { inFlightMax, unsentBytesMax } = limits
  const concurrency = openConcurrencyLimit(limits)
  const working = openInFlight<InFlightRequest>()
  let inFlight = 0
  let unsentBytes = 0

  /** Counts a request until its answer is sent, or its client is gone. */
  const count = (reply: FastifyReply, onAnswer: () => void): void => {
    let reserved = 0
    inFlight += 1
    reply.reserveBytes = (bytes) => {
      // One answer is always sent, however long it is.
      if (unsentBytes > 0 && unsentBytes + bytes > unsentBytesMax) throw tooManyBytes()
      reserved += bytes
      unsentBytes += bytes
      onAnswer()
    }
    reply.raw.on('close', () => {
      inFlight -= 1
      unsentBytes -= reserved
    })
  }

  return {
    admits: () =>
      inFlight < inFlightMax && unsentBytes < unsentBytesMax && concurrency.admits(working.size),

    withTimeout: (handler) =>
      async function (request, reply) {
        const piece: InFlightRequest = { since: performance.now(), reply }
        const place = working.add(piece)
        let isWorking = true
        const finish = (): void => {
          if (!isWorking) return
          isWorking = false
          working.delete(place, piece)
          concurrency.recordLatency(performance.now() - piece.since)
        }
        // Its client may be gone while its token was checked.
        if (!reply.raw.closed) count(reply, finish)
        try {
          // The reply of an answer that is streamed is awaited here until all of it is sent.
          await handler.call(this, request, reply)
        } finally {
          finish()
        }
      },

    check() {
      const latest = performance.now() - limits.handlerTimeoutMs
      for (const [place, piece] of working) {
        if (piece.since > latest) continue
        working.delete(place, piece)
        abandon(piece)
      }
    },

    hasBackpressure: () =>
      unsentBytes > unsentBytesMax / 2 || inFlight - working.size > inFlightMax / 2,
  }
}

function tooManyBytes(): ContractError {
  return new ContractError('unavailable', 'too many bytes wait for slow clients')
}

/** Answers in the handler's place. */
function abandon({ reply }: InFlightRequest): void {
  if (reply.sent) return
  reply.send(new ContractError('unavailable', 'the answer took too long'))
}
