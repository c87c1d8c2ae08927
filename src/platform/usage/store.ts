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

/** The calls of one kind in a day, of all third parties. */
export interface DayCount
  extends Pick<CallKind, 'operation' | 'tier' | 'isAuthenticated' | 'status' | 'rejection'> {
  readonly start: number
  readonly calls: number
  readonly microseconds: number
  /** How many were answered within the response time of their tier. */
  readonly withinTier: number
}

/** The calls of a tier in an hour, without those over a limit of traffic. */
export interface HourCount extends Pick<DayCount, 'start' | 'tier' | 'calls' | 'withinTier'> {}

/** What calls of a range are grouped by. */
export type GroupedBy = 'start' | 'operation' | 'thirdPartyId'

/** Calls of a group with the same tier, status and limit. */
export interface CallGroup
  extends Pick<CallKind, 'tier' | 'status' | 'rejection'>,
    Pick<UsageSums, 'calls' | 'within'> {
  /** The start in milliseconds, the operation, or the ID of the third party. */
  readonly key: string
}

/** The calls of the periods that begin in a range. */
interface CallFilter extends Range {
  readonly span: UsageSpan
  readonly operation?: string | undefined
  readonly thirdPartyId?: string | undefined
}

/** The calls of a minute in which a process was running, and how many of them failed in the server. */
export interface MinuteCount {
  readonly start: number
  readonly authenticated: number
  readonly failedAuthenticated: number
  readonly unauthenticated: number
  readonly failedUnauthenticated: number
}

/** From a time, and before another one. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** In how many minutes the platform was available, of those that are over and were not part of a planned outage. */
export interface Availability {
  readonly minutes: number
  readonly available: number
  readonly authenticated: number
  readonly unauthenticated: number
}

/** The most calls in a second of a period, and its availability. */
export interface PeriodCount extends Availability {
  readonly start: number
  readonly peak: number
  readonly peakAuthenticated: number
  readonly peakUnauthenticated: number
}

export interface UsageStore {
  /** Adds the counts of a batch to those of other processes. A batch that was added before changes nothing. */
  add(batch: UsageBatch): Promise<void>
  readDays(from: number): Promise<readonly DayCount[]>
  readHours(from: number): Promise<readonly HourCount[]>
  readGroups(by: GroupedBy, filter: CallFilter): Promise<readonly CallGroup[]>
  /** Those that begin at a time or later, oldest first. */
  readPeriods(span: UsageSpan, from?: number): Promise<readonly PeriodCount[]>
  /** The minutes in which a process was running. */
  readMinutes({ start, end }: Range): Promise<readonly MinuteCount[]>
  /** Of those before a time: the first minute that is kept, and the hours whose availability was counted. */
  readBounds(before: number): Promise<{
    readonly firstMinute?: number
    readonly firstHour?: number
    readonly lastHour?: number
  }>
  /** Replaces the availability of an hour, and adds up that of its day, as far as it has passed. */
  putAvailability(hour: number, day: Range, counted: Availability): Promise<void>
  /** Deletes some counts that are older than their retention. */
  purge(now: number): Promise<void>
  close(): Promise<void>
}
