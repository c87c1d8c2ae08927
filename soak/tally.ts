/** None of these may occur. A lost write appears as a wrong response: an older version than that of the last load. */
export const faults = {
  wrong: 'wrong responses',
  replayed: 'accepted replays',
  dropped: 'dropped requests',
} as const
export type Fault = keyof typeof faults

export interface Tally {
  readonly counts: ReadonlyMap<string, number>
  /** The first faults, for the report. */
  readonly examples: readonly string[]
  count(name: string, number?: number): void
  fault(kind: Fault, example: string): void
  faultCount(kind: Fault): number
  /** Requests may fail while `work` runs, and shortly after it. */
  outage<Result>(work: () => Promise<Result>): Promise<Result>
  /** Whether there was an outage at any time since `since`. */
  wasUnavailable(since: number): boolean
  /** The same for requests that read lists of these accounts. All other requests must succeed. */
  partialOutage<Result>(accounts: ReadonlySet<string>, work: () => Promise<Result>): Promise<Result>
  wasPartlyUnavailable(since: number, accounts: readonly string[]): boolean
}

/** How long after an outage requests may still fail. */
const recoveryMs = 3000

const examplesMax = 20

export function openTally(): Tally {
  const counts = new Map<string, number>()
  const examples: string[] = []
  let unavailableUntil = Number.NEGATIVE_INFINITY
  let partlyUnavailableUntil = Number.NEGATIVE_INFINITY
  let affected: ReadonlySet<string> = new Set()
  const count = (name: string, number = 1) =>
    void counts.set(name, (counts.get(name) ?? 0) + number)

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
      unavailableUntil = Number.POSITIVE_INFINITY
      try {
        return await work()
      } finally {
        unavailableUntil = performance.now() + recoveryMs
      }
    },
    wasUnavailable: (since) => unavailableUntil >= since,
    async partialOutage(accounts, work) {
      affected = accounts
      partlyUnavailableUntil = Number.POSITIVE_INFINITY
      try {
        return await work()
      } finally {
        partlyUnavailableUntil = performance.now() + recoveryMs
      }
    },
    wasPartlyUnavailable: (since, accounts) =>
      partlyUnavailableUntil >= since && accounts.some((id) => affected.has(id)),
  }
}
