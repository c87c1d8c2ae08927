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
import { listOpenApiRoutes, mountOpenApi } from './openapi-route.ts'
import { limitRates, type RateLimits } from './rate-limit.ts'
import { createRequestReader, type RawQuery } from './request.ts'

const openApiDocuments = { '/openapi.json': 'provider' } as const

export interface ProviderAppOptions extends AppOptions {
  /** The version of Holdfast, for the OpenAPI document. */
  readonly version: string
  readonly context: Omit<Context, 'now'>
  readonly clock: () => Temporal.Instant
  /** Verifies the token before anything else of the request is parsed; rejects if it is invalid. */
  readonly guard: Guard
  readonly rates?: RateLimits | undefined
}

/** Sections A and C of the interface over HTTP. A new operation needs no change here. */
export function openProviderApp(options: ProviderAppOptions): HttpApp {
  const operations = Object.values<Operation>(providerOperations)
  const app = openApp('provider', [...operations, ...listOpenApiRoutes(openApiDocuments)], options)
  mountOpenApi(app, openApiDocuments, options.version)
  limitRates(app, options.rates ?? {})
  for (const id of Object.keys(providerOperations) as ProviderOperationId[]) mount(app, id, options)
  return app
}

/** The whole path of a request: guard, parsing, handler, response. */
function mount(app: HttpApp, id: ProviderOperationId, options: ProviderAppOptions): void {
  const operation: Operation = providerOperations[id]
  const read = createRequestReader(operation)
  const handler = providerHandlers[id] as (input: unknown, context: Context) => Promise<JsonBody>

  app.route({
    method: operation.method,
    url: toFastifyPath(operation),
    config: { operation },
    onRequest(request, reply, done) {
      options.guard(toAuthRequest(request, operation)).then(({ recorded }) => {
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
      // Fails on the first error: if the token cannot be recorded, there is no need to wait for a slow handler.
      const [body] = await Promise.all([
        handler(input, { ...options.context, now: options.clock() }),
        request.tokenRecorded,
      ])
      reply.status(operation.status)
      return body === '' ? reply.send() : sendJson(reply, body)
    },
  })
}

/** The date of the deprecation (RFC 9745) and a link to the operation that replaces this one. */
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

/** Node keeps only one of several Authorization headers, so they are collected from the raw headers. */
function toAuthRequest(request: FastifyRequest, operation: Operation): AuthRequest {
  const { rawHeaders, url = '' } = request.raw
  const authorization: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (!isAuthorization(rawHeaders[index] ?? '')) continue
    authorization.push(rawHeaders[index + 1] ?? '')
  }
  return { authorization, path: url.split('?', 1)[0] ?? '', operation }
}

const authorizationHeader = 'authorization'

/** Compares the length first, which is cheap and differs for most headers. */
function isAuthorization(name: string): boolean {
  return name.length === authorizationHeader.length && name.toLowerCase() === authorizationHeader
}
