import type { PurgeClockOptions } from '../auth/purge-clock.ts'
import type { ReplayEvents } from '../auth/replay-store.ts'

/** Where a PostgreSQL database has its entries: in partitions on its server, or on the data nodes of a Citus cluster. */
export const databaseLayouts = ['partitions', 'citus'] as const
export type DatabaseLayout = (typeof databaseLayouts)[number]

/** How to connect to a database. All options have defaults; SQLite uses `isMapped` alone. */
export interface DatabaseOptions {
  /** Whether a SQLite file is mapped into memory, up to 2 GB: by default, since a server reads pages again and again. */
  readonly isMapped?: boolean | undefined
  /** A file with the password, read before every new connection. */
  readonly passwordFile?: string | undefined
  /** The maximum size of a store's connection pool. */
  readonly connections?: number | undefined
  /** The layout of a new database; an existing one must have it. */
  readonly layout?: DatabaseLayout | undefined
  /** The number of partitions or shards for the entries of a new database. */
  readonly partitions?: number | undefined
  /** The address of a replica that is read from while it is up to date. */
  readonly replica?: string | undefined
  /** How many seconds the replica may lag behind. */
  readonly replicaLagMax?: number | undefined
  /** The timeout of a call. */
  readonly timeoutMs?: number | undefined
  /** How long a load that is aborted may take to end before its connection is closed. */
  readonly abortMs?: number | undefined
  /** Called with what the operator should know about a database that can be used. */
  readonly onWarning?: ((message: string) => void) | undefined
  /** Called with each connection pool that stays open while the process runs. */
  readonly onPool?: ((name: PoolName, pool: PoolUse) => void) | undefined
}

/** Options of a replay store on either engine. */
export interface ReplayOptions extends ReplayEvents, PurgeClockOptions {}

/** What a pool is used for: reads, reads from the shards, reads from the replica, writes, or probes. */
export const poolNames = ['read', 'shards', 'replica', 'write', 'probe'] as const
export type PoolName = (typeof poolNames)[number]

/** The number of connections of a pool, of idle connections, and of calls that wait for one. */
export interface PoolUse {
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
}

/** How a server uses the database. A provider only reads: it writes used tokens through a `ReplayStore`. */
export type ProbeUse = 'read' | 'write'

export interface DatabaseProbe {
  /** Rejects with the reason if the database lacks a migration, or cannot be read (or written, if the server writes). */
  test(): Promise<void>
  /** The data nodes of a Citus cluster, as the coordinator reaches them now; none in another layout. */
  listDataNodes(): Promise<readonly DataNode[]>
  close(): Promise<void>
}

export interface DataNode {
  /** Host and port. */
  readonly address: string
  readonly isUp: boolean
}

export interface BackupOptions {
  /** Whether existing files are replaced. */
  readonly force: boolean
  /** Called with the file that is being written and the fraction that is done. */
  readonly onProgress?: (file: string, share: number) => void
  /** Aborts the backup, which then leaves no files. */
  readonly signal?: AbortSignal
}

/** Detects that the files of a database are no longer those that the process opened. */
export interface FileWatch {
  /** False while one of them is deleted, moved or replaced. */
  isIntact(): boolean
  close(): void
}

/** A database that cannot be used. The message is for the user of the command. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
}

/** There is no database at the address: no file, or no tables. */
export class MissingDatabase extends DatabaseError {}

/** How a user of the command solves what a message is about. Programs replace it by their own options. */
export const solutions = {
  create: 'holdfast load or holdfast serve --create',
  newReplayFile: '--new-replay-file',
} as const

export function newerDatabase(): DatabaseError {
  return new DatabaseError(
    'the database was created by a newer version of Holdfast: use that version, or another database',
  )
}

export function earlierBuild(): DatabaseError {
  return new DatabaseError(
    'the database was created by an earlier build of Holdfast: dump it with that build, and load the dump into a new database with this one',
  )
}

export function notMigrated(): DatabaseError {
  return new DatabaseError('the database lacks a migration of this version')
}

/** The lists on a data node of a Citus cluster do not have the state that the coordinator has of them. */
export function outdatedList(): DatabaseError {
  return new DatabaseError(
    'a data node has not finished the commit of an earlier load: try again in a minute, and see docs/guides/citus.md if this does not help',
  )
}
