import type { FastifyInstance } from 'fastify'
import { ContractError } from '../contract/index.ts'
import { sendJson } from './json.ts'
import type { RequestLogOptions } from './request-log.ts'

/** Probes for operators and load balancers: no token required, and the response says only the status. */
export const probes = {
  live: { method: 'GET', path: '/health/live' },
  ready: { method: 'GET', path: '/health/ready' },
} as const

export type Probe = keyof typeof probes

/** A degraded server must keep receiving requests: most of them succeed, and no other server could answer the rest. */
const statusCodes = { ok: 200, degraded: 200, unavailable: 503 } as const
type Status = keyof typeof statusCodes

/** A dependency that requests cannot succeed without. */
export interface ReadinessCheck {
  /** For the log. */
  readonly name: string
  /** Rejects with the reason if the dependency is unavailable. */
  check(): Promise<void>
  /** Whether some requests cannot succeed, as of the last check that passed. */
  readonly isDegraded?: () => boolean
}

/** The result of the checks, whether or not the server is shutting down. */
export interface Health {
  readonly status: Status
  /** When the first of the checks failed, by `performance.now()`. Only if unavailable. */
  readonly failingSinceMs?: number
}

export type ReadHealth = () => Promise<Health>

/** How long a result is reused: a flood of probes must not cause a flood of database writes. */
const reuseMs = 500

/** How often readiness is checked without a request for it, so that the log and the metrics have every loss of it. */
const watchIntervalMs = 5000

/** How long a check may take. A slower one continues to run, and is not started again until it ends. */
const checkTimeoutMs = 1000

/** Returns the function that reads the health: it shares the results with the probes. */
export function mountHealth(
  app: FastifyInstance,
  checks: readonly ReadinessCheck[],
  options: RequestLogOptions,
): ReadHealth {
  let isStopping = false
  const findFailure = openReadiness(checks, options, () => isStopping)
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
    return { status: checks.some((check) => check.isDegraded?.()) ? 'degraded' : 'ok' }
  }
  const mount = (probe: Probe, readStatus: () => Promise<Status>) => {
    app.route({
      method: probes[probe].method,
      url: probes[probe].path,
      config: { probe },
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

/** The names of the checks that fail, or that take too long. */
export async function findFailedChecks(checks: readonly ReadinessCheck[]): Promise<string[]> {
  const results = await Promise.allSettled(checks.map(({ check }) => withTimeout(check())))
  return checks.flatMap(({ name }, index) => (results[index]?.status === 'rejected' ? [name] : []))
}

interface Failure {
  readonly name: string
  readonly error: unknown
  /** When the first failed check of this outage ended. */
  readonly sinceMs: number
}

/**
 * Runs the checks once for all concurrent probes. Every change of the result is logged with its reason, unless the
 * server is stopping: it then closes what the checks use.
 */
function openReadiness(
  checks: readonly ReadinessCheck[],
  { log, metrics, role }: RequestLogOptions,
  isStopping: () => boolean,
): () => Promise<Failure | undefined> {
  const running = new Map<string, Promise<void>>()
  let pending: Promise<Failure | undefined> | undefined
  let last: { readonly failure: Failure | undefined; readonly at: number } | undefined
  const runCheck = async ({ name, check }: ReadinessCheck): Promise<Failure | undefined> => {
    const promise = running.get(name) ?? check().finally(() => running.delete(name))
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
      log?.warn({ check: failure.name, err: failure.error }, 'not ready')
    }
    if (!failure && last?.failure) log?.info('ready again')
    for (const [index, { name, isDegraded }] of checks.entries()) {
      // A check that can only find the server degraded always passes.
      if (!isDegraded) metrics?.recordReadiness(role, name, results[index] === undefined)
    }
  }
  const runChecks = async (): Promise<Failure | undefined> => {
    const results = await Promise.all(checks.map(runCheck))
    const failure = results.find((result) => result !== undefined)
    if (!isStopping()) report(results, failure)
    last = { failure, at: performance.now() }
    pending = undefined
    return failure
  }
  return async () => {
    if (last && performance.now() - last.at < reuseMs) return last.failure
    pending ??= runChecks()
    return pending
  }
}

async function withTimeout(promise: Promise<void>): Promise<void> {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(timedOut()), checkTimeoutMs)
  try {
    await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}

function timedOut(): ContractError {
  return new ContractError('unavailable', `timed out after ${checkTimeoutMs} ms`)
}
