import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { findNewestKey, type SigningKeyStore, toPrivateJwk } from '../../auth/signing-key-store.ts'
import { type CheckOptions, ContractError, type ListedCheck } from '../../contract/index.ts'
import {
  type CheckRunStore,
  type NewRun,
  noProgress,
  type RunEnd,
  type StoredRun,
} from './store.ts'
import type { Job, startThread } from './thread.ts'

/** The provider to check, and how. */
export type CheckTarget = Omit<Job['options'], 'profile' | 'only'>

export interface CheckRunsOptions {
  /** Called for the first request: most platforms never check their provider. */
  readonly openStore: () => Promise<CheckRunStore>
  readonly signingKeys: Pick<SigningKeyStore, 'list'>
  readonly clock: () => Temporal.Instant
  /** Throws `not_configured` if the platform does not have the settings. */
  readonly findTarget: () => CheckTarget
  readonly onError: (error: unknown) => void
  readonly limits?: Partial<typeof limitDefaults> | undefined
}

const limitDefaults = {
  /** How often the progress is written, whether or not it has changed. */
  progressMs: 1000,
  /** A run whose process has not written for this long is interrupted. */
  lostAfterMs: 10_000,
  durationMaxMs: 30 * 60 * 1000,
  /** How long the end of a run is retried while the database is not available. */
  endRetryMaxMs: 60_000,
}

export type CheckRuns = ReturnType<typeof openCheckRuns>

const profileDefault = 'full'
const noSigningKey = 'the platform has no signing key: run holdfast keys add'

/** The checks of the provider that API clients start and read. */
export function openCheckRuns(options: CheckRunsOptions) {
  const { openStore, signingKeys, clock, findTarget, onError } = options
  const limits = { ...limitDefaults, ...options.limits }
  let opened: Promise<CheckRunStore> | undefined
  let interruptCurrent: (() => Promise<void>) | undefined
  let isClosed = false

  const store = (): Promise<CheckRunStore> => {
    opened ??= openStore().catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }
  const toListed = (run: StoredRun) =>
    toListedCheck(run, clock().epochMilliseconds - limits.lostAfterMs)
  /** Interrupts the run of this process. From then on, none can be started. */
  const interrupt = async (): Promise<void> => {
    isClosed = true
    await interruptCurrent?.()
  }

  return {
    interrupt,
    async start(
      { profile = profileDefault, groups }: CheckOptions,
      startedBy: string,
    ): Promise<ListedCheck> {
      const target = findTarget()
      const newest = await findNewestKey(signingKeys)
      if (!newest) throw new ContractError('not_configured', noSigningKey)
      const runs = await store()
      const { startThread } = await import('./thread.ts')
      const startedAt = clock().epochMilliseconds
      const run: NewRun = { id: randomUUID(), profile, groups, startedBy, startedAt }
      if (isClosed) throw new ContractError('unavailable', 'the platform is shutting down')
      const running = await runs.start(run, startedAt - limits.lostAfterMs)
      if (running !== undefined)
        throw new ContractError('check_running', undefined, { members: { checkId: running } })
      const job = {
        options: { ...target, profile, ...(groups && { only: groups }) },
        key: toPrivateJwk(newest),
      }
      interruptCurrent = execute(run.id, job, { store: runs, startThread, clock, onError, limits })
      if (isClosed) await interruptCurrent()
      const state = { state: 'running', updatedAt: startedAt } as const
      return toListed({ ...run, ...state, progress: noProgress })
    },
    /** Newest first. */
    async list(): Promise<readonly ListedCheck[]> {
      return (await (await store()).list()).map(toListed)
    },
    /** The report is a `CheckReport` as JSON. */
    async read(id: string) {
      const run = await (await store()).read(id)
      return run && { listed: toListed(run), report: run.report }
    },
    async close(): Promise<void> {
      await interrupt()
      await (await opened)?.close()
    },
  }
}

interface ExecutionParts extends Pick<CheckRunsOptions, 'clock' | 'onError'> {
  readonly store: CheckRunStore
  readonly startThread: typeof startThread
  readonly limits: typeof limitDefaults
}

/**
 * Runs the checks and stores the progress and the end. Returns a function that ends the run, and resolves once that is
 * stored.
 */
function execute(id: string, job: Job, parts: ExecutionParts): () => Promise<void> {
  const { store, startThread, clock, onError, limits } = parts
  let progress = noProgress
  let isWriting = false
  let ending: Promise<void> | undefined
  const interrupted = new AbortController()
  const thread = startThread(job, (next) => {
    progress = next
  })

  const end = (outcome: Omit<RunEnd, 'progress'>): Promise<void> => {
    ending ??= (async () => {
      clearInterval(timer)
      clearTimeout(deadline)
      await thread.stop()
      const endedAt = clock().epochMilliseconds
      const write = () => store.end(id, { ...outcome, progress }, endedAt)
      await retryWhileUnavailable(write, limits, interrupted.signal)
    })().catch(onError)
    return ending
  }
  const write = async (): Promise<void> => {
    if (isWriting) return
    isWriting = true
    try {
      // Another process has interrupted the run, because this one could not write for too long.
      if (!(await store.update(id, progress, clock().epochMilliseconds)))
        await end({ state: 'interrupted' })
    } catch (error) {
      onError(error)
    } finally {
      isWriting = false
    }
  }
  const timer = setInterval(write, limits.progressMs)
  const deadline = setTimeout(() => {
    const minutes = Math.round(limits.durationMaxMs / 60_000)
    void end({ state: 'error', error: `the checks took longer than ${minutes} minutes` })
  }, limits.durationMaxMs)
  thread.report.then(
    (report) => end({ state: 'completed', report }),
    (error: unknown) => {
      // The thread also ends without a report when it is stopped.
      if (ending) return
      onError(error)
      return end({
        state: 'error',
        error: 'the checks ended with an internal error: see the log of the platform',
      })
    },
  )
  return () => {
    // A shutdown does not wait for the database.
    interrupted.abort()
    return end({ state: 'interrupted' })
  }
}

/** Repeats a write that failed because the database was not available, until a time or a signal. */
async function retryWhileUnavailable(
  write: () => Promise<void>,
  { progressMs, endRetryMaxMs }: typeof limitDefaults,
  signal: AbortSignal,
): Promise<void> {
  const retryUntil = performance.now() + endRetryMaxMs
  for (;;) {
    try {
      return await write()
    } catch (error) {
      const isUnavailable = error instanceof ContractError && error.code === 'unavailable'
      if (!isUnavailable || performance.now() > retryUntil) throw error
      await wait(progressMs, undefined, { signal }).catch(() => {
        throw error
      })
    }
  }
}

function toListedCheck(run: StoredRun, aliveSince: number): ListedCheck {
  const { id, profile, groups, startedBy, startedAt, updatedAt, progress, error } = run
  const isLost = run.state === 'running' && updatedAt < aliveSince
  return {
    checkId: id,
    state: isLost ? 'interrupted' : run.state,
    profile,
    startedAt: Temporal.Instant.fromEpochMilliseconds(startedAt).toString(),
    startedBy,
    seconds: Math.round((updatedAt - startedAt) / 100) / 10,
    progress,
    ...(groups && { groups }),
    ...(error !== undefined && { error }),
  }
}
