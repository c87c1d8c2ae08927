import { setTimeout as wait } from 'node:timers/promises'
import { type Clock, stepClock } from './clock.ts'
import type { Pair } from './failover.ts'
import type { Disk } from './full-disk.ts'
import type { Loads } from './loads.ts'
import type { Scene } from './scene.ts'

/** What the run can disturb besides the server itself; undefined where this machine cannot. */
export interface Surroundings {
  readonly clock: Clock | undefined
  readonly disk: Disk | undefined
  readonly pair: Pair | undefined
}

export interface FaultEvent {
  readonly name: string
  readonly isOnce?: boolean
  run(scene: Scene, loads: Loads): Promise<void>
}

const standbyLostMs = 8000

/** The faults that these surroundings allow. */
export function faultEvents({ clock, disk, pair }: Surroundings): FaultEvent[] {
  const events: FaultEvent[] = []
  if (clock) events.push({ name: 'a clock step', run: (scene) => stepClock(scene, clock) })
  if (disk) {
    events.push({
      name: 'a full disk',
      run: async (scene, loads) => {
        await scene.tally.outage(async () => {
          disk.fill()
          await loads.loadAfterFailure(async () => {
            disk.free()
            await untilServing(scene, 'the disk had space again')
          })
        })
      },
    })
  }
  if (pair) {
    events.push({
      name: 'a lost standby',
      run: (scene) =>
        scene.tally.outage(async () => {
          await pair.loseStandby(standbyLostMs)
          await untilServing(scene, 'the standby was back')
        }),
    })
    events.push({
      name: 'a failover',
      isOnce: true,
      run: (scene) =>
        scene.tally.outage(async () => {
          await pair.failOver()
          await untilServing(scene, 'the standby was promoted')
        }),
    })
  }
  return events
}

const recoveryMaxMs = 30_000
const pollMs = 100

/** Nobody restarts the server: it must serve again by itself. */
async function untilServing(scene: Scene, since: string): Promise<void> {
  const { tally, platform, customers, ask } = scene
  const path = `/auth/v1/customer/${customers[0]?.customerId}`
  const start = performance.now()
  for (;;) {
    const answered = await ask({ path }, platform.mint(path))
    if (answered?.status === 200) return
    if (performance.now() - start > recoveryMaxMs) {
      tally.fault('wrong', `${answered?.status} ${recoveryMaxMs / 1000} s after ${since}`)
      return
    }
    await wait(pollMs)
  }
}
