import { escapeInvisible } from '../../contract/characters.ts'
import { type RecordType, recordTypes } from '../../contract/index.ts'
import type { CommitResult } from '../../intake/commits.ts'
import { type Counts, type LineCounts, lineOutcomes } from '../../intake/line-counts.ts'
import type { LoadResult } from '../../intake/load.ts'
import type { LineSource } from '../../intake/source.ts'
import { type StopSignal, signalStatus } from '../../server/signals.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'
import { formatCount, formatQuantity } from '../common/format-count.ts'
import { formatTable } from '../common/format-table.ts'
import { formatWarnings } from './format-warnings.ts'
import type { RejectedRows } from './rejects.ts'

interface ReportOptions {
  readonly inputs: readonly Pick<LineSource, 'name' | 'countRows'>[]
  /** Where the lines were loaded to. */
  readonly target: string
  readonly dryRun?: true
  /** The file of --rejects. */
  readonly rejects?: string
  readonly rejected?: RejectedRows | undefined
  readonly seconds: number
}

/** Prints what a load did, or throws it if there were errors. */
export function reportResult(result: LoadResult, options: ReportOptions, terminal: Terminal): void {
  const { lines, errors } = result
  const { dryRun, seconds, inputs, target } = options
  const details = formatDetails(result)
  if (errors > 0) {
    const found = `${formatQuantity(errors, 'error')} in ${formatQuantity(lines, 'line')}`
    const unread = result.unread.map(
      ({ file, line }) =>
        `${inputs[file]?.name} was not read from line ${line} on: correct it there, and load the same data again`,
    )
    const failure = [`${found}. ${formatFailure(result, options)}`, ...unread, ...details]
    throw new CommandError(1, failure.map(escapeInvisible).join('\n'))
  }
  if (result.isRejected) {
    const rejected = `Rejected because of warnings, in ${formatQuantity(lines, 'line')}. Nothing was changed.`
    throw new CommandError(1, [rejected, ...details].join('\n'))
  }
  const [done, outcome] = dryRun
    ? ['validated', '. Nothing was changed.']
    : [`loaded into ${escapeInvisible(target)}`, '']
  const rate = formatCount(Math.round(lines / Math.max(seconds, 0.001)))
  const success = `${formatQuantity(lines, 'line')} ${done} in ${seconds.toFixed(1)} s (${rate} lines per second)${outcome}`
  terminal.out(`${[success, ...formatRows(lines, inputs), ...details].join('\n')}\n`)
}

/** Without a line, all rows may have been meant to become lines: a mapping function skips those for which it returns null. */
function formatRows(lines: number, inputs: ReportOptions['inputs']): string[] {
  const rows = inputs.reduce((sum, { countRows }) => sum + (countRows?.() ?? 0), 0)
  if (lines > 0 || rows === 0) return []
  return [`${formatQuantity(rows, 'row')} read: the mapping function returned no line`]
}

function formatFailure(result: LoadResult, { rejects = '', rejected }: ReportOptions): string {
  if (result.commits === 0) return 'Nothing was changed.'
  if (result.unread.length > 0) return formatCommitted(result)
  if (!rejected) return 'Batches with errors were not committed.'
  return `The valid lines were committed. ${formatRejected(rejects, rejected)}`
}

function formatRejected(file: string, { rows, tooLong }: RejectedRows): string {
  const long = tooLong > 0 ? `, except for ${formatQuantity(tooLong, 'line')} too long to copy` : ''
  return `${formatQuantity(rows, 'line')} rejected: see ${file}${long}.`
}

export function createStoppedError(signal: StopSignal, result: CommitResult): CommandError {
  const outcome =
    result.commits === 0
      ? 'Nothing was changed.'
      : `${formatCommitted(result)} Load the same data again to complete it.`
  const message = [`Stopped by ${signal}. ${outcome}`, ...formatCounts(result.counts)].join('\n')
  return new CommandError(signalStatus[signal], message)
}

/** Of a load in batches that did not reach its end. */
function formatCommitted({ linesCommitted }: CommitResult): string {
  return `Committed: the batches of the first ${formatQuantity(linesCommitted, 'line')}, except those with errors. Not committed: all later lines.`
}

function formatDetails(result: LoadResult): string[] {
  return [...formatCounts(result.counts), ...formatWarnings(result)]
}

/** A table of the committed lines, with a row for each type that occurs. */
function formatCounts(counts: LineCounts): string[] {
  const types = (Object.keys(recordTypes) as RecordType[]).filter((type) => counts.has(type))
  if (types.length === 0) return []
  const rows = [
    ['', ...lineOutcomes],
    ...types.map((type) => [type, ...formatRow(counts.get(type))]),
  ]
  return formatTable(rows, (column) => column > 0)
}

function formatRow(counts: Counts | undefined): string[] {
  return lineOutcomes.map((outcome) => formatCount(counts?.[outcome] ?? 0))
}
