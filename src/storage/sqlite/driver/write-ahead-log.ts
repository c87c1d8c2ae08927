import { randomUUID } from 'node:crypto'
import { closeSync, openSync, rmSync, statfsSync, statSync, truncateSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { toAppError } from './errors.ts'
import { realPath, walPath } from './files.ts'
import { connect, schemaVersion } from './open.ts'
import { execute } from './statements.ts'
import { tryLock } from './write-lock.ts'

/** How large the log may remain while nothing is written, if the disk has enough space: SQLite reuses it. */
const keptBytes = 4 * 1024 * 1024

/** How large the log may become while a process writes it, before others try to shrink it. */
const writtenBytesMax = 128 * 1024 * 1024

/** How many pages a server copies into the database at once: more would delay requests. */
const copiedPagesMax = 4000

/** How often a server checks the size of the log. */
const checkEveryMs = 1000

/** How long a load waits at its end for readers of older snapshots, so that the log can be truncated. */
const emptyWaitMs = 1000

/** From this size on, a process that commits all the time empties the log, and how long it waits for readers. */
const limitBytes = 32 * 1024 * 1024
const limitWaitMs = 50
const limitEveryMs = 1000

/** The sizes of the log's header and of the header of each frame. */
const headerBytes = 32
const frameHeaderBytes = 24

/** With more free space than this, a commit cannot fill the disk. */
const spareBytes = 64 * 1024 * 1024

/** What the commit of a batch needs at least, in the log and in the database file. */
const commitBytesMin = 1024 * 1024

/** How many bytes are reserved at a time. */
const blockBytes = 1024 * 1024

/**
 * Commits a transaction only if it fits on the disk twice: in the log and in the database file. If it fitted only in the
 * log, the log could never be checkpointed, and the disk would remain full. The second space is reserved while the log is
 * written.
 */
export function commitWithinSpace(database: DatabaseSync, path: string): void {
  const bytes = fileGrowth(database, path)
  if (!isTight(path, bytes)) {
    execute(database, 'commit')
    return
  }
  const free = reserve(path, bytes, database)
  try {
    execute(database, 'commit')
  } finally {
    free()
  }
  attempt(() => database.exec('pragma wal_checkpoint(passive)'))
}

/** Throws if the disk has no space for the commit of a batch. Must be called with the write lock, like any reservation. */
export function requireSpace(database: DatabaseSync, path: string): void {
  if (!isTight(path)) return
  const free = reserve(path, commitBytesMin, database)
  free()
}

/** How much the database file grows when the whole log is copied into it. */
function fileGrowth(database: DatabaseSync, path: string): number {
  const { pages, size } = database
    .prepare(
      'select page_count as pages, page_size as size from pragma_page_count, pragma_page_size',
    )
    .get() as { pages: number; size: number }
  return Math.max(0, pages * size - statSync(path).size)
}

/** Whether the disk of a file has so little space that a log must remain small. */
export function isTight(path: string, bytes = 0): boolean {
  const { bavail, bsize } = statfsSync(dirname(realPath(path)))
  return bavail * bsize < bytes + spareBytes
}

/** Fills a new file that is deleted first, so that its space is freed with the process. Returns a function that frees it. */
function reserve(path: string, bytes: number, database: DatabaseSync): () => void {
  const name = `${realPath(path)}-reserve-${randomUUID()}`
  const file = openSync(name, 'wx', 0o600)
  try {
    rmSync(name)
    const block = Buffer.alloc(Math.min(bytes, blockBytes))
    for (let left = bytes; left > 0; ) left -= writeSync(file, block, 0, Math.min(left, blockBytes))
  } catch (error) {
    closeSync(file)
    throw toAppError(error, database)
  }
  return () => closeSync(file)
}

/**
 * Frees the log space of a finished load. SQLite does not shrink the log: after a load that filled the disk, nothing else
 * could be written to it.
 */
export function releaseLog(path: string): void {
  attempt(() =>
    withLargeLog(path, 0, (database) => {
      truncateUnused(database, path)
      database.exec('pragma wal_checkpoint(passive)')
      database.exec(`pragma busy_timeout = ${emptyWaitMs}`)
      database.exec('pragma wal_checkpoint(truncate)')
    }),
  )
}

/**
 * Keeps the log small while many commits follow each other. SQLite starts the log again from its beginning only if no
 * reader uses an older snapshot when a commit ends, which never happens if reads always overlap. The returned function
 * is called between two commits, and blocks the process for a moment at most once a second.
 */
export function openLogLimit(database: DatabaseSync, path: string): () => void {
  let triedAt = Number.NEGATIVE_INFINITY
  return () => {
    if (performance.now() - triedAt < limitEveryMs || logBytes(path) <= limitBytes) return
    triedAt = performance.now()
    attempt(() => {
      database.exec(`pragma busy_timeout = ${limitWaitMs}`)
      try {
        database.exec('pragma wal_checkpoint(truncate)')
      } finally {
        database.exec('pragma busy_timeout = 0')
      }
    })
  }
}

/**
 * Does so periodically while a server runs, for loads that were killed. A log that is being written belongs to a process
 * that checkpoints it itself, and the work would delay both that process and requests.
 */
export function watchLog(path: string): { close(): void } {
  let writtenAt = 0
  const isBeingWritten = (): boolean => {
    const { mtimeMs = 0, size = 0 } = statSync(walPath(path), { throwIfNoEntry: false }) ?? {}
    const isWritten = mtimeMs !== writtenAt
    writtenAt = mtimeMs
    return isWritten && size <= writtenBytesMax
  }
  const release = () => {
    const tight = isTight(path)
    if (isBeingWritten() && !tight) return
    withLargeLog(path, tight ? 0 : keptBytes, (database) => {
      if (!truncateUnused(database, path)) return
      const { log, checkpointed } = checkpointState(database)
      if (log - checkpointed <= copiedPagesMax) database.exec('pragma wal_checkpoint(truncate)')
    })
  }
  const timer = setInterval(attempt, checkEveryMs, release)
  timer.unref()
  return { close: () => clearInterval(timer) }
}

/** Runs the work if the log is larger than allowed. */
function withLargeLog(
  path: string,
  bytesMax: number,
  work: (database: DatabaseSync) => void,
): void {
  if (logBytes(path) <= bytesMax) return
  using database = connect(path, 0)
  work(database)
}

/** Ignores failures to shrink the log. Committed data stays in it, and the next load or a server tries again. */
function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // The next attempt follows.
  }
}

