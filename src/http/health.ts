import type { FastifyInstance } from 'fastify'
import { ContractError } from '../contract/index.ts'
import { sendJson } from './json.ts'
import type { RequestLogOptions } from './request-log.ts'

/** What operators and load balancers ask a server: without a token, and answered with yes or no alone. */
export const probes = {
  live: { method: 'GET', path: '/health/live' },
  ready: { method: 'GET', path: '/health/ready' },
} as const

export type Probe = keyof typeof probes

/** Something without which no request can succeed. */
export interface ReadinessCheck {
  /** For the log. */
  readonly name: string
  /** Rejects with the reason where it is missing. */
  check(): Promise<void>
}

/** How long the outcome of the checks serves every caller: a flood of probes must not become one of writes. */
const sharedMs = 500

/** How long a check may take. One that takes longer goes on, and is not started a second time meanwhile. */
const checkMs = 1000

export function mountHealth(
  app: FastifyInstance,
  checks: readonly ReadinessCheck[],
  log?: RequestLogOptions['log'],
): void {
  let isStopping = false
  app.addHook('preClose', async () => {
    isStopping = true
  })
  const isReady = openReadiness(checks, log)
  const mount = (probe: Probe, isWell: () => Promise<boolean>) => {
    app.route({
      method: probes[probe].method,
      url: probes[probe].path,
      config: { probe },
      handler: async (_request, reply) => {
        const [status, text] = (await isWell()) ? [200, 'ok'] : [503, 'unavailable']
        return sendJson(reply.status(status), `{"status":"${text}"}`)
      },
    })
  }
  mount('live', async () => true)
  mount('ready', async () => !isStopping && (await isReady()) && !isStopping)
}

interface Failure {
  readonly name: string
  readonly error: unknown
}

/** Whether all checks pass, asked once for all callers of a moment. Every change is logged, with its reason. */
function openReadiness(
  checks: readonly ReadinessCheck[],
  log?: RequestLogOptions['log'],
): () => Promise<boolean> {
  const running = new Map<string, Promise<void>>()
  let asking: Promise<Failure | undefined> | undefined
  let last: { readonly failure: Failure | undefined; readonly at: number } | undefined
  let failedBefore: string | undefined

  const failureOf = async ({ name, check }: ReadinessCheck): Promise<Failure | undefined> => {
    const promise = running.get(name) ?? check().finally(() => running.delete(name))
    running.set(name, promise)
    try {
      await inTime(promise)
      return undefined
    } catch (error) {
      return { name, error }
    }
  }
  const ask = async (): Promise<Failure | undefined> => {
    const failure = (await Promise.all(checks.map(failureOf))).find((found) => found !== undefined)
    if (failure && failure.name !== failedBefore) {
      log?.warn({ check: failure.name, err: failure.error }, 'not ready')
    }
    if (!failure && failedBefore !== undefined) log?.info('ready again')
    failedBefore = failure?.name
    last = { failure, at: performance.now() }
    asking = undefined
    return failure
  }
  return async () => {
    if (last && performance.now() - last.at < sharedMs) return last.failure === undefined
    asking ??= ask()
    return (await asking) === undefined
  }
}

async function inTime(promise: Promise<void>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(tooSlow()), checkMs)
  try {
    await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

function tooSlow(): ContractError {
  return new ContractError('unavailable', `no answer within ${checkMs} ms`)
}
