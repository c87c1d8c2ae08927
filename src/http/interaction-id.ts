import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { interactionHeader } from '../contract/response-headers.ts'
import { scalars } from '../contract/scalars.ts'

/** Sets the response header to the client's interaction id, or to a new one. */
export function setInteractionId(request: FastifyRequest, reply: FastifyReply): void {
  if (reply.hasHeader(interactionHeader)) return
  reply.header(interactionHeader, resolveInteractionId(request.headers[interactionHeader]))
}

export function resolveInteractionId(given?: string | string[]): string {
  return typeof given === 'string' && scalars.uuid.test(given) ? given : randomUUID()
}
