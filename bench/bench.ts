import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { installProgram } from '../scripts/program.ts'
import { makeSigningKey, toPublicKeySet } from '../src/auth/signing.ts'
import { isPostgres, sqlitePath } from '../src/storage/open.ts'
import { replayPath } from '../src/storage/sqlite/driver/files.ts'
import { makePostgres, type PostgresServer } from '../test/support/postgres.ts'
import { audience, type LoadDriver, openLoadDriver, subdomain } from './load-driver.ts'
import { type Running, startServer } from './processes.ts'
import type { BenchKeys } from './token-signer.ts'

export const engines = ['sqlite', 'postgres'] as const
export type Engine = (typeof engines)[number]

/** The environment of a run: the installed package, a temporary folder, a durable PostgreSQL server, keys and a load driver. */
export interface Bench {
  readonly program: string
  readonly folder: string
  readonly postgres: PostgresServer
  readonly driver: LoadDriver
  readonly keys: BenchKeys
  readonly keySet: ReturnType<typeof toPublicKeySet>
  readonly jwksUrl: string
  /** Returns the URL of a new, empty database, whose name starts with `name`. */
  database(engine: Engine, name: string): Promise<string>
  removeDatabase(url: string): Promise<void>
  close(): Promise<void>
}

const postgresSettings = { shared_buffers: '256MB', max_connections: '200' }

export async function openBench(): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const now = Temporal.Now.instant()
  const keys = {
    ES256: await makeSigningKey('ES256', now),
    PS256: await makeSigningKey('PS256', now),
  }
  const keySet = toPublicKeySet(Object.values(keys))
  const jwks = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(keySet))
  }).listen(0, '127.0.0.1')
  await once(jwks, 'listening')
  const postgres = await makePostgres({ durable: true, settings: postgresSettings })
  await postgres.start()
  const driver = openLoadDriver(keys)
  let databases = 0

  return {
    program: await installProgram(join(folder, 'package')),
    folder,
    postgres,
    driver,
    keys,
    keySet,
    jwksUrl: `http://127.0.0.1:${(jwks.address() as AddressInfo).port}/`,
    async database(engine, name) {
      databases += 1
      const unique = `${name}_${databases}`
      if (engine === 'sqlite') return `sqlite:${join(folder, `${unique}.db`)}`
      await runSql(postgres.url(), `create database ${unique}`)
      return postgres.url(unique)
    },
    async removeDatabase(url) {
      if (!isPostgres(url)) {
        const path = sqlitePath(url)
        for (const file of [path, replayPath(path)]) {
          for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
        }
      } else {
        await runSql(postgres.url(), `drop database ${new URL(url).pathname.slice(1)} with (force)`)
      }
    },
    async close() {
      driver.close()
      jwks.close()
      jwks.closeAllConnections()
      await postgres.remove()
    },
  }
}

export async function runSql(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}

interface ProviderOptions {
  readonly workers?: number
  readonly program?: string
  readonly records?: boolean
  readonly nodeFlags?: readonly string[]
}

/** Starts `holdfast serve provider` with production settings. */
export function serveProvider(
  { jwksUrl, program: installed }: Bench,
  database: string,
  { workers = 1, program = installed, records = false, nodeFlags = [] }: ProviderOptions = {},
): Promise<Running> {
  const flags = { ...tokenFlags(jwksUrl), database, port: 0, workers, records: `${records}` }
  return startServer(program, ['serve', 'provider', ...formatFlags(flags)], nodeFlags)
}

/** Starts `holdfast serve guard` in front of a server. */
export function serveGuard(
  { jwksUrl, program }: Bench,
  database: string,
  upstreamPort: number,
): Promise<Running> {
  const upstream = `http://127.0.0.1:${upstreamPort}`
  const flags = { ...tokenFlags(jwksUrl), database, port: 0, upstream }
  return startServer(program, ['serve', 'guard', '--create', ...formatFlags(flags)])
}

function tokenFlags(jwksUrl: string) {
  return { subdomain, 'provider-url': audience, 'jwks-url': jwksUrl }
}

export function servePlatform({ program }: Bench, database: string): Promise<Running> {
  return startServer(program, ['serve', 'platform', ...formatFlags({ database, port: 0 })])
}

export function serveIntake({ program }: Bench, database: string): Promise<Running> {
  return startServer(program, ['serve', 'intake', ...formatFlags({ database, port: 0 })])
}

function formatFlags(flags: Readonly<Record<string, string | number>>): string[] {
  return Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)])
}
