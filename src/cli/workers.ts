import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../observe/log.ts'
import type { Scraping } from './observation.ts'
import { CommandError, type Terminal } from './terminal.ts'
import { exitAfter, untilStopped } from './until-stopped.ts'

/** A worker that dies sooner than this after its start counts as one that cannot live. */
const settledMs = 10_000

/** How long to wait before such a one is replaced. It doubles with each that follows. */
const pauseMs = 250
const pauseMaxMs = 30_000

/** How long a worker that is to replace another may take until it can answer. */
const startMaxMs = 30_000

/** How much longer than its own bound a worker may take to end before it is killed. */
const killAfterMs = 2000

/** What a worker tells its supervisor once it listens. */
export interface WorkerReady {
  readonly readyOn: string
  /** Whether it can answer: whether it has the keys to judge a token with. */
  readonly isAble: boolean
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
 * Processes that share one port, each running this same command. One that dies is replaced. SIGHUP is handed on to
 * them; SIGUSR2 replaces them one by one, without a moment at which nobody answers.
 */
export async function superviseWorkers(
  settings: Supervision,
  { log, exit }: Log,
  scraping: Scraping | undefined,
  terminal: Terminal,
): Promise<void> {
  const members = new Set<Member>()
  let isServing = false
  let quickDeaths = 0
  let replacing = 0

  const start = (environment: Readonly<Record<string, string>> = {}): Member => {
    const worker = cluster.fork(environment)
    const startedAt = performance.now()
    const member = { worker, ready: untilReady(worker) }
    members.add(member)
    worker.once('exit', async (code, signal) => {
      members.delete(member)
      // Also one that was told to leave: there is another in its place already.
      if (!isServing || members.size + replacing >= settings.workers) return
      quickDeaths = performance.now() - startedAt < settledMs ? quickDeaths + 1 : 0
      const pause = quickDeaths > 0 ? Math.min(pauseMs * 2 ** (quickDeaths - 1), pauseMaxMs) : 0
      const { pid } = worker.process
      log.warn({ pid, status: signal ?? code, delayMs: pause }, 'worker ended, starting another')
      replacing += 1
      await wait(pause)
      replacing -= 1
      if (isServing) start()
    })
    return member
  }
  const stop = async ({ worker }: Member): Promise<void> => {
    if (worker.isDead()) return
    const ended = once(worker, 'exit')
    worker.process.kill('SIGTERM')
    const overdue = setTimeout(
      () => worker.process.kill('SIGKILL'),
      settings.shutdownTimeout * 1000 + killAfterMs,
    )
    await ended
    clearTimeout(overdue)
  }
  const replaceEach = async (): Promise<void> => {
    for (const old of [...members]) {
      if (!members.has(old)) continue
      const fresh = start({ [successorVariable]: 'yes' })
      const late = wait(startMaxMs, undefined, { ref: false })
      const ready = await Promise.race([fresh.ready, late])
      if (!isServing) return
      if (!ready?.isAble) {
        await stop(fresh)
        const reason = ready ? 'has no keys to verify tokens with' : 'did not start'
        log.error(`a new worker ${reason}: the running workers stay`)
        return
      }
      await stop(old)
    }
    log.warn('every worker was replaced')
  }

  process.on('SIGHUP', () => {
    for (const { worker, ready } of members) {
      // One that is just starting would not hear it yet.
      ready.then((listens) => listens && worker.process.kill('SIGHUP'))
    }
  })
  let isReplacing = false
  process.on('SIGUSR2', async () => {
    if (isReplacing || !isServing) return
    isReplacing = true
    await replaceEach()
    isReplacing = false
  })

  // The first one alone: what is wrong is then said once.
  const first = await start().ready
  if (!first) throw new CommandError(1, 'no worker was started: the reason stands above')
  isServing = true
  const stopped = untilStopped(exit)
  await Promise.all(Array.from({ length: settings.workers - 1 }, () => start().ready))
  terminal.out(`${settings.role} ready on ${first.readyOn}, ${settings.workers} workers\n`)
  if (scraping) terminal.out(`metrics on ${scraping.address}\n`)

  await stopped
  isServing = false
  exitAfter(settings.shutdownTimeout * 1000 + killAfterMs, exit)
  await Promise.all([...members].map(stop))
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
export function isSuccessor(): boolean {
  return process.env[successorVariable] !== undefined
}

/** Says that this worker listens, or that it does not since it is not able to answer. */
export function tellReady(ready: WorkerReady): void {
  cluster.worker?.send(ready)
}

/** Lets go of the supervisor: a worker that still hears it does not end by itself. */
export function leaveSupervisor(): void {
  cluster.worker?.disconnect()
}

export function isSupervisor(): boolean {
  return cluster.isPrimary
}
