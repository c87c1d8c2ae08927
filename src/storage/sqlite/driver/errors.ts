import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { ContractError } from '../../../contract/index.ts'
import { DatabaseError } from '../../database.ts'
import { systemReason } from '../../system-reason.ts'

/** Primary result codes of SQLite. */
const busy = 5
const inputOutput = 10
const full = 13

/** The end of a message about the database file, for the codes of failures that are not caused by the statement. */
const reasons: Readonly<Record<number, (path: string, error: unknown) => string>> = {
  3: (path) => `cannot be opened: ${whyNotWritable(path)}`,
  [busy]: () => 'is locked by another process',
  6: () => 'is locked by another process',
  7: () => 'cannot be used: out of memory',
  8: (path) => `cannot be written: ${whyNotWritable(path)}`,
  [inputOutput]: (_, error) => `cannot be read or written: ${inputOutputReason(error)}`,
  11: () => 'is corrupt: restore it from a backup',
  [full]: () => 'cannot be written: no space left on the disk',
  14: (path) => `cannot be opened: ${whyNotWritable(path)}`,
  15: () => 'cannot be locked: too many processes are opening it',
  26: () => 'is not a SQLite database',
}

/**
 * Converts a failure of the file, the disk or another process to an error with a message that names the cause and the
 * file. Any other error is returned unchanged. After an input/output error, a commit may be in the file.
 */
export function toAppError(error: unknown, database: DatabaseSync): unknown {
  if (error instanceof ContractError) return error
  const message = describeFailure(error, () => database.location() ?? 'in memory', 'written')
  if (message === undefined) return error
  const isInDoubt = primaryCode(error) === inputOutput
  return new ContractError('unavailable', message, { cause: error, isInDoubt })
}

export function cannotOpen(error: unknown, path: string): unknown {
  const message = describeFailure(error, () => path, 'opened')
  if (message === undefined) return error
  const advice = isBusy(error) ? ': a migration may be running, so try again in a minute' : ''
  return new DatabaseError(message + advice, { cause: error })
}

/** Whether another process locks the file: a later attempt may succeed. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === busy
}

export function isDiskFull(error: unknown): boolean {
  return primaryCode(error) === full
}

function describeFailure(
  error: unknown,
  path: () => string,
  attempt: 'opened' | 'written',
): string | undefined {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  if (syscall !== undefined) {
    return `the database ${path()} cannot be ${attempt}: ${systemReason(code)}`
  }
  const reason = reasons[primaryCode(error)]
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

/** SQLite does not report why the system denied access, so the access is checked again. */
function whyNotWritable(path: string): string {
  // Includes the folder, as SQLite creates files in it.
  const attempts = [
    [path, constants.R_OK | constants.W_OK],
    [dirname(path), constants.W_OK | constants.X_OK],
  ] as const
  for (const [target, mode] of attempts) {
    try {
      accessSync(target, mode)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (code === 'ENOENT' && target === path) continue
      return systemReason(code)
    }
  }
  return 'the file cannot be opened for writing'
}

/** A file size limit and a disk quota are reported with this code too. */
function inputOutputReason(error: unknown): string {
  return `input/output error (SQLite code ${extendedCode(error)}): a failing disk, a disk quota or a limit on file sizes`
}
