import type { FastifyReply } from 'fastify'
import type { JsonBody, JsonText } from '../contract/index.ts'

/** Node sends a short text together with its head; a longer one is better encoded here, into memory that is there. */
const textMax = 2048

export const jsonType = 'application/json; charset=utf-8'

export function sendJson(reply: FastifyReply, body: JsonBody): FastifyReply {
  return reply.type(jsonType).send(encoded(body))
}

function encoded(body: JsonBody): string | Buffer {
  if (typeof body !== 'string') return Buffer.concat(body.map(bytesOf))
  return body.length > textMax ? Buffer.from(body) : body
}

function bytesOf(piece: JsonText): Uint8Array {
  return typeof piece === 'string' ? Buffer.from(piece) : piece
}
