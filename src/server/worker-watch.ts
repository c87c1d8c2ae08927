import type { Logger } from 'pino'
import type { ReadinessCheck } from '../http/health.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { DatabaseProbe, DatabaseWorker } from '../storage/database.ts'

/** A slower test is not awaited: the coordinator may not respond, which the check of the database reports. */
const testTimeoutMs = 900

/** How long a result is reused by health checks and scrapes. */
const reuseMs = 500

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
  let testedAt = Number.NEGATIVE_INFINITY
  let running: Promise<boolean> | undefined

  const test = async (): Promise<void> => {
    const found = await probe.listWorkers()
    logChanges(workers, found, log)
    workers = found
    testedAt = performance.now()
  }
  /** Whether the coordinator answered in time. */
  const isTested = async (): Promise<boolean> => {
    if (performance.now() - testedAt < reuseMs) return true
    running ??= test()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        running = undefined
      })
    return inTime(running)
  }
  // Without the coordinator, the state of the workers is unknown.
  metrics?.watchDatabaseWorkers(async () => ((await isTested()) ? workers : []))
  return {
    name: 'database workers',
    check: async () => void (await isTested()),
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

/** False after the timeout. */
async function inTime(tested: Promise<boolean>): Promise<boolean> {
  const { promise: timeout, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, testTimeoutMs, false)
  const result = await Promise.race([tested, timeout])
  clearTimeout(timer)
  return result
}