/**
 * Truncates the log after the last committed page. What follows was written by transactions that were never committed. It
 * is never read, and only the holder of the write lock writes there: SQLite itself truncates the log under that lock.
 * False while another process writes.
 */
function truncateUnused(database: DatabaseSync, path: string): boolean {
  if (!tryLock(database)) return false
  try {
    const { page_size } = database.prepare('pragma page_size').get() as { page_size: number }
    const pages = countUsedPages(path)
    const bytes = headerBytes + pages * (frameHeaderBytes + page_size)
    if (pages >= 0 && logBytes(path) > bytes) truncateSync(walPath(path), bytes)
  } finally {
    database.exec('rollback')
  }
  return true
}

/** Uses a second connection: within a transaction, SQLite does not examine the log. */
function countUsedPages(path: string): number {
  using database = connect(path, 0)
  // SQLite detects the log only with the first read.
  schemaVersion(database)
  return checkpointState(database).log
}

/** The number of pages in the log, and how many of them are in the database file too. */
function checkpointState(database: DatabaseSync) {
  const row = database.prepare('pragma wal_checkpoint(noop)').get()
  return row as { log: number; checkpointed: number }
}

function logBytes(path: string): number {
  return statSync(walPath(path), { throwIfNoEntry: false })?.size ?? 0
}
