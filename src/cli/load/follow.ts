import { closeSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs'
import { scalars } from '../../contract/scalars.ts'
import { feedsMax } from '../../intake/feed-writer.ts'
import {
  FeedConflict,
  type FollowResult,
  follow,
  InvalidBatch,
  UnreadableInput,
} from '../../intake/follow/follow.ts'
import type { Position } from '../../intake/follow/position.ts'
import { LostPosition } from '../../intake/follow/segment.ts'
import { tailFile } from '../../intake/follow/tail-file.ts'
import { tailStream } from '../../intake/follow/tail-stream.ts'
import { lineOutcomes } from '../../intake/line-counts.ts'
import type { TextLine } from '../../intake/source.ts'
import { databaseOptions } from '../../server/database-options.ts'
import { abortLater, type Stopping, type StopSignal } from '../../server/signals.ts'
import { CommandError, isExpected, type Terminal } from '../../server/terminal.ts'
import { openFeedWriter } from '../../storage/open.ts'
import { systemReason } from '../../storage/system-reason.ts'
import { prepareDatabase, useStore } from '../common/database.ts'
import { formatCount, formatQuantity } from '../common/format-count.ts'
import { openLoadProgress } from '../common/load-progress.ts'
import { type CommandSettings, readCommandSettings } from '../common/setting-flags.ts'
import { openErrorReport } from './error-report.ts'
import type { LoadFlags } from './flags.ts'
import { formatWarnings } from './format-warnings.ts'
import { findInput, inputNotFound, openFormat, requireNoInput, toInputError } from './inputs.ts'
import { synchronize, writeOrFail } from './rejects.ts'

/** How often a file is checked for new lines. */
const pollMs = 20

/** How many lines a batch has at most, by default. */
const batchLinesDefault = 1000

/** How long a line waits for others before it is committed. */
const flushMsDefault = 200

/** How long the last commit may take after a stop signal. Docker kills a container that has not stopped after ten seconds. */
const stopMs = 8000

/** How long before that it stops waiting for a load: the server may take as long to end the transaction. */
const abortMs = 2000

/** How often a database that is unavailable is reported. */
const retryNoticeMs = 60_000

/** Loads lines as they are written, until the input ends or a signal stops it. */
export async function runFollow(
  names: readonly string[],
  flags: LoadFlags,
  terminal: Terminal,
  { signal, stoppedBy }: Stopping,
): Promise<void> {
  const name = requireUsable(names, flags)
  const { batch: batchLines = batchLinesDefault, flushMs = flushMsDefault } = flags
  if (flags.rejects !== undefined) requireNoInput('--rejects', flags.rejects, names)
  const format = await openFormat(name, flags)
  const input = findInput(name)
  // A position in a pipe cannot be read again.
  if (input && name !== '-' && !input.isFile()) {
    const hint = 'redirect it to standard input, and use -'
    throw new CommandError(2, `${name} is not a regular file: ${hint}`)
  }
  const { feed: feedName } = flags
  if (feedName !== undefined && !scalars.feedName.test(feedName))
    throw new CommandError(2, `--feed must be ${scalars.feedName.mustBe}`)
  const settings = readCommandSettings('provider', flags, terminal)
  await prepareDatabase(settings, true, terminal)
  const feed = feedName === undefined ? undefined : await readFeed(feedName, name, settings)
  // Between the steps of a rotation, there is no file with this name.
  if (!input && !feed?.position) throw inputNotFound(name)
  const rejects = flags.rejects === undefined ? undefined : openRejects(flags.rejects)
  const progress = openLoadProgress(terminal, undefined)
  const notify = (text: string): void => {
    progress.clear()
    terminal.error(`${text}\n`)
  }
  const writer = await openFeedWriter(
    settings.database,
    {
      clock: () => Temporal.Now.instant(),
      storesUnresolved: true,
      onWait: () => notify('waiting for a load to finish'),
      signal: abortLater(signal, stopMs - abortMs),
    },
    { ...databaseOptions(settings), abortMs },
  )
  const after = feed?.position?.offset ? ` after line ${formatCount(feed.position.line)}` : ''
  notify(`following ${name === '-' ? 'standard input' : name}${after}`)
  try {
    const firstLines = format.hasHeader ? 2 : 1
    const tail = { pollMs, firstLines, signal, onNotice: notify } as const
    const segments =
      name === '-'
        ? tailStream(process.stdin, feed?.position, tail)
        : tailFile(name, feed?.position, tail)
    const result = await follow(segments, writer, {
      ...format,
      feed,
      batchLines,
      flushMs,
      unknownFields: flags.unknownFields,
      reject: rejects?.append,
      onErrors(source, errors, lines) {
        progress.clear()
        const sources = [{ name: source }]
        const report = openErrorReport(sources, undefined, flags.showValues ?? false, terminal)
        const texts = new Map(lines.map((line) => [locate(line), line.text]))
        for (const error of errors) report.add(error, texts.get(locate(error)))
        void report.finish()
      },
      onCommit: progress.show,
      isTemporary: isExpected,
      onRetry: openRetryNotice(notify),
      signal,
    })
    progress.clear()
    terminal.out(`${formatResult(result, stoppedBy(), feedName)}\n`)
  } catch (error) {
    throw toCommandError(error, name, feedName, stoppedBy())
  } finally {
    progress.clear()
    rejects?.close()
    await writer.close()
  }
}

/** The only input. */
function requireUsable(names: readonly string[], flags: LoadFlags): string {
  const { dryRun, query, errors, metricsFile } = flags
  const excluded = { 'dry-run': dryRun, query, errors, 'metrics-file': metricsFile }
  const used = Object.entries(excluded).filter(([, value]) => value !== undefined)
  if (used.length > 0) {
    const list = used.map(([flag]) => `--${flag}`).join(' and ')
    throw new CommandError(2, `--follow cannot be used with ${list}`)
  }
  const [name, ...others] = names
  if (name === undefined || others.length > 0) throw new CommandError(2, '--follow reads one file')
  return name
}

interface KnownFeed {
  readonly name: string
  readonly next: number
  readonly position: Position | undefined
}

async function readFeed(
  name: string,
  input: string,
  settings: CommandSettings,
): Promise<KnownFeed> {
  const feed = await useStore('openFeedStore', settings, (store) => store.find(name))
  // Standard input is not rotated: there is nothing to find again before its first line.
  if (!feed) return { name, next: input === '-' ? 1 : 0, position: undefined }
  const { batch, position } = feed
  if (position !== undefined)
    return { name, next: batch + 1, position: JSON.parse(position) as Position }
  throw new CommandError(1, `the feed ${name} receives its batches over HTTP: choose another name`)
}

function locate({ line, part = 0 }: Pick<TextLine, 'line' | 'part'>): string {
  return `${line}.${part}`
}

/** Appends rejected lines to a file that only its owner can access, durably before the position moves on. */
function openRejects(name: string) {
  try {
    const file = openSync(name, 'a+', 0o600)
    const startWith = (header: Buffer): void => {
      const stats = fstatSync(file)
      if (!stats.isFile()) return
      if (stats.size === 0) writeOrFail(name, () => writeFileSync(file, withNewline(header)))
      const start = Buffer.alloc(header.length + 1)
      readSync(file, start, 0, start.length, 0)
      if (start.equals(withNewline(header))) return
      throw new CommandError(1, `${name} has another header than the rejected row: move it away`)
    }
    return {
      append(lines: readonly TextLine[], header: Buffer | undefined): void {
        const rows = new Map(lines.map(({ line, raw }) => [line, raw])).values()
        if (header) startWith(header)
        writeOrFail(name, () => {
          for (const raw of rows) if (raw) writeFileSync(file, withNewline(raw))
          synchronize(file)
        })
      },
      close: () => closeSync(file),
    }
  } catch (error) {
    const reason = systemReason((error as NodeJS.ErrnoException).code)
    throw new CommandError(2, `${name} cannot be written: ${reason}`)
  }
}

function withNewline(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.from('\n')])
}

