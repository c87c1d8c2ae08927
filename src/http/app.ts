import type { IncomingMessage } from 'node:http'
import type { TLSSocket, TlsOptions } from 'node:tls'
import Fastify, {
  type FastifyContextConfig,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onRequestHookHandler,
} from 'fastify'
import { ContractError, type MonitoredRole, type Operation } from '../contract/index.ts'
import type { TrustedProxies } from './caller-address.ts'
import { hasClientCertificate } from './client-certificate.ts'
import {
  type Connections,
  countInFlight,
  isTrustedConnection,
  limitConnections,
  trustConnection,
} from './connections.ts'
import { openDescriptorWatch } from './descriptors.ts'
import { createErrorHandler, type ErrorHandlerOptions } from './error-handler.ts'
import { type HealthEndpoint, mountHealth, type ReadHealth, type ReadinessProbe } from './health.ts'
import { setInteractionId } from './interaction-id.ts'
import { acceptJsonBodies } from './json-body.ts'
import { type HttpLimits, httpLimits } from './limits.ts'
import { type LoadShedding, openLoadShedding, overloaded } from './load-shedding.ts'
import { createParserErrorHandler } from './parser-errors.ts'
import { readPath } from './request.ts'
import { createRequestLogger, type RequestLogOptions } from './request-log.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Identifies the route to token verification, the error handler and the log. */
    operation?: Operation
    health?: HealthEndpoint
    /** Whether it responds while the files of the database are missing. */
    worksWithoutDatabase?: boolean
    /** Header fields of every response, also one that the limits cause. */
    responseHeaders?: Readonly<Record<string, string>>
  }
  interface FastifyInstance {
    readHealth: ReadHealth
    connections: Connections
    /** The methods of the routes that serve a path. */
    listMethods: (path: string) => string[]
  }
  interface FastifyRequest {
    /** Resolves once the use of the token is recorded; rejects if it was used before. */
    tokenRecorded?: Promise<void>
  }
}

export type HttpApp = FastifyInstance

export interface AppOptions extends Omit<RequestLogOptions, 'role'>, ErrorHandlerOptions {
  readonly limits?: Partial<HttpLimits> | undefined
  /** The server is ready only while all of these pass. */
  readonly readiness?: readonly ReadinessProbe[] | undefined
  /** Adds a tracing span to every request. */
  readonly trace?: ((app: HttpApp) => void) | undefined
  /** The proxies whose forwarding headers are used for the client's address. */
  readonly trustedProxies?: TrustedProxies | undefined
  /** Keeps the bytes of each body until its request ends. */
  readonly keepBodies?: boolean | undefined
  /** Serves HTTPS with these options; plain HTTP without them. */
  readonly tls?: TlsOptions | undefined
}

/** Browsers use only HTTPS for this host, for a year (RFC 6797). */
const strictTransport = { 'strict-transport-security': `max-age=${365 * 24 * 3600}` }

/**
 * Creates a server with everything that operations share: limits, errors, interaction ids, health, and rejection of
 * requests to other routes.
 */
export function openApp(role: MonitoredRole, options: AppOptions): HttpApp {
  const limits = { ...httpLimits, ...options.limits }
  const logOptions = { ...options, role }
  const logRequest = createRequestLogger(logOptions)
  const shedding = openLoadShedding(limits)
  const transportHeaders = options.tls ? strictTransport : {}
  /** Requests with a path that cannot be decoded. */
  const invalidPaths = new WeakSet<IncomingMessage>()
  const anonymousIdleMs = Math.min(limits.anonymousIdleMs, limits.keepAliveTimeoutMs)
  const anonymousKeepAlive = `timeout=${Math.floor(anonymousIdleMs / 1000)}`
  const connections = {
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
  }
  // Fastify's types differ for HTTP and HTTPS servers; nothing here depends on the difference.
  const scheme = options.tls
    ? { https: { ...options.tls, ...connections, handshakeTimeout: limits.headersTimeoutMs } }
    : { http: connections }
  const app = Fastify({
    // Fastify's own log lines contain paths and request data.
    logger: false,
    bodyLimit: limits.bodyBytesMax,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    exposeHeadRoutes: false,
    rewriteUrl(request) {
      const url = toOriginForm(request.url ?? '')
      if (isDecodable(readPath({ url }))) return url
      invalidPaths.add(request)
      // Fastify would reject it before it finds the route, which knows the format of its errors.
      return url.replaceAll('%', '%25')
    },
    clientErrorHandler: createParserErrorHandler(limits, logOptions, transportHeaders),
    return503OnClosing: false,
    schemaController: {
      compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas },
    },
    routerOptions: { maxParamLength: limits.headerBytesMax },
    ...(scheme as { http: typeof connections }),
  })
  if (options.tls?.rejectUnauthorized) {
    app.server.on('secureConnection', (socket: TLSSocket) => {
      if (!hasClientCertificate(socket)) socket.destroy()
    })
  }
  app.setErrorHandler(createErrorHandler(options, limits))
  enforceLimits(app, limits, shedding, options)
  acceptJsonBodies(app, options.keepBodies)
  collectRoutes(app)
  options.trace?.(app)
  app.addHook('onRequest', (request, reply, done) => {
    const start = performance.now()
    // Fastify creates the options of a route whenever they are read.
    const config: FastifyContextConfig = request.routeOptions.config ?? {}
    reply.raw.on('close', () => {
      shedding.release(reply)
      logRequest(request, reply, config, start)
    })
    setInteractionId(request, reply)
    reply.headers(transportHeaders)
    if (!isTrustedConnection(reply.raw)) reply.header('keep-alive', anonymousKeepAlive)
    // The default; an operation may override it.
    reply.header('cache-control', 'no-store')
    if (config.responseHeaders) reply.headers(config.responseHeaders)
    if (invalidPaths.has(request.raw))
      throw new ContractError('invalid_request', 'the path must be a valid URL path')
    // Not in the not-found handler: that one runs only after the body has been read.
    if (request.is404 || (config.operation && hasEmptyId(request))) rejectRoute(request, reply)
    done()
  })
  app.setNotFoundHandler(rejectRoute)
  app.decorate('readHealth', mountHealth(app, options.readiness ?? [], logOptions))
  return app
}

