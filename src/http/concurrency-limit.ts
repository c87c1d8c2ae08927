import type { HttpLimits } from './limits.ts'

/** In milliseconds: elapsed time, and the CPU time of this thread. */
const systemClocks = {
  now: () => performance.now(),
  cpu() {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  },
}

/** Reduce the limit in proportion to how far the fastest request exceeded the target, within these bounds. */
const shrinkFactorMin = 0.1
const shrinkFactorMax = 0.7
/** Raise it slowly while requests are still rejected, and quickly once none is. */
const growthFactor = 1.05
const recoveryFactor = 2

/**
 * An adaptive concurrency limit: finds how many requests can be handled at once within the latency target. Requests
 * queue in two places: before they are read, since one event-loop iteration reads all readable connections one after
 * another; and for the database. A standing queue in either place is kept short by rejecting requests, so that admitted
 * requests keep their latency.
 *
 * A handler that never waits finishes before the next request is read, so the number of requests in flight does not show
 * how long the others queue. Requests therefore count until their iteration ends, and an iteration admits no more once it
 * has used its CPU time. Elapsed time alone is not enough: an iteration that is slow because other processes use the CPU
 * would not be faster with fewer requests.
 */
export function openConcurrencyLimit(limits: HttpLimits, { now, cpu } = systemClocks) {
  let limit = limits.inFlightMax
  let iterationStart: number | undefined
  /** Read only after `iterationAdmitMin` requests: most iterations never need it. */
  let cpuStart: number | undefined
  let iterationEnd = 0
  let admittedInIteration = 0
  let overloadedSince: number | undefined
  let sample = emptySample(0)

  const adjust = (at: number): void => {
    // Without a response in the sample, only iterations were measured.
    const { fastestIteration, fastestRequest } = sample
    const fastestMs = Math.max(fastestIteration, fastestRequest === Infinity ? 0 : fastestRequest)
    if (fastestMs <= limits.latencyTargetMs) {
      overloadedSince = undefined
      const factor = sample.rejected > 0 ? growthFactor : recoveryFactor
      limit = Math.min(limits.inFlightMax, limit * factor + 1)
    } else {
      overloadedSince ??= sample.since
      if (at - overloadedSince >= limits.overloadAfterMs) {
        const ratio = limits.latencyTargetMs / fastestMs
        const factor = Math.max(shrinkFactorMin, Math.min(shrinkFactorMax, ratio))
        limit = Math.max(limits.inFlightMin, Math.min(limit, sample.concurrencyMax) * factor)
      }
    }
    sample = emptySample(at)
  }
  const endIteration = (): void => {
    iterationEnd = now()
    const durationMs = iterationEnd - (iterationStart ?? iterationEnd)
    sample.fastestIteration = Math.min(sample.fastestIteration, durationMs)
    iterationStart = undefined
    if (iterationEnd - sample.since >= limits.sampleMs) adjust(iterationEnd)
  }
  const beginIteration = (inFlight: number): void => {
    iterationStart = now()
    cpuStart = undefined
    admittedInIteration = 0
    // Runs when all readable connections of this iteration have been read.
    setImmediate(endIteration)
    // Reset after an idle window with nothing in flight.
    if (inFlight > 0 || iterationStart - iterationEnd < limits.sampleMs) return
    limit = limits.inFlightMax
    overloadedSince = undefined
    sample = emptySample(iterationStart)
  }

  const isIterationUsedUp = (): boolean => {
    if (admittedInIteration < limits.iterationAdmitMin) return false
    cpuStart ??= cpu()
    const allowedMs = limit < limits.inFlightMax ? limits.iterationMs : limits.burstMs
    return now() - (iterationStart ?? 0) > allowedMs && cpu() - cpuStart > allowedMs
  }

  return {
    /** Whether one more request may be handled while `inFlight` others are. */
    admits(inFlight: number): boolean {
      if (iterationStart === undefined) beginIteration(inFlight)
      const concurrency = Math.max(inFlight, admittedInIteration)
      if (concurrency > sample.concurrencyMax) sample.concurrencyMax = concurrency
      if (concurrency < limit && !isIterationUsedUp()) {
        admittedInIteration += 1
        return true
      }
      sample.rejected += 1
      return false
    },
    /** The time from the start of a request to its response. */
    recordLatency(latencyMs: number): void {
      sample.fastestRequest = Math.min(sample.fastestRequest, latencyMs)
    },
  }
}

function emptySample(since: number) {
  return {
    since,
    concurrencyMax: 0,
    rejected: 0,
    fastestIteration: Infinity,
    fastestRequest: Infinity,
  }
}
