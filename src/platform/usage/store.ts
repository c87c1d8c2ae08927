import type { PerformanceTier } from '../../contract/cds/performance-tiers.ts'

/** The periods that calls are counted by, and how many hours the counts of each are kept. */
export const usageSpans = {
  minute: { retentionHours: 48 },
  hour: { retentionHours: 100 * 24 },
  day: { retentionHours: 2 * 366 * 24 },
} as const
export type UsageSpan = keyof typeof usageSpans

/** The bounds of the latency histogram, in percent of the response time of the tier. */
export const latencyBounds = [10, 25, 50, 100, 200] as const

/** What is added up of calls that are alike. */
export interface UsageSums {
  readonly calls: number
  /** The sum of the response times. */
  readonly microseconds: number
  /** How many calls were answered within each of `latencyBounds`. */
  readonly within: readonly number[]
}

/** What calls that are counted together have in common. */
export interface CallKind {
  readonly operation: string
  readonly tier: PerformanceTier
  readonly isAuthenticated: boolean
  readonly status: number
  /** The limit of traffic that rejected calls were over; empty for others. */
  readonly rejection: string
  /** Empty if it is unknown. */
  readonly thirdPartyId: string
  readonly isCustomerPresent: boolean
}

/** The calls of one kind in a period. Times of this module are in milliseconds since 1970. */
export interface UsageCount extends CallKind, UsageSums {
  readonly span: UsageSpan
  readonly start: number
}

/** The calls of one second. */
export interface SecondCount {
  readonly second: number
  readonly authenticated: number
  readonly unauthenticated: number
}

/** The period that a range of seconds belongs to, of which it may have the peak. */
export interface PeakRange {
  readonly span: UsageSpan
  readonly start: number
  readonly firstSecond: number
  readonly lastSecond: number
}

/** What a process has counted since its last batch. */
export interface UsageBatch {
  /** Of the process. */
  readonly writer: string
  /** Batches of a process have increasing numbers. */
  readonly number: number
  readonly time: number
  readonly counts: readonly UsageCount[]
  readonly seconds: readonly SecondCount[]
  readonly peaks: readonly PeakRange[]
  /** The minutes in which the process was running. */
  readonly minutes: readonly number[]
}

export interface UsageStore {
  /** Adds the counts of a batch to those of other processes. A batch that was added before changes nothing. */
  add(batch: UsageBatch): Promise<void>
  /** Deletes some counts that are older than their retention. */
  purge(now: number): Promise<void>
  close(): Promise<void>
}
