import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** Nobody but the owner: a database holds personal data and private signing keys. */
const fileMode = 0o600
const folderMode = 0o700
const othersMask = 0o077

/** The file that records the used tokens of a database. */
export function replayPathOf(database: string): string {
  return `${database}-replay`
}

/** What earlier versions called it. */
export function earlierReplayPathOf(database: string): string {
  return `${database}-claims`
}

/** A database and the files that SQLite keeps beside it while it is open. */
export function withCompanions(database: string): string[] {
  return [database, logPathOf(database), `${realPathOf(database)}-shm`]
}

/** The write-ahead log of a database. */
export function logPathOf(database: string): string {
  return `${realPathOf(database)}-wal`
}

/** Where a symbolic link leads to: SQLite keeps its files there, not beside the link. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // A file that does not exist is no link either.
    return path
  }
}

/**
 * Creates an empty file, and the folders above it, for the owner alone, whatever the umask. SQLite gives the
 * files beside a database the mode of the database. False if the file exists already.
 */
export function createPrivateFile(path: string): boolean {
  makePrivateFolder(dirname(path))
  const file = openNew(path)
  if (file === undefined) return false
  fchmodSync(file, fileMode)
  closeSync(file)
  return true
}

function openNew(path: string): number | undefined {
  try {
    return openSync(path, 'wx', fileMode)
  } catch (error) {
    if (isExisting(error)) return undefined
    throw error
  }
}

/** Folder by folder: a recursive `mkdir` of Node never returns where the system refuses one with ENOENT, as in /proc. */
function makePrivateFolder(folder: string): void {
  if (existsSync(folder)) return
  if (dirname(folder) !== folder) makePrivateFolder(dirname(folder))
  try {
    mkdirSync(folder, folderMode)
    chmodSync(folder, folderMode)
  } catch (error) {
    // Another process was first.
    if (!isExisting(error)) throw error
  }
}

function isExisting(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EEXIST'
}

/** Those of the files that users other than the owner have rights to. Windows has no such rights. */
export function looseFiles(paths: readonly string[]): string[] {
  if (process.platform === 'win32') return []
  return paths.filter((path) => {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats?.isFile() && (stats.mode & othersMask) !== 0
  })
}

/** Which file a path leads to. Undefined where there is none, or none that can be seen. */
export function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}

/** Makes the content of a file, or the names in a folder, survive a power failure. */
export function syncToDisk(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
