import type { CheckProgress, ListedCheck } from '../../contract/index.ts'

export type CheckState = ListedCheck['state']

export interface NewRun {
  readonly id: string
  readonly profile: ListedCheck['profile']
  /** All groups if it is undefined. */
  readonly groups?: ListedCheck['groups'] | undefined
  /** The name of the API client. */
  readonly startedBy: string
  /** In milliseconds since 1970. */
  readonly startedAt: number
}

export interface StoredRun extends NewRun {
  readonly state: CheckState
  /** When the process of the run wrote last. */
  readonly updatedAt: number
  readonly progress: CheckProgress
  readonly error?: string
}

export interface RunEnd {
  readonly state: Exclude<CheckState, 'running'>
  readonly progress: CheckProgress
  readonly error?: string | undefined
  /** A `CheckReport` as JSON. */
  readonly report?: string | undefined
}

export const noProgress: CheckProgress = { done: 0, total: 0, passed: 0, failed: 0, skipped: 0 }

/** The last runs of checks and their reports, shared by all processes of a platform. */
export interface CheckRunStore {
  /**
   * Adds a run, and removes the oldest ones beyond the maximum. If another run has not ended, nothing is added and its id is
   * returned. A run whose process has not written since `aliveSince` is interrupted.
   */
  start(run: NewRun, aliveSince: number): Promise<string | undefined>
  /** False if the run has ended. */
  update(id: string, progress: CheckProgress, now: number): Promise<boolean>
  /** Changes nothing if the run has ended. */
  end(id: string, end: RunEnd, now: number): Promise<void>
  /** Newest first. */
  list(): Promise<readonly StoredRun[]>
  read(id: string): Promise<(StoredRun & { readonly report?: string }) | undefined>
  close(): Promise<void>
}
