import type { FastifyRequest } from 'fastify'
import type { Access } from '../auth/access.ts'
import {
  type BatchConflictBody,
  batchErrorsFoundMax,
  buildOpenApiDocument,
  ContractError,
  type InvalidLinesBody,
  intakeOperations,
  permits,
  type Scope,
} from '../contract/index.ts'
import type { BatchAnswer, BatchErrors, Batches, Sender } from '../intake/batches.ts'
import { toFeedState } from '../intake/feed-state.ts'
import {
  type BatchConflict,
  clientFeedsMax,
  type FeedStore,
  feedsMax,
} from '../intake/feed-writer.ts'
import { type AppOptions, type HttpApp, openApp } from './app.ts'
import { openBatchBodies } from './batch-body.ts'
import { httpLimits } from './limits.ts'
import { mountOperation } from './mount-operation.ts'
import { mountOpenApi } from './openapi-route.ts'
import { mountTokens } from './token-route.ts'

/**
 * Batches wait for each other by design, which is not overload: the concurrency limit does not adapt, and the bytes of
 * the batches are limited instead. The timeout includes the time to receive a batch and to wait for a load.
 */
const intakeLimits = { inFlightMin: httpLimits.inFlightMax, handlerTimeoutMs: 60_000 }

/** The scopes of tokens that the intake issues. Those of the platform are issued there alone. */
const intakeScopes = ['data.write', 'products.write'] as const satisfies Scope[]

interface IntakeAppOptions extends AppOptions {
  /** The version of Holdfast, for the OpenAPI document. */
  readonly version: string
  readonly access: Access
  readonly batches: Pick<Batches, 'commit'>
  readonly feeds: Pick<FeedStore, 'list' | 'find'>
  readonly clock: () => Temporal.Instant
  /** Of all batches in flight. */
  readonly batchBytesMax?: number | undefined
}

/** The intake over HTTP: batches of feeds, and access tokens for it. */
export function openIntakeApp(options: IntakeAppOptions): HttpApp {
  const { access, feeds, clock } = options
  const app = openApp('intake', { ...options, limits: { ...intakeLimits, ...options.limits } })
  mountOpenApi(app, {
    '/openapi.json': () => buildOpenApiDocument('intake', options.version),
  })
  continueAfterToken(app)
  mountTokens(app, access, options.trustedProxies, intakeScopes)
  mountBatches(app, options)
  mountOperation(app, intakeOperations.listFeeds, access, async () => {
    const now = clock().epochMilliseconds
    const data = (await feeds.list()).map((feed) => toFeedState(feed, now))
    return { body: JSON.stringify({ data }) }
  })
  mountOperation(app, intakeOperations.getFeed, access, async ({ params }) => {
    const feed = await feeds.find(params.feed)
    if (!feed) throw new ContractError('feed_not_found')
    return { body: JSON.stringify(toFeedState(feed, clock().epochMilliseconds)) }
  })
  return app
}

/** A client that waits for `100 Continue` need not send its body if the token or the path is invalid. */
function continueAfterToken(app: HttpApp): void {
  app.server.on('checkContinue', (request, response) => {
    app.server.emit('request', request, response)
  })
  app.addHook('preParsing', async (request, reply) => {
    if (/^100-continue$/i.test(request.headers.expect ?? '')) reply.raw.writeContinue()
  })
}

function mountBatches(app: HttpApp, { access, batches, batchBytesMax }: IntakeAppOptions): void {
  const withBody = openBatchBodies(batchBytesMax)
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // The handler receives the body, so that it also releases the memory.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    mountOperation(scope, intakeOperations.putBatch, access, async ({ params }, request, reply) => {
      const { feed } = params
      const number = readNumber(String(params.number))
      const sender = readSender(request)
      const answer = await withBody(request, reply, (data) =>
        batches.commit(feed, number, data, sender),
      )
      return { body: JSON.stringify({ feed, batch: number, ...getSummary(answer) }) }
    })
  })
}

function readSender({ client, scopes = [] }: FastifyRequest): Sender {
  if (!client) throw new TypeError('a batch needs an authenticated client')
  return { client, mayWriteProducts: permits(scopes, 'products.write') }
}

/** Each number has one spelling, so that a proxy or a log never treats one batch as two. */
function readNumber(text: string): number {
  const number = Number(text)
  if (String(number) === text) return number
  throw new ContractError('invalid_request', 'number must have no leading zeros')
}

function getSummary(answer: BatchAnswer) {
  if ('conflict' in answer) throw conflictError(answer.conflict)
  if ('invalid' in answer) throw invalidLinesError(answer.invalid)
  if ('forbidden' in answer) {
    const sentence = `line ${answer.forbidden}: products need the scope products.write: nothing was changed`
    throw new ContractError('product_scope_missing', sentence)
  }
  const { lines, created, changed, unchanged, deleted } = answer.result
  return { lines, created, changed, unchanged, deleted }
}

function conflictError({ reason, expected }: BatchConflict): ContractError {
  if (reason === 'client') return new ContractError('feed_of_other_client')
  const members: Omit<BatchConflictBody, 'error'> = { expected }
  const next = `the next batch of this feed is ${expected}`
  const maximum =
    'which is the maximum: use an existing feed, or remove one with holdfast feeds remove'
  const sentences: Readonly<Record<typeof reason, string>> = {
    gap: `an earlier batch is missing: ${next}`,
    different: `the batch was committed with other lines: ${next}`,
    forgotten: `the batch was committed too long ago to compare its lines: ${next}`,
    follower: 'the feed belongs to holdfast load --follow: use another feed',
    'client-limit': `the client has ${clientFeedsMax} feeds, ${maximum}`,
    limit: `the database has ${feedsMax} feeds, ${maximum}`,
  }
  return new ContractError('batch_conflict', sentences[reason], { members })
}

function invalidLinesError({ count, first }: BatchErrors): ContractError {
  const errors = first.map(({ line, path, reason }) => ({ line, field: path, reason }))
  const members: Omit<InvalidLinesBody, 'error'> = { errors }
  const listed = count > first.length ? `, of which the first ${first.length} are listed` : ''
  const least = count >= batchErrorsFoundMax ? 'at least ' : ''
  const sentence = `${least}${count} error${count === 1 ? '' : 's'}${listed}: nothing was changed`
  return new ContractError('invalid_lines', sentence, { members })
}
