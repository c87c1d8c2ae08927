import type { HttpLimits } from './limits.ts'

export type CrowdLimits = Pick<
  HttpLimits,
  'workMax' | 'workMin' | 'goalMs' | 'crowdMs' | 'windowMs' | 'turnMin' | 'turnMs' | 'burstMs'
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
const shrinkingMost = 0.1
const shrinkingLeast = 0.7
const growing = 1.05
const recovering = 2

export interface Crowd {
  /** Whether one more may be worked on, besides so many. */
  admits(working: number): boolean
  /** So long one of them has taken, from its beginning to its answer. */
  noteAnswer(tookMs: number): void
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
export function openCrowd(
  { workMax, workMin, goalMs, crowdMs, windowMs, turnMin, turnMs, burstMs }: CrowdLimits,
  { now, cpu }: Clocks = systemClocks,
): Crowd {
  let limit = workMax
  let turnStart: number | undefined
  /** The CPU time when the turn had admitted what every turn may: most turns never do, and never ask for it. */
  let cpuStart: number | undefined
  let turnEnd = 0
  /** In this turn. */
  let admitted = 0
  let crowdedSince: number | undefined
  /** What was seen since the last judgement. */
  let seen = nothing(0)

  const look = (at: number): void => {
    seen = nothing(at)
  }
  const judge = (at: number): void => {
    // Where nothing was answered, only turns tell.
    const { quickestTurn, quickestAnswer } = seen
    const tookMs = Math.max(quickestTurn, quickestAnswer === Infinity ? 0 : quickestAnswer)
    if (tookMs <= goalMs) {
      crowdedSince = undefined
      limit = Math.min(workMax, limit * (seen.turnedAway > 0 ? growing : recovering) + 1)
    } else {
      crowdedSince ??= seen.since
      if (at - crowdedSince >= crowdMs) {
        const share = Math.max(shrinkingMost, Math.min(shrinkingLeast, goalMs / tookMs))
        limit = Math.max(workMin, Math.min(limit, seen.most) * share)
      }
    }
    look(at)
  }
  const endTurn = (): void => {
    turnEnd = now()
    seen.quickestTurn = Math.min(seen.quickestTurn, turnEnd - (turnStart ?? turnEnd))
    turnStart = undefined
    if (turnEnd - seen.since >= windowMs) judge(turnEnd)
  }
  const beginTurn = (working: number): void => {
    turnStart = now()
    cpuStart = undefined
    admitted = 0
    // Runs when all connections of this turn have been read.
    setImmediate(endTurn)
    // After a pause there is no crowd. While somebody waits, it is none.
    if (working > 0 || turnStart - turnEnd < windowMs) return
    limit = workMax
    crowdedSince = undefined
    look(turnStart)
  }

  const isTurnUsedUp = (): boolean => {
    if (admitted < turnMin) return false
    cpuStart ??= cpu()
    const allowedMs = limit < workMax ? turnMs : burstMs
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
      seen.turnedAway += 1
      return false
    },
    noteAnswer(tookMs) {
      seen.quickestAnswer = Math.min(seen.quickestAnswer, tookMs)
    },
  }
}

function nothing(since: number) {
  return { since, most: 0, turnedAway: 0, quickestTurn: Infinity, quickestAnswer: Infinity }
}
