import { randomUUID } from 'node:crypto'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { backup, type DatabaseSync } from 'node:sqlite'
import { type BackupOptions, DatabaseError } from '../../database.ts'
import { systemReason } from '../../system-reason.ts'
import { requireReplayFile } from '../replay/open-file.ts'
import { existingReplayFile } from '../replay/replay-file.ts'
import {
  createPrivateFile,
  fileIdentity,
  replayPath,
  syncToDisk,
  walPath,
  withAllFiles,
} from './files.ts'
import { openExisting, openFile } from './open.ts'

/** How many pages are copied between two progress reports: 16 MB. */
const pagesPerStep = 4096

/** A complete copy under a temporary name in the folder of the target. */
interface Copy {
  readonly temporary: string
  readonly target: string
}

/** The replay file is copied after the data, so that it has every token that was used before. Returns the paths. */
export async function backupSqlite(
  path: string,
  target: string,
  options: BackupOptions,
): Promise<string[]> {
  refuseTarget(path, target, options.force)
  const copies: Copy[] = []
  using database = openExisting(path)
  try {
    copies.push(await copyDatabase(database, target, options))
    const existing = existingReplayFile(path, database)
    if (existing !== undefined) {
      using replayFile = openFile(existing, requireReplayFile)
      copies.push(await copyDatabase(replayFile, replayPath(target), options))
    }
    options.signal?.throwIfAborted()
    refuseTarget(path, target, options.force)
    placeCopies(copies)
    return copies.map((copy) => copy.target)
  } catch (cause) {
    if (cause instanceof DatabaseError || options.signal?.aborted) throw cause
    const { syscall, code, message } = cause as NodeJS.ErrnoException
    const reason = syscall === undefined ? message : systemReason(code)
    throw new DatabaseError(`the backup ${target} cannot be written: ${reason}`, { cause })
  } finally {
    for (const { temporary } of copies) rmSync(temporary, { force: true })
  }
}

/** An existing file is replaced only on request, and never if it belongs to this database or to an open one. */
function refuseTarget(path: string, target: string, force: boolean): void {
  const ownFiles = new Set(withAllFiles(path).map(fileIdentity))
  for (const file of [target, replayPath(target)]) {
    const identity = fileIdentity(file)
    if (identity !== undefined && ownFiles.has(identity)) {
      throw new DatabaseError(`${file} belongs to the database itself: choose another file`)
    }
    if (identity !== undefined && !force) {
      throw new DatabaseError(`${file} exists: choose another file, or replace it with --force`)
    }
    const log = walPath(file)
    if (existsSync(log)) throw new DatabaseError(`${log} exists: ${file} is in use as a database`)
  }
}

/** Copies one snapshot of the source, while other processes may commit. */
async function copyDatabase(
  source: DatabaseSync,
  target: string,
  { onProgress, signal }: BackupOptions,
): Promise<Copy> {
  const temporary = `${target}.${randomUUID()}.partial`
  try {
    createPrivateFile(temporary)
    // Without a read transaction, every commit of another process would restart the copy.
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

/** The data last: if it is complete, so is the replay file. A replay file that is newer than the data does no harm. */
function placeCopies([data, replayFile]: readonly Copy[]): void {
  if (!data) return
  if (replayFile) renameSync(replayFile.temporary, replayFile.target)
  else rmSync(replayPath(data.target), { force: true })
  renameSync(data.temporary, data.target)
  syncToDisk(dirname(data.target))
}
