import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Log } from '../observe/log.ts'
import { openHandover } from './handover.ts'
import { answerHeartbeats, type HeartbeatLimits, watchHeartbeat } from './heartbeat.ts'
import { exitAfter, untilStopSignal } from './signals.ts'
import type { Scraping } from './telemetry.ts'
import { CommandError, type Terminal } from './terminal.ts'

export interface SupervisionLimits {
  /** A worker that ends sooner than this after its start counts as a failed start. */
  readonly settledMs: number
  /** After so many failed starts in a row in the place of one worker, the next one follows at once. */
  readonly immediateRestarts: number
  /** After more, it follows after a delay that doubles each time, up to the longest. */
  readonly restartDelayMs: number
  readonly restartDelayMaxMs: number
  /** How long a worker that is to replace another may take until it can answer. */
  readonly startMaxMs: number
  /** How much longer than its own bound a worker may take to end before it is killed. */
  readonly killAfterMs: number
  readonly heartbeat: HeartbeatLimits
}

/** A stuck worker is killed after 8 seconds, so that another serves in its place within 10. */
export const supervisionLimits: SupervisionLimits = {
  settledMs: 10_000,
  immediateRestarts: 2,
  restartDelayMs: 250,
  restartDelayMaxMs: 2000,
  startMaxMs: 30_000,
  killAfterMs: 2000,
  heartbeat: { everyMs: 500, missedMax: 15 },
}

/** What a worker tells its supervisor once it listens. */
export interface WorkerReady {
  readonly readyOn: string
  /** Whether it can answer: whether it has the keys to judge a token with. */
  readonly isReady: boolean
}

interface Member {
  readonly worker: Worker
  /** Undefined where it ended before. */
  readonly ready: Promise<WorkerReady | undefined>
}

export interface Supervision {
  /** What the workers serve. */
  readonly role: string
  readonly workers: number
  readonly shutdownTimeout: number
}

/**
 * Processes that share one port, each running this same command. One that dies or is stuck is replaced. SIGHUP is forwarded to
 * them; SIGUSR2 replaces them one by one, without a moment at which none of them answers.
 */
export async function superviseWorkers(
  settings: Supervision,
  log: Log,
  scraping: Scraping | undefined,
  terminal: Terminal,
  limits: SupervisionLimits = supervisionLimits,
): Promise<void> {
  const shutdownMs = settings.shutdownTimeout * 1000 + limits.killAfterMs
  const pool = openPool(settings.workers, shutdownMs, log.log, limits)
  process.on('SIGHUP', pool.reload)
  process.on('SIGUSR2', pool.replaceEach)

  // The first one alone: an error of the settings is then reported once.
  const first = await pool.start().ready
  if (!first) throw new CommandError(1, 'no worker was started: the reason stands above')
  pool.keepFull()
  const stopped = untilStopSignal(log.exit)
  await Promise.all(Array.from({ length: settings.workers - 1 }, () => pool.start().ready))
  terminal.out(`${settings.role} ready on ${first.readyOn}, ${settings.workers} workers\n`)
  if (scraping) terminal.out(`metrics on ${scraping.address}\n`)

  await stopped
  exitAfter(shutdownMs, log.exit)
  await pool.stop()
}