/** Reports the first failure, and one a minute after it. */
function openRetryNotice(notify: (text: string) => void): (error: unknown) => void {
  let noticedAt = Number.NEGATIVE_INFINITY
  return (error) => {
    const now = performance.now()
    if (now - noticedAt < retryNoticeMs) return
    noticedAt = now
    notify(`${(error as Error).message}: trying again`)
  }
}

function formatResult(
  result: FollowResult,
  stop: StopSignal | undefined,
  feed: string | undefined,
): string {
  const counts = lineOutcomes.map((each) => `${formatCount(result[each])} ${each}`)
  const skipped = result.rejected > 0 ? [`${formatQuantity(result.rejected, 'line')} skipped.`] : []
  const sentences = [
    ...(stop ? [`Stopped by ${stop}.`] : []),
    `${formatQuantity(result.lines, 'line')} committed: ${counts.join(', ')}.`,
    ...skipped,
    ...formatLeft(result, feed),
  ].join(' ')
  return [sentences, ...formatWarnings(result)].join('\n')
}

function formatLeft({ left: { read, unread } }: FollowResult, feed: string | undefined): string[] {
  if (unread === undefined) return ['Not loaded: the rest of standard input.']
  const bytes = formatQuantity(read + unread, 'byte')
  if (unread > 0) {
    const next = feed === undefined ? '' : ` The next follower of the feed ${feed} continues there.`
    return [`Not loaded: the last ${bytes}, which were not read yet.${next}`]
  }
  return read > 0 ? [`Not loaded: the last ${bytes}, an incomplete line.`] : []
}

function toCommandError(
  error: unknown,
  name: string,
  feed: string | undefined,
  stop: StopSignal | undefined,
): unknown {
  const { name: kind, message } = error as Error
  const explain = (text: string) => new CommandError(1, text)
  if (kind === 'AbortError') {
    return explain(
      `Stopped by ${stop}. The database did not confirm the last batch in time: follow the input again, which changes nothing twice.`,
    )
  }
  if (error instanceof InvalidBatch) {
    return explain(
      'The lines above are invalid. Nothing of their batch was committed. Correct them, or use --skip-invalid --rejects FILE.',
    )
  }
  if (error instanceof UnreadableInput) {
    return explain(
      `${message}. Nothing of the batch was committed. Correct it there and start again.`,
    )
  }
  if (error instanceof LostPosition) {
    const input = name === '-' ? 'it' : name
    return explain(`${message}. To read ${input} from its beginning: holdfast feeds remove ${feed}`)
  }
  if (!(error instanceof FeedConflict)) return toInputError(error)
  return explain(
    error.reason === 'limit'
      ? `The database has ${feedsMax} feeds, which is the maximum: remove one with holdfast feeds remove.`
      : `Another process writes the feed ${feed}: only one can follow it.`,
  )
}
