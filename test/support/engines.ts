import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe as declare, type SuiteContext, type TestOptions } from 'node:test'
import pg from 'pg'
import type { DatabaseLayout } from '../../src/storage/database.ts'
import { createDatabase } from '../../src/storage/open.ts'
import { dropCitusDatabases, hasCluster, returnCitusDatabase, takeCitusDatabase } from './citus.ts'
import { temporaryFolder } from './folder.ts'
import { makePostgres, type PostgresServer } from './postgres.ts'
import { variant } from './variant.ts'

/**
 * Tests that use a database run on both engines: `describe` declares a suite twice, and its tests open databases of the
 * suite's engine. With the address of a Citus cluster, suites also run on PostgreSQL with the layout `citus`.
 */
export const engines = ['sqlite', 'postgres'] as const
export type Engine = (typeof engines)[number]

export type Body = (context: SuiteContext) => void

interface Target {
  readonly engine: Engine
  readonly layout: DatabaseLayout
}

const current = new AsyncLocalStorage<Target>()

export function describe(name: string, ...rest: [Body] | [TestOptions, Body]): void {
  describeOn('sqlite', name, ...rest)
  describeOnLayouts(name, ...rest)
}

/** For what is the same in both layouts of PostgreSQL. */
export function describeOnLayouts(name: string, ...rest: [Body] | [TestOptions, Body]): void {
  if (variant !== 'store') return
  describeOn('postgres', name, ...rest)
  describeOnCitus(name, ...rest)
}

/** For behaviour that is specific to the layout `citus`. Without a cluster, it declares nothing. */
export function describeOnCitus(name: string, ...rest: [Body] | [TestOptions, Body]): void {
  if (!hasCluster()) return
  const [options, body] = rest.length === 1 ? [{}, rest[0]] : rest
  const target = { engine: 'postgres', layout: 'citus' } as const
  current.run(target, () => void declare(`${name}, on Citus`, options, body))
}

/** For behaviour that is specific to one engine, such as its files or its server. */
export function describeOn(
  engine: Engine,
  name: string,
  ...rest: [Body] | [TestOptions, Body]
): void {
  const [options, body] = rest.length === 1 ? [{}, rest[0]] : rest
  const target = { engine, layout: 'partitions' } as const
  current.run(target, () => void declare(`${name}, on ${engine}`, options, body))
}

/** For behaviour that does not depend on the engine, such as the syntax of tokens and records. It runs on SQLite. */
export function describeOnce(name: string, ...rest: [Body] | [TestOptions, Body]): void {
  const [options, body] = rest.length === 1 ? [{}, rest[0]] : rest
  const target = { engine: 'sqlite', layout: 'partitions' } as const
  current.run(target, () => void declare(name, options, body))
}

export function currentEngine(): Engine {
  return currentTarget().engine
}

export function currentLayout(): DatabaseLayout {
  return currentTarget().layout
}

function currentTarget(): Target {
  const target = current.getStore()
  if (!target) throw new Error('declare the suite with a function of engines.ts')
  return target
}

/** A test or a suite. */
export interface Scope {
  after(work: () => Promise<void>): void
}

/** Creates a scope that ends with another, and closes what was opened last first. */
export function createScope(scope: Scope): Scope {
  const closings: (() => Promise<void>)[] = []
  scope.after(async () => {
    for (const close of closings.reverse()) await close()
  })
  return { after: (work) => void closings.push(work) }
}

/** Calls a function with a scope that ends with it. */
export async function withScope(work: (scope: Scope) => Promise<void>): Promise<void> {
  const closings: (() => Promise<void>)[] = []
  try {
    await work({ after: (close) => void closings.unshift(close) })
  } finally {
    for (const close of closings) await close()
  }
}

const closings: (() => Promise<void>)[] = []
let ownServer: PostgresServer | undefined
after(async () => {
  for (const close of closings) await close()
  await dropCitusDatabases()
  await ownServer?.remove()
})

/** Ends with the file, and closes what was opened last first. */
export const fileScope: Scope = { after: (work) => void closings.unshift(work) }

/** Shares one resource between all tests of a file on the same engine. The first use opens it. */
export function shareOnEachEngine<Opened>(
  open: (scope: Scope) => Promise<Opened>,
): () => Promise<Opened> {
  const opened = new Map<string, Promise<Opened>>()
  return () => {
    const target = `${currentEngine()} ${currentLayout()}`
    const existing = opened.get(target) ?? open(fileScope)
    opened.set(target, existing)
    return existing
  }
}

