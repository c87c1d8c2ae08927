import type { ReplayEvents } from '../auth/replay-store.ts'
import type { PurgeClockOptions } from './purge-clock.ts'

/** How a database is reached. What is not given has a default; a SQLite file needs none of it. */
export interface DatabaseOptions {
  /** A file with the password, read again before every connection is made. */
  readonly passwordFile?: string | undefined
  /** The most connections that one store may have. */
  readonly connections?: number | undefined
  /** Into how many tables a new database divides the histories. */
  readonly partitions?: number | undefined
  /** A copy that is read from while it is up to date. */
  readonly replica?: string | undefined
  /** How many seconds that copy may be behind. */
  readonly replicaLagMax?: number | undefined
  /** Within how many milliseconds a call is answered, or fails as an outage. */
  readonly timeoutMs?: number | undefined
  /** Told of each pool of connections that is opened for as long as the process runs. */
  readonly onPool?: ((name: PoolName, pool: PoolUse) => void) | undefined
}

/** What a store of used tokens takes beside the address of its database. */
export interface ReplayOptions extends ReplayEvents, PurgeClockOptions {}

/** What connections are for: reading, reading from the replica, writing, or looking whether the database is there. */
export const poolNames = ['read', 'replica', 'write', 'probe'] as const
export type PoolName = (typeof poolNames)[number]

/** How many connections a pool has, how many of them nobody uses, and how many calls wait for one. */
export interface PoolUse {
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
}

/** What a server needs of the database: a provider writes used tokens elsewhere, see `ClaimStore`. */
export type ProbeUse = 'read' | 'write'

export interface DatabaseProbe {
  /** Rejects with the reason where the database lacks a migration, or cannot be read, or written where that is needed. */
  check(): Promise<void>
  close(): Promise<void>
}

export interface BackupOptions {
  /** Whether a file that exists is replaced. */
  readonly force: boolean
  /** Told which file is being written, and the share of it that is done. */
  readonly onProgress?: (file: string, share: number) => void
  /** Ends the backup early; nothing is left of it. */
  readonly signal?: AbortSignal
}

/** Notices that the files of a database are no longer those that the process opened. */
export interface FileWatch {
  /** False while one of them is deleted, moved or replaced by another. */
  isIntact(): boolean
  close(): void
}

/** A database that cannot be used at all, in a sentence for the user that named it. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
}

export function newerDatabase(): DatabaseError {
  return new DatabaseError(
    'the database was made by a newer Holdfast: use that version, or another database',
  )
}

export function notMigrated(): DatabaseError {
  return new DatabaseError('the database lacks a migration of this version')
}
