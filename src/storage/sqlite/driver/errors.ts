import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { ContractError } from '../../../contract/index.ts'
import { DatabaseError } from '../../database.ts'
import { systemReason } from '../../system-reason.ts'

/** SQLite's primary result codes for failures of the file, the disk or another process, not of the statement. */
const codes = {
  permission: 3,
  busy: 5,
  locked: 6,
  memory: 7,
  readOnly: 8,
  inputOutput: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  protocol: 15,
  notADatabase: 26,
} as const

type Reason = (path: string, error: unknown) => string

/** What each of them means for the database file, as the end of a sentence about it. */
const reasons: ReadonlyMap<number, Reason> = new Map<number, Reason>([
  [codes.permission, (path) => `cannot be opened: ${whyNotWritable(path)}`],
  [codes.busy, () => 'is locked by another process'],
  [codes.locked, () => 'is locked by another process'],
  [codes.memory, () => 'cannot be used: out of memory'],
  [codes.readOnly, (path) => `cannot be written: ${whyNotWritable(path)}`],
  [codes.inputOutput, (_, error) => `cannot be read or written: ${inputOutputReason(error)}`],
  [codes.corrupt, () => 'is corrupt: restore it from a backup'],
  [codes.full, () => 'cannot be written: no space left on the disk'],
  [codes.cannotOpen, (path) => `cannot be opened: ${whyNotWritable(path)}`],
  [codes.protocol, () => 'cannot be locked: too many processes are opening it'],
  [codes.notADatabase, () => 'is not a SQLite database'],
])

/**
 * A failure of the file, the disk or another process as the error that callers get: its message names the cause and
 * the file. Any other error is returned as it is.
 */
export function toAppError(error: unknown, database: DatabaseSync): unknown {
  if (error instanceof ContractError) return error
  const sentence = sentenceOf(error, () => database.location() ?? 'in memory', 'written')
  return sentence === undefined
    ? error
    : new ContractError('unavailable', sentence, { cause: error })
}

/** The same for a database that cannot be opened. */
export function cannotOpen(error: unknown, path: string): unknown {
  const sentence = sentenceOf(error, () => path, 'opened')
  return sentence === undefined ? error : new DatabaseError(sentence, { cause: error })
}

/** Whether another process holds the file: a later attempt may succeed. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === codes.busy
}

/** Whether there is no space for what was to be written. */
export function isDiskFull(error: unknown): boolean {
  return primaryCode(error) === codes.full
}

function sentenceOf(
  error: unknown,
  path: () => string,
  attempt: 'opened' | 'written',
): string | undefined {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  if (syscall !== undefined) {
    return `the database ${path()} cannot be ${attempt}: ${systemReason(code)}`
  }
  const reason = reasons.get(primaryCode(error))
  return reason && `the database ${path()} ${reason(path(), error)}`
}

/** The lowest byte of SQLite's extended result codes. */
function primaryCode(error: unknown): number {
  return extendedCode(error) % 256
}

function extendedCode(error: unknown): number {
  const { errcode, cause } = error as { readonly errcode?: number; readonly cause?: unknown }
  if (errcode !== undefined) return errcode
  return cause instanceof Error ? extendedCode(cause) : 0
}

/** SQLite reports only that the system refused: the same question to the system gives the reason. */
function whyNotWritable(path: string): string {
  // The folder too: a database has files beside it.
  const attempts = [
    [path, constants.R_OK | constants.W_OK],
    [dirname(path), constants.W_OK | constants.X_OK],
  ] as const
  for (const [place, mode] of attempts) {
    try {
      accessSync(place, mode)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (code === 'ENOENT' && place === path) continue
      return systemReason(code)
    }
  }
  return 'the file is not one that can be opened for writing'
}

/** A limit on file sizes and a disk quota arrive as this code too. */
function inputOutputReason(error: unknown): string {
  return `input/output error (SQLite code ${extendedCode(error)}): a failing disk, a disk quota or a limit on file sizes`
}
