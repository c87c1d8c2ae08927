import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { start } from '../test/support/process.ts'
import type { Bench } from './bench.ts'
import { createPageCase } from './cases.ts'
import { median } from './compare.ts'
import { type Account, type Feeds, formatTransaction } from './feed-client.ts'
import { listProcessTree, type Running, readCpuTime, untilExit } from './processes.ts'

/** Lines per second while readers are measured, by so many feeds with so many lines per batch. */
const linesPerSecond = 2000
const writingFeeds = 4
const writtenLines = 100

/** One batch arrives at a time: the feeds start at different moments. */
const batchEveryMs = (1000 * writtenLines) / linesPerSecond

/** How many batches of each feed precede the measurements. */
const batchesBefore = 250

const readSeconds = 5

/** The p99 of a few seconds differs by half from one round to the next. */
const readRounds = 7

export const connections = 32

/** Connections that send their next request with each response, as in the other measurements of B3. */
const continuousConnections = 16

/** Of the requests that can be served in that time, so that feeds write until the last one. */
const continuousShare = 0.8

export interface Written {
  readonly feeds: Feeds
  readonly accounts: readonly Account[]
}

export interface Measured extends Written {
  readonly provider: Running
  readonly intake: Running
  /** The rate of the B3 requests, or the rate that the provider can serve. */
  readonly perSecond: number
}

/** An intake that runs for hours has compiled its code. */
export function warmUp(written: Written): Promise<void> {
  return writeBatches(written, 'before', batchesBefore, 0)
}

/** Sends B3 requests at a constant rate while `work` runs. */
export async function readWhile(
  bench: Bench,
  { provider, perSecond }: Pick<Measured, 'provider' | 'perSecond'>,
  seconds: number,
  work: () => Promise<void>,
) {
  const count = Math.round(perSecond * seconds)
  await bench.driver.prepare('feeds', [createPageCase().request], count)
  const [result] = await Promise.all([
    bench.driver.sendAtConstantRate({
      name: 'feeds',
      from: 0,
      count,
      port: provider.port,
      perSecond,
      connections,
    }),
    work(),
  ])
  return result
}

/** The p99 of B3 on connections that send continuously, alternately without and with feeds. */
export async function measureContinuousReaders(
  bench: Bench,
  measured: Measured,
): Promise<{ readonly p99: number; readonly ratio: number }> {
  const without: number[] = []
  const during: number[] = []
  const { port } = measured.provider
  const count = Math.round(measured.perSecond * readSeconds * continuousShare)
  const read = async (work: () => Promise<void>): Promise<number> => {
    await bench.driver.prepare('feeds', [createPageCase().request], count)
    const options = { name: 'feeds', from: 0, count, port, connections: continuousConnections }
    const [{ p99 }] = await Promise.all([bench.driver.drive(options, () => {}), work()])
    return p99
  }
  for (let round = 0; round < readRounds; round += 1) {
    without.push(await read(async () => {}))
    during.push(await read(() => writeForReaders(measured, `continuous-${round}`)))
  }
  return { p99: median(during), ratio: median(during) / median(without) }
}

export interface Readers {
  /** The p99 of B3 while feeds write, and its ratio to that without feeds. */
  readonly p99: number
  readonly ratio: number
  /** The same while a process uses as much CPU time as the feeds, and nothing else. */
  readonly busyP99: number
  readonly busyRatio: number
  /** The CPU time of one batch in milliseconds: of the intake, the database and the sender. */
  readonly batchMs: number
}

/** The p99 of B3 at a constant rate, alternately without feeds, with feeds and with a process that only computes. */
export async function measureReaders(bench: Bench, measured: Measured): Promise<Readers> {
  const without: number[] = []
  const during: number[] = []
  const busy: number[] = []
  const extraMs: number[] = []
  for (let round = 0; round < readRounds; round += 1) {
    const read = async (work: () => Promise<void>) => {
      const since = readFeedCpu(bench, measured)
      const { answered } = await readWhile(bench, measured, readSeconds, work)
      return { p99: answered.p99, cpuMs: (readFeedCpu(bench, measured) - since) / 1000 }
    }
    const quiet = await read(async () => wait(readSeconds * 1000))
    without.push(quiet.p99)
    const feeds = await read(() => writeForReaders(measured, `${round}`))
    during.push(feeds.p99)
    extraMs.push((feeds.cpuMs - quiet.cpuMs) / batchesWhileReading)
    busy.push((await read(() => compute(median(extraMs)))).p99)
  }
  return {
    p99: median(during),
    ratio: median(during) / median(without),
    busyP99: median(busy),
    busyRatio: median(busy) / median(without),
    batchMs: median(extraMs),
  }
}

/** The CPU time of everything that works on batches, in microseconds. The database also answers the readers. */
function readFeedCpu({ postgres }: Bench, { intake }: Measured): number {
  const [postmaster] = readFileSync(join(postgres.folder, 'postmaster.pid'), 'utf8').split('\n')
  return readCpuTime([
    ...listProcessTree(intake.pid),
    ...listProcessTree(Number(postmaster)),
    process.pid,
  ])
}

const batchesWhileReading = (readSeconds * 1000) / batchEveryMs

function writeForReaders(measured: Measured, name: string): Promise<void> {
  return writeBatches(measured, name, batchesWhileReading / writingFeeds, batchEveryMs)
}

/** Sends batches, each so many milliseconds after the one before. */
async function writeBatches(
  { feeds, accounts }: Written,
  name: string,
  batchesPerFeed: number,
  everyMs: number,
): Promise<void> {
  const write = async (feed: number): Promise<void> => {
    const start = performance.now() + feed * everyMs
    for (let batch = 0; batch < batchesPerFeed; batch += 1) {
      await wait(Math.max(0, start + batch * writingFeeds * everyMs - performance.now()))
      const time = Temporal.Now.instant()
      const lines = Array.from({ length: writtenLines }, (_, line) => {
        const { account } = accounts[(feed + writingFeeds * line) % accounts.length] as Account
        return formatTransaction(account, `write-${name}-${feed}-${batch}-${line}`, time)
      })
      await feeds(`write-${feed}`, lines)
    }
  }
  await Promise.all(Array.from({ length: writingFeeds }, (_, feed) => write(feed)))
}

/** Uses the CPU for a while whenever a batch would arrive. */
async function compute(busyMs: number): Promise<void> {
  const program = fileURLToPath(new URL('busy-process.ts', import.meta.url))
  const child = start(untilExit, [process.execPath, program, `${busyMs}`, `${batchEveryMs}`])
  await wait(readSeconds * 1000)
  child.kill()
}
