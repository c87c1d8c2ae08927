import {
  createReadStream,
  createWriteStream,
  fstatSync,
  type Stats,
  statSync,
  type WriteStream,
} from 'node:fs'
import { basename } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Command } from 'commander'
import { escapeInvisible } from '../contract/characters.ts'
import type { LoadFile, LoadResult } from '../load/load.ts'
import type { LineError, ProviderWriter, WriterOptions } from '../load/writer.ts'
import type { LoadMetrics } from '../observe/load-metrics.ts'
import { databaseOptions } from '../server/database-options.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import type { Settings } from '../settings/settings.ts'
import { systemReason } from '../storage/system-reason.ts'
import { databaseSettings, prepareDatabase } from './database.ts'
import { openPrivateFile } from './private-file.ts'
import { progressOn } from './progress.ts'
import { addSettingFlags, settingsOf } from './settings-command.ts'
import { type StopSignal, stoppable, stoppedStatus } from './stoppable.ts'

/** How many errors are shown; `--errors` writes all of them to a file. */
const errorsShownMax = 20

interface Options {
  readonly batch?: string
  readonly dryRun?: true
  readonly errors?: string
  readonly metricsFile?: string
  readonly database?: string
}

export function loadCommand(terminal: Terminal): Command {
  const command = new Command('load')
    .summary('load lines of data')
    .description(
      'Reads files of JSON lines into the database: customers, accounts, histories, products. All of a load is seen by readers at once, or none of it; loading a file twice changes nothing.',
    )
    .argument('<file...>', 'files to read; - is standard input')
    .option('--dry-run', 'only check, and change nothing')
    .option('--batch <lines>', 'commit every so many lines, instead of all at once')
    .option('--errors <file>', 'write every error to a file')
    .option(
      '--metrics-file <file>',
      'write how far it is, and what came of it, as metrics for Prometheus’ node exporter',
    )
    .addHelpText(
      'after',
      '\nExample: holdfast load customers.ndjson accounts.ndjson\nStopped by a signal, it says what was committed and exits with 130 (SIGINT) or 143 (SIGTERM).',
    )
  return addSettingFlags(command, databaseSettings).action((names: string[], options: Options) =>
    stoppable((signal, stoppedBy) => run(names, options, terminal, { signal, stoppedBy })),
  )
}

interface Stopping {
  readonly signal: AbortSignal
  readonly stoppedBy: () => StopSignal | undefined
}

async function run(
  names: readonly string[],
  options: Options,
  terminal: Terminal,
  { signal, stoppedBy }: Stopping,
): Promise<void> {
  // A load makes garbage evenly and keeps nothing: a nursery that grows would only hold more of it.
  setFlagsFromString('--semi-space-growth-factor=1')
  const batch = batchOf(options.batch)
  const settings = settingsOf('demo', options, terminal)
  const files = names.map(fileOf)
  const errors = options.errors === undefined ? undefined : errorFile(options.errors, terminal)
  const { load } = await import('../load/load.ts')

  const place = ({ file, line, path, reason }: LineError) =>
    `${escapeInvisible(`${names[file]}:${line}: ${path || 'line'}: ${reason}`)}\n`
  const size = files.every(({ bytes }) => bytes !== undefined)
    ? files.reduce((sum, { bytes = 0 }) => sum + bytes, 0)
    : undefined
  const progress = progressOn(terminal, size)
  const metrics = await metricsIn(options.metricsFile, size)
  const state = { lines: 0, bytes: 0, errors: 0 }
  let isSuccess = false
  let shown = 0
  const started = performance.now()
  const writing = {
    inBatches: batch !== undefined && !options.dryRun,
    isSlow: files.some(({ bytes }) => bytes === undefined),
    onWait() {
      progress.clear()
      terminal.error('waiting for another load to finish\n')
    },
    signal,
  }
  const writer = await openWriter(settings, writing, options, terminal).catch((error: unknown) => {
    metrics?.finish(state, false)
    throw error
  })
  try {
    const result = await load(files, writer, {
      ...(batch !== undefined && { batch }),
      dryRun: options.dryRun ?? false,
      signal,
      onProgress(reached) {
        progress.show(reached)
        metrics?.progress(Object.assign(state, reached))
      },
      onError(error) {
        state.errors += 1
        errors?.write(place(error))
        shown += 1
        if (shown <= errorsShownMax) {
          progress.clear()
          terminal.error(place(error))
        }
      },
    })
    isSuccess = result.errors === 0 && !result.isStopped && !options.dryRun
    state.lines = result.lines
    progress.clear()
    const stop = result.isStopped ? stoppedBy() : undefined
    if (stop) throw stopped(stop, result)
    report(result, options, (performance.now() - started) / 1000, terminal)
  } catch (error) {
    throw failureOf(error)
  } finally {
    progress.clear()
    metrics?.finish(state, isSuccess)
    errors?.end()
    await writer.close()
  }
}

