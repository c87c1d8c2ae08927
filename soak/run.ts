import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { holdfastProgram, runToEnd } from '../bench/processes.ts'
import { openAsking } from './asking.ts'
import { openClock } from './clock.ts'
import { runEvents, type Told } from './events.ts'
import { openPair } from './failover.ts'
import { faultEvents, type Surroundings } from './faults.ts'
import { openDisk } from './full-disk.ts'
import { goodCaller } from './good.ts'
import { hostileCaller, slowCaller } from './hostile.ts'
import { openLoads } from './loads.ts'
import { openModel, timeOf } from './model.ts'
import { openSpent, type Scene } from './scene.ts'
import { openServer, type Server } from './server.ts'
import { openTally, type Tally } from './tally.ts'
import { openPlatform } from './tokens.ts'

export const engines = ['sqlite', 'postgres'] as const
export type Engine = (typeof engines)[number]

export interface Result {
  readonly engine: Engine
  readonly seconds: number
  readonly tally: Tally
  /** Resident megabytes of each worker. */
  readonly memory: {
    readonly start: readonly number[]
    readonly end: readonly number[]
    peak: number
  }
  readonly errors: readonly string[]
  /** Faults that this machine could not cause, and what is missing. */
  readonly skipped: readonly string[]
}

const goodCallers = 8
const hostileCallers = 3
const slowCallers = 6

/** How long nothing is disturbed at first, at most. */
const warmUpMaxMs = 30_000

const generated = ['--customers', '60', '--seed', 'soak', '--products', '0']

/** One run on one engine: a bank is made and loaded, served, asked, disturbed, and held to what it said. */
export async function soak(engine: Engine, totalMs: number, told: Told): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-soak-'))
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  try {
    told('loading')
    const { database, ...surroundings } = await openSurroundings(engine, folder, closing)
    const bank = join(folder, 'bank.ndjson')
    const lines = await bankLines()
    writeFileSync(bank, `${lines.join('\n')}\n`)
    await runToEnd(holdfastProgram, ['load', bank, '--database', database])
    const platform = await openPlatform()
    closing.push(() => platform.close())
    const server = await openServer(database, platform.url, surroundings.clock?.environment)
    await server.start()
    closing.push(() => server.kill())

    const tally = openTally()
    const model = openModel(lines)
    const loads = openLoads(model, database, folder)
    const start = performance.now()
    const scene: Scene = {
      port: server.port,
      tally,
      platform,
      model,
      customers: model.customers,
      ask: openAsking(server.port, tally),
      spent: openSpent(),
      isOver: () => performance.now() - start > totalMs,
      committed: loads.committed,
      begun: loads.begun,
    }
    const memory = watchMemory(server)
    const warmUpMs = Math.min(totalMs / 10, warmUpMaxMs)
    const disturb = async () => {
      await wait(warmUpMs)
      memory.begin()
      await runEvents(scene, server, loads, faultEvents(surroundings), totalMs - warmUpMs, told)
    }
    await Promise.all([
      ...Array.from({ length: goodCallers }, () => goodCaller(scene)),
      ...Array.from({ length: hostileCallers }, () => hostileCaller(scene)),
      ...Array.from({ length: slowCallers }, () => slowCaller(scene)),
      disturb(),
    ])
    const seconds = (performance.now() - start) / 1000
    return {
      engine,
      seconds,
      tally,
      memory: memory.end(),
      errors: [...server.errors()],
      skipped: skippedFaults(engine, surroundings),
    }
  } finally {
    for (const close of closing.reverse()) await close()
  }
}

function skippedFaults(engine: Engine, { clock, disk }: Surroundings): string[] {
  return [
    ...(clock ? [] : ['clock steps: install faketime']),
    ...(disk || engine === 'postgres' ? [] : ['full disk: mounting a tmpfs takes root']),
  ]
}

/** The lines whose effective time the lines themselves state. */
async function bankLines(): Promise<string[]> {
  const { said } = await runToEnd(holdfastProgram, ['generate', ...generated])
  return said.split('\n').filter((text) => {
    const { type, record } = JSON.parse(text)
    return type !== 'banking.transaction' || Number.isFinite(timeOf(record))
  })
}

/** A database on what can be disturbed: a disk that can be filled, a standby, a clock. */
async function openSurroundings(
  engine: Engine,
  folder: string,
  closing: (() => unknown)[],
): Promise<Surroundings & { readonly database: string }> {
  const clock = openClock(folder)
  if (engine === 'postgres') {
    const pair = await openPair()
    closing.push(() => pair.remove())
    return { database: pair.url, clock, disk: undefined, pair }
  }
  const disk = openDisk(folder)
  if (disk) closing.push(() => disk.remove())
  const database = `sqlite:${join(disk?.folder ?? folder, 'bank.db')}`
  return { database, clock, disk, pair: undefined }
}

const sampleMs = 1000

/** It begins when all has been asked for a while: a process that has done nothing yet tells nothing. */
function watchMemory(server: Server) {
  let start: number[] = []
  let peak = 0
  const sample = setInterval(() => {
    peak = Math.max(peak, ...server.memory())
  }, sampleMs)
  return {
    begin() {
      start = server.memory()
    },
    end() {
      clearInterval(sample)
      return { start, end: server.memory(), peak }
    },
  }
}
