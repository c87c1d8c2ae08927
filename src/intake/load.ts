import { type CommitResult, openCommits } from './commits.ts'
import { type OnError, openErrorLog } from './error-log.ts'
import { readLine, type UnknownFields, type ValidLine } from './line.ts'
import { openLineSet } from './line-set.ts'
import { hasWarnings, type LineWarnings, openLineWarnings } from './line-warnings.ts'
import type { LineSource, TextLine } from './source.ts'
import type { LineError, LocatedItem, ProviderWriter, SourceLocation } from './writer.ts'

export interface LoadOptions {
  /** Commit after this many lines instead of once at the end. */
  readonly batch?: number
  /** Commit the valid lines. */
  readonly skipInvalid?: boolean
  /** Validate only. */
  readonly dryRun?: boolean
  /** Reject a load with warnings. Requires one commit of all lines. */
  readonly strict?: boolean
  /** The default is to reject them. */
  readonly unknownFields?: UnknownFields
  readonly onError: OnError
  readonly onProgress?: (progress: Progress) => void
  /** Stops the load. The writer discards what is not committed by then. */
  readonly signal?: AbortSignal
}

export interface Progress {
  readonly lines: number
  readonly bytes: number
}

export interface LoadResult extends CommitResult, LineWarnings {
  readonly lines: number
  readonly errors: number
  /** The lines from which on sources were not read, because of an error. Nothing is committed after it. */
  readonly unread: readonly SourceLocation[]
  /** True if a strict load was rejected because of its warnings. */
  readonly isRejected: boolean
  /** True if the signal ended the load early. */
  readonly isStopped: boolean
}

const progressLines = 1000

/**
 * Loads the lines of sources into a store. Without `batch`, one invalid line rejects the whole load; the remaining lines are
 * still read so that all errors are reported at once. A source whose rest cannot be read rejects the load in any case.
 *
 * A line may refer to an account or a customer that does not exist yet. If it does not exist after the last line, that is
 * an error of a load in one piece; with `batch` and `skipInvalid`, the line is stored and invisible.
 */
export async function load(
  sources: readonly LineSource[],
  writer: ProviderWriter,
  options: LoadOptions,
): Promise<LoadResult> {
  const { dryRun = false, skipInvalid = false, strict = false } = options
  const { onProgress, signal, unknownFields } = options
  const batch = dryRun ? undefined : options.batch
  let lines = 0
  let bytes = 0
  const warnings = openLineWarnings()
  const errors = openErrorLog(options.onError)
  const inBatches = batch !== undefined
  const accepted = openLineSet()
  let isRejected = false
  const commits = openCommits(writer, errors, {
    inBatches,
    skipInvalid,
    dryRun,
    isAccepted: accepted.has,
    mayFinish(gaps) {
      isRejected = strict && hasWarnings(warnings.result(), gaps)
      return !isRejected
    },
    signal,
  })

  const add = (line: TextLine, file: number): void => {
    lines += 1
    const result = readItem(line, file, unknownFields)
    if ('errors' in result) {
      errors.addInvalid(line.text, result.errors)
      return
    }
    commits.add(result.item)
    if (result.isUnresolved) accepted.add(result.item)
    errors.addValid(result.item)
    warnings.add(result)
  }
  const readAll = async (): Promise<void> => {
    for (const [file, source] of sources.entries()) {
      for await (const chunk of source.read({ signal })) {
        bytes += chunk.bytes
        for (const line of chunk.lines) {
          add(line, file)
          if (commits.isFull()) await commits.flush()
          const isBatchEnd = batch !== undefined && lines % batch === 0
          if (isBatchEnd || lines % progressLines === 0) onProgress?.({ lines, bytes })
          if (isBatchEnd) await commits.endBatch(lines)
        }
      }
    }
    onProgress?.({ lines, bytes })
  }

  let isStopped = false
  try {
    await readAll()
    await commits.finish(lines)
  } catch (error) {
    isStopped = signal?.aborted === true && (error as Error).name === 'AbortError'
    if (!isStopped) throw error
  }
  return {
    lines,
    errors: errors.count(),
    unread: errors.unread(),
    ...commits.result(),
    ...warnings.result(),
    isRejected,
    isStopped,
  }
}

export type ReadItem = ValidLine & { readonly item: LocatedItem }

/** Reads and validates a line. */
export function readItem(
  { line, part, text, problems = [] }: TextLine,
  file: number,
  unknownFields?: UnknownFields,
): ReadItem | { errors: LineError[] } {
  const location = part === undefined ? { file, line } : { file, line, part }
  const result = text === undefined ? { problems } : readLine(text, unknownFields)
  if ('item' in result) {
    return { ...result, item: Object.assign(result.item, location) }
  }
  return { errors: result.problems.map((found) => ({ ...location, ...found })) }
}
