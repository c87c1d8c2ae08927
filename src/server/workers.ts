import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { backOff } from '../contract/back-off.ts'
import { openConnectionHandover } from './connection-handover.ts'
import { answerHeartbeats, type HeartbeatLimits, watchHeartbeat } from './heartbeat.ts'
import type { Log } from './observe/log.ts'
import type { MetricsEndpoint } from './observe/metrics-reader.ts'
import { exitAfter, untilStopSignal } from './signals.ts'
import { CommandError, type Terminal } from './terminal.ts'

export interface SupervisionLimits {
  /** A worker that exits sooner than this after its start counts as a failed start. */
  readonly settledMs: number
  /** After up to this many consecutive failed starts, a worker is restarted immediately. */
  readonly immediateRestarts: number
  /** After more, the restart is delayed. The delay doubles each time, up to the maximum. */
  readonly restartDelayMs: number
  readonly restartDelayMaxMs: number
  /** How long a replacement may take to become ready. */
  readonly startMaxMs: number
  /** How much longer than its shutdown timeout a worker may take to exit before it is killed. */
  readonly killAfterMs: number
  readonly heartbeat: HeartbeatLimits
}

/** A hung worker is killed after 8 seconds, so that its replacement serves within 10. */
export const supervisionLimits: SupervisionLimits = {
  settledMs: 10_000,
  immediateRestarts: 2,
  restartDelayMs: 250,
  restartDelayMaxMs: 2000,
  startMaxMs: 30_000,
  killAfterMs: 2000,
  heartbeat: { intervalMs: 500, missedMax: 15 },
}

/** The message of a worker to the supervisor once it listens. */
interface WorkerReady {
  readonly readyOn: string
  /** Whether requests could succeed: a provider needs keys to verify tokens with. */
  readonly isReady: boolean
}

interface Member {
  readonly worker: Worker
  /** Resolves to undefined if the worker exits before it is ready. */
  readonly ready: Promise<WorkerReady | undefined>
}

interface Supervision {
  /** For the message that the workers are ready. */
  readonly role: string
  readonly workers: number
  readonly shutdownTimeout: number
}

/**
 * Runs this same command in several processes that share one port. A worker that exits or hangs is replaced. SIGHUP is forwarded to
 * the workers; SIGUSR2 replaces them one by one without an interruption of service.
 */
export async function superviseWorkers(
  settings: Supervision,
  log: Log,
  metrics: MetricsEndpoint | undefined,
  terminal: Terminal,
  limits: SupervisionLimits = supervisionLimits,
): Promise<void> {
  const shutdownMs = settings.shutdownTimeout * 1000 + limits.killAfterMs
  const pool = openWorkerPool(settings.workers, shutdownMs, log.log, limits)
  process.on('SIGHUP', pool.reload)
  process.on('SIGUSR2', pool.replaceEach)

  // The first worker alone, so that an invalid configuration is reported once.
  const first = await pool.start().ready
  if (!first) throw new CommandError(1, 'no worker started: see the error above')
  pool.restartFromNowOn()
  const stopped = untilStopSignal(log.exit)
  await Promise.all(Array.from({ length: settings.workers - 1 }, () => pool.start().ready))
  terminal.out(`${settings.role} ready on ${first.readyOn}, ${settings.workers} workers\n`)
  if (metrics) terminal.out(`metrics on ${metrics.address}\n`)

  await stopped
  exitAfter(shutdownMs, () => log.exit(0))
  await pool.stop()
}

