import type { HttpLimits } from './limits.ts'

export type ConcurrencyOptions = Pick<
  HttpLimits,
  | 'inFlightMax'
  | 'inFlightMin'
  | 'latencyTargetMs'
  | 'overloadAfterMs'
  | 'sampleMs'
  | 'iterationAdmitMin'
  | 'iterationMs'
  | 'burstMs'
>

/** In milliseconds: the time that passes, and the CPU time of this thread. */
export interface Clocks {
  readonly now: () => number
  readonly cpu: () => number
}

const systemClocks: Clocks = {
  now: () => performance.now(),
  cpu() {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  },
}

/**
 * While there is a crowd, as many fewer requests are worked on as what was quickest took too long, within these
 * bounds; and so many more once it is gone.
 */
const shrinkFactorMin = 0.1
const shrinkFactorMax = 0.7
const growthFactor = 1.05
const recoveryFactor = 2

export interface ConcurrencyLimit {
  /** Whether one more may be worked on, besides so many. */
  admits(working: number): boolean
  /** So long one of them has taken, from its beginning to its answer. */
  recordLatency(tookMs: number): void
}

/**
 * Finds how many requests can be worked on at once in good time. There are two places to wait: before a request is
 * read, as all connections that have something to say are read in one turn of the event loop, one after another; and
 * behind others for the database. A queue that does not go away in either is kept short: what would have to wait
 * is rejected, and admitted requests keep their latency.
 *
 * A request whose handler never waits is done before the next one is read, so that the number of requests in flight
 * says nothing of how long the others wait. The requests of a turn therefore count until it ends, and a turn admits
 * no more once it has used its time. That is CPU time: a turn that was long because other processes had the CPU
 * would not be shorter with fewer requests.
 */
export function openConcurrencyLimit(
  {
    inFlightMax,
    inFlightMin,
    latencyTargetMs,
    overloadAfterMs,
    sampleMs,
    iterationAdmitMin,
    iterationMs,
    burstMs,
  }: ConcurrencyOptions,
  { now, cpu }: Clocks = systemClocks,
): ConcurrencyLimit {
  let limit = inFlightMax
  let turnStart: number | undefined
  /** The CPU time when the turn had admitted what every turn may: most turns never do, and never ask for it. */
  let cpuStart: number | undefined
  let turnEnd = 0
  /** In this turn. */
  let admitted = 0
  let overloadedSince: number | undefined
  /** What was seen since the last judgement. */
  let seen = emptySample(0)

  const look = (at: number): void => {
    seen = emptySample(at)
  }
  const judge = (at: number): void => {
    // Where nothing was answered, only turns tell.
    const { quickestTurn, quickestAnswer } = seen
    const tookMs = Math.max(quickestTurn, quickestAnswer === Infinity ? 0 : quickestAnswer)
    if (tookMs <= latencyTargetMs) {
      overloadedSince = undefined
      limit = Math.min(inFlightMax, limit * (seen.rejected > 0 ? growthFactor : recoveryFactor) + 1)
    } else {
      overloadedSince ??= seen.since
      if (at - overloadedSince >= overloadAfterMs) {
        const share = Math.max(shrinkFactorMin, Math.min(shrinkFactorMax, latencyTargetMs / tookMs))
        limit = Math.max(inFlightMin, Math.min(limit, seen.most) * share)
      }
    }
    look(at)
  }
  const endTurn = (): void => {
    turnEnd = now()
    seen.quickestTurn = Math.min(seen.quickestTurn, turnEnd - (turnStart ?? turnEnd))
    turnStart = undefined
    if (turnEnd - seen.since >= sampleMs) judge(turnEnd)
  }
  const beginTurn = (working: number): void => {
    turnStart = now()
    cpuStart = undefined
    admitted = 0
    // Runs when all connections of this turn have been read.
    setImmediate(endTurn)
    // After a pause there is no crowd. While somebody waits, it is none.
    if (working > 0 || turnStart - turnEnd < sampleMs) return
    limit = inFlightMax
    overloadedSince = undefined
    look(turnStart)
  }

  const isTurnUsedUp = (): boolean => {
    if (admitted < iterationAdmitMin) return false
    cpuStart ??= cpu()
    const allowedMs = limit < inFlightMax ? iterationMs : burstMs
    return now() - (turnStart ?? 0) > allowedMs && cpu() - cpuStart > allowedMs
  }

  return {
    admits(working) {
      if (turnStart === undefined) beginTurn(working)
      const busy = Math.max(working, admitted)
      if (busy > seen.most) seen.most = busy
      if (busy < limit && !isTurnUsedUp()) {
        admitted += 1
        return true
      }
      seen.rejected += 1
      return false
    },
    recordLatency(tookMs) {
      seen.quickestAnswer = Math.min(seen.quickestAnswer, tookMs)
    },
  }
}

function emptySample(since: number) {
  return { since, most: 0, rejected: 0, quickestTurn: Infinity, quickestAnswer: Infinity }
}
