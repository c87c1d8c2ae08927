import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { Readable } from 'node:stream'
import type { LineCounts } from '../../src/intake/line-counts.ts'
import { createNdjsonSource } from '../../src/intake/lines.ts'
import { load } from '../../src/intake/load.ts'
import type { LineError } from '../../src/intake/writer.ts'
import { openProviderWriter } from '../../src/storage/open.ts'
import {
  createScope,
  currentEngine,
  newDatabase,
  requireSchema,
  type Scope,
} from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import {
  type Finished,
  type Process,
  type RunOptions,
  runHoldfast,
  runInProcess,
  startHoldfast,
} from '../support/process.ts'

/** Most tests wait for one or two processes. */
export const concurrency = 4

export type Lines = string | Uint8Array | readonly string[]

/** A temporary folder and a database, with functions that run `holdfast` on them. Removed after the test. */
export interface Bank {
  readonly folder: string
  /** Ends before the folder and the databases are deleted. */
  readonly scope: Scope
  /** The path of a file in the folder. */
  path(name: string): string
  /** The URL of the database. */
  database(): string
  /** Returns the URL of another, empty database, removed after the test. */
  another(): Promise<string>
  write(name: string, lines: Lines): void
  /** Starts `holdfast` as a process in the folder. It is killed at the latest after the test. */
  start(args: readonly string[], nodeFlags?: readonly string[]): Process
  /** Runs `holdfast` as a process in the folder until it exits. */
  run(args: readonly string[], options?: RunOptions): Promise<Finished>
  /** Loads files of the folder in this process. */
  loadFiles(names: readonly string[], ...flags: readonly string[]): Promise<Finished>
  /** Writes the lines to `data.ndjson`, later `data-1.ndjson` and so on, and loads that file. */
  load(lines: Lines, ...flags: readonly string[]): Promise<Finished>
  /** Loads files like `loadFiles`, asserts that the load fails, and returns every error. */
  listErrors(names: readonly string[], ...flags: readonly string[]): Promise<string[]>
  /** Loads lines and asserts that the load succeeds. */
  fill(lines: Lines, ...flags: readonly string[]): Promise<void>
  dump(): Promise<string>
}

export async function openBank(t: Scope): Promise<Bank> {
  const scope = createScope(t)
  const folder = await temporaryFolder(scope)
  const path = (name: string) => join(folder, name)
  const isFile = currentEngine() === 'sqlite'
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
      writeFileSync(path(name), toBytes(lines))
    },
    start(args, nodeFlags = []) {
      const environment = { HOLDFAST_DATABASE: database() }
      return startHoldfast(scope, args, { cwd: folder, environment, nodeFlags })
    },
    run(args, options) {
      const environment = { HOLDFAST_DATABASE: database(), ...options?.environment }
      return runHoldfast(args, { cwd: folder, ...options, environment })
    },
    async loadFiles(names, ...flags) {
      const files = names.map(path)
      const run = await runInProcess(['load', ...files, '--database', database(), ...flags])
      return { ...run, stderr: run.stderr.replaceAll(folder + sep, '') }
    },
    async load(lines, ...flags) {
      const name = files === 0 ? 'data.ndjson' : `data-${files}.ndjson`
      files += 1
      bank.write(name, lines)
      return bank.loadFiles([name], ...flags)
    },
    async listErrors(names, ...flags) {
      const file = path('errors.txt')
      const { status } = await bank.loadFiles(names, '--errors', file, ...flags)
      assert.equal(status, 1)
      return splitLines(readFileSync(file, 'utf8').replaceAll(folder + sep, ''))
    },
    async fill(lines, ...flags) {
      const { status, stderr } = await bank.load(lines, ...flags)
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    },
    dump: () => dumpOf(database()),
  }
  return bank
}

function toBytes(lines: Lines): string | Uint8Array {
  if (typeof lines === 'string' || lines instanceof Uint8Array) return lines
  return lines.map((line) => `${line}\n`).join('')
}

export async function dumpOf(database: string): Promise<string> {
  const { status, stdout, stderr } = await runInProcess(['dump', '--database', database])
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  return stdout
}

export interface LoadOptions {
  readonly batch?: number
  readonly skipInvalid?: boolean
}

/** Loads a file, in pieces, with the given load time. Returns the errors and what the lines did. */
export async function loadAt(
  database: string,
  loadTime: Temporal.Instant,
  pieces: Iterable<Uint8Array>,
  options: LoadOptions = {},
): Promise<{ readonly errors: readonly LineError[]; readonly counts: LineCounts }> {
  const errors: LineError[] = []
  await requireSchema(database)
  const inBatches = options.batch !== undefined
  const writer = await openProviderWriter(database, { loadTime, inBatches })
  const file = createNdjsonSource({ name: 'data', open: () => Readable.from(pieces) })
  const onError = (error: LineError) => void errors.push(error)
  try {
    const { counts } = await load([file], writer, { ...options, onError })
    return { errors, counts }
  } finally {
    await writer.close()
  }
}

export function splitLines(dump: string): string[] {
  return dump.split('\n').slice(0, -1)
}

/** Removes the times that depend on when the load ran. */
export function removeLoadTimes(dump: string): string {
  return dump.replaceAll(/"effectiveTime":"[^"]+",/g, '')
}

/** Shuffles deterministically. */
export function shuffle<Item>(items: readonly Item[], seed: number): Item[] {
  let state = seed
  const keyed = items.map((item) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return { item, key: state }
  })
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item)
}
