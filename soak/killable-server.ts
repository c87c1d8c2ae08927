import { setTimeout as wait } from 'node:timers/promises'
import { untilExit } from '../bench/processes.ts'
import { findFreePort } from '../test/support/free-port.ts'
import { type Flags, type Server, startServer } from '../test/support/process.ts'
import type { SoakContext } from './context.ts'
import { pick } from './random-request.ts'

/** A process of a role without workers, on a port that stays the same. */
export interface KillableServer {
  readonly port: number
  /** Starts it, also if its database is unavailable at first. */
  start(): Promise<void>
  /** Kills it with SIGKILL. */
  kill(): Promise<void>
  /** The lines that it logged as errors. */
  errors(): readonly string[]
}

const startsMax = 100
const pauseMs = 500

export async function openKillableServer(
  role: 'provider' | 'platform' | 'intake' | 'guard',
  flags: Flags,
  port?: number,
): Promise<KillableServer> {
  const ownPort = port ?? (await findFreePort())
  const all = { ...flags, port: String(ownPort), 'log-level': 'warn' }
  const earlier: string[] = []
  let running: Server | undefined

  return {
    port: ownPort,
    async start() {
      for (let starts = 1; ; starts += 1) {
        try {
          running = await startServer(untilExit, ['serve', role], all)
          return
        } catch (error) {
          if (starts === startsMax) throw error
          await wait(pauseMs)
        }
      }
    },
    async kill() {
      await running?.kill()
      earlier.push(...listErrors(running))
      running = undefined
    },
    errors: () => [...earlier, ...listErrors(running)],
  }
}

function listErrors(server: Server | undefined): string[] {
  const lines = server?.stderr().split('\n') ?? []
  return lines.filter(
    (line) => line !== '' && (!line.startsWith('{') || /"level":[56]0/.test(line)),
  )
}

/** The longest pause before a kill. The first kill follows soon, so that a short run has one. */
const pauseMaxMs = 4000
const firstPauseMaxMs = 500

/** After a restart, the pause is at least as many times the duration of the start: a slow machine serves, too. */
const servedShare = 2

const allShare = 0.25

/** Kills one of the servers, or all of them, until the time is up. */
export async function killAtRandom(
  { tally, isTimeUp }: Pick<SoakContext, 'tally' | 'isTimeUp'>,
  servers: readonly KillableServer[],
  name: string,
): Promise<void> {
  await wait(Math.random() * firstPauseMaxMs)
  for (;;) {
    const killed = Math.random() < allShare ? servers : [pick(servers)]
    await Promise.all(killed.map((server) => server.kill()))
    for (const _ of killed) tally.count(name)
    const since = performance.now()
    await Promise.all(killed.map((server) => server.start()))
    const startMs = performance.now() - since
    if (isTimeUp()) return
    await wait(servedShare * startMs + Math.random() * pauseMaxMs)
    if (isTimeUp()) return
  }
}
