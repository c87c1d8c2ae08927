import type { ReplayStore } from '../auth/replay-store.ts'
import type { FeedWriter, FeedWriterOptions } from '../intake/feed-writer.ts'
import type { DumpedItem, ProviderWriter, WriterOptions } from '../intake/writer.ts'
import type { ProviderStore } from '../provider/store.ts'
import type {
  DatabaseOptions,
  DatabaseProbe,
  FileWatch,
  ProbeUse,
  ReplayOptions,
} from './database.ts'
import type { Sql } from './sql.ts'

/**
 * One database, on SQLite or PostgreSQL. Each function imports what it needs when it is called, so that a command
 * loads no more than it uses.
 */
export interface Engine {
  /** Creates the database unless it exists, and applies the migrations that it lacks. No other function creates one. */
  createDatabase(options?: DatabaseOptions): Promise<void>
  /** Replaces a lost replay file by an empty one. PostgreSQL stores used tokens in the database itself. */
  replaceReplayFile(): Promise<void>
  /** The database files that users other than their owner can access. */
  findLooseFiles(): Promise<string[]>
  /** Watches the files of the database from now on: the data, and for a provider also the replay file. */
  openFileWatch(
    role: 'provider' | 'platform' | 'intake',
    onChange?: (paths: readonly string[]) => void,
  ): Promise<FileWatch>
  openDatabaseProbe(use: ProbeUse, options?: DatabaseOptions): Promise<DatabaseProbe>

  openProviderStore(options?: DatabaseOptions): Promise<ProviderStore>
  openProviderWriter(writing: WriterOptions, options?: DatabaseOptions): Promise<ProviderWriter>
  openFeedWriter(writing: FeedWriterOptions, options?: DatabaseOptions): Promise<FeedWriter>
  dumpProvider(options?: DatabaseOptions): AsyncIterable<DumpedItem>
  openReplayStore(
    clock: () => Temporal.Instant,
    options?: DatabaseOptions & ReplayOptions,
  ): Promise<ReplayStore>

  /** For the stores that are the same on both engines. */
  openSql(options?: DatabaseOptions): Promise<Sql>
}
