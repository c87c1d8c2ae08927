import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '../auth/access.ts'
import {
  ContractError,
  monitoringOperations,
  type RejectionList,
  tooManyRequests,
  type UsageHistory,
} from '../contract/index.ts'
import type { HistoryQuery } from '../platform/history/read-history.ts'
import type { HttpApp } from './app.ts'
import { type EventStream, openEventStream } from './event-stream.ts'
import { authenticateClient, mountOperation } from './mount-operation.ts'

const limitDefaults = {
  /** In one process. */
  streamsMax: 32,
  /** How often the token of an open stream is verified again. */
  verifyMs: 5000,
}

/** The metrics and the rejected requests of the servers. */
export interface Monitoring {
  /** Calls the listener with samples as JSON. Returns a function that ends this. */
  subscribe(listener: (samples: readonly string[]) => void): () => void
  listRejections(query: {
    readonly reason?: string | undefined
    readonly interactionId?: string | undefined
    readonly refused?: boolean | undefined
    readonly tools?: boolean | undefined
  }): Promise<RejectionList>
}

export interface MonitoringOptions {
  readonly access: Access
  /** Opened when it is first needed, so that it does not delay the start. */
  readonly monitoring: () => Promise<Monitoring>
  /** The calls of third parties over time. */
  readonly readUsage: (query: HistoryQuery) => Promise<UsageHistory>
  readonly monitoringLimits?: Partial<typeof limitDefaults> | undefined
}

/** The operations for operators: the stream of metrics, and why requests were rejected. */
export function mountMonitoring(
  app: HttpApp,
  { access, monitoring, readUsage, monitoringLimits: limits }: MonitoringOptions,
) {
  const { findRejections, getUsage, listRejections, streamMetrics } = monitoringOperations
  mountOperation(app, listRejections, access, async ({ query }) => {
    const { listRejections: list } = await monitoring()
    return { body: JSON.stringify(await list(query)) }
  })
  mountOperation(app, findRejections, access, async ({ params: { interactionId } }) => {
    const { listRejections: list } = await monitoring()
    const { data, sources } = await list({ interactionId })
    return { body: JSON.stringify({ data, sources }) }
  })
  mountOperation(app, getUsage, access, async ({ query }) => {
    const { range, operation, 'third-party': thirdPartyId } = query
    return { body: JSON.stringify(await readUsage({ range, operation, thirdPartyId })) }
  })
  const streams = openMetricStreams(app, access, { ...limitDefaults, ...limits })
  mountOperation(app, streamMetrics, access, async (_input, request, reply) => {
    streams.add(request, reply, await monitoring())
    return {}
  })
}

interface OpenStream {
  readonly request: FastifyRequest
  readonly events: EventStream
}

function openMetricStreams(
  app: HttpApp,
  access: Access,
  { streamsMax, verifyMs }: typeof limitDefaults,
) {
  const open = new Set<OpenStream>()
  let isClosing = false
  let timer: NodeJS.Timeout | undefined
  const end = ({ events }: OpenStream, reason: 'unauthorized' | 'shutdown'): void => {
    events.send('end', [JSON.stringify({ reason })])
    events.end()
  }
  const verify = async (stream: OpenStream): Promise<void> => {
    try {
      await authenticateClient(stream.request, monitoringOperations.streamMetrics, access)
    } catch (error) {
      // While the database is unreachable, it is unknown whether the token is still valid.
      if (error instanceof ContractError && error.code !== 'unavailable')
        end(stream, 'unauthorized')
    }
  }
  // Before in-flight requests are awaited: a stream would not end by itself.
  app.addHook('preClose', async () => {
    isClosing = true
    clearInterval(timer)
    for (const stream of open) end(stream, 'shutdown')
  })
  return {
    add(request: FastifyRequest, reply: FastifyReply, { subscribe }: Monitoring): void {
      if (isClosing) throw new ContractError('unavailable', 'the server is shutting down')
      if (open.size >= streamsMax) throw tooManyRequests('metric_streams')
      const stream = { request, events: openEventStream(request, reply) }
      open.add(stream)
      const unsubscribe = subscribe((samples) => stream.events.send('sample', samples))
      reply.raw.on('close', () => {
        open.delete(stream)
        unsubscribe()
        if (open.size > 0) return
        clearInterval(timer)
        timer = undefined
      })
      timer ??= setInterval(() => open.forEach((each) => void verify(each)), verifyMs).unref()
    },
  }
}
