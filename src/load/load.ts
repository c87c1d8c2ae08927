import { readLine, type UnknownFields } from './line.ts'
import { type LineCounts, openLineCounter } from './line-counts.ts'
import { openPutIds } from './put-ids.ts'
import type { LineSource, TextLine } from './source.ts'
import type { LineError, LocatedItem, ProviderWriter, Reference } from './writer.ts'

export interface LoadOptions {
  /** Commit after this many lines instead of once at the end. */
  readonly batch?: number
  /** Commit the valid lines. The writer must be opened with `inBatches`, so that it discards unresolved lines. */
  readonly skipInvalid?: boolean
  /** Validate only. */
  readonly dryRun?: boolean
  /** The default is to reject them. */
  readonly unknownFields?: UnknownFields
  /** `text` is the line, if it could be read. */
  readonly onError: (error: ReportedError, text?: string) => void
  readonly onProgress?: (progress: Progress) => void
  /** Stops the load. The writer discards what is not committed by then. */
  readonly signal?: AbortSignal
}

export interface ReportedError extends LineError {
  /** The line refers to an account or a customer whose own line was rejected. */
  readonly isConsequence?: true
  /** The same is possible, but there were too many accounts and customers to remember. */
  readonly mayBeConsequence?: true
}

export interface Progress {
  readonly lines: number
  readonly bytes: number
}

export interface LoadResult {
  readonly lines: number
  readonly commits: number
  /** The number of lines read before the last commit. */
  readonly linesCommitted: number
  readonly errors: number
  /** What the committed lines did. */
  readonly counts: LineCounts
  /** Unknown fields that were left out. */
  readonly leftOut: LeftOutFields
  /** The number of lines with a customer that the consent flow cannot find. */
  readonly customersWithoutEmail: number
  /** True if the signal ended the load early. */
  readonly isStopped: boolean
}

export interface LeftOutFields {
  readonly total: number
  /** The number of times by field, for the first `leftOutNamesMax` fields. Elements of lists are counted together. */
  readonly byField: ReadonlyMap<string, number>
}

/** How many different fields are counted separately: the names come from the input. */
const leftOutNamesMax = 1000

/** Items per `write`: few enough that they do not survive a minor garbage collection. */
const groupSize = 100

const progressLines = 1000

/**
 * Loads the lines of sources into a store. Without `batch`, one invalid line rejects the whole load; the remaining lines are
 * still read so that all errors are reported at once.
 */
export async function load(
  sources: readonly LineSource[],
  writer: ProviderWriter,
  options: LoadOptions,
): Promise<LoadResult> {
  const { dryRun = false, skipInvalid = false, onProgress, signal, unknownFields } = options
  const batch = dryRun ? undefined : options.batch
  let lines = 0
  let bytes = 0
  let errors = 0
  let errorsInBatch = 0
  let commits = 0
  let linesCommitted = 0
  let customersWithoutEmail = 0
  let group: LocatedItem[] = []
  const counter = openLineCounter()
  const putIds = openPutIds()
  const leftOut = { total: 0, byField: new Map<string, number>() }

  const judge = (missing: Reference) => {
    if (putIds.has(missing)) return { isConsequence: true } as const
    return putIds.isIncomplete() ? ({ mayBeConsequence: true } as const) : {}
  }
  const report = (error: LineError, text?: string): void => {
    errors += 1
    errorsInBatch += 1
    options.onError(error.missing ? { ...error, ...judge(error.missing) } : error, text)
  }
  const flush = async (): Promise<void> => {
    for (const error of await writer.write(group)) report(error)
    group = []
  }
  const check = async (): Promise<void> => {
    await flush()
    onProgress?.({ lines, bytes })
    for await (const error of writer.findErrors()) report(error)
  }
  const commit = async (): Promise<void> => {
    signal?.throwIfAborted()
    counter.addAll((await writer.commit()) ?? [])
    commits += 1
    linesCommitted = lines
  }
  /** A batch with an invalid line is discarded as a whole; later batches are still committed. */
  const endBatch = async (): Promise<void> => {
    await check()
    if (errorsInBatch > 0 && !skipInvalid) await writer.rollback()
    else await commit()
    errorsInBatch = 0
  }

  const readAll = async (): Promise<void> => {
    for (const [file, source] of sources.entries()) {
      for await (const chunk of source.read({ signal })) {
        bytes += chunk.bytes
        for (const line of chunk.lines) {
          lines += 1
          const result = readItem(line, file, unknownFields)
          if ('item' in result) {
            group.push(result.item)
            putIds.add(result.item)
            if (isCustomerWithoutEmail(result.item)) customersWithoutEmail += 1
            for (const path of result.leftOut) countLeftOut(leftOut, path)
          } else {
            if (line.text !== undefined) putIds.addRejected(line.text)
            for (const error of result.errors) report(error, line.text)
          }
          if (group.length >= groupSize) await flush()
          if (lines % progressLines === 0) onProgress?.({ lines, bytes })
          if (batch !== undefined && lines % batch === 0) await endBatch()
        }
      }
    }
  }
  const finish = async (): Promise<void> => {
    await check()
    if (batch !== undefined && errorsInBatch > 0 && !skipInvalid) await writer.rollback()
    for await (const error of writer.findUnresolved()) report(error)
    const mayCommit = !dryRun && (batch !== undefined || skipInvalid || errors === 0)
    if (mayCommit && lines > 0) await commit()
    else await writer.rollback()
  }

  let isStopped = false
  try {
    await readAll()
    await finish()
  } catch (error) {
    isStopped = signal?.aborted === true && (error as Error).name === 'AbortError'
    if (!isStopped) throw error
  }
  return {
    lines,
    errors,
    commits,
    linesCommitted,
    counts: counter.take(),
    leftOut,
    customersWithoutEmail,
    isStopped,
  }
}

function isCustomerWithoutEmail(item: LocatedItem): boolean {
  return item.type === 'customer' && item.email === undefined
}

function countLeftOut(counts: { total: number; byField: Map<string, number> }, path: string): void {
  counts.total += 1
  const field = path.replaceAll(/\[\d+\]/g, '')
  const count = counts.byField.get(field) ?? 0
  if (count > 0 || counts.byField.size < leftOutNamesMax) counts.byField.set(field, count + 1)
}

/** Reads and validates a line. */
export function readItem(
  { line, part, text, problems = [] }: TextLine,
  file: number,
  unknownFields: UnknownFields | undefined,
): { item: LocatedItem; leftOut: readonly string[] } | { errors: LineError[] } {
  const location = part === undefined ? { file, line } : { file, line, part }
  const result = text === undefined ? { problems } : readLine(text, unknownFields)
  if ('item' in result) {
    return { item: Object.assign(result.item, location), leftOut: result.leftOut }
  }
  return { errors: result.problems.map((found) => ({ ...location, ...found })) }
}