/**
 * A client may send the target of a request as an absolute URL (RFC 9112, section 3.2.2). Routes and tokens are checked
 * by its path: the host in it is the client's choice, as in the Host header.
 */
function toOriginForm(target: string): string {
  if (target.startsWith('/')) return target
  const [, rest] = /^https?:\/\/[^/?#]+(.*)$/is.exec(target) ?? []
  if (rest === undefined) return target
  return rest.startsWith('/') ? rest : `/${rest}`
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/** Keeps Fastify from loading its schema compilers at every start: requests are validated by the contract. */
function noSchemas(): never {
  throw new Error('no route has a schema')
}

/** Must run before operations are mounted: it adds admission control and a timeout to each of their routes. */
function enforceLimits(
  app: HttpApp,
  limits: HttpLimits,
  shedding: LoadShedding,
  { log, trustedProxies }: AppOptions,
): void {
  const connections = limitConnections(app.server, limits, trustedProxies)
  app.decorateReply('inFlight', undefined)
  app.decorateReply('reserveBytes', function (bytes) {
    shedding.reserveBytes(this, bytes)
  })
  app.decorateReply('waitMs', 0)
  app.decorate('connections', connections)
  let rejected = 0

  // Runs before token verification: a rejection is cheap, and its token can be used again. The limit for each connection keeps a
  // client that never reads its responses from occupying the whole in-flight limit.
  const admit: onRequestHookHandler = (_request, { raw }, done) => {
    if (countInFlight(raw) <= limits.pipelinedMax && shedding.admits()) return done()
    rejected += 1
    done(overloaded)
  }
  app.addHook('onRoute', (route) => {
    // Health endpoints are answered even under overload. The OpenAPI document has a limit of its own.
    if (!route.config?.operation && !route.config?.endpoint) return
    route.onRequest = [admit, ...[route.onRequest ?? []].flat()]
    route.handler = shedding.withTimeout(route.handler)
  })
  const watchDescriptors = openDescriptorWatch(log)
  const check = (now: number): void => {
    watchDescriptors()
    shedding.abortExpired()
    connections.closeSlow(
      shedding.hasBackpressure() ? limits.writeTimeoutBackpressureMs : limits.writeTimeoutMs,
      now,
    )
    connections.closeExpired(now)
    const closed = connections.takeClosedCount()
    if (closed > 0) log?.warn({ connections: closed }, 'too many connections: closed')
    if (rejected > 0) log?.warn({ requests: rejected }, 'overloaded: requests rejected')
    rejected = 0
  }
  // Sockets are read between the reading of the clock and the check: a connection whose next request arrived while the process was
  // suspended is not idle.
  const timer = setInterval(() => setImmediate(check, performance.now()), limits.checkIntervalMs)
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

/** Marks the connection of a request with a valid token as trusted. */
export function noteValidToken(reply: FastifyReply): void {
  if (isTrustedConnection(reply.raw)) return
  trustConnection(reply.raw)
  reply.removeHeader('keep-alive')
}

/** The path of an operation in Fastify's syntax. */
export function toFastifyPath({ path }: Pick<Operation, 'path'>): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** Must run before any route is mounted. */
function collectRoutes(app: HttpApp): void {
  const routes: { readonly methods: readonly string[]; readonly pattern: RegExp }[] = []
  app.addHook('onRoute', ({ method, url, config }) => {
    // It answers all requests that no other route serves.
    if (config?.endpoint === 'cds-other') return
    const pattern = url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/#]+').replace('*', '[^#]*')
    routes.push({ methods: [method].flat(), pattern: new RegExp(`^${pattern}$`) })
  })
  app.decorate('listMethods', (path: string) => [
    ...new Set(routes.flatMap(({ methods, pattern }) => (pattern.test(path) ? methods : []))),
  ])
}

/** The router also matches a parameter with an empty segment. No id is empty: no operation has such a path. */
function hasEmptyId({ params }: FastifyRequest): boolean {
  return Object.values(params as object).includes('')
}

function rejectRoute(request: FastifyRequest, reply: FastifyReply): never {
  const methods = request.server.listMethods(readPath(request))
  if (methods.length === 0) throw new ContractError('route_not_found')
  reply.header('allow', methods.join(', '))
  throw new ContractError('method_not_allowed')
}
