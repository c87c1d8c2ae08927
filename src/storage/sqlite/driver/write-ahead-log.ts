import { closeSync, openSync, rmSync, statfsSync, statSync, truncateSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { isBusy, toAppError } from './errors.ts'
import { logPathOf, realPathOf } from './files.ts'
import { connect, versionOf } from './open.ts'
import { execute } from './statements.ts'

/** How large the log may stay while nothing is written, on a disk with space to spare: SQLite uses it again. */
const keptBytes = 4 * 1024 * 1024

/** How many pages a server copies into the database at once: more would hold up its requests. */
const copiedPagesMax = 4000

/** How often a server looks at the size of the log. */
const lookEveryMs = 1000

/** How long a load waits at its end for readers of an older state, so that the log can be emptied. */
const emptyWaitMs = 1000

/** The parts of the log besides the pages, in bytes. */
const headerBytes = 32
const frameHeaderBytes = 24

/** With more than this to spare, nothing that a commit still has to write can fill the disk. */
const spareBytes = 64 * 1024 * 1024

/** How many bytes are reserved at a time. */
const blockBytes = 1024 * 1024

/**
 * Commits what fits twice on the disk: in the log, and in the database's own file. What only fits into the log could
 * never leave it, and the disk would stay full. The second space is reserved while the log is written.
 */
export function commitWithinSpace(database: DatabaseSync, path: string): void {
  const bytes = growthOf(database, path)
  if (!isTight(path, bytes)) {
    execute(database, 'commit')
    return
  }
  const free = reserve(`${realPathOf(path)}-reserve`, bytes, database)
  try {
    execute(database, 'commit')
  } finally {
    free()
  }
  attempt(() => database.exec('pragma wal_checkpoint(passive)'))
}

/** How much the database's own file will grow when all of the log is copied into it. */
function growthOf(database: DatabaseSync, path: string): number {
  const { pages, size } = database
    .prepare(
      'select page_count as pages, page_size as size from pragma_page_count, pragma_page_size',
    )
    .get() as { pages: number; size: number }
  return Math.max(0, pages * size - statSync(path).size)
}

/** Whether the disk that a file is on has so little space that a log must stay small. */
export function isTight(path: string, bytes = 0): boolean {
  const { bavail, bsize } = statfsSync(dirname(realPathOf(path)))
  return bavail * bsize < bytes + spareBytes
}

/** Fills a file that has no name, so that it is gone with the process. Returns what frees its space. */
function reserve(path: string, bytes: number, database: DatabaseSync): () => void {
  const file = openSync(path, 'w', 0o600)
  try {
    rmSync(path)
    const block = Buffer.alloc(Math.min(bytes, blockBytes))
    for (let left = bytes; left > 0; ) left -= writeSync(file, block, 0, Math.min(left, blockBytes))
  } catch (error) {
    closeSync(file)
    throw toAppError(error, database)
  }
  return () => closeSync(file)
}

/**
 * Gives back the space of a load that is over. SQLite keeps the log as large as it ever was: after a load that filled
 * the disk, nothing else on that disk could be written.
 */
export function releaseLog(path: string): void {
  attempt(() =>
    withLog(path, 0, (database) => {
      cutUnused(database, path)
      database.exec('pragma wal_checkpoint(passive)')
      database.exec(`pragma busy_timeout = ${emptyWaitMs}`)
      database.exec('pragma wal_checkpoint(truncate)')
    }),
  )
}

/** Does so again and again while a server runs, for loads that were killed. */
export function watchLog(path: string): { close(): void } {
  const release = () =>
    withLog(path, isTight(path) ? 0 : keptBytes, (database) => {
      if (!cutUnused(database, path)) return
      const { log, checkpointed } = sizeOf(database)
      if (log - checkpointed <= copiedPagesMax) database.exec('pragma wal_checkpoint(truncate)')
    })
  const timer = setInterval(attempt, lookEveryMs, release)
  timer.unref()
  return { close: () => clearInterval(timer) }
}

/** Does something with a log that is larger than it may be. */
function withLog(path: string, bytesMax: number, work: (database: DatabaseSync) => void): void {
  if (bytesOf(path) <= bytesMax) return
  const database = connect(path, 0)
  try {
    work(database)
  } finally {
    database.close()
  }
}

/**
 * Does what makes the log smaller, if it can be done. A failure changes no data: what is committed stays in the log,
 * which the next load or a server empties.
 */
function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // As above.
  }
}

/**
 * Cuts what follows the last committed page, which only a transaction that was never committed has written. Nothing is
 * read behind that page, and only the holder of the write lock writes there: SQLite itself cuts the log under that lock.
 * False while another process writes.
 */
function cutUnused(database: DatabaseSync, path: string): boolean {
  try {
    database.exec('begin immediate')
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
  try {
    const { page_size } = database.prepare('pragma page_size').get() as { page_size: number }
    const pages = usedPages(path)
    const bytes = headerBytes + pages * (frameHeaderBytes + page_size)
    if (pages >= 0 && bytesOf(path) > bytes) truncateSync(logPathOf(path), bytes)
  } finally {
    database.exec('rollback')
  }
  return true
}

/** On a second connection: SQLite does not look at the log for one that is in a transaction. */
function usedPages(path: string): number {
  const database = connect(path, 0)
  try {
    // Only with the first read, SQLite finds out that there is a log.
    versionOf(database)
    return sizeOf(database).log
  } finally {
    database.close()
  }
}

/** How many pages the log holds, and how many of them are in the database's own file as well. */
function sizeOf(database: DatabaseSync): { log: number; checkpointed: number } {
  return database.prepare('pragma wal_checkpoint(noop)').get() as {
    log: number
    checkpointed: number
  }
}

function bytesOf(path: string): number {
  return statSync(logPathOf(path), { throwIfNoEntry: false })?.size ?? 0
}
