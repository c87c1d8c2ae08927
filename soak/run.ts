import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { holdfastProgram, runToEnd } from '../bench/processes.ts'
import { makePostgres } from '../test/support/postgres.ts'
import { openAsking } from './asking.ts'
import { runEvents, type Told } from './events.ts'
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
    const database = await openDatabase(engine, folder, closing)
    const bank = join(folder, 'bank.ndjson')
    const lines = await bankLines()
    writeFileSync(bank, `${lines.join('\n')}\n`)
    await runToEnd(holdfastProgram, ['load', bank, '--database', database])
    const platform = await openPlatform()
    closing.push(() => platform.close())
    const server = await openServer(database, platform.url)
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
      await runEvents(scene, server, loads, totalMs - warmUpMs, told)
    }
    await Promise.all([
      ...Array.from({ length: goodCallers }, () => goodCaller(scene)),
      ...Array.from({ length: hostileCallers }, () => hostileCaller(scene)),
      ...Array.from({ length: slowCallers }, () => slowCaller(scene)),
      disturb(),
    ])
    const seconds = (performance.now() - start) / 1000
    return { engine, seconds, tally, memory: memory.end(), errors: [...server.errors()] }
  } finally {
    for (const close of closing.reverse()) await close()
  }
}

/** Those that can be told from their lines alone. */
async function bankLines(): Promise<string[]> {
  const { said } = await runToEnd(holdfastProgram, ['generate', ...generated])
  return said.split('\n').filter((text) => {
    const { type, record } = JSON.parse(text)
    return type !== 'banking.transaction' || Number.isFinite(timeOf(record))
  })
}

async function openDatabase(
  engine: Engine,
  folder: string,
  closing: (() => unknown)[],
): Promise<string> {
  if (engine === 'sqlite') return `sqlite:${join(folder, 'bank.db')}`
  // What is committed must outlive a crash here too.
  const server = await makePostgres({ durable: true })
  await server.start()
  closing.push(() => server.remove())
  return server.url()
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
