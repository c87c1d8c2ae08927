import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { runToEnd } from '../bench/processes.ts'
import { openProviderRecords } from '../src/storage/open.ts'
import { parseLine } from '../test/support/parse-line.ts'
import { holdfastProgram } from '../test/support/process.ts'
import { compareRecords, openReceivedAnswers } from './answer-records.ts'
import { openCitusDatabase } from './citus-database.ts'
import { openClock } from './clock.ts'
import { createConsentCustomers, createCustomerLines } from './consent-customers.ts'
import { openUsedTokens, type SoakContext } from './context.ts'
import { openDisk } from './disk.ts'
import type { Engine } from './engines.ts'
import { type OnEvent, runEvents } from './events.ts'
import { createFaultEvents, type FaultTargets } from './fault-events.ts'
import { openFeeds } from './feed-senders.ts'
import { openGuard } from './guard.ts'
import { runHostileClient, runSlowClient } from './hostile-clients.ts'
import { openLoads } from './loads.ts'
import { openModel } from './model.ts'
import { runPart } from './part.ts'
import { openPlatform } from './platform.ts'
import { openPlatforms } from './platforms.ts'
import { openPostgresPair } from './postgres-pair.ts'
import { openRequestSender } from './send-request.ts'
import { openServer, type Server } from './server.ts'
import { openTally, type Tally } from './tally.ts'
import { runValidClient } from './valid-client.ts'

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
  /** Faults that this machine does not support, and what they require. */
  readonly skipped: readonly string[]
}

const validClients = 8
const hostileClients = 3
const slowClients = 6

/** The maximum time before the first event. */
const warmUpMaxMs = 30_000

const generateFlags = ['--customers', '60', '--seed', 'soak', '--products', '0']

/** Loads a database, serves it under traffic, causes faults and checks every response. */
export async function soak(
  engine: Engine,
  totalMs: number,
  onEvent: OnEvent,
  isRecording = false,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-soak-'))
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  try {
    onEvent('loading')
    const { database, ...targets } = await openFaultTargets(engine, folder, closing)
    const file = join(folder, 'bank.ndjson')
    const consentCustomers = createConsentCustomers(totalMs)
    const lines = [...(await generateLines()), ...createCustomerLines(consentCustomers)]
    writeFileSync(file, `${lines.join('\n')}\n`)
    await runToEnd(holdfastProgram, ['load', file, '--database', database])
    const platform = await openPlatform()
    closing.push(() => platform.close())
    const server = await openServer(database, platform.url, isRecording, targets.clock?.environment)
    await server.start()
    closing.push(() => server.kill())

    const tally = openTally()
    const answers = openReceivedAnswers()
    const model = openModel(lines)
    const loads = openLoads(model, database, folder)
    let start = Number.POSITIVE_INFINITY
    let isFinished = false
    const context: SoakContext = {
      port: server.port,
      tally,
      platform,
      model,
      customers: model.customers,
      send: openRequestSender(server.port, tally, answers),
      answers,
      usedTokens: openUsedTokens(),
      isTimeUp: () => performance.now() - start > totalMs,
      isFinished: () => isFinished,
      committed: loads.committed,
      started: loads.started,
    }
    const memory = watchMemory(server)
    const warmUpMs = Math.min(totalMs / 10, warmUpMaxMs)
    const causeEvents = async () => {
      await wait(warmUpMs)
      memory.begin()
      await runEvents(
        context,
        server,
        loads,
        createFaultEvents(targets),
        totalMs - warmUpMs,
        onEvent,
      )
    }
    const parts = [
      await openFeeds(context, database),
      await openPlatforms(context, database, consentCustomers),
      await openGuard(context, database),
    ]
    for (const part of parts) closing.push(part.close)
    start = performance.now()
    const running = Promise.all([
      causeEvents(),
      ...parts.map((part) => runPart(context, part)),
    ]).finally(() => {
      isFinished = true
    })
    await Promise.all([
      running,
      ...Array.from({ length: validClients }, () => runValidClient(context)),
      ...Array.from({ length: hostileClients }, () => runHostileClient(context)),
      ...Array.from({ length: slowClients }, () => runSlowClient(context)),
    ])
    const seconds = (performance.now() - start) / 1000
    if (isRecording) await compareRecords(tally, 'provider', answers, openProviderRecords, database)
    return {
      engine,
      seconds,
      tally,
      memory: memory.end(),
      errors: [server, ...parts].flatMap((each) => each.errors()),
      skipped: skippedFaults(engine, targets),
    }
  } finally {
    for (const close of closing.reverse()) await close()
  }
}

function skippedFaults(engine: Engine, { clock, disk }: FaultTargets): string[] {
  return [
    ...(clock ? [] : ['clock steps: install faketime']),
    ...(disk || engine !== 'sqlite' ? [] : ['full disk: mounting a tmpfs requires root']),
  ]
}

/** Without transactions whose effective time is that of the load. */
async function generateLines(): Promise<string[]> {
  const { output } = await runToEnd(holdfastProgram, ['generate', ...generateFlags])
  return output.split('\n').filter((text) => parseLine(text).ownTime !== undefined)
}

/** Opens a database on a disk that can be filled or with a standby, and a clock that can be set. */
async function openFaultTargets(
  engine: Engine,
  folder: string,
  closing: (() => unknown)[],
): Promise<FaultTargets & { readonly database: string }> {
  const clock = openClock(folder)
  if (engine === 'postgres') {
    const pair = await openPostgresPair()
    closing.push(() => pair.remove())
    return { ...noTargets, database: pair.url, clock, pair }
  }
  if (engine === 'citus') {
    const { url, dataNodes, shards, remove } = await openCitusDatabase()
    closing.push(remove)
    return { ...noTargets, database: url, clock, dataNodes, shards }
  }
  const disk = openDisk(folder)
  if (disk) closing.push(() => disk.remove())
  const database = `sqlite:${join(disk?.folder ?? folder, 'bank.db')}`
  return { ...noTargets, database, clock, disk }
}

const noTargets = { disk: undefined, pair: undefined, dataNodes: undefined, shards: undefined }

const sampleMs = 1000

/** `begin` is called after the warm-up: the memory of an idle process is not comparable. */
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
