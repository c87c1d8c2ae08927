import { escapeInvisible } from '../../contract/characters.ts'
import { type RecordType, recordTypes } from '../../contract/index.ts'
import { type Counts, type LineCounts, lineOutcomes } from '../../load/line-counts.ts'
import type { LeftOutFields, LoadResult } from '../../load/load.ts'
import { type StopSignal, signalStatus } from '../../server/signals.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'
import { formatCount } from '../common/format-count.ts'
import { formatQuantity } from './format-quantity.ts'
import type { RejectedRows } from './rejects.ts'

/** How many names of fields that were left out are printed. */
const leftOutShownMax = 20

interface ReportOptions {
  readonly dryRun?: true
  /** The file of --rejects. */
  readonly rejects?: string
  readonly rejected?: RejectedRows | undefined
  readonly seconds: number
}

function formatRejected(file: string, { rows, tooLong }: RejectedRows): string {
  const long = tooLong > 0 ? `, except for ${formatQuantity(tooLong, 'line')} too long to copy` : ''
  return `The valid lines were committed. ${formatQuantity(rows, 'line')} rejected: see ${file}${long}.`
}

/** Prints what a load did, or throws it if there were errors. */
export function reportResult(
  result: LoadResult,
  { dryRun, rejects, rejected, seconds }: ReportOptions,
  terminal: Terminal,
): void {
  const { lines, errors, commits } = result
  const details = formatDetails(result)
  if (errors > 0) {
    const outcome = rejected
      ? formatRejected(rejects ?? '', rejected)
      : commits === 0
        ? 'Nothing was changed.'
        : 'Batches with errors were not committed.'
    const failure = `${formatQuantity(errors, 'error')} in ${formatQuantity(lines, 'line')}. ${outcome}`
    throw new CommandError(1, [failure, ...details].join('\n'))
  }
  const [done, outcome] = dryRun ? ['validated', '. Nothing was changed.'] : ['loaded', '']
  const rate = formatCount(Math.round(lines / Math.max(seconds, 0.001)))
  const success = `${formatQuantity(lines, 'line')} ${done} in ${seconds.toFixed(1)} s (${rate} lines per second)${outcome}`
  terminal.out(`${[success, ...details].join('\n')}\n`)
}

export function createStoppedError(signal: StopSignal, result: LoadResult): CommandError {
  const { commits, linesCommitted } = result
  const outcome =
    commits === 0
      ? 'Nothing was changed.'
      : `Committed: the batches of the first ${formatQuantity(linesCommitted, 'line')}, except those with errors. Not committed: all later lines, and lines that refer to an account or a customer that was not loaded yet. Load the same data again to complete it.`
  const message = [`Stopped by ${signal}. ${outcome}`, ...formatCounts(result.counts)].join('\n')
  return new CommandError(signalStatus[signal], message)
}

function formatDetails({ counts, leftOut, customersWithoutEmail }: LoadResult): string[] {
  return [
    ...formatCounts(counts),
    ...(leftOut.total > 0 ? [formatLeftOut(leftOut)] : []),
    ...(customersWithoutEmail > 0 ? [formatWithoutEmail(customersWithoutEmail)] : []),
  ]
}

/** A table of the committed lines, with a row for each type that occurs. */
function formatCounts(counts: LineCounts): string[] {
  const types = (Object.keys(recordTypes) as RecordType[]).filter((type) => counts.has(type))
  if (types.length === 0) return []
  const rows = [
    ['', ...lineOutcomes],
    ...types.map((type) => [type, ...formatRow(counts.get(type))]),
  ]
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths?.[column] ?? 0
        return column === 0 ? cell.padEnd(width) : cell.padStart(width)
      })
      .join('  '),
  )
}

function formatRow(counts: Counts | undefined): string[] {
  return lineOutcomes.map((outcome) => formatCount(counts?.[outcome] ?? 0))
}

/** The fields that were left out most often, with their numbers. */
function formatLeftOut({ total, byField }: LeftOutFields): string {
  const shown = [...byField]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, leftOutShownMax)
  const rest = total - shown.reduce((sum, [, times]) => sum + times, 0)
  const parts = [
    ...shown.map(([field, times]) => `${field} ${formatCount(times)}`),
    ...(rest > 0 ? [`others ${formatCount(rest)}`] : []),
  ]
  return escapeInvisible(`${formatQuantity(total, 'unknown field')} left out: ${parts.join(', ')}`)
}

function formatWithoutEmail(customers: number): string {
  const [verb, them] = customers === 1 ? ['has', 'it'] : ['have', 'them']
  return `${formatQuantity(customers, 'customer')} ${verb} no e-mail address: the consent flow cannot find ${them}`
}
