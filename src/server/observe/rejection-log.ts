import { refusalCircumstances } from '../../contract/index.ts'
import { rejectionsMax, storedRefusalsMax, storedRejectionsMax } from '../../contract/limits.ts'
import type { FailedRequest } from '../../http/request-log.ts'

const hourMs = 60 * 60_000
/** How long a refusal is kept. The list of all rejected requests has it for an hour, like the others. */
const refusalMs = 24 * hourMs

export interface RejectionQuery {
  readonly reason?: string | undefined
  readonly interactionId?: string | undefined
  /** Only requests for which the provider refused to share. */
  readonly refused?: boolean | undefined
  /** false: without requests of the console and of checks. */
  readonly tools?: boolean | undefined
}

/** Requests that failed for the same reason. */
export type FailureCount = Pick<
  FailedRequest,
  'role' | 'status' | 'code' | 'reason' | 'circumstance' | 'tool'
> & { readonly count: number }

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

/**
 * Keeps the last failed requests in memory. Each circumstance of a refusal has a place of its own, so that neither
 * rejected tokens nor requests over a rate limit displace a refusal that prevents harm.
 */
export function openRejectionLog(now: () => number = Date.now): RejectionLog {
  const others = openRing(storedRejectionsMax, hourMs, now)
  const refusals = new Map(
    refusalCircumstances.map((name) => [name, openRing(storedRefusalsMax, refusalMs, now)]),
  )
  const listRefusals = () => [...refusals.values()].flatMap(({ list }) => list())
  const entries = () => [...others.list(), ...listRefusals()].sort((a, b) => a.time - b.time)
  return {
    record(failed) {
      const refusal = failed.circumstance && refusals.get(failed.circumstance)
      const ring = refusal ?? others
      ring.add(failed)
    },
    entries,
    report({ reason, interactionId, refused, tools = true } = {}) {
      const isListOfAll = !refused && interactionId === undefined
      const oldest = isListOfAll ? now() - hourMs : 0
      return toReport(
        (refused ? listRefusals() : entries()).filter(
          (entry) =>
            entry.time >= oldest &&
            (tools || entry.tool === undefined) &&
            (reason === undefined || entry.reason === reason) &&
            (interactionId === undefined ||
              entry.interactionId.toLowerCase() === interactionId.toLowerCase()),
        ),
      )
    },
  }
}

/** Keeps the last entries, the oldest first. */
function openRing(entriesMax: number, keptMs: number, now: () => number) {
  const kept: FailedRequest[] = []
  let next = 0
  return {
    add(entry: FailedRequest): void {
      kept[next] = entry
      next = (next + 1) % entriesMax
    },
    list(): FailedRequest[] {
      const oldest = now() - keptMs
      return [...kept.slice(next), ...kept.slice(0, next)].filter(({ time }) => time >= oldest)
    },
  }
}

function toReport(entries: readonly FailedRequest[]): RejectionReport {
  const reasons = [...Map.groupBy(entries, groupKey).values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const { role, status, code, reason, circumstance, tool } = first
    return { role, status, code, reason, circumstance, tool, count: group.length }
  })
  return mergeReports([{ rejections: entries, reasons }])
}

function groupKey(failure: Omit<FailureCount, 'count'>) {
  const { role, status, code, reason, circumstance, tool } = failure
  return JSON.stringify([role, status, code, reason, circumstance, tool])
}

/** Combines the reports of several processes. */
export function mergeReports(reports: readonly RejectionReport[]): RejectionReport {
  const rejections = reports
    .flatMap((report) => report.rejections)
    .sort((a, b) => b.time - a.time)
    .slice(0, rejectionsMax)
  const groups = Map.groupBy(
    reports.flatMap(({ reasons }) => reasons),
    groupKey,
  )
  const reasons = [...groups.values()].flatMap((group) => {
    const [first] = group
    return first ? { ...first, count: group.reduce((sum, { count }) => sum + count, 0) } : []
  })
  return { rejections, reasons: reasons.sort((a, b) => b.count - a.count) }
}
