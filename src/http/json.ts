import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { JsonBody, JsonStream, JsonText } from '../contract/index.ts'

/** Node sends a short text together with its head; a longer one is better encoded here, into memory that is there. */
const textMax = 2048

/** What is counted for an answer that is streamed: about as much of it is in memory at once. */
const streamBytes = 512 * 1024

export const jsonType = 'application/json; charset=utf-8'

export function sendJson(reply: FastifyReply, body: JsonBody | JsonStream): FastifyReply {
  reply.type(jsonType)
  if (typeof body === 'object' && Symbol.asyncIterator in body) {
    reply.reserveBytes?.(streamBytes)
    // The next piece is made when the client has taken the last.
    return reply.send(Readable.from(inTurns(body), { objectMode: false, highWaterMark: 1 }))
  }
  const content = encoded(body)
  reply.reserveBytes?.(content.length)
  return reply.send(content)
}

let lastTurn: Promise<void> = Promise.resolve()

/**
 * Of all answers that are streamed, one piece is made in each iteration of the event loop. Where the system buffers what is
 * sent, and the database is read without waiting, many pieces would otherwise follow each other while all other requests wait.
 */
async function* inTurns(pieces: JsonStream): AsyncGenerator<JsonText> {
  for await (const piece of pieces) {
    yield piece
    lastTurn = lastTurn.then(() => setImmediate())
    await lastTurn
  }
}

function encoded(body: JsonBody): string | Uint8Array {
  if (typeof body === 'string') return body.length > textMax ? Buffer.from(body) : body
  const [first, ...others] = body
  // Not copied: it may be shared by many answers.
  if (others.length === 0 && first instanceof Uint8Array) return first
  return Buffer.concat(body.map(bytesOf))
}

function bytesOf(piece: JsonText): Uint8Array {
  return typeof piece === 'string' ? Buffer.from(piece) : piece
}
