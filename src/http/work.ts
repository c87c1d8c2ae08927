import type { FastifyReply, RouteHandlerMethod } from 'fastify'
import { ContractError } from '../contract/index.ts'
import { openCrowd } from './crowd.ts'
import type { HttpLimits } from './limits.ts'
import { openUnderWay } from './under-way.ts'

/** Made once: a refusal is to cost as little as it can, and this one has no place in the code to tell of. */
export const overloaded = new ContractError('unavailable', 'more requests than can be answered')

interface Piece {
  readonly since: number
  readonly reply: FastifyReply
}

export interface Work {
  /** Whether a request that has just arrived can be answered in good time. */
  admits(): boolean
  /** The handler, counted while it works and given up when it takes too long. */
  bounded(handler: RouteHandlerMethod): RouteHandlerMethod
  /** Gives up what has taken too long. */
  check(): void
}

/** The requests that are being worked on. */
export function openWork(limits: HttpLimits): Work {
  const crowd = openCrowd(limits)
  const underWay = openUnderWay<Piece>()

  return {
    admits: () => crowd.admits(underWay.size),

    bounded: (handler) =>
      async function (request, reply) {
        const piece: Piece = { since: performance.now(), reply }
        const place = underWay.add(piece)
        try {
          await handler.call(this, request, reply)
        } finally {
          underWay.delete(place, piece)
          crowd.noteAnswer(performance.now() - piece.since)
        }
      },

    check() {
      const latest = performance.now() - limits.handlerMs
      for (const [place, piece] of underWay) {
        if (piece.since > latest) continue
        underWay.delete(place, piece)
        abandon(piece)
      }
    },
  }
}

/** Answers in the handler's place. */
function abandon({ reply }: Piece): void {
  if (reply.sent) return
  reply.send(new ContractError('unavailable', 'the answer took too long'))
}