async function openWriter(
  settings: Pick<Settings, 'database'> & Partial<Settings>,
  writing: Omit<WriterOptions, 'loadTime'>,
  options: Options,
  terminal: Terminal,
): Promise<ProviderWriter> {
  const { openProviderWriter } = await import('../storage/open.ts')
  await prepareDatabase(settings, !options.dryRun, terminal)
  return openProviderWriter(
    settings.database,
    { ...writing, loadTime: Temporal.Now.instant() },
    databaseOptions(settings),
  )
}

function stopped(signal: StopSignal, { commits, linesCommitted }: LoadResult): CommandError {
  const outcome =
    commits === 0
      ? 'Nothing was changed.'
      : `Committed: the batches of the first ${count(linesCommitted, 'line')}, without those that have errors. Not committed: all later lines, and lines that waited for an account or a customer to come. Load the same data again to complete it.`
  return new CommandError(stoppedStatus[signal], `Stopped by ${signal}. ${outcome}`)
}

function count(value: number, noun: string): string {
  return `${value.toLocaleString('en')} ${noun}${value === 1 ? '' : 's'}`
}

function report(result: LoadResult, options: Options, seconds: number, terminal: Terminal): void {
  const { lines, errors, commits } = result
  if (errors > 0) {
    const rest = errors > errorsShownMax ? `, of which the first ${errorsShownMax} are above` : ''
    const kept = commits === 0 ? 'Nothing was changed.' : 'Their batches were left out.'
    throw new CommandError(
      1,
      `${count(errors, 'error')} in ${count(lines, 'line')}${rest}. ${kept}`,
    )
  }
  const done = options.dryRun ? 'checked, nothing changed' : 'loaded'
  const rate = Math.round(lines / Math.max(seconds, 0.001)).toLocaleString('en')
  terminal.out(
    `${count(lines, 'line')} ${done} in ${seconds.toFixed(1)} s (${rate} lines a second)\n`,
  )
}

/** A file that was found may still not be readable. */
function failureOf(error: unknown): unknown {
  const { syscall, code, path = 'the input' } = error as NodeJS.ErrnoException
  if (syscall !== 'open' && syscall !== 'read') return error
  return new CommandError(1, `${path} cannot be read: ${systemReason(code)}`, { cause: error })
}

/** Opened before anything is read: a file that cannot be written should not cost a load. */
function errorFile(name: string, terminal: Terminal): WriteStream {
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

/** Opened before anything is read, for the same reason. */
async function metricsIn(
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

function batchOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new CommandError(2, '--batch must be a whole number from 1 to 999999999')
  }
  return Number(text)
}

/**
 * A file that is not found is an error of the call, reported before anything is read. A pipe has no size, and its lines
 * may come slowly.
 */
function fileOf(name: string): LoadFile & { readonly bytes?: number } {
  if (name === '-') return { name, ...sizeOf(fstatSync(0)), open: () => process.stdin }
  const stats = statSync(name, { throwIfNoEntry: false })
  if (!stats) throw new CommandError(2, `${name} is not there`)
  if (stats.isDirectory()) throw new CommandError(2, `${basename(name)} is a folder, not a file`)
  return {
    name,
    ...sizeOf(stats),
    open: () => createReadStream(name, { highWaterMark: 1024 * 1024 }),
  }
}

function sizeOf(stats: Stats): { readonly bytes?: number } {
  return stats.isFile() ? { bytes: stats.size } : {}
}
