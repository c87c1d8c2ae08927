import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { performanceTiers } from '../../contract/cds/performance-tiers.ts'
import type { Calendar } from './calendar.ts'
import type { CountedOperation } from './operations.ts'
import {
  type CallKind,
  latencyBounds,
  type PeakRange,
  type SecondCount,
  type UsageBatch,
  type UsageCount,
  type UsageStore,
} from './store.ts'

/** How often counts are written: at most so much of them is lost if the process is killed. */
const writeSeconds = 30

/** How many counters wait to be written, beyond which those of third parties are added up, and then calls are not counted. */
const countersMaxDefault = 20_000

/** How many seconds and minutes wait to be written while the database is away. Older ones are dropped. */
const secondsMax = 3600
const minutesMax = 24 * 60

/** How many rows of each kind a transaction writes. */
const batchMax = 300

const reportMs = 60_000
const closeMsMax = 2000

/** A call that was answered. */
export interface CountedCall {
  readonly operation: CountedOperation
  readonly status: number
  /** The limit of traffic that it was over. */
  readonly rejection?: string | undefined
  readonly thirdPartyId?: string | undefined
  /** Only calls with the data of a customer are counted by it. */
  readonly isCustomerPresent: boolean
  readonly durationMs: number
}

type Counter = { -readonly [Name in keyof UsageCount]: UsageCount[Name] } & { within: number[] }

interface CallCountsOptions {
  readonly store: Pick<UsageStore, 'add' | 'purge'>
  readonly clock: () => Temporal.Instant
  /** The time that counts expire by, in seconds since 1970. */
  readonly purgeSeconds: () => number
  readonly calendar: Calendar
  readonly onError: (error: Error) => void
  readonly countersMax?: number | undefined
}

export type CallCounts = ReturnType<typeof openCallCounts>

/** Counts calls in memory, and writes the counts in the background. No call waits for it, and nothing that it does affects one. */
export function openCallCounts({
  store,
  clock,
  purgeSeconds,
  calendar,
  onError,
  countersMax = countersMaxDefault,
}: CallCountsOptions) {
  const writer = randomUUID()
  let counters = new Map<string, Counter>()
  let seconds = new Map<number, { authenticated: number; unauthenticated: number }>()
  let minutes = new Set<number>()
  /** Batches that may have been written. They are not changed, so that they can be written again. */
  let batches: UsageBatch[] = []
  let number = 0
  let writing: Promise<void> | undefined
  let reportedAt = Number.NEGATIVE_INFINITY

  const report = (text: string, cause?: unknown): void => {
    const now = performance.now()
    if (now - reportedAt < reportMs) return
    reportedAt = now
    onError(new Error(text, { cause }))
  }

  /** Undefined if there are too many. A call costs little more than this key. */
  const findCounter = (minute: number, kind: CallKind): Counter | undefined => {
    const key = `${minute} ${kind.operation} ${kind.tier} ${kind.status} ${kind.rejection} ${kind.isCustomerPresent} ${kind.thirdPartyId}`
    const found = counters.get(key)
    if (found) return found
    if (counters.size >= countersMax) {
      if (kind.thirdPartyId !== '') return findCounter(minute, { ...kind, thirdPartyId: '' })
      if (counters.size >= 2 * countersMax) return undefined
    }
    const counter = { span: 'minute', start: minute, ...kind, ...emptySums() } as const
    counters.set(key, counter)
    return counter
  }

  const takeBatches = (): void => {
    if (counters.size + minutes.size + seconds.size === 0) return
    const counts = chunk(spread(counters.values(), calendar))
    const seen = chunk(listSeconds(seconds))
    const time = clock().epochMilliseconds
    const last = Math.max(1, counts.length, seen.length)
    for (let index = 0; index < last; index += 1) {
      number += 1
      const own = seen[index] ?? []
      batches.push({
        ...{ writer, number, time },
        counts: counts[index] ?? [],
        seconds: own,
        peaks: findPeakRanges(own, calendar),
        minutes: index === 0 ? [...minutes] : [],
      })
    }
    counters = new Map()
    seconds = new Map()
    minutes = new Set()
  }

  const writeBatches = async (): Promise<void> => {
    for (let [batch] = batches; batch; [batch] = batches) {
      await store.add(batch)
      batches = batches.slice(1)
    }
  }

  const writeAll = async (): Promise<void> => {
    try {
      // While the database is away, further counts stay in the counters, whose number is bounded.
      await writeBatches()
      takeBatches()
      await writeBatches()
      await store.purge(purgeSeconds() * 1000)
    } catch (error) {
      report('counts of calls could not be written', error)
    }
  }

  /** Writes what was counted. Never rejects. */
  const write = (): Promise<void> => {
    writing ??= writeAll().finally(() => {
      writing = undefined
    })
    return writing
  }

  const timer = setInterval(() => {
    const { minute } = calendar.starts(clock().epochMilliseconds)
    minutes.add(minute)
    const [oldest] = minutes
    if (minutes.size > minutesMax && oldest !== undefined) minutes.delete(oldest)
    void write()
  }, writeSeconds * 1000)
  timer.unref()

  return {
    count(call: CountedCall): void {
      const { operation, durationMs } = call
      const time = clock().epochMilliseconds
      const second = Math.floor(time / 1000)
      const isCustomerPresent = operation.unattendedTier !== undefined && call.isCustomerPresent
      const tier = (isCustomerPresent ? undefined : operation.unattendedTier) ?? operation.tier
      const counter = findCounter(time - (time % 60_000), {
        operation: operation.name,
        tier,
        isAuthenticated: operation.isAuthenticated,
        status: call.status,
        rejection: call.rejection ?? '',
        thirdPartyId: call.thirdPartyId ?? '',
        isCustomerPresent,
      })
      if (!counter) {
        report('too many kinds of calls: some are not counted')
        return
      }
      counter.calls += 1
      counter.microseconds += Math.round(durationMs * 1000)
      const percent = (durationMs / performanceTiers[tier]) * 100
      for (
        let index = latencyBounds.length - 1;
        percent <= (latencyBounds[index] ?? -1);
        index -= 1
      ) {
        counter.within[index] = (counter.within[index] ?? 0) + 1
      }
      const found = seconds.getOrInsertComputed(second, emptySecond)
      found[operation.isAuthenticated ? 'authenticated' : 'unauthenticated'] += 1
      const [oldest] = seconds.keys()
      if (seconds.size > secondsMax && oldest !== undefined) seconds.delete(oldest)
    },
    write,
    /** Writes the rest, if the database responds in time. */
    async close(): Promise<void> {
      clearInterval(timer)
      await writing
      if (batches.length === 0 && counters.size === 0) return
      await Promise.race([write(), wait(closeMsMax, undefined, { ref: false })])
    },
  }
}

