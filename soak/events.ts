import { setTimeout as wait } from 'node:timers/promises'
import type { SoakContext } from './context.ts'
import type { FaultEvent } from './fault-events.ts'
import type { Loads } from './loads.ts'
import type { Server } from './server.ts'

/** How many tokens are replayed after each restart. */
const replays = 200
const concurrentReplays = 10

/** The share of the run with restarts. The rest of the run shows how the memory of a worker grows. */
const restartShare = 0.6

/** The pause between two events. */
const pauseMaxMs = 4000

export type OnEvent = (event: string) => void

/** Runs loads, restarts and faults one after another, evenly distributed over the run. */
export async function runEvents(
  context: SoakContext,
  server: Server,
  loads: Loads,
  faults: readonly FaultEvent[],
  totalMs: number,
  onEvent: OnEvent,
): Promise<void> {
  const { tally } = context
  const restarts: Record<string, () => Promise<void>> = {
    ...Object.fromEntries(faults.map(({ name, run }) => [name, () => run(context, loads)])),
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
        if (status !== 0) tally.fault('wrong', `the server exited with ${status} after SIGTERM`)
        await server.start()
      }),
  }
  const loadEvents: Record<string, () => Promise<void>> = {
    'a load': () => loads.load(),
    'a load that is killed and repeated': () => loads.loadAfterKill(),
  }
  const undisturbed = Object.entries(loadEvents)
  const done = new Set<string>()
  const order = Object.entries(restarts).flatMap((restart, index) => [
    undisturbed[index % undisturbed.length] as typeof restart,
    restart,
  ])
  const pauseMs = Math.min(pauseMaxMs, (totalMs * restartShare) / order.length / 2)
  const start = performance.now()

  for (let turn = 0; turn === 0 || !context.isTimeUp(); turn += 1) {
    const isLate = performance.now() - start > totalMs * restartShare && turn >= order.length
    const candidates = isLate ? undisturbed : order
    const [name, work] = candidates[turn % candidates.length] as (typeof order)[number]
    if (done.has(name)) continue
    if (faults.some((fault) => fault.name === name && fault.isOnce)) done.add(name)
    onEvent(name)
    await work()
    tally.count(name)
    if (name in restarts) await replayLatest(context)
    await wait(pauseMs)
  }
}

/** A token that was accepted before a restart must be rejected after it. */
async function replayLatest({ send, usedTokens, tally }: SoakContext): Promise<void> {
  const uses = usedTokens.latest(replays).filter(({ token }) => token.accepted > 0)
  for (let from = 0; from < uses.length; from += concurrentReplays) {
    const batch = uses.slice(from, from + concurrentReplays)
    for (const _ of batch) tally.count('replays')
    await Promise.all(batch.map(({ request, token }) => send(request, token)))
  }
}
