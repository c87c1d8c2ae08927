import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { ContractError } from '../../../contract/index.ts'
import { DatabaseError } from '../../database.ts'
import { systemReason } from '../../system-reason.ts'

/** SQLite's primary result codes for failures that are not caused by the statement. */
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

/** The end of a message about the database file. */
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
 * Converts a failure of the file, the disk or another process to an error with a message that names the cause and the
 * file. Any other error is returned unchanged. After an input/output error, a commit may be in the file.
 */
export function toAppError(error: unknown, database: DatabaseSync): unknown {
  if (error instanceof ContractError) return error
  const message = describeFailure(error, () => database.location() ?? 'in memory', 'written')
  if (message === undefined) return error
  const isInDoubt = primaryCode(error) === codes.inputOutput
  return new ContractError('unavailable', message, { cause: error, isInDoubt })
}

/** Converts a failure to open the database. */
export function cannotOpen(error: unknown, path: string): unknown {
  const message = describeFailure(error, () => path, 'opened')
  if (message === undefined) return error
  const advice = isBusy(error) ? ': a migration may be running, so try again in a minute' : ''
  return new DatabaseError(message + advice, { cause: error })
}

/** Whether another process locks the file: a later attempt may succeed. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === codes.busy
}

export function isDiskFull(error: unknown): boolean {
  return primaryCode(error) === codes.full
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
