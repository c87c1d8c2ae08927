import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Scraping } from './observation.ts'
import type { Terminal } from './terminal.ts'
import { untilStopped } from './until-stopped.ts'

/** A worker that dies sooner than this after its start is not replaced at once. */
const settledMs = 1000
const replaceAfterMs = 1000

/** Processes that share one port, each running this same command. One that dies is replaced. */
export async function superviseWorkers(
  count: number,
  scraping: Scraping | undefined,
  terminal: Terminal,
): Promise<void> {
  let isStopping = false
  const start = (): Worker => {
    const worker = cluster.fork()
    const startedAt = performance.now()
    worker.once('exit', async (code, signal) => {
      if (isStopping) return
      terminal.error(`worker ${worker.process.pid} ended (${signal ?? code}), starting another\n`)
      if (performance.now() - startedAt < settledMs) await wait(replaceAfterMs)
      if (!isStopping) start()
    })
    return worker
  }

  const workers = Array.from({ length: count }, start)
  const [address] = await Promise.all(workers.map((worker) => once(worker, 'listening')))
  const [{ address: host, port }] = address as [{ address: string; port: number }]
  terminal.out(`provider ready on http://${host}:${port}, ${count} workers\n`)
  if (scraping) terminal.out(`metrics on ${scraping.address}\n`)

  await untilStopped()
  isStopping = true
  const running = Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? [])
  await Promise.all(
    running.map(async (worker) => {
      const ended = once(worker, 'exit')
      worker.process.kill('SIGTERM')
      await ended
    }),
  )
}

/** Lets go of the supervisor: a worker that still hears it does not end by itself. */
export function leaveSupervisor(): void {
  cluster.worker?.disconnect()
}

export function isSupervisor(): boolean {
  return cluster.isPrimary
}
