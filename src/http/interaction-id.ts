import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

export const interactionHeader = 'x-fapi-interaction-id'
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Sets the response header to the client's interaction id, or to a new one. */
export function setInteractionId(request: FastifyRequest, reply: FastifyReply): void {
  if (reply.hasHeader(interactionHeader)) return
  reply.header(interactionHeader, resolveInteractionId(request.headers[interactionHeader]))
}

export function resolveInteractionId(given?: string | string[]): string {
  return typeof given === 'string' && uuid.test(given) ? given : randomUUID()
}
