import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type onRequestHookHandler,
} from 'fastify'
import { ContractError, type Operation } from '../contract/index.ts'
import { errorDoor } from './error-door.ts'
import { tieToRequest } from './interaction.ts'
import { type HttpLimits, httpLimits } from './limits.ts'
import { watchReaders } from './slow-readers.ts'
import { openWork, overloaded } from './work.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the route is, for the guard, the error door and the log. */
    operation?: Operation
  }
  interface FastifyRequest {
    /** Settles when the token of the request is spent, or was before. */
    claimed?: Promise<void>
  }
}

/** A server that is ready to listen. */
export type HttpApp = FastifyInstance

export interface AppOptions {
  readonly log?: FastifyBaseLogger | undefined
  readonly limits?: Partial<HttpLimits> | undefined
}

/** A server that has these operations, still without what they do: bounds, errors, ids, unknown routes. */
export function openApp(operations: readonly Operation[], options: AppOptions): HttpApp {
  const limits = { ...httpLimits, ...options.limits }
  const app = Fastify({
    ...(options.log ? { loggerInstance: options.log } : { logger: false }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.bodyBytesMax,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    exposeHeadRoutes: false,
    frameworkErrors: errorDoor,
    // Lines say themselves what they are about: a logger of its own for each request would cost for nothing.
    childLoggerFactory: (logger) => logger,
    return503OnClosing: false,
    routerOptions: { maxParamLength: limits.headBytesMax },
    http: {
      maxHeaderSize: limits.headBytesMax,
      headersTimeout: limits.headMs,
      connectionsCheckingInterval: limits.checkMs,
    },
  })
  app.setErrorHandler(errorDoor)
  keepWithinLimits(app, limits)
  // Bodies are JSON; Fastify would also take plain text.
  app.removeContentTypeParser('text/plain')
  const refuseRoute = routeRefusal(operations)
  app.addHook('onRequest', async (request, reply) => {
    tieToRequest(request, reply)
    // Unless the operation knows better: nothing on the way keeps an answer.
    reply.header('cache-control', 'no-store')
    // Here, and not in the handler for what is not found: that one reads the body first.
    if (request.is404) refuseRoute(request, reply)
  })
  app.setNotFoundHandler(refuseRoute)
  return app
}

/** Before any operation is mounted: each is turned away, counted and given up as the limits say. */
function keepWithinLimits(app: HttpApp, limits: HttpLimits): void {
  // Workers do not hand on to each other what is too much for one: it would be for all.
  Object.assign(app.server, { maxConnections: limits.connectionsMax, dropMaxConnection: true })
  const work = openWork(limits)
  const checkReaders = watchReaders(app.server, limits.answerMs)
  let turnedAway = 0

  // Before the token is looked at, so that a refusal costs little and the token can be used again.
  const admit: onRequestHookHandler = (_request, _reply, done) => {
    if (work.admits()) return done()
    turnedAway += 1
    done(overloaded)
  }
  app.addHook('onRoute', (route) => {
    // What is no operation answers also under pressure.
    if (!route.config?.operation) return
    route.onRequest = [admit, ...[route.onRequest ?? []].flat()]
    route.handler = work.bounded(route.handler)
  })
  const timer = setInterval(() => {
    work.check()
    checkReaders()
    if (turnedAway > 0) app.log.warn({ requests: turnedAway }, 'overloaded: turned away')
    turnedAway = 0
  }, limits.checkMs)
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

/** The path of an operation as Fastify writes it. */
export function urlOf({ path }: Operation): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function routeRefusal(operations: readonly Operation[]) {
  const routes = operations.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  return (request: FastifyRequest, reply: FastifyReply): never => {
    const [path = ''] = request.url.split('?', 1)
    const methods = routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    if (methods.length === 0) throw new ContractError('route_not_found')
    reply.header('allow', methods.join(', '))
    throw new ContractError('method_not_allowed')
  }
}
