import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { Readable } from 'node:stream'
import { load } from '../../src/load/load.ts'
import type { LineError } from '../../src/load/writer.ts'
import { createDatabase, openProviderWriter } from '../../src/storage/open.ts'
import { closingTogether, engineHere, newDatabase, type Scope } from '../support/engines.ts'

import {
  type Finished,
  type Process,
  type RunOptions,
  runHoldfast,
  runInProcess,
  startHoldfast,
} from '../support/process.ts'

/** Most tests are a process or two: a few at a time keep the machine busy. */
export const concurrency = 4

export type Lines = string | Uint8Array | readonly string[]

/** A folder with a database in it, or beside it, and the program to fill and read it. Goes away with the test. */
export interface Bank {
  readonly folder: string
  /** Ends before the folder and the databases are deleted. */
  readonly scope: Scope
  /** Where a file of the folder is. */
  path(name: string): string
  /** The address of its database. */
  database(): string
  /** The address of another one, empty at first, that goes away with the test too. */
  another(): Promise<string>
  /** Writes a file for the program to read. */
  write(name: string, lines: Lines): void
  /** Starts the program in the folder, in a process of its own that does not outlive the test. */
  start(args: readonly string[], nodeFlags?: readonly string[]): Process
  /** The same, until it ends by itself. */
  run(args: readonly string[], options?: RunOptions): Promise<Finished>
  /** Writes the lines to `data.ndjson` and loads them, with whatever else the command is told. */
  load(lines: Lines, ...flags: readonly string[]): Promise<Finished>
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
    scope,
    path,
    database,
    another: () => newDatabase(scope),
    write(name, lines) {
      writeFileSync(path(name), bytesOf(lines))
    },
    start(args, nodeFlags = []) {
      const environment = { HOLDFAST_DATABASE: database() }
      return startHoldfast(scope, args, { cwd: folder, environment, nodeFlags })
    },
    run(args, options) {
      const environment = { HOLDFAST_DATABASE: database(), ...options?.environment }
      return runHoldfast(args, { cwd: folder, ...options, environment })
    },
    async load(lines, ...flags) {
      const name = files === 0 ? 'data.ndjson' : `data-${files}.ndjson`
      files += 1
      bank.write(name, lines)
      const run = await runInProcess(['load', path(name), '--database', database(), ...flags])
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
  const { status, stdout, stderr } = await runInProcess(['dump', '--database', database])
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  return stdout
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
