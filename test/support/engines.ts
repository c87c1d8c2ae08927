import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe as declare, type SuiteContext, type TestOptions } from 'node:test'
import pg from 'pg'
import { createDatabase } from '../../src/storage/open.ts'
import { makePostgres, type PostgresServer } from './postgres.ts'

/**
 * What touches a database is tested on both: a suite that is declared here is declared twice, and what its
 * tests open is of the engine that the suite is for.
 */
export const engines = ['sqlite', 'postgres'] as const
export type Engine = (typeof engines)[number]

type Body = (context: SuiteContext) => void

const current = new AsyncLocalStorage<Engine>()

export function describe(name: string, ...rest: [Body] | [TestOptions, Body]): void {
  for (const engine of engines) describeOn(engine, name, ...rest)
}

/** For what is of one engine by its nature: its files, its server. */
export function describeOn(
  engine: Engine,
  name: string,
  ...rest: [Body] | [TestOptions, Body]
): void {
  const [options, body] = rest.length === 1 ? [{}, rest[0]] : rest
  current.run(engine, () => void declare(`${name}, on ${engine}`, options, body))
}

/** For behaviour that no engine influences, such as the syntax of tokens and records. It runs on SQLite. */
export function describeOnce(name: string, ...rest: [Body] | [TestOptions, Body]): void {
  const [options, body] = rest.length === 1 ? [{}, rest[0]] : rest
  current.run('sqlite', () => void declare(name, options, body))
}

export function engineHere(): Engine {
  const engine = current.getStore()
  if (!engine)
    throw new Error('a suite that touches a database is declared by describe of engines.ts')
  return engine
}

/** Whatever ends: a test, or a suite. */
export interface Scope {
  after(work: () => Promise<void>): void
}

/** What is closed together, the last opened first. */
export function closingTogether(scope: Scope): Scope {
  const closings: (() => Promise<void>)[] = []
  scope.after(async () => {
    for (const close of closings.reverse()) await close()
  })
  return { after: (work) => void closings.push(work) }
}

const closings: (() => Promise<void>)[] = []
let own: PostgresServer | undefined
after(async () => {
  for (const close of closings) await close()
  await own?.remove()
})

/** Ends with the file: what was opened last first. */
const ofFile: Scope = { after: (work) => void closings.unshift(work) }

/** One for all tests of a file on the same engine, opened by the first that asks. */
export function sharedOnEachEngine<Opened>(
  open: (scope: Scope) => Promise<Opened>,
): () => Promise<Opened> {
  const opened = new Map<Engine, Promise<Opened>>()
  return () => {
    const engine = engineHere()
    const there = opened.get(engine) ?? open(ofFile)
    opened.set(engine, there)
    return there
  }
}

/** The address of a new database of the suite's engine, with the schema and no data. It goes away with the scope. */
export async function newDatabase(scope: Scope): Promise<string> {
  return engineHere() === 'sqlite' ? newFile(scope) : copyOf(scope, await emptyPostgres())
}

let emptyFile: Promise<string> | undefined

/** A copy of one empty database, since creating the schema takes longer than most tests. */
async function newFile(scope: Scope): Promise<string> {
  emptyFile ??= createEmptyFile()
  const folder = temporaryFolder(scope)
  copyFileSync(await emptyFile, join(folder, 'bank.db'))
  return `sqlite:${join(folder, 'bank.db')}`
}

async function createEmptyFile(): Promise<string> {
  const file = join(temporaryFolder(ofFile), 'empty.db')
  await createDatabase(`sqlite:${file}`)
  return file
}

function temporaryFolder(scope: Scope): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-database-'))
  scope.after(async () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A new database of PostgreSQL with all that another one has, to which nobody may be connected. */
export async function copyOf(scope: Scope, source: string): Promise<string> {
  const url = await postgresUrl()
  const name = `copy_${randomBytes(8).toString('hex')}`
  await asOwner(`create database ${name} template ${databaseName(source)} strategy file_copy`)
  scope.after(async () => void (await asOwner(`drop database if exists ${name} with (force)`)))
  return new URL(name, url).href
}

/** Runs a statement on the server, outside of the databases of tests. */
export async function asOwner(sql: string, database?: string): Promise<string[][]> {
  const client = new pg.Client({ connectionString: database ?? (await postgresUrl()) })
  await client.connect()
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows
  } finally {
    await client.end()
  }
}

let url: Promise<string> | undefined

/** The server that the run has started, or one of this file's own. */
export function postgresUrl(): Promise<string> {
  url ??= process.env['POSTGRES_FOR_TESTS']
    ? Promise.resolve(process.env['POSTGRES_FOR_TESTS'])
    : ownServer()
  return url
}

async function ownServer(): Promise<string> {
  own = await makePostgres()
  await own.start()
  return own.url()
}

let empty: Promise<string> | undefined

/** With the schema, and as few partitions as show that there are several. All files of a run share it. */
function emptyPostgres(): Promise<string> {
  empty ??= createEmptyPostgres()
  return empty
}

async function createEmptyPostgres(): Promise<string> {
  const base = await postgresUrl()
  const database = new URL('empty', base).href
  const client = new pg.Client({ connectionString: base })
  await client.connect()
  try {
    await client.query(`select pg_advisory_lock(hashtext('empty'))`)
    const existing = await client.query(`select from pg_database where datname = 'empty'`)
    if (existing.rowCount === 0) {
      // Under its final name only when it is complete.
      await client.query('create database incomplete')
      await createDatabase(new URL('incomplete', base).href, { partitions: 2 })
      await client.query('alter database incomplete rename to empty')
    }
  } finally {
    await client.end()
  }
  return database
}

function databaseName(url: string): string {
  return new URL(url).pathname.slice(1)
}
