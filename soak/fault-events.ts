import { setTimeout as wait } from 'node:timers/promises'
import type { DataNode, DataNodeControl, ShardControl } from './citus-database.ts'
import { type Clock, stepClock } from './clock.ts'
import type { SoakContext } from './context.ts'
import type { Disk } from './disk.ts'
import type { Loads } from './loads.ts'
import type { PostgresPair } from './postgres-pair.ts'
import { createAllRequests } from './random-request.ts'
import { sendAndCompare } from './valid-client.ts'

/** What faults can be caused in, besides the server itself. Undefined if this machine does not support it. */
export interface FaultTargets {
  readonly clock: Clock | undefined
  readonly disk: Disk | undefined
  readonly pair: PostgresPair | undefined
  readonly dataNodes: DataNodeControl | undefined
  readonly shards: ShardControl | undefined
}

export interface FaultEvent {
  readonly name: string
  readonly isOnce?: boolean
  run(context: SoakContext, loads: Loads): Promise<void>
}

const standbyLostMs = 8000

/** The faults that can be caused in these targets. */
export function createFaultEvents(targets: FaultTargets): FaultEvent[] {
  const { clock, disk, pair, dataNodes, shards } = targets
  const events: FaultEvent[] = []
  if (clock) events.push({ name: 'a clock step', run: (context) => stepClock(context, clock) })
  if (disk) {
    events.push({
      name: 'a full disk',
      run: async (context, loads) => {
        await context.tally.outage(async () => {
          // A load may succeed: the checkpoint of another process makes space.
          await loads.loadDuringFault(
            async () => disk.fill(),
            async () => {
              disk.free()
              await untilServing(context, 'the disk had space again')
            },
          )
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
  if (shards) events.push(createMoveEvent(shards))
  if (dataNodes) events.push(...createDataNodeEvents(dataNodes))
  return events
}

const moves = 3

/** Shards are moved while a load changes their lists. No request may notice it. */
function createMoveEvent(shards: ShardControl): FaultEvent {
  return {
    name: 'shards moved during loads',
    async run({ tally }, loads) {
      for (let count = 0; count < moves; count += 1) {
        await Promise.all([shards.move(), loads.load()])
        tally.count('shard moves')
      }
    },
  }
}

/** How long a data node of the database is away, at least. */
const dataNodeLostMs = 5000

/** A load takes about this long. */
const loadMaxMs = 1500

/** Only the lists of the accounts on the data node are unavailable, and loads fail as a whole. */
function createDataNodeEvents(dataNodes: DataNodeControl): FaultEvent[] {
  const repair = async (context: SoakContext, dataNode: DataNode) => {
    await untilReady(context, 'degraded')
    await wait(dataNodeLostMs)
    await dataNodes.revive(dataNode)
    await untilReady(context, 'ok')
    await untilAllServed(context)
  }
  return [
    {
      name: 'a lost data node',
      async run(context, loads) {
        const dataNode = await dataNodes.pick()
        await context.tally.partialOutage(dataNode.accounts, async () => {
          await dataNodes.kill(dataNode)
          await loads.loadAfterFailure(() => repair(context, dataNode))
        })
      },
    },
    {
      name: 'a data node lost during a load',
      async run(context, loads) {
        const dataNode = await dataNodes.pick()
        await context.tally.partialOutage(dataNode.accounts, () =>
          loads.loadDuringFault(
            async () => {
              await wait(Math.random() * loadMaxMs)
              await dataNodes.kill(dataNode)
            },
            () => repair(context, dataNode),
          ),
        )
      },
    },
  ]
}

async function untilReady({ tally, port }: SoakContext, expected: string): Promise<void> {
  const start = performance.now()
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`)
    const found = `${response.status} ${await response.text()}`
    if (found === `200 {"status":"${expected}"}`) return
    if (performance.now() - start > recoveryMaxMs) {
      tally.fault('wrong', `readiness is ${found} instead of ${expected}`)
      return
    }
    await wait(pollMs)
  }
}

/** Citus completes the commits of a data node that was away once a minute. */
const commitsMaxMs = 90_000

/** All data must be served without a restart, as it was loaded. */
async function untilAllServed(context: SoakContext): Promise<void> {
  const { tally, model, customers } = context
  const start = performance.now()
  for (const request of customers.flatMap((each) => createAllRequests(model, each))) {
    let status = await sendAndCompare(context, request)
    while (status !== 200 && performance.now() - start < commitsMaxMs) {
      await wait(pollMs)
      status = await sendAndCompare(context, request)
    }
    if (status !== 200) tally.fault('wrong', `${request.path} is not served after the restart`)
  }
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
