import { addAbortSignal, type Readable } from 'node:stream'
import { readLine } from './line.ts'
import { linesOf, type TextLine } from './lines.ts'
import type { PlacedItem, ProviderWriter, Refusal } from './writer.ts'

export interface LoadFile {
  readonly name: string
  open(): Readable
}

export interface LoadOptions {
  /** Commit every so many lines, instead of all at once. */
  readonly batch?: number
  /** Only check. */
  readonly dryRun?: boolean
  /** Told of each refusal as it is found, and of how far the load is. */
  readonly onRefusal: (refusal: Refusal) => void
  readonly onProgress?: (progress: Progress) => void
  /** Stops the load. What is not committed by then is left to the writer to discard. */
  readonly signal?: AbortSignal
}

export interface Progress {
  readonly lines: number
  readonly bytes: number
}

export interface LoadResult {
  readonly lines: number
  /** How often something was committed, and the number of lines up to the last commit. */
  readonly commits: number
  readonly linesCommitted: number
  readonly refused: number
  /** Whether it was stopped before its end. */
  readonly isStopped: boolean
}

/** How many items are handed to the store at a time: so few that none of them outlives a collection. */
const groupSize = 100

/** After how many lines the progress is told. */
const progressLines = 1000

/**
 * Reads files of lines into a store. By default all of it or nothing: one line that is refused refuses the
 * load, and the rest is read on only to name every mistake at once.
 */
export async function load(
  files: readonly LoadFile[],
  writer: ProviderWriter,
  options: LoadOptions,
): Promise<LoadResult> {
  const { dryRun = false, onProgress, signal } = options
  const batch = dryRun ? undefined : options.batch
  let lines = 0
  let bytes = 0
  let refused = 0
  let refusedInBatch = 0
  let commits = 0
  let linesCommitted = 0
  let group: PlacedItem[] = []

  const refuse = (refusal: Refusal): void => {
    refused += 1
    refusedInBatch += 1
    options.onRefusal(refusal)
  }
  const flush = async (): Promise<void> => {
    for (const refusal of await writer.write(group)) refuse(refusal)
    group = []
  }
  /** All that can be told of the lines so far. */
  const judge = async (): Promise<void> => {
    await flush()
    onProgress?.({ lines, bytes })
    for await (const refusal of writer.impossible()) refuse(refusal)
  }
  const commit = async (): Promise<void> => {
    signal?.throwIfAborted()
    await writer.commit()
    commits += 1
    linesCommitted = lines
  }
  /** A batch with a refused line is left out whole; the next one may still be good. */
  const endBatch = async (): Promise<void> => {
    await judge()
    if (refusedInBatch > 0) await writer.rollback()
    else await commit()
    refusedInBatch = 0
  }

  const readAll = async (): Promise<void> => {
    for (const [file, { open }] of files.entries()) {
      const stream = signal ? addAbortSignal(signal, open()) : open()
      for await (const chunk of linesOf(stream)) {
        bytes += chunk.bytes
        for (const line of chunk.lines) {
          lines += 1
          const result = itemOf(line, file)
          if ('item' in result) group.push(result.item)
          else for (const refusal of result.refusals) refuse(refusal)
          if (group.length >= groupSize) await flush()
          if (lines % progressLines === 0) onProgress?.({ lines, bytes })
          if (batch !== undefined && lines % batch === 0) await endBatch()
        }
      }
    }
  }
  const finish = async (): Promise<void> => {
    await judge()
    if (batch !== undefined && refusedInBatch > 0) await writer.rollback()
    for await (const refusal of writer.unresolved()) refuse(refusal)
    const keep = !dryRun && (batch !== undefined || refused === 0)
    if (keep && lines > 0) await commit()
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
  return { lines, refused, commits, linesCommitted, isStopped }
}

function itemOf(
  { line, text, problem }: TextLine,
  file: number,
): { item: PlacedItem } | { refusals: Refusal[] } {
  if (text === undefined) return { refusals: [{ file, line, path: '', reason: problem ?? '' }] }
  const result = readLine(text)
  if ('item' in result) return { item: Object.assign(result.item, { file, line }) }
  return { refusals: result.problems.map((found) => ({ file, line, ...found })) }
}
