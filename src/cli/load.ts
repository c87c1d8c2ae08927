import { Command, Option } from 'commander'
import type { UnknownFields } from '../load/line.ts'
import type { ProviderWriter, WriterOptions } from '../load/writer.ts'
import type { LoadMetrics } from '../observe/load-metrics.ts'
import { databaseOptions } from '../server/database-options.ts'
import { abortOnSignal, type Stopping } from '../server/signals.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import type { Settings } from '../settings/settings.ts'
import { databaseSettings, prepareDatabase } from './common/database.ts'
import { openLoadProgress } from './common/load-progress.ts'
import { addSettingFlags, readCommandSettings } from './common/setting-flags.ts'
import { openErrorFile, openErrorReport } from './load/error-report.ts'
import { type FollowFlags, isFollowing, runFollow } from './load/follow.ts'
import { addInputFlags, type InputFlags } from './load/input-flags.ts'
import { openInputs, toInputError, totalSize } from './load/inputs.ts'
import { parseBatch } from './load/parse-number.ts'
import { openRejects } from './load/rejects.ts'
import { createStoppedError, reportResult } from './load/summary.ts'

interface Flags extends InputFlags, FollowFlags {
  readonly batch?: string
  readonly dryRun?: true
  readonly unknownFields: UnknownFields
  readonly errors?: string
  readonly showValues?: true
  readonly skipInvalid?: true
  readonly rejects?: string
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
    .option(
      '--follow',
      'load lines as they are written to a file, which may be rotated, or to standard input',
    )
    .option(
      '--feed <name>',
      'with --follow: remember the position, so that a follower that is started again continues there',
    )
    .option(
      '--flush-ms <milliseconds>',
      'with --follow: commit lines after this time even if the batch is not full; 200 by default',
    )
    .addOption(
      new Option(
        '--unknown-fields <action>',
        'what to do with fields of a record that the interface does not have: reject the line, or drop the fields and count them',
      )
        .choices(['reject', 'drop'])
        .default('reject'),
    )
    .option('--errors <file>', 'write every error to a file, one per line')
    .option(
      '--show-values',
      'print the value of the first error of each cause, which may be personal data',
    )
    .option(
      '--skip-invalid',
      'commit the valid lines; requires --rejects, and exits with 1 if lines were skipped',
    )
    .option(
      '--rejects <file>',
      'write the lines that were skipped to a file, to be corrected and loaded',
    )
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
  holdfast load --follow --feed core changes.ndjson

A load that is stopped by a signal reports what was committed and exits with 130 (SIGINT) or 143 (SIGTERM). With --follow, it commits all complete lines and exits with 0.`,
    )
  return addSettingFlags(command, 'provider', databaseSettings).action(
    (names: string[], flags: Flags) =>
      abortOnSignal((signal, stoppedBy) => {
        const run = isFollowing(flags) ? runFollow : runLoad
        return run(names, flags, terminal, { signal, stoppedBy })
      }),
  )
}

async function runLoad(
  names: readonly string[],
  flags: Flags,
  terminal: Terminal,
  { signal, stoppedBy }: Stopping,
): Promise<void> {
  const batch = parseBatch(flags.batch)
  checkRejectFlags(names, flags)
  const settings = readCommandSettings('provider', flags, terminal)
  const opened = await openInputs(names, flags, terminal)
  const rejects = flags.rejects === undefined ? undefined : openRejects(flags.rejects, opened)
  const inputs = rejects?.inputs ?? opened
  const size = totalSize(inputs)
  const errorFile = flags.errors === undefined ? undefined : openErrorFile(flags.errors, terminal)
  const metrics = await openMetrics(flags.metricsFile, size)
  const progress = openLoadProgress(terminal, size)
  const errors = openErrorReport(inputs, errorFile, flags.showValues ?? false, terminal)
  const state = { lines: 0, bytes: 0 }
  let isSuccess = false
  const started = performance.now()
  const finish = async () => {
    progress.clear()
    metrics?.finish({ ...state, errors: errors.count() }, isSuccess)
    await errors.finish()
    rejects?.close()
  }
  const writerOptions = {
    inBatches: (batch !== undefined || rejects !== undefined) && !flags.dryRun,
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
  const writer = await openWriter(settings, writerOptions, flags, terminal).catch(async (error) => {
    await finish()
    throw error
  })
  disablePretenuring()
  limitYoungGeneration()
  try {
    const result = await load(inputs, writer, {
      ...(batch !== undefined && { batch }),
      dryRun: flags.dryRun ?? false,
      skipInvalid: rejects !== undefined,
      unknownFields: flags.unknownFields,
      signal,
      onProgress(reached) {
        progress.show(reached)
        metrics?.progress({ ...Object.assign(state, reached), errors: errors.count() })
      },
      onError(error, text) {
        errors.add(error, text)
        rejects?.add(error)
      },
    })
    isSuccess = result.errors === 0 && !result.isStopped && !flags.dryRun
    state.lines = result.lines
    progress.clear()
    const rejected = await rejects?.finish()
    const stop = result.isStopped ? stoppedBy() : undefined
    if (stop) throw createStoppedError(stop, result)
    const seconds = (performance.now() - started) / 1000
    reportResult(result, { ...flags, rejected, seconds }, terminal)
  } catch (error) {
    throw toInputError(error)
  } finally {
    await finish()
    await writer.close()
  }
}

function checkRejectFlags(names: readonly string[], flags: Flags): void {
  const { skipInvalid, rejects, dryRun, type, map } = flags
  if ((skipInvalid === undefined) !== (rejects === undefined)) {
    throw new CommandError(2, '--skip-invalid and --rejects require each other')
  }
  if (rejects === undefined) return
  if (dryRun) throw new CommandError(2, '--skip-invalid and --dry-run exclude each other')
  if (names.length > 1 && (type ?? map) !== undefined) {
    throw new CommandError(2, '--rejects has the rows of one table: load one table at a time')
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

/** Called before anything is loaded, so that a file that cannot be written does not waste a load. */
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