/** The workers that there are. */
function openPool(size: number, shutdownMs: number, log: Logger, limits: SupervisionLimits) {
  const members = new Set<Member>()
  const handover = openHandover()
  let isServing = false
  let isReplacing = false
  let restarting = 0

  const start = (failedStarts = 0, environment: NodeJS.ProcessEnv = {}): Member => {
    const worker = cluster.fork(environment)
    const startedAt = performance.now()
    const member = { worker, ready: untilReady(worker) }
    members.add(member)
    handover.watch(worker)
    member.ready.then((ready) => ready && killWhenStuck(worker, log, limits.heartbeat))
    worker.once('exit', async (code, signal) => {
      members.delete(member)
      // Also a worker that was replaced: its successor is there already.
      if (!isServing || members.size + restarting >= size) return
      const isSettled = performance.now() - startedAt >= limits.settledMs
      const failed = isSettled ? 0 : failedStarts + 1
      const delayMs = restartDelay(failed, limits)
      const { pid } = worker.process
      log.warn({ pid, status: signal ?? code, delayMs }, 'worker ended, starting another')
      restarting += 1
      await wait(delayMs)
      restarting -= 1
      if (isServing) start(failed)
    })
    return member
  }

  const replaceEach = async (): Promise<void> => {
    if (isReplacing || !isServing) return
    isReplacing = true
    const problem = await replaceAll()
    isReplacing = false
    if (!isServing) return
    if (problem) log.error(`a new worker ${problem}: the running workers stay`)
    else log.warn('every worker was replaced')
  }

  /** Returns what is wrong with the first successor that cannot take its place. */
  const replaceAll = async (): Promise<string | undefined> => {
    for (const old of [...members]) {
      if (!members.has(old)) continue
      const fresh = start(0, { [successorVariable]: 'yes' })
      const late = wait(limits.startMaxMs, undefined, { ref: false })
      const ready = await Promise.race([fresh.ready, late])
      if (!isServing) return undefined
      if (!ready?.isReady) {
        await stopWorker(fresh.worker, shutdownMs)
        return ready ? 'has no keys to verify tokens with' : 'did not start'
      }
      await stopWorker(old.worker, shutdownMs)
    }
    return undefined
  }

  return {
    start,
    replaceEach,
    /** From now on, a worker that ends is replaced. */
    keepFull() {
      isServing = true
    },
    reload() {
      for (const { worker, ready } of members) {
        // A worker that is just starting does not listen for it yet.
        ready.then((listens) => listens && worker.process.kill('SIGHUP'))
      }
    },
    async stop() {
      isServing = false
      await Promise.all([...members].map(({ worker }) => stopWorker(worker, shutdownMs)))
    },
  }
}

function killWhenStuck(worker: Worker, log: Logger, limits: HeartbeatLimits): void {
  watchHeartbeat(worker, limits, () => {
    log.error({ pid: worker.process.pid }, 'worker does not respond, killing it')
    worker.process.kill('SIGKILL')
  })
}

/** A worker may be unlucky once or twice. One that never lives must not use up the machine that the others serve on. */
function restartDelay(failedStarts: number, limits: SupervisionLimits): number {
  const delayed = failedStarts - limits.immediateRestarts
  if (delayed <= 0) return 0
  return Math.min(limits.restartDelayMs * 2 ** (delayed - 1), limits.restartDelayMaxMs)
}

async function stopWorker(worker: Worker, timeoutMs: number): Promise<void> {
  if (worker.isDead()) return
  const ended = once(worker, 'exit')
  worker.process.kill('SIGTERM')
  const overdue = setTimeout(() => worker.process.kill('SIGKILL'), timeoutMs)
  await ended
  clearTimeout(overdue)
}

async function untilReady(worker: Worker): Promise<WorkerReady | undefined> {
  return new Promise((resolve) => {
    worker.on('message', (message: Partial<WorkerReady>) => {
      if (message.readyOn !== undefined) resolve(message as WorkerReady)
    })
    worker.once('exit', () => resolve(undefined))
  })
}

/** Tells a worker that it is to take the place of one that serves. Not named like a setting, since it is none. */
const successorVariable = 'SUCCESSOR_OF_HOLDFAST_WORKER'

/** Whether another serves in this worker's place until it can. */
export function isReplacement(): boolean {
  return process.env[successorVariable] !== undefined
}

/** Reports that this worker listens, or that it does not since it is not able to answer. */
export function reportReady(ready: WorkerReady): void {
  answerHeartbeats()
  cluster.worker?.send(ready)
}

/** Lets go of the supervisor: a worker that still hears it does not end by itself. */
export function leaveSupervisor(): void {
  cluster.worker?.disconnect()
}

export function isSupervisor(): boolean {
  return cluster.isPrimary
}
