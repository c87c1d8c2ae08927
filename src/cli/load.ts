import { createWriteStream, type WriteStream } from 'node:fs'
import { Command, Option } from 'commander'
import { escapeInvisible } from '../contract/characters.ts'
import type { UnknownFields } from '../load/line.ts'
import type { LeftOutFields, LoadResult } from '../load/load.ts'
import type { LineSource } from '../load/source.ts'
import type { LineError, ProviderWriter, WriterOptions } from '../load/writer.ts'
import type { LoadMetrics } from '../observe/load-metrics.ts'
import { databaseOptions } from '../server/database-options.ts'
import { abortOnSignal, type StopSignal, signalStatus } from '../server/signals.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import type { Settings } from '../settings/settings.ts'
import { systemReason } from '../storage/system-reason.ts'
import { databaseSettings, prepareDatabase } from './common/database.ts'
import { formatCount } from './common/format-count.ts'
import { openLoadProgress, type ProgressLine } from './common/load-progress.ts'
import { openPrivateFile } from './common/private-file.ts'
import { addSettingFlags, readCommandSettings } from './common/setting-flags.ts'
import { addInputFlags, type InputFlags } from './load/input-flags.ts'
import { openInputs, toInputError, totalSize } from './load/inputs.ts'

/** How many errors are printed; --errors writes all of them to a file. */
const errorsShownMax = 20

/** How many names of fields that were left out are printed. */
const leftOutShownMax = 20

interface Flags extends InputFlags {
  readonly batch?: string
  readonly dryRun?: true
  readonly unknownFields: UnknownFields
  readonly errors?: string
  readonly metricsFile?: string
  readonly database?: string
}

export function loadCommand(terminal: Terminal): Command {
  const command = addInputFlags(new Command('load'))
    .summary('load data from files or a PostgreSQL database')
    .description(
      'Loads customers, accounts, histories and products into the database: from NDJSON files (one JSON object per line), or from CSV files, TSV files and queries on a PostgreSQL database with --type or --map. A load is atomic: readers see all of it or nothing. Loading a file again changes nothing.',
    )
    .option('--dry-run', 'validate the files without changing the database')
    .option('--batch <lines>', 'commit after every so many lines, instead of once at the end')
    .addOption(
      new Option(
        '--unknown-fields <action>',
        'what to do with fields of a record that the interface does not have: reject the line, or drop the fields and count them',
      )
        .choices(['reject', 'drop'])
        .default('reject'),
    )
    .option('--errors <file>', 'write all errors to a file')
    .option(
      '--metrics-file <file>',
      'write progress and result as metrics for the textfile collector of the Prometheus node exporter',
    )
    .addHelpText(
      'after',
      `
Examples:
  holdfast load customers.ndjson accounts.ndjson
  holdfast load --dry-run --errors errors.txt bank.ndjson
  holdfast generate --customers 1000 | holdfast load -
  holdfast load --type banking.transaction transactions.csv
  holdfast load --map map.ts customers.csv accounts.csv
  holdfast load --map map.ts --from postgres://reader@core/bank --query accounts.sql

A load that is stopped by a signal reports what was committed and exits with 130 (SIGINT) or 143 (SIGTERM).`,
    )
  return addSettingFlags(command, 'provider', databaseSettings).action(
    (names: string[], flags: Flags) =>
      abortOnSignal((signal, stoppedBy) => runLoad(names, flags, terminal, { signal, stoppedBy })),
  )
}

interface Stopping {
  readonly signal: AbortSignal
  readonly stoppedBy: () => StopSignal | undefined
}

async function runLoad(
  names: readonly string[],
  flags: Flags,
  terminal: Terminal,
  { signal, stoppedBy }: Stopping,
): Promise<void> {
  const batch = parseBatch(flags.batch)
  const settings = readCommandSettings('provider', flags, terminal)
  const inputs = await openInputs(names, flags, terminal)
  const size = totalSize(inputs)
  const errorFile = flags.errors === undefined ? undefined : openErrorFile(flags.errors, terminal)
  const metrics = await openMetrics(flags.metricsFile, size)
  const progress = openLoadProgress(terminal, size)
  const errors = openErrorReport(inputs, errorFile, progress, terminal)
  const state = { lines: 0, bytes: 0 }
  let isSuccess = false
  const started = performance.now()
  const finish = () => {
    progress.clear()
    metrics?.finish({ ...state, errors: errors.count() }, isSuccess)
    errorFile?.end()
  }
  const writerOptions = {
    inBatches: batch !== undefined && !flags.dryRun,
    isSlow: size === undefined,
    onWait() {
      progress.clear()
      terminal.error('waiting for another load to finish\n')
    },
    signal,
  }
  const { load } = await import('../load/load.ts')
  const { disablePretenuring, limitYoungGeneration } = await import(
    '../server/garbage-collection.ts'
  )
  const writer = await openWriter(settings, writerOptions, flags, terminal).catch((error) => {
    finish()
    throw error
  })
  disablePretenuring()
  limitYoungGeneration()
  try {
    const result = await load(inputs, writer, {
      ...(batch !== undefined && { batch }),
      dryRun: flags.dryRun ?? false,
      unknownFields: flags.unknownFields,
      signal,
      onProgress(reached) {
        progress.show(reached)
        metrics?.progress({ ...Object.assign(state, reached), errors: errors.count() })
      },
      onError: errors.report,
    })
    isSuccess = result.errors === 0 && !result.isStopped && !flags.dryRun
    state.lines = result.lines
    progress.clear()
    const stop = result.isStopped ? stoppedBy() : undefined
    if (stop) throw stoppedError(stop, result)
    reportResult(result, flags, (performance.now() - started) / 1000, terminal)
  } catch (error) {
    throw toInputError(error)
  } finally {
    finish()
    await writer.close()
  }
}