function openWorkerPool(size: number, shutdownMs: number, log: Logger, limits: SupervisionLimits) {
  const members = new Set<Member>()
  const handover = openConnectionHandover()
  let isServing = false
  let isReplacing = false
  let restarting = 0

  const start = (failedStarts = 0, environment: NodeJS.ProcessEnv = {}): Member => {
    const worker = cluster.fork(environment)
    const startedAt = performance.now()
    const { pid } = worker.process
    const member = { worker, ready: untilReady(worker) }
    members.add(member)
    handover.watch(worker)
    member.ready.then((ready) => ready && killIfHung(worker, log, limits.heartbeat))

    /** Starts another worker in its place, with a delay if it ran only for a short time. */
    const replace = async (status: object, message: string): Promise<Member | undefined> => {
      members.delete(member)
      // A worker that was replaced by SIGUSR2 is not restarted: its replacement is a member already.
      if (!isServing || members.size + restarting >= size) return undefined
      const isSettled = performance.now() - startedAt >= limits.settledMs
      const failed = isSettled ? 0 : failedStarts + 1
      const delayMs = restartDelay(failed, limits)
      log.warn({ pid, ...status, delayMs }, message)
      restarting += 1
      await wait(delayMs)
      restarting -= 1
      return isServing ? start(failed) : undefined
    }
    worker.on('message', async (message: unknown) => {
      if (message !== replacementRequest || !members.has(member)) return
      const replacement = await replace(
        {},
        'worker has an uncaught error, starting its replacement',
      )
      await untilReadyOrTimeout(replacement)
      await stopWorker(worker, shutdownMs)
    })
    worker.once('exit', (code, signal) => {
      const status = signal ?? code
      if (members.has(member)) return void replace({ status }, 'worker exited, restarting')
      if (isServing) log.warn({ pid, status }, 'worker exited after its replacement was started')
    })
    return member
  }

  const untilReadyOrTimeout = (member: Member | undefined): Promise<WorkerReady | undefined> =>
    Promise.race([member?.ready, wait(limits.startMaxMs, undefined, { ref: false })])

  /** Returns why the first replacement that failed did so. */
  const replaceAll = async (): Promise<string | undefined> => {
    for (const old of [...members]) {
      if (!members.has(old)) continue
      const replacement = start(0, { [replacementVariable]: 'yes' })
      const ready = await untilReadyOrTimeout(replacement)
      if (!isServing) return undefined
      if (!ready?.isReady) {
        await stopWorker(replacement.worker, shutdownMs)
        return ready ? 'has no keys to verify tokens with' : 'did not start'
      }
      await stopWorker(old.worker, shutdownMs)
    }
    return undefined
  }

  return {
    start,
    async replaceEach(): Promise<void> {
      if (isReplacing || !isServing) return
      isReplacing = true
      const problem = await replaceAll()
      isReplacing = false
      if (!isServing) return
      if (problem) log.error(`a new worker ${problem}: the running workers stay in service`)
      else log.warn('all workers were replaced')
    },
    restartFromNowOn() {
      isServing = true
    },
    reload: () => reloadMembers(members),
    async stop() {
      isServing = false
      // A failed worker that is about to exit is not a member.
      const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
      await Promise.all(workers.map((worker) => stopWorker(worker, shutdownMs)))
    },
  }
}

/** Forwards SIGHUP to each worker once it is ready: before, it has no listener for it. */
function reloadMembers(members: Iterable<Member>): void {
  for (const { worker, ready } of members) {
    ready.then((isListening) => isListening && worker.process.kill('SIGHUP'))
  }
}

function killIfHung(worker: Worker, log: Logger, limits: HeartbeatLimits): void {
  watchHeartbeat(worker, limits, () => {
    log.error({ pid: worker.process.pid }, 'worker does not respond, killing it')
    worker.process.kill('SIGKILL')
  })
}

/** A worker that always fails to start must not use up the CPU that the other workers need. */
function restartDelay(failedStarts: number, limits: SupervisionLimits): number {
  const delayed = failedStarts - limits.immediateRestarts
  if (delayed <= 0) return 0
  return backOff(delayed, limits.restartDelayMs, limits.restartDelayMaxMs)
}

async function stopWorker(worker: Worker, timeoutMs: number): Promise<void> {
  if (worker.isDead()) return
  const exited = once(worker, 'exit')
  worker.process.kill('SIGTERM')
  const timeout = setTimeout(() => worker.process.kill('SIGKILL'), timeoutMs)
  await exited
  clearTimeout(timeout)
}

async function untilReady(worker: Worker): Promise<WorkerReady | undefined> {
  return new Promise((resolve) => {
    worker.on('message', (message: Partial<WorkerReady>) => {
      if (message.readyOn !== undefined) resolve(message as WorkerReady)
    })
    worker.once('exit', () => resolve(undefined))
  })
}

/** Set for a worker that replaces a running one. Without the prefix of settings, because it is not a setting. */
const replacementVariable = 'REPLACES_HOLDFAST_WORKER'

/** Whether this worker replaces a running one, which serves until this one is ready. */
export function isReplacement(): boolean {
  return process.env[replacementVariable] !== undefined
}

const replacementRequest = 'holdfast replacement'

/** Asks the supervisor, if there is one, to start a replacement of this worker and to stop it when that is ready. */
export function requestReplacement(): void {
  // Errors are ignored: without a supervisor, this worker is ending.
  cluster.worker?.send(replacementRequest, () => {})
}

/** Reports to the supervisor that this worker listens, or that it does not because it is not ready. */
export function reportReady(ready: WorkerReady): void {
  answerHeartbeats()
  cluster.worker?.send(ready)
}

/** The open channel to the supervisor would keep this worker running. */
export function disconnectFromSupervisor(): void {
  cluster.worker?.disconnect()
}

export function isSupervisor(): boolean {
  return cluster.isPrimary
}
