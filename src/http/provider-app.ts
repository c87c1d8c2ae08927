import type { FastifyRequest } from 'fastify'
import type { AuthRequest, Guard } from '../auth/guard.ts'
import {
  type Deprecation,
  type JsonBody,
  type Operation,
  providerOperations,
} from '../contract/index.ts'
import type { Context, ProviderOperationId } from '../provider/handler.ts'
import { providerHandlers } from '../provider/handlers.ts'
import { type AppOptions, type HttpApp, noteValidToken, openApp, toFastifyPath } from './app.ts'
import { isTrustedConnection } from './connections.ts'
import { sendJson } from './json.ts'
import { limitRates, type RateLimits } from './rate-limit.ts'
import { createRequestReader, type RawQuery } from './request.ts'

export interface ProviderAppOptions extends AppOptions {
  readonly context: Omit<Context, 'now'>
  readonly clock: () => Temporal.Instant
  /** Judges the request before anything else of it is looked at; throws what it refuses. */
  readonly guard: Guard
  readonly rates?: RateLimits | undefined
}

/** Sections A and C of the interface over HTTP. Adding an operation does not touch this file. */
export function openProviderApp(options: ProviderAppOptions): HttpApp {
  const app = openApp(Object.values<Operation>(providerOperations), options)
  limitRates(app, options.rates ?? {})
  for (const id of Object.keys(providerOperations) as ProviderOperationId[]) mount(app, id, options)
  return app
}

/** The whole way of a request: guard, reading, handler, answer. */
function mount(app: HttpApp, id: ProviderOperationId, options: ProviderAppOptions): void {
  const operation: Operation = providerOperations[id]
  const read = createRequestReader(operation)
  const handler = providerHandlers[id] as (input: unknown, context: Context) => Promise<JsonBody>

  app.route({
    method: operation.method,
    url: toFastifyPath(operation),
    config: { operation },
    onRequest(request, reply, done) {
      options.guard(askedOf(request, operation)).then(({ recorded }) => {
        request.tokenRecorded = recorded
        if (!isTrustedConnection(request.raw.socket)) {
          recorded.then(
            () => noteValidToken(request, reply),
            () => {},
          )
        }
        done()
      }, done)
    },
    handler: async (request, reply) => {
      const input = {
        params: read.params(request.params as Record<string, string>),
        query: read.query(request.query as RawQuery),
        body: read.body(request.body),
      }
      const { deprecated } = operation
      if (deprecated) reply.headers(deprecationHeaders(deprecated, input.params))
      // Whichever fails first: a token that cannot be recorded is no reason to wait for a slow answer.
      const [body] = await Promise.all([
        handler(input, { ...options.context, now: options.clock() }),
        request.tokenRecorded,
      ])
      reply.status(operation.status)
      return body === '' ? reply.send() : sendJson(reply, body)
    },
  })
}

/** Since when an operation is deprecated (RFC 9745), and what the caller should ask instead. */
function deprecationHeaders(deprecated: Deprecation, params: Readonly<Record<string, string>>) {
  const since = Temporal.PlainDate.from(deprecated.since).toZonedDateTime('UTC')
  const successor = Object.values<Operation>(providerOperations)
    .find(({ ref }) => ref === deprecated.successor)
    ?.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''))
  return {
    deprecation: `@${since.epochMilliseconds / 1000}`,
    link: `<${successor}>; rel="successor-version"`,
  }
}

/** What the guard may know. Node keeps one Authorization header of several, so they are counted here. */
function askedOf(request: FastifyRequest, operation: Operation): AuthRequest {
  const { rawHeaders, url = '' } = request.raw
  const authorization: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (!isAuthorization(rawHeaders[index] ?? '')) continue
    authorization.push(rawHeaders[index + 1] ?? '')
  }
  return { authorization, path: url.split('?', 1)[0] ?? '', operation }
}

const authorizationHeader = 'authorization'

/** Most headers differ in their length already. */
function isAuthorization(name: string): boolean {
  return name.length === authorizationHeader.length && name.toLowerCase() === authorizationHeader
}
