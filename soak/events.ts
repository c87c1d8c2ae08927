import { setTimeout as wait } from 'node:timers/promises'
import type { FaultEvent } from './faults.ts'
import type { Loads } from './loads.ts'
import type { Scene } from './scene.ts'
import type { Server } from './server.ts'

/** How many tokens are tried again after each restart. */
const replays = 200
const replaysAtOnce = 10

/** Until which part of the run there are restarts: the workers from then on show how memory grows. */
const restartsUntil = 0.6

/** Between two events. */
const pauseMaxMs = 4000

export type Told = (event: string) => void

/** Loads, restarts and faults, one after another, evenly over the run. */
export async function runEvents(
  scene: Scene,
  server: Server,
  loads: Loads,
  faults: readonly FaultEvent[],
  totalMs: number,
  told: Told,
): Promise<void> {
  const { tally } = scene
  const restarts: Record<string, () => Promise<void>> = {
    ...Object.fromEntries(faults.map(({ name, run }) => [name, () => run(scene, loads)])),
    'replacing the workers': () => server.replaceWorkers(),
    'killing a worker': () => tally.outage(() => server.killWorker()),
    'a load while the workers are replaced': async () => {
      await Promise.all([loads.load(), server.replaceWorkers()])
    },
    'killing the server': () =>
      tally.outage(async () => {
        await server.kill()
        await server.start()
      }),
    'stopping and starting the server': () =>
      tally.outage(async () => {
        const status = await server.stop()
        if (status !== 0) tally.fault('wrong', `the server ended with ${status} when told to stop`)
        await server.start()
      }),
  }
  const quiet: Record<string, () => Promise<void>> = {
    'a load': () => loads.load(),
    'a load that is killed and done again': () => loads.loadAfterKill(),
  }
  const between = Object.entries(quiet)
  const past = new Set<string>()
  const order = Object.entries(restarts).flatMap((restart, index) => [
    between[index % between.length] as typeof restart,
    restart,
  ])
  const pauseMs = Math.min(pauseMaxMs, (totalMs * restartsUntil) / order.length / 2)
  const start = performance.now()

  for (let turn = 0; !scene.isOver(); turn += 1) {
    const isLate = performance.now() - start > totalMs * restartsUntil && turn >= order.length
    const among = isLate ? between : order
    const [name, work] = among[turn % among.length] as (typeof order)[number]
    if (past.has(name)) continue
    if (faults.some((fault) => fault.name === name && fault.isOnce)) past.add(name)
    told(name)
    await work()
    tally.count(name)
    if (name in restarts) await replayLatest(scene)
    await wait(pauseMs)
  }
}

/** What was answered before a restart is spent after it. */
async function replayLatest({ ask, spent, tally }: Scene): Promise<void> {
  const uses = spent.latest(replays).filter(({ token }) => token.passed > 0)
  for (let from = 0; from < uses.length; from += replaysAtOnce) {
    const some = uses.slice(from, from + replaysAtOnce)
    for (const _ of some) tally.count('replays')
    await Promise.all(some.map(({ sent, token }) => ask(sent, token)))
  }
}
