/** None of these may happen. A lost write shows as a wrong answer: of an older version than the last load. */
export const faults = {
  wrong: 'wrong answers',
  lost: 'accepted replays',
  dropped: 'dropped requests',
} as const
export type Fault = keyof typeof faults

export interface Tally {
  readonly counts: ReadonlyMap<string, number>
  /** The first of each kind, to be shown. */
  readonly examples: readonly string[]
  count(what: string): void
  fault(kind: Fault, example: string): void
  faultCount(kind: Fault): number
  /** A time in which requests may go unanswered: something was killed, and is not back yet. */
  outage<Result>(work: () => Promise<Result>): Promise<Result>
  /** Whether something was away at any moment between then and now. */
  wasAway(since: number): boolean
}

/** How long what was under way in an outage may still suffer from it. */
const aftermathMs = 3000

const examplesMax = 20

export function openTally(): Tally {
  const counts = new Map<string, number>()
  const examples: string[] = []
  let awayUntil = Number.NEGATIVE_INFINITY
  const count = (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1)

  return {
    counts,
    examples,
    count,
    fault(kind, example) {
      count(faults[kind])
      if (examples.length < examplesMax) examples.push(`${faults[kind]}: ${example}`)
    },
    faultCount: (kind) => counts.get(faults[kind]) ?? 0,
    async outage(work) {
      awayUntil = Number.POSITIVE_INFINITY
      try {
        return await work()
      } finally {
        awayUntil = performance.now() + aftermathMs
      }
    },
    wasAway: (since) => awayUntil >= since,
  }
}
