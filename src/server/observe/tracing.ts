import {
  type Context,
  context,
  ProxyTracerProvider,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { interactionHeader } from '../../contract/response-headers.ts'
import type { HttpApp } from '../../http/app.ts'
import { clientClosedStatus } from '../../http/request-log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    traceContext?: Context
  }
}

const tracer = trace.getTracer('holdfast')

/** Whether a registered SDK receives our spans. */
export function isTracingActive(): boolean {
  const provider = trace.getTracerProvider()
  // The API's own provider forwards to that of the SDK. Another copy of the API has registered its own.
  if (!(provider instanceof ProxyTracerProvider)) return true
  return provider.getDelegateTracer('holdfast') !== undefined
}

/** Creates a span for each request, which continues the trace of the client. */
export function traceRequests(app: HttpApp): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { operation, health } = request.routeOptions.config
    if (health) return done()
    const span = tracer.startSpan(
      operation ? `${operation.method} ${operation.path}` : 'HTTP',
      { kind: SpanKind.SERVER, attributes: { 'http.request.method': request.method } },
      parentContext(request),
    )
    if (operation) {
      span.setAttributes({ 'http.route': operation.path, 'holdfast.operation': operation.ref })
    }
    request.traceContext = trace.setSpan(ROOT_CONTEXT, span)
    reply.raw.on('close', () => endRequest(span, reply))
    context.with(request.traceContext, done)
  })
  // A body is received in the context of its connection, so the context of the request is restored after it.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.traceContext) context.with(request.traceContext, done)
    else done()
  })
}

/** An instrumentation that has created a span already has extracted the client's context. */
function parentContext({ headers }: FastifyRequest): Context {
  const active = context.active()
  return trace.getSpan(active) ? active : propagation.extract(ROOT_CONTEXT, headers)
}

function endRequest(span: Span, reply: FastifyReply): void {
  const status = reply.raw.writableFinished ? reply.raw.statusCode : clientClosedStatus
  span.setAttributes({
    'http.response.status_code': status,
    'holdfast.interaction_id': String(reply.getHeader(interactionHeader)),
  })
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

/** The headers with which another server continues the active trace. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  propagation.inject(context.active(), headers)
  return headers
}

/** Wraps a function in a span per call. */
export function traceCalls<Args extends readonly unknown[], Result>(
  name: string,
  call: (...args: Args) => Promise<Result>,
  attributes: Readonly<Record<string, string>> = {},
): (...args: Args) => Promise<Result> {
  return (...args) =>
    tracer.startActiveSpan(name, { attributes }, async (span) => {
      try {
        return await call(...args)
      } catch (error) {
        // Without the message, which may contain data of the request.
        span.setAttribute('error.type', error instanceof Error ? error.name : typeof error)
        throw error
      } finally {
        span.end()
      }
    })
}

type Query = (...args: never) => Promise<unknown>
type Queries<Store> = { readonly [Method in keyof Store]: Query }

/** Wraps each method of a store in a span per call, with the name of the method as an attribute. */
export function traceQueries<Store extends Queries<Store>>(store: Store): Store {
  const methods = Object.entries<Query>(store).map(([method, call]) => [
    method,
    method === 'close' ? call : traceCalls('query', call, { 'holdfast.query': method }),
  ])
  return Object.fromEntries(methods) as Store
}
