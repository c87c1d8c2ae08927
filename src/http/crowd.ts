import type { HttpLimits } from './limits.ts'

export type CrowdLimits = Pick<
  HttpLimits,
  'workMax' | 'workMin' | 'goalMs' | 'crowdMs' | 'windowMs'
>

/** By how much fewer requests are worked on while there is a crowd, and by how much more once it is gone. */
const shrinking = 0.5
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
 * read, as all connections that have something to say are read in one turn of the process, one after another; and
 * behind others for the database. A queue that does not go away in either is kept short: what would have to wait
 * is turned away, and those that are let in are answered as soon as ever.
 */
export function openCrowd(
  { workMax, workMin, goalMs, crowdMs, windowMs }: CrowdLimits,
  now: () => number = () => performance.now(),
): Crowd {
  let limit = workMax
  let turnStart: number | undefined
  let turnEnd = 0
  let crowdedSince: number | undefined
  /** What was seen since the last judgement. */
  let seen = { since: 0, most: 0, turnedAway: 0, answers: 0, quickAnswers: 0, quickTurns: 0 }

  const look = (at: number): void => {
    seen = { since: at, most: 0, turnedAway: 0, answers: 0, quickAnswers: 0, quickTurns: 0 }
  }
  const judge = (at: number): void => {
    const isCrowded = seen.quickTurns === 0 || (seen.answers > 0 && seen.quickAnswers === 0)
    if (!isCrowded) {
      crowdedSince = undefined
      limit = Math.min(workMax, limit * (seen.turnedAway > 0 ? growing : recovering) + 1)
    } else {
      crowdedSince ??= seen.since
      if (at - crowdedSince >= crowdMs) {
        limit = Math.max(workMin, Math.min(limit, seen.most) * shrinking)
      }
    }
    look(at)
  }
  const endTurn = (): void => {
    turnEnd = now()
    if (turnEnd - (turnStart ?? turnEnd) <= goalMs) seen.quickTurns += 1
    turnStart = undefined
    if (turnEnd - seen.since >= windowMs) judge(turnEnd)
  }
  const beginTurn = (): void => {
    turnStart = now()
    // Runs when all connections of this turn have been read.
    setImmediate(endTurn)
    if (turnStart - turnEnd < windowMs) return
    // After a pause there is no crowd.
    limit = workMax
    crowdedSince = undefined
    look(turnStart)
  }

  return {
    admits(working) {
      if (turnStart === undefined) beginTurn()
      if (working > seen.most) seen.most = working
      if (working < limit) return true
      seen.turnedAway += 1
      return false
    },
    noteAnswer(tookMs) {
      seen.answers += 1
      if (tookMs <= goalMs) seen.quickAnswers += 1
    },
  }
}
