import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from './bench.ts'
import type { BenchRequest } from './load-driver.ts'
import { listProcessTree, type Running, readCpuTime, readMemory } from './processes.ts'

/** Measurements per request: CPU time in microseconds, latency in milliseconds. */
export interface Figure {
  readonly cpu: number
  /** CPU time of the database's own processes. */
  readonly databaseCpu?: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** The largest peak resident memory of one process. */
  readonly peakMegabytes: number
}

/** The median of all rounds, and the CPU time of each round: ratios are calculated per round. */
export interface Measured extends Figure {
  readonly rounds: readonly number[]
}

export interface Candidate {
  readonly server: Running
  /** The processes of the database, if it has separate ones. */
  readonly databasePids?: readonly number[]
  /** Replaces the shared requests. */
  readonly requests?: readonly BenchRequest[]
}

export interface Comparison<Name extends string> {
  readonly candidates: Readonly<Record<Name, Candidate>>
  /** The requests to candidates that have none of their own. */
  readonly requests?: readonly BenchRequest[]
  readonly requestCount: number
  readonly rounds: number
  readonly connections?: number
}

/** Fewer than `manyConnections`: fewer requests share a commit. */
export const fewConnections = 16
export const manyConnections = 50

/** The number of requests to each server before the first round, so that their code is compiled. */
const warmUp = 2500

/**
 * Measures all servers in alternating short rounds, so that other work on the machine affects them equally. Shared
 * requests have the same tokens; each server sees a token once.
 */
export async function compare<Name extends string>(
  { driver }: Bench,
  comparison: Comparison<Name>,
): Promise<Record<Name, Measured>> {
  const { candidates, requests = [], requestCount, rounds } = comparison
  const connections = comparison.connections ?? manyConnections
  const names = Object.keys(candidates) as Name[]
  const total = warmUp + rounds * requestCount
  if (requests.length > 0) await driver.prepare('shared', requests, total)
  for (const name of names) {
    const own = candidates[name].requests
    if (own) await driver.prepare(name, own, total)
  }

  const run = async (name: Name, from: number, count: number): Promise<Figure> => {
    const { server, databasePids = [], requests: own } = candidates[name]
    const samples: { own: number; database: number }[] = []
    const driveResult = await driver.drive(
      { name: own ? name : 'shared', from, count, port: server.port, connections },
      () =>
        samples.push({
          own: readCpuTime(listProcessTree(server.pid)),
          database: readCpuTime(databasePids.flatMap(listProcessTree)),
        }),
    )
    const [before, after] = samples
    if (!before || !after) throw new Error('nothing was measured')
    return {
      cpu: (after.own - before.own) / count,
      ...(databasePids.length > 0 && { databaseCpu: (after.database - before.database) / count }),
      perSecond: count / driveResult.seconds,
      p50: driveResult.p50,
      p99: driveResult.p99,
      peakMegabytes: Math.max(...listProcessTree(server.pid).map((pid) => readMemory(pid).peak)),
    }
  }

  const figures = new Map<Name, Figure[]>(names.map((name) => [name, []]))
  for (const name of names) await run(name, 0, warmUp)
  for (let round = 0; round < rounds; round += 1) {
    // Each round starts with a different server.
    const order = names.map((_, index) => names[(index + round) % names.length] ?? names[0])
    for (const name of order) {
      if (!name) continue
      figures.get(name)?.push(await run(name, warmUp + round * requestCount, requestCount))
    }
  }
  await driver.forget('shared')
  for (const name of names) if (candidates[name].requests) await driver.forget(name)

  const measured = names.map((name) => [name, medianFigure(figures.get(name) ?? [])])
  return Object.fromEntries(measured) as Record<Name, Measured>
}

/** After so many, V8 compiles little more of what all requests run: after 8000, it still takes a tenth of the CPU time. */
const warmUpOfServers = 20_000

/** Sends enough requests to servers for their code to be compiled. */
export async function warmUpServers(
  { driver }: Bench,
  servers: readonly Running[],
  request: BenchRequest | readonly BenchRequest[],
): Promise<void> {
  for (const { port } of servers) {
    await driver.prepare('warm', [request].flat(), warmUpOfServers)
    const all = { from: 0, count: warmUpOfServers, connections: manyConnections }
    await driver.drive({ name: 'warm', port, ...all }, () => undefined)
  }
  await driver.forget('warm')
}

function medianFigure(figures: readonly Figure[]): Measured {
  const medianOf = (name: keyof Figure) => median(figures.map((figure) => figure[name] ?? 0))
  return {
    cpu: medianOf('cpu'),
    ...(figures[0]?.databaseCpu !== undefined && { databaseCpu: medianOf('databaseCpu') }),
    perSecond: medianOf('perSecond'),
    p50: medianOf('p50'),
    p99: medianOf('p99'),
    peakMegabytes: medianOf('peakMegabytes'),
    rounds: figures.map(({ cpu }) => cpu),
  }
}

/** The ratio of CPU times: the median of the ratios of the rounds. */
export function calculateRatio(measured: Measured, baseline: Measured): number {
  return median(measured.rounds.map((cpu, round) => cpu / (baseline.rounds[round] ?? Number.NaN)))
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length >> 1
  const upper = sorted[half] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? upper) + upper) / 2
}

/** The parent process of all processes of the PostgreSQL server. */
export function readPostgresPid({ postgres }: Bench): number {
  const [pid] = readFileSync(join(postgres.folder, 'postmaster.pid'), 'utf8').split('\n')
  return Number(pid)
}
