import cluster, { type Worker } from 'node:cluster'
import { countsOf, type Metrics, type Snapshot, textOf } from './metrics.ts'

/** How long a worker may take to tell what it has counted; then what it said before is taken. */
const answerTimeoutMs = 1000

const question = 'holdfast metrics'

interface Answer {
  readonly metrics: Snapshot
}

/**
 * The metrics of all workers together, for the supervisor's port. What a worker has counted is kept when it
 * ends, so that no count ever falls.
 */
export function openWorkerMetrics(): { text(): Promise<string> } {
  const known = new Map<number, Snapshot>()
  const waiting = new Map<number, () => void>()
  let departed: Promise<Snapshot> = Promise.resolve([])

  cluster.on('message', ({ id }, message: unknown) => {
    if (!isAnswer(message)) return
    known.set(id, message.metrics)
    waiting.get(id)?.()
  })
  cluster.on('exit', ({ id }) => {
    const last = known.get(id)
    known.delete(id)
    waiting.get(id)?.()
    if (last) departed = departed.then((before) => countsOf([before, last]))
  })

  const ask = (worker: Worker): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, answerTimeoutMs)
      waiting.set(worker.id, () => {
        clearTimeout(timer)
        resolve()
      })
      // One that is just ending cannot be told anything any more.
      worker.send(question, (error) => error && waiting.get(worker.id)?.())
    })

  return {
    async text() {
      const workers = Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? [])
      await Promise.all(workers.filter((worker) => worker.isConnected()).map(ask))
      waiting.clear()
      let kept: Promise<Snapshot>
      let before: Snapshot
      // Again where one ended meanwhile: it would be counted neither here nor there.
      do {
        kept = departed
        before = await kept
      } while (kept !== departed)
      return textOf([before, ...known.values()])
    },
  }
}

/** A worker's side: it answers when it is asked, and tells the last of it before it ends. */
export function tellSupervisor(metrics: Metrics): { finish(): Promise<void> } {
  const tell = async (): Promise<void> => {
    const answer: Answer = { metrics: await metrics.snapshot() }
    // Whoever cannot be told is gone, and so is the reason to tell.
    await new Promise((resolve) => process.send?.(answer, resolve))
  }
  process.on('message', (message) => {
    if (message === question) tell()
  })
  return { finish: tell }
}

function isAnswer(message: unknown): message is Answer {
  return typeof message === 'object' && message !== null && 'metrics' in message
}
