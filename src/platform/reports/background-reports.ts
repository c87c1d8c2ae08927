import { setTimeout as wait } from 'node:timers/promises'
import type { ReportState } from '../../contract/index.ts'
import type { DisclosureRecordStore } from '../../disclosures/store.ts'
import { countRecords, type RecordCounts } from './count-records.ts'
import { isFinished, type ReportPeriod } from './period.ts'
import { makeReport, type ReportOptions, requirePeriod } from './report.ts'

/** How long a request waits for the end of a count. */
const answerMs = 1000

/** How long the counts of an unfinished period are reused. */
const reuseMs = 60_000

interface BackgroundReportsOptions extends ReportOptions {
  readonly store: Pick<DisclosureRecordStore, 'list'>
}

interface Count {
  readonly done: Promise<RecordCounts>
  countedTo?: Temporal.Instant
  /** When it is counted again. */
  expires: number
}

/** Makes reports of records that are counted in the background, one period after another. */
export function openBackgroundReports(options: BackgroundReportsOptions) {
  const { store, clock } = options
  const closing = new AbortController()
  /** By period, of which there are few: all of their records are kept. */
  const counts = new Map<string, Count>()
  let last: Promise<unknown> = Promise.resolve()

  const start = (period: ReportPeriod): Count => {
    const begin = async (): Promise<RecordCounts> => {
      closing.signal.throwIfAborted()
      const now = clock()
      const counted = await countRecords(store, period, (time) => {
        closing.signal.throwIfAborted()
        count.countedTo = time
      })
      count.expires = isFinished(period, now)
        ? Number.POSITIVE_INFINITY
        : performance.now() + reuseMs
      return counted
    }
    const done = last.then(begin)
    const count: Count = { done, expires: Number.POSITIVE_INFINITY }
    last = done.catch(() => {})
    counts.set(period.name, count)
    return count
  }

  return {
    /** Throws if there is no report of the period, or if its records cannot be read: the next call counts them again. */
    async read(name: string): Promise<ReportState> {
      const period = requirePeriod(name, options)
      const known = counts.get(name)
      const count = known && performance.now() < known.expires ? known : start(period)
      try {
        const counted = await Promise.race([
          count.done,
          wait(answerMs, undefined, { ref: false, signal: closing.signal }),
        ])
        if (counted) return { report: await makeReport(period, counted, options) }
      } catch (error) {
        if (counts.get(name) === count) counts.delete(name)
        throw error
      }
      const { countedTo } = count
      return countedTo ? { countedTo: countedTo.toString() } : {}
    },
    /** Ends counts after the blocks that they are reading. */
    async close(): Promise<void> {
      closing.abort()
      await last
    },
  }
}
