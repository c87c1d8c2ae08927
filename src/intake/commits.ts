import type { ErrorLog } from './error-log.ts'
import { type LineCounts, openLineCounter } from './line-counts.ts'
import type { AccountGaps, LocatedItem, ProviderWriter, SourceLocation } from './writer.ts'

/** Items per `write`: few enough that they do not survive a minor garbage collection. */
const groupSize = 100

interface CommitOptions {
  /** Whether there are commits before the last one. */
  readonly inBatches: boolean
  readonly skipInvalid: boolean
  readonly dryRun: boolean
  /** Whether a line may refer to what does not exist. */
  readonly isAccepted: (line: SourceLocation) => boolean
  /** Whether the last commit may happen, with these gaps after it. */
  readonly mayFinish: (gaps: AccountGaps) => boolean
  readonly signal: AbortSignal | undefined
}

export interface CommitResult {
  readonly commits: number
  /** The number of lines read before the last commit. */
  readonly linesCommitted: number
  /** What the committed lines did. */
  readonly counts: LineCounts
  /** After the last line. Undefined if it was not reached, or if the load was rejected because of errors. */
  readonly gaps?: AccountGaps | undefined
}

/**
 * Writes the items of a load in groups, and commits them. A batch with an invalid line is discarded as a whole; later
 * batches are still committed. Nothing is committed after the rest of a source could not be read.
 */
export function openCommits(
  writer: ProviderWriter,
  errors: ErrorLog,
  { inBatches, skipInvalid, dryRun, isAccepted, mayFinish, signal }: CommitOptions,
) {
  let group: LocatedItem[] = []
  let commits = 0
  let linesCommitted = 0
  let gaps: AccountGaps | undefined
  const counter = openLineCounter()

  const flush = async (): Promise<void> => {
    for (const error of await writer.write(group)) errors.add(error)
    group = []
  }
  const check = async (): Promise<void> => {
    await flush()
    for await (const error of writer.findErrors()) errors.add(error)
  }
  const commit = async (lines: number): Promise<void> => {
    signal?.throwIfAborted()
    counter.addAll(await writer.commit())
    commits += 1
    linesCommitted = lines
  }
  const findUnresolved = async (): Promise<void> => {
    const isStored = inBatches || skipInvalid
    for await (const error of writer.findUnresolved()) {
      if (isAccepted(error)) continue
      errors.add(isStored ? { ...error, isStored: true } : error)
    }
  }
  const isComplete = () => errors.unread().length === 0
  const isBatchInvalid = () => !isComplete() || (errors.countInBatch() > 0 && !skipInvalid)

  return {
    add(item: LocatedItem): void {
      group.push(item)
    },
    /** Whether the group is to be written. */
    isFull: () => group.length >= groupSize,
    flush,
    /** Ends a batch after a number of lines. */
    async endBatch(lines: number): Promise<void> {
      await check()
      if (isBatchInvalid()) await writer.rollback()
      else await commit(lines)
      errors.startBatch()
    },
    async finish(lines: number): Promise<void> {
      await check()
      if (inBatches && isBatchInvalid()) await writer.rollback()
      // What is missing may be in the lines that were not read.
      if (isComplete()) await findUnresolved()
      if (isComplete() && (inBatches || !isBatchInvalid())) gaps = await writer.countGaps()
      const isAllowed = !isBatchInvalid() && (!gaps || mayFinish(gaps))
      if (isAllowed && !dryRun && lines > 0) await commit(lines)
      else await writer.rollback()
    },
    result: (): CommitResult => ({ commits, linesCommitted, counts: counter.take(), gaps }),
  }
}
