import { randomUUID } from 'node:crypto'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { backup, type DatabaseSync } from 'node:sqlite'
import { type BackupOptions, DatabaseError } from '../../database.ts'
import { systemReason } from '../../system-reason.ts'
import { existingReplayFile } from '../replay/replay-file.ts'
import {
  createPrivateFile,
  earlierReplayPathOf,
  identityOf,
  logPathOf,
  replayPathOf,
  syncToDisk,
  withCompanions,
} from './files.ts'
import { openExisting, openFile } from './open.ts'

/** How many pages are copied between two reports of the progress: 16 MB. */
const pagesPerStep = 4096

/** A copy that is complete, under a temporary name beside the file that it becomes. */
interface Copy {
  readonly temporary: string
  readonly target: string
}

/**
 * Copies the database and its replay file while other processes use them. The replay file is copied after the data,
 * so that every token whose use the data may reflect is in it. Returns the files that were written.
 */
export async function backupSqlite(
  path: string,
  target: string,
  options: BackupOptions,
): Promise<string[]> {
  refuseTarget(path, target, options.force)
  const copies: Copy[] = []
  const database = openExisting(path)
  try {
    copies.push(await copyOf(database, target, options))
    const replayPath = existingReplayFile(path, database)
    if (replayPath !== undefined) {
      const replayFile = openFile(replayPath)
      try {
        copies.push(await copyOf(replayFile, replayPathOf(target), options))
      } finally {
        replayFile.close()
      }
    }
    options.signal?.throwIfAborted()
    refuseTarget(path, target, options.force)
    place(copies)
    return copies.map((copy) => copy.target)
  } catch (cause) {
    if (cause instanceof DatabaseError || options.signal?.aborted) throw cause
    throw new DatabaseError(`the backup ${target} cannot be written: ${reasonOf(cause)}`, { cause })
  } finally {
    database.close()
    for (const { temporary } of copies) rmSync(temporary, { force: true })
  }
}

function reasonOf(cause: unknown): string {
  const { syscall, code, message } = cause as NodeJS.ErrnoException
  return syscall === undefined ? message : systemReason(code)
}

/** A file that exists is only replaced on request, and never one that belongs to the database or to an open one. */
function refuseTarget(path: string, target: string, force: boolean): void {
  const own = new Set(filesAt(path).flatMap(withCompanions).map(identityOf))
  for (const file of filesAt(target)) {
    const identity = identityOf(file)
    if (identity !== undefined && own.has(identity)) {
      throw new DatabaseError(`${file} belongs to the database itself: choose another file`)
    }
    if (identity !== undefined && !force) {
      throw new DatabaseError(`${file} exists: choose another file, or replace it with --force`)
    }
    const log = logPathOf(file)
    if (existsSync(log)) {
      throw new DatabaseError(`${log} exists: ${file} is in use as a database`)
    }
  }
}

function filesAt(path: string): string[] {
  return [path, replayPathOf(path), earlierReplayPathOf(path)]
}

/** Copies one state of the source, whatever other processes commit meanwhile. */
async function copyOf(
  source: DatabaseSync,
  target: string,
  { onProgress, signal }: BackupOptions,
): Promise<Copy> {
  const temporary = `${target}.${randomUUID()}.partial`
  try {
    createPrivateFile(temporary)
    // A read transaction keeps the state: without one, every commit of another process would start the copy again.
    source.exec('begin')
    source.prepare('select 1 from sqlite_schema limit 1').get()
    await backup(source, temporary, {
      rate: pagesPerStep,
      progress({ totalPages, remainingPages }) {
        signal?.throwIfAborted()
        onProgress?.(target, 1 - remainingPages / totalPages)
      },
    })
    source.exec('commit')
    syncToDisk(temporary)
    return { temporary, target }
  } catch (error) {
    for (const file of [temporary, `${temporary}-journal`]) rmSync(file, { force: true })
    throw error
  }
}

/** The data last: where it is complete, so is its replay file. A replay file that is newer than the data does no harm. */
function place([data, replayFile]: readonly Copy[]): void {
  if (!data) return
  if (replayFile) renameSync(replayFile.temporary, replayFile.target)
  else rmSync(replayPathOf(data.target), { force: true })
  rmSync(earlierReplayPathOf(data.target), { force: true })
  renameSync(data.temporary, data.target)
  syncToDisk(dirname(data.target))
}
