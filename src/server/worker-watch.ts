import type { Logger } from 'pino'
import type { ReadinessCheck } from '../http/health.ts'
import type { DatabaseProbe, DatabaseWorker } from '../storage/database.ts'
import type { Metrics } from './observe/metrics.ts'

/** A slower test is not awaited: the coordinator may not respond, which the check of the database reports. */
const testTimeoutMs = 900

/** How long a result is reused by health checks and scrapes. */
const reuseMs = 500

/** How long the metric has a result while the next test takes too long. Without the coordinator, it is unknown. */
const validMs = 10_000

/**
 * The readiness check of the workers of a Citus cluster, which also sets their metric. It never fails: without a worker,
 * requests for the accounts of all other workers succeed.
 */
export function watchWorkers(
  probe: DatabaseProbe,
  log: Logger,
  metrics: Metrics | undefined,
): ReadinessCheck {
  let workers: readonly DatabaseWorker[] = []
  const never = Number.NEGATIVE_INFINITY
  let testedAt = never
  let running: Promise<void> | undefined

  const test = async (): Promise<void> => {
    const found = await probe.listWorkers()
    logChanges(workers, found, log)
    workers = found
    testedAt = performance.now()
  }
  const check = async (): Promise<void> => {
    if (performance.now() - testedAt < reuseMs) return
    running ??= test()
      .catch(() => {
        testedAt = never
      })
      .finally(() => {
        running = undefined
      })
    await endOrTimeout(running)
  }
  metrics?.watchDatabaseWorkers(async () => {
    await check()
    return performance.now() - testedAt < validMs ? workers : []
  })
  return {
    name: 'database workers',
    check,
    isDegraded: () => workers.some(({ isUp }) => !isUp),
  }
}

function logChanges(
  before: readonly DatabaseWorker[],
  now: readonly DatabaseWorker[],
  log: Logger,
): void {
  const wereDown = new Set(before.flatMap(({ address, isUp }) => (isUp ? [] : [address])))
  for (const { address, isUp } of now) {
    if (isUp === !wereDown.has(address)) continue
    if (isUp) log.info({ databaseWorker: address }, 'database worker reachable again')
    else log.warn({ databaseWorker: address }, 'database worker unreachable')
  }
}

async function endOrTimeout(promise: Promise<void>): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, testTimeoutMs)
  await Promise.race([promise, timeout])
  clearTimeout(timer)
}
