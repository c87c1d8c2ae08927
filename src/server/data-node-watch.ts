import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ReadinessProbe } from '../http/health.ts'
import type { DatabaseProbe, DataNode } from '../storage/database.ts'
import type { Metrics } from './observe/metrics.ts'
import { reuseResult } from './observe/reuse-result.ts'

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

  const test = reuseResult(async () => {
    const found = await probe.listDataNodes()
    logChanges(dataNodes, found, log)
    dataNodes = found
    testedAt = performance.now()
  }, reuseMs)
  const probeNodes = async (): Promise<void> => {
    const tested = test().catch(() => {
      testedAt = never
    })
    await Promise.race([tested, wait(testTimeoutMs, undefined, { ref: false })])
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
