import { closeSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs'
import {
  type BatchConflict,
  type FeedWriter,
  type FeedWriterOptions,
  feedsMax,
} from '../../intake/feed-writer.ts'
import type { FeedConflict, FollowResult } from '../../intake/follow/follow.ts'
import type { Position } from '../../intake/follow/position.ts'
import type { Segment, TailOptions } from '../../intake/follow/segment.ts'
import { lineOutcomes } from '../../intake/line-counts.ts'
import type { TextLine } from '../../intake/source.ts'
import { databaseOptions } from '../../server/database-options.ts'
import type { Settings } from '../../server/settings/settings.ts'
import { abortLater, type Stopping, type StopSignal } from '../../server/signals.ts'
import { CommandError, isExpected, type Terminal } from '../../server/terminal.ts'
import { systemReason } from '../../storage/system-reason.ts'
import { prepareDatabase } from '../common/database.ts'
import { formatCount } from '../common/format-count.ts'
import { openLoadProgress } from '../common/load-progress.ts'
import { parseNumber } from '../common/parse-number.ts'
import { readCommandSettings } from '../common/setting-flags.ts'
import { openErrorReport } from './error-report.ts'
import { formatQuantity } from './format-quantity.ts'
import { findInput, inputNotFound, openFormat, requireNoInput, toInputError } from './inputs.ts'
import { synchronize, writeOrFail } from './rejects.ts'
import { type LoadFlags, parseBatch } from './run-load.ts'
import { formatWarnings } from './summary.ts'

/** How often a file is checked for new lines. */
const pollMs = 20

/** How many lines a batch has at most, by default. */
const batchLinesDefault = 1000

/** How long a line waits for others before it is committed. */
const flushMsDefault = '200'
const flushMsMax = 3_600_000

/** How long the last commit may take after a stop signal. Docker kills a container that has not stopped after ten seconds. */
const stopMs = 8000

/** How long before that it stops waiting for a load: the server may take as long to end the transaction. */
const abortMs = 2000

/** How often a database that is unavailable is reported. */
const retryNoticeMs = 60_000

/** The flags that only a follower has. */
export interface FollowFlags {
  readonly follow?: true
  readonly feed?: string
  readonly flushMs?: string
}

type Flags = LoadFlags & FollowFlags

export function isFollowing({ follow, feed, flushMs }: FollowFlags): boolean {
  if (!follow && feed !== undefined) throw new CommandError(2, '--feed requires --follow')
  if (!follow && flushMs !== undefined) throw new CommandError(2, '--flush-ms requires --follow')
  return follow === true
}

/** Loads lines as they are written, until the input ends or a signal stops it. */
export async function runFollow(
  names: readonly string[],
  flags: Flags,
  terminal: Terminal,
  { signal, stoppedBy }: Stopping,
): Promise<void> {
  const name = requireUsable(names, flags)
  const batchLines = parseBatch(flags) ?? batchLinesDefault
  const flushMs = parseNumber('--flush-ms', flags.flushMs ?? flushMsDefault, flushMsMax)
  if (flags.rejects !== undefined) requireNoInput('--rejects', flags.rejects, names)
  const format = await openFormat(name, flags)
  const input = findInput(name)
  if (input && name !== '-' && !input.isFile()) throw notRegular(name)
  const feedName = await parseFeedName(flags.feed)
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
  const writer = await openWriter(settings, {
    onWait: () => notify('waiting for a load to finish'),
    signal: abortLater(signal, stopMs - abortMs),
  })
  const after = feed?.position?.offset ? ` after line ${formatCount(feed.position.line)}` : ''
  notify(`following ${name === '-' ? 'standard input' : name}${after}`)
  const { follow } = await import('../../intake/follow/follow.ts')
  try {
    const firstLines = format.hasHeader ? 2 : 1
    const tail = { pollMs, firstLines, signal, onNotice: notify } as const
    const segments = await openSegments(name, feed?.position, tail)
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
function requireUsable(names: readonly string[], flags: Flags): string {
  const excluded = [
    ...(flags.dryRun ? ['--dry-run'] : []),
    ...(flags.query === undefined ? [] : ['--query']),
    ...(flags.errors === undefined ? [] : ['--errors']),
    ...(flags.metricsFile === undefined ? [] : ['--metrics-file']),
  ]
  if (excluded.length > 0) {
    throw new CommandError(2, `--follow cannot be used with ${excluded.join(' and ')}`)
  }
  const [name, ...others] = names
  if (name === undefined || others.length > 0) throw new CommandError(2, '--follow reads one file')
  return name
}

/** A position in a pipe cannot be read again. */
function notRegular(name: string): CommandError {
  return new CommandError(
    2,
    `${name} is not a regular file: redirect it to standard input, and use -`,
  )
}

interface KnownFeed {
  readonly name: string
  readonly next: number
  readonly position: Position | undefined
}

async function readFeed(
  name: string,
  input: string,
  settings: Pick<Settings, 'database'> & Partial<Settings>,
): Promise<KnownFeed> {
  const { openFeedStore } = await import('../../storage/open.ts')
  const store = await openFeedStore(settings.database, databaseOptions(settings))
  try {
    const feed = await store.find(name)
    // Standard input is not rotated: there is nothing to find again before its first line.
    if (!feed) return { name, next: input === '-' ? 1 : 0, position: undefined }
    const { position } = feed
    if (position !== undefined)
      return { name, next: feed.batch + 1, position: JSON.parse(position) as Position }
    throw new CommandError(
      1,
      `the feed ${name} receives its batches over HTTP: choose another name`,
    )
  } finally {
    await store.close()
  }
}

async function openWriter(
  settings: Pick<Settings, 'database'> & Partial<Settings>,
  options: Pick<FeedWriterOptions, 'onWait' | 'signal'>,
): Promise<FeedWriter> {
  const { openFeedWriter } = await import('../../storage/open.ts')
  const clock = () => Temporal.Now.instant()
  return openFeedWriter(
    settings.database,
    { clock, storesUnresolved: true, ...options },
    { ...databaseOptions(settings), abortMs },
  )
}

async function openSegments(
  name: string,
  position: Position | undefined,
  options: TailOptions,
): Promise<AsyncIterable<Segment>> {
  if (name === '-') {
    const { tailStream } = await import('../../intake/follow/tail-stream.ts')
    return tailStream(process.stdin, position, options)
  }
  const { tailFile } = await import('../../intake/follow/tail-file.ts')
  return tailFile(name, position, options)
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
  const summary = [
    ...(stop ? [`Stopped by ${stop}.`] : []),
    `${formatQuantity(result.lines, 'line')} committed: ${counts.join(', ')}.`,
    ...skipped,
    ...formatLeft(result, feed),
  ].join(' ')
  return [summary, ...formatWarnings(result)].join('\n')
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
  switch ((error as Error).name) {
    case 'AbortError':
      return new CommandError(
        1,
        `Stopped by ${stop}. The database did not confirm the last batch in time: follow the input again, which changes nothing twice.`,
      )
    case 'InvalidBatch':
      return new CommandError(
        1,
        `The lines above are invalid. Nothing of their batch was committed. Correct them, or use --skip-invalid --rejects FILE.`,
      )
    case 'UnreadableInput':
      return new CommandError(
        1,
        `${(error as Error).message}. Nothing of the batch was committed. Correct it there and start again.`,
      )
    case 'FeedConflict':
      return new CommandError(1, describeConflict((error as FeedConflict).reason, feed))
    case 'LostPosition':
      return new CommandError(
        1,
        `${(error as Error).message}. To read ${name === '-' ? 'it' : name} from its beginning: holdfast feeds remove ${feed}`,
      )
    default:
      return toInputError(error)
  }
}

function describeConflict(reason: BatchConflict['reason'], feed: string | undefined): string {
  return reason === 'limit'
    ? `The database has ${feedsMax} feeds, which is the maximum: remove one with holdfast feeds remove.`
    : `Another process writes the feed ${feed}: only one can follow it.`
}

async function parseFeedName(text: string | undefined): Promise<string | undefined> {
  if (text === undefined) return undefined
  const { scalars } = await import('../../contract/scalars.ts')
  const { test, mustBe } = scalars.feedName
  if (test(text)) return text
  throw new CommandError(2, `--feed must be ${mustBe}`)
}
