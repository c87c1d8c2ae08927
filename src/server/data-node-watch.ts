import type { Logger } from 'pino'
import type { ReadinessProbe } from '../http/health.ts'
import type { DatabaseProbe, DataNode } from '../storage/database.ts'
import type { Metrics } from './observe/metrics.ts'

/** A slower test is not awaited: the coordinator may not respond, which the probe of the database reports. */
const testTimeoutMs = 900

/** How long a result is reused by readiness probes and scrapes. */
const reuseMs = 500

/** How long the metric has a result while the next test takes too long. Without the coordinator, it is unknown. */
const validMs = 10_000

/**
 * The readiness probe of the data nodes of a Citus cluster, which also sets their metric. It never fails: without one of them,
 * requests for the accounts of the others succeed.
 */
export function watchDataNodes(
  probe: DatabaseProbe,
  log: Logger,
  metrics: Metrics | undefined,
): ReadinessProbe {
  let dataNodes: readonly DataNode[] = []
  const never = Number.NEGATIVE_INFINITY
  let testedAt = never
  let running: Promise<void> | undefined

  const test = async (): Promise<void> => {
    const found = await probe.listDataNodes()
    logChanges(dataNodes, found, log)
    dataNodes = found
    testedAt = performance.now()
  }
  const probeNodes = async (): Promise<void> => {
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
  metrics?.watchDataNodes(async () => {
    await probeNodes()
    return performance.now() - testedAt < validMs ? dataNodes : []
  })
  return {
    name: 'data nodes',
    probe: probeNodes,
    isDegraded: () => dataNodes.some(({ isUp }) => !isUp),
  }
}

function logChanges(before: readonly DataNode[], now: readonly DataNode[], log: Logger): void {
  const wereDown = new Set(before.flatMap(({ address, isUp }) => (isUp ? [] : [address])))
  for (const { address, isUp } of now) {
    if (isUp === !wereDown.has(address)) continue
    if (isUp) log.info({ dataNode: address }, 'data node reachable again')
    else log.warn({ dataNode: address }, 'data node unreachable')
  }
}

async function endOrTimeout(promise: Promise<void>): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, testTimeoutMs)
  await Promise.race([promise, timeout])
  clearTimeout(timer)
}