/** Prints the first errors, and writes all of them to the error file. */
function openErrorReport(
  inputs: readonly LineSource[],
  errorFile: WriteStream | undefined,
  progress: ProgressLine,
  terminal: Terminal,
) {
  let count = 0
  return {
    count: () => count,
    report({ file, line, path, reason, isUnknownField }: LineError): void {
      count += 1
      const hint = isUnknownField ? '; --unknown-fields drop leaves it out' : ''
      const text = escapeInvisible(
        `${inputs[file]?.name}:${line}: ${path || 'line'}: ${reason}${hint}`,
      )
      errorFile?.write(`${text}\n`)
      if (count > errorsShownMax) return
      progress.clear()
      terminal.error(`${text}\n`)
    },
  }
}

async function openWriter(
  settings: Pick<Settings, 'database'> & Partial<Settings>,
  writerOptions: Omit<WriterOptions, 'loadTime'>,
  { dryRun }: Flags,
  terminal: Terminal,
): Promise<ProviderWriter> {
  const { openProviderWriter } = await import('../storage/open.ts')
  await prepareDatabase(settings, !dryRun, terminal)
  return openProviderWriter(
    settings.database,
    { ...writerOptions, loadTime: Temporal.Now.instant() },
    databaseOptions(settings),
  )
}

function stoppedError(signal: StopSignal, { commits, linesCommitted }: LoadResult): CommandError {
  const outcome =
    commits === 0
      ? 'Nothing was changed.'
      : `Committed: the batches of the first ${count(linesCommitted, 'line')}, except those with errors. Not committed: all later lines, and lines that refer to an account or a customer that was not loaded yet. Load the same data again to complete it.`
  return new CommandError(signalStatus[signal], `Stopped by ${signal}. ${outcome}`)
}

function count(value: number, noun: string): string {
  return `${formatCount(value)} ${noun}${value === 1 ? '' : 's'}`
}

function reportResult(
  result: LoadResult,
  { dryRun }: Flags,
  seconds: number,
  terminal: Terminal,
): void {
  const { lines, errors, commits, leftOut, customersWithoutEmail } = result
  const summary = [
    ...(leftOut.total > 0 ? [formatLeftOut(leftOut)] : []),
    ...(customersWithoutEmail > 0 ? [formatWithoutEmail(customersWithoutEmail)] : []),
  ]
  if (errors > 0) {
    const shown = errors > errorsShownMax ? ` (the first ${errorsShownMax} are shown)` : ''
    const outcome =
      commits === 0 ? 'Nothing was changed.' : 'Batches with errors were not committed.'
    const failure = `${count(errors, 'error')} in ${count(lines, 'line')}${shown}. ${outcome}`
    throw new CommandError(1, [failure, ...summary].join('\n'))
  }
  const [done, outcome] = dryRun ? ['validated', '. Nothing was changed.'] : ['loaded', '']
  const rate = formatCount(Math.round(lines / Math.max(seconds, 0.001)))
  const success = `${count(lines, 'line')} ${done} in ${seconds.toFixed(1)} s (${rate} lines per second)${outcome}`
  terminal.out(`${[success, ...summary].join('\n')}\n`)
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
  return escapeInvisible(`${count(total, 'unknown field')} left out: ${parts.join(', ')}`)
}

function formatWithoutEmail(customers: number): string {
  const [verb, them] = customers === 1 ? ['has', 'it'] : ['have', 'them']
  return `${count(customers, 'customer')} ${verb} no e-mail address: the consent flow cannot find ${them}`
}

/** Called before anything is loaded, so that a file that cannot be written does not waste a load. */
function openErrorFile(name: string, terminal: Terminal): WriteStream {
  try {
    const stream = createWriteStream(name, { fd: openPrivateFile(name) })
    stream.once('error', (error: NodeJS.ErrnoException) =>
      terminal.error(`${name} is incomplete: ${systemReason(error.code)}\n`),
    )
    return stream
  } catch {
    throw new CommandError(2, `${name} cannot be written`)
  }
}

/** Called before anything is loaded, for the same reason. */
async function openMetrics(
  file: string | undefined,
  size: number | undefined,
): Promise<LoadMetrics | undefined> {
  if (file === undefined) return undefined
  const { openLoadMetrics } = await import('../observe/load-metrics.ts')
  try {
    return openLoadMetrics(file, size)
  } catch {
    throw new CommandError(2, `${file} cannot be written`)
  }
}

function parseBatch(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new CommandError(2, '--batch must be a whole number from 1 to 999999999')
  }
  return Number(text)
}
