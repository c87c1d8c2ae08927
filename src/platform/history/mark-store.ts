import type { Range } from '../usage/store.ts'

/** The servers that record their starts. */
export type StartedRole = 'provider' | 'guard' | 'platform' | 'intake'

export interface RecordedStart {
  readonly role: StartedRole
  /** Times are in milliseconds since 1970. */
  readonly minute: number
  readonly processes: number
  readonly version: string
}

export interface RecordedLoad {
  readonly committed: number
  readonly created: number
  readonly changed: number
  readonly unchanged: number
  readonly deleted: number
}

/** The last starts of servers and the last loads, of which a database has a bounded number. */
export interface MarkStore {
  /** Starts of the same server in a minute are counted together. */
  addStart(start: Omit<RecordedStart, 'processes'>): Promise<void>
  listStarts(range: Range): Promise<readonly RecordedStart[]>
  listLoads(range: Range): Promise<readonly RecordedLoad[]>
  close(): Promise<void>
}
