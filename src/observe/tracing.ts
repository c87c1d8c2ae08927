import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpApp } from '../http/app.ts'
import { interactionHeader } from '../http/interaction-id.ts'
import { clientClosedStatus } from '../http/request-log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    traceContext?: Context
  }
}

const tracer = trace.getTracer('holdfast')

/** Whether what was registered takes our spans: it does not where its version of the API is older than ours. */
export function isTracingActive(registered: unknown): boolean {
  return trace.getTracerProvider() === registered
}

/** A span for each request, which goes on the trace that its caller began. */
export function traceRequests(app: HttpApp): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { operation, probe } = request.routeOptions.config
    if (probe) return done()
    const span = tracer.startSpan(
      operation ? `${operation.method} ${operation.path}` : 'HTTP',
      { kind: SpanKind.SERVER, attributes: { 'http.request.method': request.method } },
      parentOf(request),
    )
    if (operation) {
      span.setAttributes({ 'http.route': operation.path, 'holdfast.operation': operation.ref })
    }
    request.traceContext = trace.setSpan(ROOT_CONTEXT, span)
    reply.raw.on('close', () => endRequest(span, reply))
    context.with(request.traceContext, done)
  })
  // A body arrives in the context of its connection, so what comes after it has to be led back.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.traceContext) context.with(request.traceContext, done)
    else done()
  })
}

/** Whoever has put a span around us already knows of the caller's. */
function parentOf({ headers }: FastifyRequest): Context {
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

/** The same function with a span around each call. */
export function traced<Given extends readonly unknown[], Result>(
  name: string,
  work: (...given: Given) => Promise<Result>,
  attributes: Readonly<Record<string, string>> = {},
): (...given: Given) => Promise<Result> {
  return (...given) =>
    tracer.startActiveSpan(name, { attributes }, async (span) => {
      try {
        return await work(...given)
      } catch (error) {
        // By its kind alone: a message may repeat what was sent.
        span.setAttribute('error.type', error instanceof Error ? error.name : typeof error)
        throw error
      } finally {
        span.end()
      }
    })
}

/** The same object with a span around each call of a method, which has the method's name as an attribute. */
export function tracedMethods<Traced extends object>(name: string, object: Traced): Traced {
  const methods = Object.entries(object).map(([method, work]) => [
    method,
    method === 'close' ? work : traced(name, work, { [`holdfast.${name}`]: method }),
  ])
  return Object.fromEntries(methods) as Traced
}