const emptySums = () => ({ calls: 0, microseconds: 0, within: latencyBounds.map(() => 0) })
const emptySecond = () => ({ authenticated: 0, unauthenticated: 0 })

/** The counts of every period, from those of minutes. In one order, so that concurrent transactions do not block each other. */
function spread(counters: Iterable<Counter>, calendar: Calendar): UsageCount[] {
  const found = new Map<string, Counter>()
  for (const counter of counters) {
    const starts = calendar.starts(counter.start)
    for (const span of calendar.spans) {
      const start = starts[span]
      const { operation, tier, status, rejection, thirdPartyId, isCustomerPresent } = counter
      const key = `${span} ${start} ${operation} ${tier} ${status} ${rejection} ${isCustomerPresent} ${thirdPartyId}`
      const sum = found.getOrInsertComputed(key, () => ({
        ...{ ...counter, span, start },
        ...emptySums(),
      }))
      sum.calls += counter.calls
      sum.microseconds += counter.microseconds
      sum.within = sum.within.map((calls, index) => calls + (counter.within[index] ?? 0))
    }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count)
}

function listSeconds(
  seconds: ReadonlyMap<number, Omit<SecondCount, 'second'>>,
): readonly SecondCount[] {
  return [...seconds]
    .map(([second, counts]) => ({ second, ...counts }))
    .sort((a, b) => a.second - b.second)
}

function findPeakRanges(seconds: readonly SecondCount[], calendar: Calendar): PeakRange[] {
  const ranges = new Map<string, PeakRange>()
  for (const { second } of seconds) {
    const starts = calendar.starts(second * 1000)
    for (const span of calendar.spans) {
      const key = `${span} ${starts[span]}`
      const firstSecond = ranges.get(key)?.firstSecond ?? second
      ranges.set(key, { span, start: starts[span], firstSecond, lastSecond: second })
    }
  }
  return [...ranges.values()]
}

function chunk<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / batchMax)
  return Array.from({ length: count }, (_, index) =>
    items.slice(index * batchMax, (index + 1) * batchMax),
  )
}
