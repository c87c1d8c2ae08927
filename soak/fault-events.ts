import { setTimeout as wait } from 'node:timers/promises'
import { type Clock, stepClock } from './clock.ts'
import type { SoakContext } from './context.ts'
import type { Disk } from './disk.ts'
import type { Loads } from './loads.ts'
import type { PostgresPair } from './postgres-pair.ts'

/** What faults can be caused in, besides the server itself. Undefined if this machine does not support it. */
export interface FaultTargets {
  readonly clock: Clock | undefined
  readonly disk: Disk | undefined
  readonly pair: PostgresPair | undefined
}

export interface FaultEvent {
  readonly name: string
  readonly isOnce?: boolean
  run(context: SoakContext, loads: Loads): Promise<void>
}

const standbyLostMs = 8000

/** The faults that can be caused in these targets. */
export function createFaultEvents({ clock, disk, pair }: FaultTargets): FaultEvent[] {
  const events: FaultEvent[] = []
  if (clock) events.push({ name: 'a clock step', run: (context) => stepClock(context, clock) })
  if (disk) {
    events.push({
      name: 'a full disk',
      run: async (context, loads) => {
        await context.tally.outage(async () => {
          disk.fill()
          await loads.loadAfterFailure(async () => {
            disk.free()
            await untilServing(context, 'the disk had space again')
          })
        })
      },
    })
  }
  if (pair) {
    events.push({
      name: 'a lost standby',
      run: (context) =>
        context.tally.outage(async () => {
          await pair.loseStandby(standbyLostMs)
          await untilServing(context, 'the standby was restarted')
        }),
    })
    events.push({
      name: 'a failover',
      isOnce: true,
      run: (context) =>
        context.tally.outage(async () => {
          await pair.failOver()
          await untilServing(context, 'the standby was promoted')
        }),
    })
  }
  return events
}

const recoveryMaxMs = 30_000
const pollMs = 100

/** The server must recover without a restart. */
async function untilServing(context: SoakContext, since: string): Promise<void> {
  const { tally, platform, customers, send } = context
  const path = `/auth/v1/customer/${customers[0]?.customerId}`
  const start = performance.now()
  for (;;) {
    const response = await send({ path }, platform.mint(path))
    if (response?.status === 200) return
    if (performance.now() - start > recoveryMaxMs) {
      tally.fault('wrong', `${response?.status} ${recoveryMaxMs / 1000} s after ${since}`)
      return
    }
    await wait(pollMs)
  }
}
