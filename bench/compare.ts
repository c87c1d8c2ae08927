import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from './bank.ts'
import type { Ask } from './load.ts'
import { cpuOf, familyOf, memoryOf, type Running } from './processes.ts'

/** What one server used for a request. CPU time in microseconds, latency in milliseconds. */
export interface Figure {
  readonly cpu: number
  /** What the database's own processes used besides. */
  readonly databaseCpu?: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** The most resident memory of one process so far, in megabytes. */
  readonly peakMegabytes: number
}

/** The figure of a server, and what its CPU time was in each round: rounds are compared one by one. */
export interface Measured extends Figure {
  readonly rounds: readonly number[]
}

export interface Contestant {
  readonly server: Running
  /** The process of the database, if that is another. */
  readonly databasePid?: number
  /** Where it is asked something else than the others. */
  readonly asks?: readonly Ask[]
}

export interface Comparison<Name extends string> {
  readonly contestants: Readonly<Record<Name, Contestant>>
  /** What those are asked that have nothing of their own. */
  readonly asks?: readonly Ask[]
  readonly requests: number
  readonly rounds: number
  /** Requests to each server before the first round, so that its code is compiled. */
  readonly warmUp: number
  readonly connections?: number
}

const connectionsDefault = 50

/**
 * Asks all servers the same, in turns of short rounds, so that whatever else the machine does hits all alike.
 * Where they are asked the same, they get the same tokens: each server sees each token once.
 */
export async function compare<Name extends string>(
  { driver }: Bench,
  comparison: Comparison<Name>,
): Promise<Record<Name, Measured>> {
  const { contestants, asks = [], requests, rounds, warmUp } = comparison
  const connections = comparison.connections ?? connectionsDefault
  const names = Object.keys(contestants) as Name[]
  const total = warmUp + rounds * requests
  if (asks.length > 0) await driver.prepare('shared', asks, total)
  for (const name of names) {
    const own = contestants[name].asks
    if (own) await driver.prepare(name, own, total)
  }

  const run = async (name: Name, from: number, count: number): Promise<Figure> => {
    const { server, databasePid, asks: own } = contestants[name]
    const used: { own: number; database: number }[] = []
    const driven = await driver.drive(
      { name: own ? name : 'shared', from, count, port: server.port, connections },
      () =>
        used.push({
          own: cpuOf(familyOf(server.pid)),
          database: databasePid ? cpuOf(familyOf(databasePid)) : 0,
        }),
    )
    const [before, after] = used
    if (!before || !after) throw new Error('nothing was measured')
    return {
      cpu: (after.own - before.own) / count,
      ...(databasePid && { databaseCpu: (after.database - before.database) / count }),
      perSecond: count / driven.seconds,
      p50: driven.p50,
      p99: driven.p99,
      peakMegabytes: Math.max(...familyOf(server.pid).map((pid) => memoryOf(pid).peak)),
    }
  }

  const figures = new Map<Name, Figure[]>(names.map((name) => [name, []]))
  for (const name of names) if (warmUp > 0) await run(name, 0, warmUp)
  for (let round = 0; round < rounds; round += 1) {
    // Another one begins each time.
    const order = names.map((_, index) => names[(index + round) % names.length] ?? names[0])
    for (const name of order) {
      if (!name) continue
      figures.get(name)?.push(await run(name, warmUp + round * requests, requests))
    }
  }
  await driver.forget('shared')
  for (const name of names) if (contestants[name].asks) await driver.forget(name)

  const measured = names.map((name) => [name, middle(figures.get(name) ?? [])])
  return Object.fromEntries(measured) as Record<Name, Measured>
}

/** By then little is compiled any more, and what is, in every server alike. */
const warmUpRequests = 6000

/** Asks servers often enough for their code to be compiled, before something else is asked of them. */
export async function warm(
  { driver }: Bench,
  servers: readonly Running[],
  ask: Ask,
): Promise<void> {
  for (const { port } of servers) {
    await driver.prepare('warm', [ask], warmUpRequests)
    const all = { from: 0, count: warmUpRequests, connections: connectionsDefault }
    await driver.drive({ name: 'warm', port, ...all }, () => undefined)
  }
  await driver.forget('warm')
}

function middle(figures: readonly Figure[]): Measured {
  const of = (name: keyof Figure) => median(figures.map((figure) => figure[name] ?? 0))
  return {
    cpu: of('cpu'),
    ...(figures[0]?.databaseCpu !== undefined && { databaseCpu: of('databaseCpu') }),
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    peakMegabytes: of('peakMegabytes'),
    rounds: figures.map(({ cpu }) => cpu),
  }
}

/** How much more one used than another: the median of the rounds' own ratios. */
export function ratioOf(one: Measured, other: Measured): number {
  return median(one.rounds.map((cpu, round) => cpu / (other.rounds[round] ?? Number.NaN)))
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length >> 1
  const upper = sorted[half] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? upper) + upper) / 2
}

/** The process that all others of a PostgreSQL server come from. */
export function postgresPid({ postgres }: Bench): number {
  const [pid] = readFileSync(join(postgres.folder, 'postmaster.pid'), 'utf8').split('\n')
  return Number(pid)
}
