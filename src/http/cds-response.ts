import type { FastifyReply, FastifyRequest } from 'fastify'
import { CdsError, toCdsErrorList } from '../platform/cds/errors.ts'
import { cdsBasePath, rejectPath, type ServedPath } from '../platform/cds/paths.ts'
import type { HttpApp } from './app.ts'
import { sendJson } from './json.ts'
import { readPath } from './request.ts'

const otherMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Every path below the base path of the Consumer Data Standards gets an answer of theirs. */
export function mountOtherPaths(
  app: HttpApp,
  basePath: string,
  served: readonly ServedPath[],
): void {
  const base = basePath + cdsBasePath
  app.route({
    method: otherMethods,
    url: `${base}/*`,
    config: { endpoint: 'cds-other', formatError: toCdsErrorList },
    // Before the body is received.
    onRequest: async (request, reply) =>
      sendError(reply, rejectPath(readPath(request).slice(base.length), served)),
    handler: () => undefined,
  })
}

export async function respond(reply: FastifyReply, work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work()
  } catch (error) {
    return sendIfCdsError(reply, error)
  }
}

/** Throws any other error again. */
export function sendIfCdsError(reply: FastifyReply, error: unknown): FastifyReply {
  if (!(error instanceof CdsError)) throw error
  return sendError(reply, error)
}

function sendError(reply: FastifyReply, { status, headers, body }: CdsError): FastifyReply {
  return sendJson(reply.status(status).headers(headers), JSON.stringify(body))
}

/** A repeated header is the list of its values, which no header here may be. */
export function readHeader({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
