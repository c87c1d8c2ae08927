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

/** For the owner alone: a database contains personal data and private signing keys. */
const fileMode = 0o600
const folderMode = 0o700
const othersMask = 0o077

/** The file that records the used tokens of a database. */
export function replayPath(database: string): string {
  return `${database}-replay`
}

/** A database, its replay file, and the files that SQLite creates while they are open. */
export function withAllFiles(database: string): string[] {
  return [database, replayPath(database)].flatMap((path) => [
    path,
    walPath(path),
    `${realPath(path)}-shm`,
  ])
}

/** The write-ahead log of a database. */
export function walPath(database: string): string {
  return `${realPath(database)}-wal`
}

/** The target of a symbolic link: SQLite creates its files in the folder of the target. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // The file does not exist, so it is not a link.
    return path
  }
}

/**
 * Creates an empty file and its parent folders for the owner alone, independent of the umask. SQLite gives its other
 * files the mode of the database. False if the file already exists.
 */
export function createPrivateFile(path: string): boolean {
  makePrivateFolder(dirname(path))
  try {
    const file = openSync(path, 'wx', fileMode)
    fchmodSync(file, fileMode)
    closeSync(file)
    return true
  } catch (error) {
    if (alreadyExists(error)) return false
    throw error
  }
}

/** Folder by folder: a recursive `mkdir` of Node never returns if the system reports ENOENT, as in /proc. */
function makePrivateFolder(folder: string): void {
  if (existsSync(folder)) return
  if (dirname(folder) !== folder) makePrivateFolder(dirname(folder))
  try {
    mkdirSync(folder, folderMode)
    chmodSync(folder, folderMode)
  } catch (error) {
    // Another process created it first.
    if (!alreadyExists(error)) throw error
  }
}

function alreadyExists(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EEXIST'
}

/** The files of a database that users other than the owner can access. Windows has no such permissions. */
export function findLooseFiles(database: string): string[] {
  if (process.platform === 'win32') return []
  return withAllFiles(database).filter((path) => {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats?.isFile() && (stats.mode & othersMask) !== 0
  })
}

/** Identifies the file at a path. Undefined if it does not exist or cannot be accessed. */
export function fileIdentity(path: string): string | undefined {
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
