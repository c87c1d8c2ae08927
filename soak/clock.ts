import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { SoakContext, TokenUse } from './context.ts'

/** The wall clock of the server processes, controlled with libfaketime. */
export interface Clock {
  readonly environment: Readonly<Record<string, string>>
  /** Sets the clock ahead of the real time. */
  set(aheadSeconds: number): void
}

/** Undefined if libfaketime is not installed. */
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
      // Timers must not be affected.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    },
    set,
  }
}

const stepSeconds = 20 * 60
/** Long enough for every process to purge what it regards as expired. */
const stepMs = 2500
const tokenSeconds = 300
const tokens = 40

/**
 * Steps the clock ahead and back. Used tokens that expire in between must not be accepted again, and new tokens must be
 * accepted as usual.
 */
export async function stepClock(context: SoakContext, clock: Clock): Promise<void> {
  const uses: TokenUse[] = []
  for (let count = 0; count < tokens; count += 1) uses.push(await useShortToken(context))
  clock.set(stepSeconds)
  await untilClock(context, (aheadSeconds) => aheadSeconds > stepSeconds / 2)
  await wait(stepMs)
  clock.set(0)
  await untilClock(context, (aheadSeconds) => aheadSeconds < stepSeconds / 2)
  for (const { request, token } of uses) {
    context.tally.count('replays after a clock step')
    await context.send(request, token)
  }
  await useShortToken(context)
}

async function useShortToken({ tally, platform, customers, send }: SoakContext): Promise<TokenUse> {
  const request = { path: `/auth/v1/customer/${customers[0]?.customerId}` }
  const exp = Math.floor(Date.now() / 1000) + tokenSeconds
  const token = platform.mint(request.path, { exp })
  const response = await send(request, token)
  if (response?.status !== 200) {
    tally.fault('wrong', `a token of ${tokenSeconds} s got ${response?.status} around a clock step`)
  }
  return { request, token }
}

/** Both workers serve requests in turn, so several consecutive responses must have the expected time. */
const responsesNeeded = 4
const pollMs = 50

async function untilClock(
  { port }: SoakContext,
  isReached: (aheadSeconds: number) => boolean,
): Promise<void> {
  for (let seen = 0; seen < responsesNeeded; ) {
    const { headers } = await fetch(`http://127.0.0.1:${port}/health/live`, {
      headers: { connection: 'close' },
    })
    const aheadSeconds = (Date.parse(headers.get('date') ?? '') - Date.now()) / 1000
    seen = isReached(aheadSeconds) ? seen + 1 : 0
    await wait(pollMs)
  }
}
