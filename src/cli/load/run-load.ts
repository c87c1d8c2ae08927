import type { CommitResult } from '../../intake/commits.ts'
import { type LoadOptions, type LoadResult, load } from '../../intake/load.ts'
import type { LineSource } from '../../intake/source.ts'
import type { ProviderWriter, WriterOptions } from '../../intake/writer.ts'
import { databaseOptions } from '../../server/database-options.ts'
import { disablePretenuring, limitYoungGeneration } from '../../server/garbage-collection.ts'
import { type LoadMetrics, openLoadMetrics } from '../../server/observe/load-metrics.ts'
import type { Stopping } from '../../server/signals.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'
import { MissingDatabase } from '../../storage/database.ts'
import { deleteEmptyDatabase, openProviderWriter, openTemporaryWriter } from '../../storage/open.ts'
import { prepareDatabase } from '../common/database.ts'
import { describeDatabase } from '../common/describe-database.ts'
import { openLoadProgress } from '../common/load-progress.ts'
import { type CommandSettings, readCommandSettings } from '../common/setting-flags.ts'
import { openErrorFile, openErrorReport } from './error-report.ts'
import type { LoadFlags } from './flags.ts'
import { openInputs, requireNoInput, toInputError, totalSize } from './inputs.ts'
import { openRejects } from './rejects.ts'
import { createStoppedError, reportResult } from './report-result.ts'

const nothingCommitted: CommitResult = { commits: 0, linesCommitted: 0, counts: new Map() }

/** Loads inputs to their end. */
export async function runLoad(
  names: readonly string[],
  flags: LoadFlags,
  terminal: Terminal,
  { signal, stoppedBy }: Stopping,
): Promise<void> {
  const { batch } = flags
  if (flags.skipInvalid && flags.dryRun) {
    throw new CommandError(2, '--skip-invalid and --dry-run exclude each other')
  }
  if (flags.errors !== undefined) requireNoInput('--errors', flags.errors, names)
  const settings = readCommandSettings('provider', flags, terminal)
  const opened = await openInputs(names, flags, terminal)
  const hasTables = (flags.type ?? flags.map) !== undefined
  const rejects =
    flags.rejects === undefined
      ? undefined
      : openRejects(flags.rejects, opened, hasTables && opened.length > 1)
  const inputs = rejects?.inputs ?? opened
  const reports = openReports(inputs, flags, terminal)
  const started = performance.now()
  const writerOptions = {
    inBatches: batch !== undefined && !flags.dryRun,
    isSlow: totalSize(inputs) === undefined,
    onWait: reports.onWait,
    signal,
  }
  try {
    const result = await loadInputs(inputs, settings, writerOptions, terminal, {
      ...(batch !== undefined && { batch }),
      dryRun: flags.dryRun ?? false,
      strict: flags.strict ?? false,
      skipInvalid: rejects !== undefined,
      unknownFields: flags.unknownFields,
      signal,
      onProgress: reports.onProgress,
      onError(error, text) {
        reports.onError(error, text)
        if (!error.endsSource && !error.isStored) rejects?.add(error)
      },
    }).catch((error) => {
      const stop = stoppedBy()
      // The signal arrived before the first line was read.
      throw stop && error === signal.reason ? createStoppedError(stop, nothingCommitted) : error
    })
    reports.complete(result)
    const isLoadedAgain = result.commits === 0 || result.unread.length > 0
    const rejected = isLoadedAgain ? undefined : await rejects?.finish()
    const stop = result.isStopped ? stoppedBy() : undefined
    if (stop) throw createStoppedError(stop, result)
    const seconds = (performance.now() - started) / 1000
    const target = describeDatabase(settings.database)
    reportResult(result, { ...flags, inputs, rejected, seconds, target }, terminal)
  } finally {
    await reports.close()
    rejects?.close()
  }
}

async function loadInputs(
  inputs: readonly LineSource[],
  settings: CommandSettings,
  writerOptions: Omit<WriterOptions, 'loadTime'>,
  terminal: Terminal,
  options: LoadOptions,
): Promise<LoadResult> {
  const isNew = await prepareDatabase(settings, !options.dryRun, terminal)
  const open = options.dryRun ? openForDryRun : openWriter
  const writer = await open(
    settings,
    { ...writerOptions, loadTime: Temporal.Now.instant() },
    terminal,
  )
  disablePretenuring()
  limitYoungGeneration()
  let isLoaded = false
  try {
    const result = await load(inputs, writer, options)
    isLoaded = isSuccessful(result)
    return result
  } catch (error) {
    throw toInputError(error)
  } finally {
    await writer.close()
    if (isNew && !isLoaded) await deleteEmptyDatabase(settings.database)
  }
}

function openWriter(settings: CommandSettings, options: WriterOptions): Promise<ProviderWriter> {
  return openProviderWriter(settings.database, options, databaseOptions(settings))
}

async function openForDryRun(
  settings: CommandSettings,
  options: WriterOptions,
  terminal: Terminal,
): Promise<ProviderWriter> {
  try {
    return await openWriter(settings, options)
  } catch (error) {
    if (!(error instanceof MissingDatabase)) throw error
    terminal.error('there is no database yet: validating against an empty one\n')
    return openTemporaryWriter(options)
  }
}

function isSuccessful({ errors, isRejected, isStopped }: LoadResult): boolean {
  return errors === 0 && !isRejected && !isStopped
}

/** The progress line, the metrics and the errors of a load. */
function openReports(inputs: readonly LineSource[], flags: LoadFlags, terminal: Terminal) {
  const size = totalSize(inputs)
  const errorFile = flags.errors === undefined ? undefined : openErrorFile(flags.errors, terminal)
  const metrics = openMetrics(flags.metricsFile, size)
  const progress = openLoadProgress(terminal, size)
  const errors = openErrorReport(inputs, errorFile, flags.showValues ?? false, terminal)
  let state = { lines: 0, bytes: 0 }
  let isSuccess = false
  return {
    onWait(): void {
      progress.clear()
      terminal.error('waiting for another load to finish\n')
    },
    onProgress(reached: typeof state): void {
      state = reached
      progress.show(reached)
      metrics?.progress({ ...reached, errors: errors.count() })
    },
    onError: errors.add,
    complete(result: LoadResult): void {
      isSuccess = isSuccessful(result) && !flags.dryRun
      state = { ...state, lines: result.lines }
      progress.clear()
    },
    async close(): Promise<void> {
      progress.clear()
      metrics?.finish({ ...state, errors: errors.count() }, isSuccess)
      await errors.finish()
    },
  }
}

/** Called before anything is loaded, so that a file that cannot be written does not waste a load. */
function openMetrics(file: string | undefined, size: number | undefined): LoadMetrics | undefined {
  if (file === undefined) return undefined
  try {
    return openLoadMetrics(file, size)
  } catch {
    throw new CommandError(2, `${file} cannot be written`)
  }
}
