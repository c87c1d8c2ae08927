import type { FastifyInstance } from 'fastify'
import { ContractError } from '../contract/index.ts'
import { sendJson } from './json.ts'
import type { RequestLogOptions } from './request-log.ts'

/** Health endpoints for operators and load balancers: no token required, and the response says only the status. */
export const healthEndpoints = {
  live: { method: 'GET', path: '/health/live' },
  ready: { method: 'GET', path: '/health/ready' },
} as const

export type HealthEndpoint = keyof typeof healthEndpoints

/** A degraded server must keep receiving requests: most of them succeed, and no other server could answer the rest. */
const statusCodes = { ok: 200, degraded: 200, unavailable: 503 } as const
type Status = keyof typeof statusCodes

/** A dependency that requests cannot succeed without. */
export interface ReadinessProbe {
  /** For the log. */
  readonly name: string
  /** Rejects with the reason if the dependency is unavailable. */
  probe(): Promise<void>
  /** Whether some requests cannot succeed, as of the last probe that passed. */
  readonly isDegraded?: () => boolean
}

/** The result of the probes, whether or not the server is shutting down. */
export interface Health {
  readonly status: Status
  /** When the first of the probes failed, by `performance.now()`. Only if unavailable. */
  readonly failingSinceMs?: number
}

export type ReadHealth = () => Promise<Health>

/** How long a result is reused: a flood of requests must not cause a flood of database writes. */
const reuseMs = 500

/** How often readiness is probed without a request for it, so that the log and the metrics have every loss of it. */
const watchIntervalMs = 5000

/** How long a probe may take. A slower one continues to run, and is not started again until it ends. */
const probeTimeoutMs = 1000

/** Returns the function that reads the health: it shares the results with the endpoints. */
export function mountHealth(
  app: FastifyInstance,
  probes: readonly ReadinessProbe[],
  options: RequestLogOptions,
): ReadHealth {
  let isStopping = false
  const findFailure = openReadiness(probes, options, () => isStopping)
  let timer: NodeJS.Timeout | undefined
  app.addHook('onReady', async () => {
    timer = setInterval(findFailure, watchIntervalMs).unref()
  })
  app.addHook('preClose', async () => {
    isStopping = true
    clearInterval(timer)
  })
  const readHealth = async (): Promise<Health> => {
    const failure = await findFailure()
    if (failure) return { status: 'unavailable', failingSinceMs: failure.sinceMs }
    return { status: probes.some((probe) => probe.isDegraded?.()) ? 'degraded' : 'ok' }
  }
  const mount = (name: HealthEndpoint, readStatus: () => Promise<Status>) => {
    app.route({
      method: healthEndpoints[name].method,
      url: healthEndpoints[name].path,
      config: { health: name },
      handler: async (_request, reply) => {
        const status = await readStatus()
        return sendJson(reply.status(statusCodes[status]), `{"status":"${status}"}`)
      },
    })
  }
  mount('live', async () => 'ok')
  mount('ready', async () => {
    if (isStopping) return 'unavailable'
    const { status } = await readHealth()
    return isStopping ? 'unavailable' : status
  })
  return readHealth
}

/** The names of the probes that fail, or that take too long. */
export async function findFailedProbes(probes: readonly ReadinessProbe[]): Promise<string[]> {
  const results = await Promise.allSettled(probes.map(({ probe }) => withTimeout(probe())))
  return probes.flatMap(({ name }, index) => (results[index]?.status === 'rejected' ? [name] : []))
}

interface Failure {
  readonly name: string
  readonly error: unknown
  /** When the first failed probe of this outage ended. */
  readonly sinceMs: number
}

/**
 * Runs the probes once for all concurrent requests. Every change of the result is logged with its reason, unless the
 * server is stopping: it then closes what the probes use.
 */
function openReadiness(
  probes: readonly ReadinessProbe[],
  { log, metrics, role }: RequestLogOptions,
  isStopping: () => boolean,
): () => Promise<Failure | undefined> {
  const running = new Map<string, Promise<void>>()
  let pending: Promise<Failure | undefined> | undefined
  let last: { readonly failure: Failure | undefined; readonly at: number } | undefined
  const runProbe = async ({ name, probe }: ReadinessProbe): Promise<Failure | undefined> => {
    const promise = running.get(name) ?? probe().finally(() => running.delete(name))
    running.set(name, promise)
    try {
      await withTimeout(promise)
      return undefined
    } catch (error) {
      return { name, error, sinceMs: last?.failure?.sinceMs ?? performance.now() }
    }
  }
  const report = (
    results: readonly (Failure | undefined)[],
    failure: Failure | undefined,
  ): void => {
    if (failure && failure.name !== last?.failure?.name) {
      log?.warn({ probe: failure.name, err: failure.error }, 'not ready')
    }
    if (!failure && last?.failure) log?.info('ready again')
    for (const [index, { name, isDegraded }] of probes.entries()) {
      // A probe that can only find the server degraded always passes.
      if (!isDegraded) metrics?.recordReadiness(role, name, results[index] === undefined)
    }
  }
  const runProbes = async (): Promise<Failure | undefined> => {
    const results = await Promise.all(probes.map(runProbe))
    const failure = results.find((result) => result !== undefined)
    if (!isStopping()) report(results, failure)
    last = { failure, at: performance.now() }
    pending = undefined
    return failure
  }
  return async () => {
    if (last && performance.now() - last.at < reuseMs) return last.failure
    pending ??= runProbes()
    return pending
  }
}

async function withTimeout(promise: Promise<void>): Promise<void> {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const sentence = `timed out after ${probeTimeoutMs} ms`
  const timer = setTimeout(() => reject(new ContractError('unavailable', sentence)), probeTimeoutMs)
  try {
    await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}
