import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import { matchesIfNoneMatch } from '../platform/catalogue/entity-tags.ts'
import { toCdsErrorList } from '../platform/cds/errors.ts'
import type { PublicAnswer, PublicEndpoint, PublicRequest } from '../platform/cds/public-answer.ts'
import { requireAcceptable } from '../platform/cds/request-headers.ts'
import { type HttpApp, toFastifyPath } from './app.ts'
import { readVersionHeaders } from './cds-response.ts'
import { sendJson } from './json.ts'

/** How long a client may use a response without asking again, in seconds. */
const cacheSeconds = 60

/** How long a browser may use the response to a preflight request, in seconds. */
const preflightSeconds = 86_400

/** Public data: readable from any origin, also an error. */
const crossOrigin = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'etag, retry-after, x-fapi-interaction-id, x-v',
}

const preflight = {
  'access-control-allow-methods': 'GET',
  'access-control-allow-headers': 'if-none-match, x-fapi-interaction-id, x-min-v, x-v',
  'access-control-max-age': String(preflightSeconds),
}

const cached = {
  'cache-control': `public, max-age=${cacheSeconds}`,
  vary: 'accept, x-min-v, x-v',
}

export interface PublicMount {
  /** The path of the endpoints. */
  readonly basePath: string
  /** The URL of the endpoints, which links begin with. The same text each time, so that caches compare it quickly. */
  readonly readBaseUrl: () => string
}

/** An endpoint of the Consumer Data Standards that needs no token, for clients of any origin. */
export function mountPublicEndpoint(
  app: HttpApp,
  { basePath, readBaseUrl }: PublicMount,
  { path }: PublicEndpoint,
  routeConfig: Pick<FastifyContextConfig, 'endpoint' | 'worksWithoutDatabase' | 'counted'>,
  answer: (input: PublicRequest, request: FastifyRequest) => PublicAnswer | Promise<PublicAnswer>,
): void {
  const url = toFastifyPath({ path: basePath + path })
  const config = { ...routeConfig, formatError: toCdsErrorList, responseHeaders: crossOrigin }
  app.route({
    method: ['GET', 'HEAD'],
    url,
    config,
    // Without a promise, unless there is something to wait for: a response from memory costs little more than its promise.
    handler(request, reply) {
      requireAcceptable(request.headers.accept)
      const input = { baseUrl: readBaseUrl(), ...readVersionHeaders(request) }
      const answering = answer(input, request)
      if (!(answering instanceof Promise)) return send(request, reply, answering)
      return answering.then((answered) => send(request, reply, answered))
    },
  })
  app.route({
    method: 'OPTIONS',
    url,
    config: { ...config, counted: undefined },
    handler: async (_request, reply) => reply.headers(preflight).status(204).send(),
  })
}

function send(request: FastifyRequest, reply: FastifyReply, { body, headers }: PublicAnswer): void {
  reply.headers(cached).headers(headers)
  if (matchesIfNoneMatch(request.headers['if-none-match'], headers.etag)) reply.status(304).send()
  else sendJson(reply, [body])
}