/** The URL of a new database of the suite's engine, with the schema and no data. It is deleted with the scope. */
export async function newDatabase(scope: Scope, layout = currentLayout()): Promise<string> {
  if (currentEngine() === 'sqlite') return newFile(scope)
  const database =
    layout === 'partitions'
      ? await copyPostgres(scope, await emptyPostgres())
      : await takeCitusDatabase()
  if (layout === 'citus') scope.after(() => returnCitusDatabase(database))
  withSchema.add(database)
  return database
}

/** Databases on PostgreSQL that this process created with the schema. */
const withSchema = new Set<string>()

/** Creates the schema unless the database is known to have it: to look takes a connection. */
export async function requireSchema(database: string): Promise<void> {
  if (!withSchema.has(database)) await createDatabase(database)
}

/** The URL of a database of the suite's engine without tables. It is deleted with the scope. */
export async function bareDatabase(scope: Scope): Promise<string> {
  if (currentEngine() === 'sqlite') return `sqlite:${join(await temporaryFolder(scope), 'bank.db')}`
  const name = `bare_${randomBytes(8).toString('hex')}`
  await runSql(`create database ${name}`)
  scope.after(async () => void (await runSql(`drop database ${name} with (force)`)))
  return new URL(name, await postgresUrl()).href
}

let emptyFile: Promise<string> | undefined

/** A copy of one empty database, since creating the schema takes longer than most tests. */
async function newFile(scope: Scope): Promise<string> {
  emptyFile ??= createEmptyFile()
  const folder = await temporaryFolder(scope)
  copyFileSync(await emptyFile, join(folder, 'bank.db'))
  return `sqlite:${join(folder, 'bank.db')}`
}

async function createEmptyFile(): Promise<string> {
  const file = join(await temporaryFolder(fileScope), 'empty.db')
  await createDatabase(`sqlite:${file}`)
  return file
}

/** Copies a PostgreSQL database that has no connections. */
export async function copyPostgres(scope: Scope, source: string): Promise<string> {
  const url = await postgresUrl()
  const name = `copy_${randomBytes(8).toString('hex')}`
  await runSql(`create database ${name} template ${databaseName(source)} strategy file_copy`)
  scope.after(async () => void (await runSql(`drop database if exists ${name} with (force)`)))
  return new URL(name, url).href
}

/** Runs a statement as superuser, on the given database or on the server's own. */
export async function runSql(sql: string, database?: string): Promise<string[][]> {
  if (database === undefined) return readRows(await serverConnection(), sql)
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  try {
    return await readRows(client, sql)
  } finally {
    await client.end()
  }
}

/** Lists the process ids of the sessions of a database that meet a condition. Opening a session for it takes long, so it does so on Citus only. */
export async function listSessions(database: string, condition: string): Promise<string[]> {
  const name = databaseName(database)
  const sql = `select pid from pg_stat_activity
    where datname = '${name}' and pid <> pg_backend_pid() and ${condition}`
  const server = currentLayout() === 'citus' ? new URL('postgres', database).href : undefined
  return (await runSql(sql, server)).flat()
}

/** Empties a PostgreSQL database, which is faster than creating another one. */
export async function deleteAllData(database: string): Promise<void> {
  const ofLayout = currentLayout() === 'citus' ? ', entry_state, account_state' : ''
  await runSql(
    `truncate customer, further_email, account, holder, balance, contact, entry, restriction, product, product_version, product_draft, feed, feed_batch${ofLayout}`,
    database,
  )
}

async function readRows(client: pg.Client, sql: string): Promise<string[][]> {
  return (await client.query({ text: sql, rowMode: 'array' })).rows
}

let connection: Promise<pg.Client> | undefined

/** One connection for the whole file: most tests create a database and drop it. */
function serverConnection(): Promise<pg.Client> {
  connection ??= connectToServer()
  return connection
}

async function connectToServer(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: await postgresUrl() })
  await client.connect()
  closings.push(() => client.end())
  return client
}

let url: Promise<string> | undefined

/** The server of the test run, or one of this file. */
export function postgresUrl(): Promise<string> {
  url ??= process.env['POSTGRES_FOR_TESTS']
    ? Promise.resolve(process.env['POSTGRES_FOR_TESTS'])
    : startOwnServer()
  return url
}

async function startOwnServer(): Promise<string> {
  ownServer = await makePostgres()
  await ownServer.start()
  return ownServer.url()
}

let empty: Promise<string> | undefined

/** With the schema and two partitions. All files of a run share it. */
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
      // Renamed only after it is complete.
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
