import type { TlsOptions } from 'node:tls'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onRequestHookHandler,
} from 'fastify'
import { ContractError, type Operation } from '../contract/index.ts'
import type { TrustedProxies } from './caller-address.ts'
import {
  countInFlight,
  isTrustedConnection,
  limitConnections,
  trustConnection,
} from './connections.ts'
import { createErrorHandler, type ErrorHandlerOptions } from './error-handler.ts'
import { mountHealth, type Probe, probes, type ReadinessCheck } from './health.ts'
import { setInteractionId } from './interaction-id.ts'
import { acceptJsonBodies } from './json-body.ts'
import { type HttpLimits, httpLimits } from './limits.ts'
import { openLoadShedding, overloaded } from './load-shedding.ts'
import { createParserErrorHandler } from './parser-errors.ts'
import { createRequestLogger, type RequestLogOptions } from './request-log.ts'
import { watchSlowClients } from './slow-clients.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the route is, for the guard, the error door and the log. */
    operation?: Operation
    probe?: Probe
  }
  interface FastifyRequest {
    /** Settles when the token of the request is spent, or was before. */
    tokenRecorded?: Promise<void>
  }
}

/** A server that is ready to listen. */
export type HttpApp = FastifyInstance

export interface AppOptions extends RequestLogOptions, ErrorHandlerOptions {
  readonly limits?: Partial<HttpLimits> | undefined
  /** Without any of which it is not ready. */
  readonly readiness?: readonly ReadinessCheck[] | undefined
  /** Puts spans around requests. */
  readonly trace?: ((app: HttpApp) => void) | undefined
  /** The proxies whose headers name the caller's address. */
  readonly trustedProxies?: TrustedProxies | undefined
  /** With what to serve https. Without, it is http. */
  readonly tls?: TlsOptions | undefined
}

/** A server that has these operations, still without what they do: bounds, errors, ids, unknown routes. */
export function openApp(operations: readonly Operation[], options: AppOptions): HttpApp {
  const limits = { ...httpLimits, ...options.limits }
  const watch = createRequestLogger(options)
  const anonymousIdleMs = Math.min(limits.anonymousIdleMs, limits.keepAliveTimeoutMs)
  const anonymousKeepAlive = `timeout=${Math.floor(anonymousIdleMs / 1000)}`
  const door = createErrorHandler(options, limits)
  const connections = {
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
  }
  // Fastify has a type of its own for each kind of server; nothing here depends on which it is.
  const scheme = options.tls
    ? { https: { ...options.tls, ...connections, handshakeTimeout: limits.headersTimeoutMs } }
    : { http: connections }
  const app = Fastify({
    // Its own lines would repeat addresses and bytes that were sent.
    logger: false,
    bodyLimit: limits.bodyBytesMax,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    exposeHeadRoutes: false,
    // What it refuses before any hook.
    frameworkErrors: (error, request, reply) => {
      watch(request, reply)
      return door(error, request, reply)
    },
    clientErrorHandler: createParserErrorHandler(limits, options),
    return503OnClosing: false,
    schemaController: {
      compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas },
    },
    routerOptions: { maxParamLength: limits.headerBytesMax },
    ...(scheme as { http: typeof connections }),
  })
  app.setErrorHandler(door)
  keepWithinLimits(app, limits, options)
  acceptJsonBodies(app)
  const refuseRoute = routeRefusal([...operations, ...Object.values(probes)])
  options.trace?.(app)
  app.addHook('onRequest', (request, reply, done) => {
    watch(request, reply)
    setInteractionId(request, reply)
    if (!isTrustedConnection(request.raw.socket)) reply.header('keep-alive', anonymousKeepAlive)
    // Unless the operation knows better: nothing on the way keeps an answer.
    reply.header('cache-control', 'no-store')
    // Here, and not in the handler for what is not found: that one reads the body first.
    if (request.is404) refuseRoute(request, reply)
    done()
  })
  app.setNotFoundHandler(refuseRoute)
  mountHealth(app, options.readiness ?? [], options.log)
  return app
}

/** Fastify would load what compiles schemas at every start. The contract has its own, and no route has one. */
function noSchemas(): never {
  throw new Error('no route has a schema')
}

/** Before any operation is mounted: each is admitted or rejected, counted and timed out by the limits. */
function keepWithinLimits(
  app: HttpApp,
  limits: HttpLimits,
  { log, trustedProxies }: AppOptions,
): void {
  const connections = limitConnections(app.server, limits, trustedProxies)
  const work = openLoadShedding(limits)
  app.decorateReply('reserveBytes', undefined)
  const checkReaders = watchSlowClients(app.server)
  let rejected = 0

  // Before the token is looked at, so that a refusal costs little and the token can be used again. One connection must
  // not have all the places of requests in flight: its client may never read an answer.
  const admit: onRequestHookHandler = ({ raw }, _reply, done) => {
    if (countInFlight(raw.socket) <= limits.pipelinedMax && work.admits()) return done()
    rejected += 1
    done(overloaded)
  }
  app.addHook('onRoute', (route) => {
    // What is no operation answers also under pressure.
    if (!route.config?.operation) return
    route.onRequest = [admit, ...[route.onRequest ?? []].flat()]
    route.handler = work.withTimeout(route.handler)
  })
  const timer = setInterval(() => {
    work.check()
    checkReaders(work.hasBackpressure() ? limits.writeTimeoutBackpressureMs : limits.writeTimeoutMs)
    connections.closeExpired()
    const closed = connections.takeClosedCount()
    if (closed > 0) log?.warn({ connections: closed }, 'too many connections: closed')
    if (rejected > 0) log?.warn({ requests: rejected }, 'overloaded: requests rejected')
    rejected = 0
  }, limits.checkIntervalMs)
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

/** Notes that the request carried a valid token. */
export function noteValidToken({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (isTrustedConnection(raw.socket)) return
  trustConnection(raw.socket)
  reply.removeHeader('keep-alive')
}

/** The path of an operation as Fastify writes it. */
export function toFastifyPath({ path }: Operation): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function routeRefusal(operations: readonly Pick<Operation, 'method' | 'path'>[]) {
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
