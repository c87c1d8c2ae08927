import { openPutIds } from './put-ids.ts'
import type { LineError, Reference, SourceLocation } from './writer.ts'

export interface ReportedError extends LineError {
  /** The line refers to an account or a customer whose own line was rejected. */
  readonly isConsequence?: true
  /** The same is possible, but there were too many accounts and customers to remember. */
  readonly mayBeConsequence?: true
}

/** `text` is the line, if it could be read. */
export type OnError = (error: ReportedError, text?: string) => void

export type ErrorLog = ReturnType<typeof openErrorLog>

/** Counts the errors of a load, and recognises those that are consequences of others. */
export function openErrorLog(onError: OnError) {
  const putIds = openPutIds()
  const unread = new Map<number, SourceLocation>()
  let count = 0
  let countBefore = 0

  const classify = (missing: Reference) => {
    if (putIds.has(missing)) return { isConsequence: true } as const
    return putIds.isIncomplete() ? ({ mayBeConsequence: true } as const) : {}
  }
  const add = (error: LineError, text?: string): void => {
    if (!error.isStored) count += 1
    if (error.endsSource) unread.set(error.file, error)
    onError(error.missing ? { ...error, ...classify(error.missing) } : error, text)
  }
  return {
    count: () => count,
    countInBatch: () => count - countBefore,
    startBatch(): void {
      countBefore = count
    },
    /** The lines from which on sources were not read. */
    unread: (): readonly SourceLocation[] => [...unread.values()],
    addValid: putIds.add,
    addInvalid(text: string | undefined, errors: readonly LineError[]): void {
      if (text !== undefined) putIds.addRejected(text)
      for (const error of errors) add(error, text)
    },
    add: (error: LineError) => add(error),
  }
}
