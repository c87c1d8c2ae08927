import assert from 'node:assert/strict'
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { main } from '../../src/cli/main.ts'
import { load } from '../../src/load/load.ts'
import type { LineError } from '../../src/load/writer.ts'
import { createDatabase, openProviderWriter } from '../../src/storage/open.ts'
import { closingTogether, engineHere, newDatabase, type Scope } from '../support/engines.ts'
import { inherited } from '../support/environment.ts'
import { holdfastProgram } from '../support/program.ts'

/** Most tests are a process or two: a few at a time keep the machine busy. */
export const concurrency = 4

export interface Run {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd?: string
  readonly input?: string | Uint8Array
  readonly environment?: Record<string, string>
  readonly nodeFlags?: readonly string[]
}

/** Starts the program as its users do. It sees the given environment and nothing of ours. */
export function start(args: readonly string[], options: RunOptions & SpawnOptions = {}) {
  const { input: _input, environment = {}, nodeFlags = [], ...spawned } = options
  return spawn(process.execPath, [...nodeFlags, holdfastProgram, ...args], {
    ...spawned,
    env: { ...inherited, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

export async function holdfast(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const child = start(args, options)
  // A program that ends before it has read everything closes the pipe: its status tells.
  child.stdin.on('error', () => {})
  child.stdin.end(options.input ?? '')
  return ended(child)
}

export async function ended(child: ReturnType<typeof start>): Promise<Run> {
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  return { status, stdout, stderr }
}

/** As the kernel does it to a process that has used up the memory, and waits until it is gone. */
export async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

export type Lines = string | Uint8Array | readonly string[]

/** A folder with a database in it, or beside it, and the program to fill and read it. Goes away with the test. */
export interface Bank {
  readonly folder: string
  /** Where a file of the folder is. */
  path(name: string): string
  /** The address of its database. */
  database(): string
  /** The address of another one, empty at first, that goes away with the test too. */
  another(): Promise<string>
  /** Writes a file for the program to read. */
  write(name: string, lines: Lines): void
  /** Starts the program in the folder, in a process of its own that does not outlive the test. */
  start(args: readonly string[], nodeFlags?: readonly string[]): ReturnType<typeof start>
  /** The same, until it ends by itself. */
  run(args: readonly string[], options?: RunOptions): Promise<Run>
  /** Writes the lines to `data.ndjson` and loads them, with whatever else the command is told. */
  load(lines: Lines, ...flags: readonly string[]): Promise<Run>
  /** The same for lines that must be taken. */
  fill(lines: Lines, ...flags: readonly string[]): Promise<void>
  dump(): Promise<string>
}

export async function openBank(t: Scope): Promise<Bank> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-load-'))
  const scope = closingTogether(t)
  scope.after(async () => rmSync(folder, { recursive: true, force: true }))
  const path = (name: string) => join(folder, name)
  const isFile = engineHere() === 'sqlite'
  const address = isFile ? `sqlite:${path('bank.db')}` : await newDatabase(scope)
  const database = () => address
  let files = 0

  const bank: Bank = {
    folder,
    path,
    database,
    another: () => newDatabase(scope),
    write(name, lines) {
      writeFileSync(path(name), bytesOf(lines))
    },
    start(args, nodeFlags = []) {
      const environment = { HOLDFAST_DATABASE: database() }
      const child = start(args, { cwd: folder, environment, nodeFlags })
      scope.after(() => killed(child))
      return child
    },
    run(args, options) {
      const environment = { HOLDFAST_DATABASE: database(), ...options?.environment }
      return holdfast(args, { cwd: folder, ...options, environment })
    },
    async load(lines, ...flags) {
      const name = files === 0 ? 'data.ndjson' : `data-${files}.ndjson`
      files += 1
      bank.write(name, lines)
      const run = await command(['load', path(name), '--database', database(), ...flags])
      return { ...run, stderr: run.stderr.replaceAll(folder + sep, '') }
    },
    async fill(lines, ...flags) {
      const { status, stderr } = await bank.load(lines, ...flags)
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    },
    dump: () => dumpOf(database()),
  }
  return bank
}

function bytesOf(lines: Lines): string | Uint8Array {
  if (typeof lines === 'string' || lines instanceof Uint8Array) return lines
  return lines.map((line) => `${line}\n`).join('')
}

export async function dumpOf(database: string): Promise<string> {
  const { status, stdout, stderr } = await command(['dump', '--database', database])
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  return stdout
}

/**
 * A command without a process of its own, which takes most of the time of a small load. The launcher
 * adds nothing to it but the exit status.
 */
export async function command(args: readonly string[]): Promise<Run> {
  let stdout = ''
  let stderr = ''
  const status = await main(args, {
    out: (part) => {
      stdout += part
    },
    error: (part) => {
      stderr += part
    },
    status: () => {},
    write: async (part) => {
      stdout += part
    },
    environment: {},
    isInteractive: false,
  })
  return { status, stdout, stderr }
}

/** Asks again and again while the process runs; one that ends before it is so has failed. */
export async function until(isSo: () => boolean, running: ChildProcess): Promise<void> {
  while (!isSo()) {
    assert.equal(running.exitCode, null, 'the process ended early')
    await setTimeout(1)
  }
}

/** Loads pieces of a file as if it was then. Returns what was refused. */
export async function loadAt(
  database: string,
  loadTime: Temporal.Instant,
  pieces: Iterable<Uint8Array>,
  batching: { readonly batch?: number } = {},
): Promise<LineError[]> {
  const refusals: LineError[] = []
  await createDatabase(database)
  const writer = await openProviderWriter(database, { loadTime, inBatches: 'batch' in batching })
  const file = { name: 'data', open: () => Readable.from(pieces) }
  const onError = (refusal: LineError) => void refusals.push(refusal)
  try {
    await load([file], writer, { ...batching, onError })
  } finally {
    await writer.close()
  }
  return refusals
}

export function linesOf(dump: string): string[] {
  return dump.split('\n').slice(0, -1)
}

/** A dump without the times at which a load happened to run. */
export function withoutLoadTimes(dump: string): string {
  return dump.replaceAll(/"effectiveTime":"[^"]+",/g, '')
}

/** In any order, the same for the same seed. */
export function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  let state = seed
  const keyed = items.map((item) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return { item, key: state }
  })
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item)
}
