import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AuthRequest, VerifyToken } from '../auth/verify-token.ts'
import {
  buildOpenApiDocument,
  ContractError,
  type Deprecation,
  type JsonBody,
  type Operation,
  providerOperations,
} from '../contract/index.ts'
import type { Context, ProviderOperationId } from '../provider/handler.ts'
import { providerHandlers } from '../provider/handlers.ts'
import { observeReads } from '../provider/observe-reads.ts'
import { type AnswerRecording, openAnswerRecord } from './answer-record.ts'
import { type AppOptions, type HttpApp, noteValidToken, openApp, toFastifyPath } from './app.ts'
import { isTrustedConnection } from './connections.ts'
import { sendJson, sendText, untilSent } from './json.ts'
import { mountOpenApi } from './openapi-route.ts'
import { limitRates, type RateLimits } from './rate-limit.ts'
import { createRequestReader, type RequestInput, readPath } from './request.ts'

/** Answers a request with a valid token and valid input. The use of the token may not be recorded yet. */
export type Responder = (
  request: FastifyRequest,
  reply: FastifyReply,
  input: RequestInput,
) => Promise<FastifyReply | undefined>

export type Responders = { readonly [Id in ProviderOperationId]?: Responder }

export interface ProviderAppOptions extends AppOptions {
  /** The version of Holdfast, for the OpenAPI document. */
  readonly version: string
  /** Operations without one are not served. */
  readonly responders: Responders
  /** Verifies the token before anything else of the request is parsed; rejects if it is invalid. */
  readonly verifyToken: VerifyToken
  readonly rates?: RateLimits | undefined
  /** Without it, answers are not recorded. */
  readonly recording?: AnswerRecording | undefined
}

/** Sections A and C of the interface over HTTP. A new operation needs no change here. */
export function openProviderApp(options: ProviderAppOptions): HttpApp {
  const ids = (Object.keys(providerOperations) as ProviderOperationId[]).filter(
    (id) => options.responders[id],
  )
  const operations = ids.map((id): Operation => providerOperations[id])
  const app = openApp('provider', options)
  mountOpenApi(app, {
    '/openapi.json': () => buildOpenApiDocument('provider', options.version, operations),
  })
  limitRates(app, options.rates ?? {})
  for (const [id, respond] of Object.entries(options.responders)) {
    mount(app, providerOperations[id as ProviderOperationId], respond, options)
  }
  return app
}

/** Responds with what the handlers read from a store. */
export function respondFromStore(
  context: Omit<Context, 'now'>,
  clock: () => Temporal.Instant,
): Required<Responders> {
  const responders = Object.entries(providerHandlers).map(([id, given]) => {
    const { status } = providerOperations[id as ProviderOperationId]
    const handler = given as (input: unknown, context: Context) => Promise<JsonBody>
    const respond: Responder = async ({ answerRecord, tokenRecorded }, reply, input) => {
      const given = { ...context, now: clock() }
      let body: JsonBody
      if (answerRecord) {
        const observed = observeReads(context.store)
        body = await handler(input, { ...given, store: observed.store })
        await answerRecord.record({ status, ...observed.found() })
      } else {
        // Fails on the first error: if the token cannot be recorded, there is no need to wait for a slow handler.
        ;[body] = await Promise.all([handler(input, given), tokenRecorded])
      }
      reply.status(status)
      if (typeof body !== 'string') return untilSent(sendJson(reply, body))
      if (body === '') return untilSent(reply.send())
      sendText(reply, body)
      return undefined
    }
    return [id, respond]
  })
  return Object.fromEntries(responders)
}

/** The whole path of a request: token verification, parsing, response. */
function mount(
  app: HttpApp,
  operation: Operation,
  respond: Responder,
  { verifyToken, recording }: ProviderAppOptions,
): void {
  const { readInput } = createRequestReader(operation)

  app.route({
    method: operation.method,
    url: toFastifyPath(operation),
    config: { operation },
    onRequest(request, reply, done) {
      const answerRecord = recording && openAnswerRecord(request, reply, operation, recording)
      const authRequest = toAuthRequest(request, operation, answerRecord?.recordUse)
      verifyToken(authRequest).then(({ recorded, keyId }) => {
        request.tokenRecorded = recorded
        answerRecord?.begin(keyId, recorded)
        if (!isTrustedConnection(reply.raw)) {
          recorded.then(
            () => noteValidToken(reply),
            () => {},
          )
        }
        done()
      }, done)
    },
    handler(request, reply) {
      // The router ignores a fragment, which a path of HTTP cannot have. The token and the upstream do not.
      if (readPath(request).includes('#')) throw new ContractError('route_not_found')
      const input = readInput(request)
      request.answerRecord?.noteInput(input)
      const { deprecated } = operation
      if (deprecated) reply.headers(deprecationHeaders(deprecated, input.params))
      return respond(request, reply, input)
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
function toAuthRequest(
  request: FastifyRequest,
  operation: Operation,
  recordUse: AuthRequest['recordUse'],
): AuthRequest {
  const { rawHeaders } = request.raw
  const authorization: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (!isAuthorization(rawHeaders[index] ?? '')) continue
    authorization.push(rawHeaders[index + 1] ?? '')
  }
  return { authorization, path: readPath(request), operation, recordUse }
}

const authorizationHeader = 'authorization'

/** Compares the length first, which is cheap and differs for most headers. */
function isAuthorization(name: string): boolean {
  return name.length === authorizationHeader.length && name.toLowerCase() === authorizationHeader
}
