import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Asked, Guard } from '../auth/guard.ts'
import { type Operation, providerOperations } from '../contract/index.ts'
import { ProviderError } from '../provider/error.ts'
import type { Context, ProviderOperationId } from '../provider/handler.ts'
import { providerHandlers } from '../provider/handlers.ts'
import { errorDoor } from './error-door.ts'
import { tieToRequest } from './interaction.ts'
import { type HttpLimits, httpLimits } from './limits.ts'
import { type RawQuery, requestReader } from './request.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The row of the interface, for the log. */
    operation?: string
  }
}

/** A server that is ready to listen. */
export type HttpApp = FastifyInstance

export interface ProviderAppOptions {
  readonly context: Omit<Context, 'now'>
  readonly clock: () => Temporal.Instant
  /** Judges the request before anything else of it is looked at; throws what it refuses. */
  readonly guard: Guard
  readonly log?: FastifyBaseLogger
  readonly limits?: Partial<HttpLimits>
}

/** Sections A and C of the interface over HTTP. Adding an operation does not touch this file. */
export function providerApp(options: ProviderAppOptions): FastifyInstance {
  const limits = { ...httpLimits, ...options.limits }
  const app = Fastify({
    ...(options.log ? { loggerInstance: options.log } : { logger: false }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.bodyBytesMax,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    exposeHeadRoutes: false,
    frameworkErrors: errorDoor,
    return503OnClosing: false,
    routerOptions: { maxParamLength: limits.headBytesMax },
    http: {
      maxHeaderSize: limits.headBytesMax,
      headersTimeout: limits.headMs,
      connectionsCheckingInterval: limits.checkMs,
    },
  })
  app.setErrorHandler(errorDoor)
  // Bodies are JSON; Fastify would also take plain text.
  app.removeContentTypeParser('text/plain')
  // An operation's answer is about a person, or about who is one: nothing on the way keeps it.
  app.addHook('onRequest', async (request, reply) => {
    tieToRequest(request, reply)
    reply.header('cache-control', 'no-store')
    // Here, and not in the handler for what is not found: that one reads the body first.
    if (request.is404) refuseRoute(request, reply)
  })
  for (const id of Object.keys(providerOperations) as ProviderOperationId[]) mount(app, id, options)
  app.setNotFoundHandler(refuseRoute)
  return app
}

function refuseRoute(request: FastifyRequest, reply: FastifyReply): never {
  const methods = methodsAt(request.url)
  if (methods.length === 0) throw new ProviderError('route_not_found')
  reply.header('allow', methods.join(', '))
  throw new ProviderError('method_not_allowed')
}

/** The whole way of a request: guard, reading, handler, answer. */
function mount(app: FastifyInstance, id: ProviderOperationId, options: ProviderAppOptions): void {
  const operation: Operation = providerOperations[id]
  const read = requestReader(operation)
  const handler = providerHandlers[id] as (input: unknown, context: Context) => Promise<string>

  app.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { operation: operation.ref },
    onRequest: (request) => options.guard(askedOf(request, operation)),
    handler: async (request, reply) => {
      const input = {
        params: read.params(request.params as Record<string, string>),
        query: read.query(request.query as RawQuery),
        body: read.body(request.body),
      }
      reply.headers(deprecationHeaders(operation, input.params))
      const body = await handler(input, { ...options.context, now: options.clock() })
      if (body === '') return reply.status(operation.status).send()
      return reply.status(operation.status).type('application/json; charset=utf-8').send(body)
    },
  })
}

/** Since when an operation is deprecated (RFC 9745), and what the caller should ask instead. */
function deprecationHeaders({ deprecated }: Operation, params: Readonly<Record<string, string>>) {
  if (!deprecated) return {}
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
function askedOf(request: FastifyRequest, operation: Operation): Asked {
  const { rawHeaders, url = '' } = request.raw
  const authorization = rawHeaders.filter(
    (_, index) => index % 2 === 1 && /^authorization$/i.test(rawHeaders[index - 1] ?? ''),
  )
  return { authorization, path: url.split('?', 1)[0] ?? '', operation }
}

const routes = Object.values<Operation>(providerOperations).map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))

/** The methods that a path takes, for the one that was asked for is not among them. */
function methodsAt(url: string): string[] {
  const [path = ''] = url.split('?', 1)
  return routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
}
