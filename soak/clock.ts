import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Scene, Use } from './scene.ts'

/** The wall clock of the server's processes, by way of libfaketime. */
export interface Clock {
  readonly environment: Readonly<Record<string, string>>
  /** Sets the clock ahead of the real time by so many seconds. */
  set(aheadSeconds: number): void
}

/** Undefined where libfaketime is not installed. */
export function openClock(folder: string): Clock | undefined {
  const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')
  if (library === undefined) return undefined
  const file = join(folder, 'clock')
  const set = (aheadSeconds: number) => writeFileSync(file, `+${aheadSeconds}`)
  set(0)
  return {
    environment: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      // Timers must go on as they are.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    },
    set,
  }
}

const stepSeconds = 20 * 60
/** Long enough for every process to purge what it takes for expired. */
const stepMs = 2500
const tokenSeconds = 300
const tokens = 40

/**
 * The clock steps ahead and back. Tokens that expire in between were used before: none may pass again, and new ones
 * must pass as if nothing had happened.
 */
export async function stepClock(scene: Scene, clock: Clock): Promise<void> {
  const uses: Use[] = []
  for (let count = 0; count < tokens; count += 1) uses.push(await useShortToken(scene))
  clock.set(stepSeconds)
  await untilClock(scene, (aheadSeconds) => aheadSeconds > stepSeconds / 2)
  await wait(stepMs)
  clock.set(0)
  await untilClock(scene, (aheadSeconds) => aheadSeconds < stepSeconds / 2)
  for (const { sent, token } of uses) {
    scene.tally.count('replays after a clock step')
    await scene.ask(sent, token)
  }
  await useShortToken(scene)
}

async function useShortToken({ tally, platform, customers, ask }: Scene): Promise<Use> {
  const sent = { path: `/auth/v1/customer/${customers[0]?.customerId}` }
  const exp = Math.floor(Date.now() / 1000) + tokenSeconds
  const token = platform.mint(sent.path, { exp })
  const answered = await ask(sent, token)
  if (answered?.status !== 200) {
    tally.fault('wrong', `a token of ${tokenSeconds} s got ${answered?.status} around a clock step`)
  }
  return { sent, token }
}

/** Both workers take requests in turn: several in a row must show the time that is waited for. */
const sightings = 4
const pollMs = 50

async function untilClock(
  { port }: Scene,
  isReached: (aheadSeconds: number) => boolean,
): Promise<void> {
  for (let seen = 0; seen < sightings; ) {
    const { headers } = await fetch(`http://127.0.0.1:${port}/health/live`, {
      headers: { connection: 'close' },
    })
    const aheadSeconds = (Date.parse(headers.get('date') ?? '') - Date.now()) / 1000
    seen = isReached(aheadSeconds) ? seen + 1 : 0
    await wait(pollMs)
  }
}
