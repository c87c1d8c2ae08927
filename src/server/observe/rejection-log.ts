import { rejectionsMax, storedRejectionsMax } from '../../contract/limits.ts'
import type { FailedRequest } from '../../http/request-log.ts'

/** How long a rejected request is kept. */
const keptMs = 60 * 60_000

export interface RejectionQuery {
  readonly reason?: string | undefined
  readonly interactionId?: string | undefined
}

/** Requests that failed for the same reason. */
export type FailureCount = Pick<FailedRequest, 'role' | 'status' | 'code' | 'reason'> & {
  readonly count: number
}

/** The latest requests, the latest first, and the number of all that match the query, by reason. */
export interface RejectionReport {
  readonly rejections: readonly FailedRequest[]
  readonly reasons: readonly FailureCount[]
}

export interface RejectionLog {
  record(failed: FailedRequest): void
  report(query?: RejectionQuery): RejectionReport
  /** All requests that are kept, the oldest first. */
  entries(): readonly FailedRequest[]
}

/** Keeps the last failed requests in memory, for at most an hour. */
export function openRejectionLog(now: () => number = Date.now): RejectionLog {
  const kept: FailedRequest[] = []
  let next = 0
  const entries = (): FailedRequest[] => {
    const oldest = now() - keptMs
    return [...kept.slice(next), ...kept.slice(0, next)].filter(({ time }) => time >= oldest)
  }
  return {
    record(failed) {
      kept[next] = failed
      next = (next + 1) % storedRejectionsMax
    },
    entries,
    report: ({ reason, interactionId } = {}) =>
      toReport(
        entries().filter(
          (entry) =>
            (reason === undefined || entry.reason === reason) &&
            (interactionId === undefined ||
              entry.interactionId.toLowerCase() === interactionId.toLowerCase()),
        ),
      ),
  }
}

function toReport(entries: readonly FailedRequest[]): RejectionReport {
  const groups = Map.groupBy(entries, ({ role, status, code, reason }) =>
    JSON.stringify([role, status, code, reason]),
  )
  const reasons = [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const { role, status, code, reason } = first
    return { role, status, code, reason, count: group.length }
  })
  return mergeReports([{ rejections: entries, reasons }])
}

/** Combines the reports of several processes. */
export function mergeReports(reports: readonly RejectionReport[]): RejectionReport {
  const rejections = reports
    .flatMap((report) => report.rejections)
    .sort((a, b) => b.time - a.time)
    .slice(0, rejectionsMax)
  const groups = Map.groupBy(
    reports.flatMap(({ reasons }) => reasons),
    ({ role, status, code, reason }) => JSON.stringify([role, status, code, reason]),
  )
  const reasons = [...groups.values()].flatMap((group) => {
    const [first] = group
    return first ? { ...first, count: group.reduce((sum, { count }) => sum + count, 0) } : []
  })
  return { rejections, reasons: reasons.sort((a, b) => b.count - a.count) }
}
