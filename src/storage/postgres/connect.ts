import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { DatabaseError, type DatabaseOptions } from '../database.ts'
import { LongValueClient } from './long-values.ts'
import { isUpToDate, migrate } from './migrate.ts'

const connectionsDefault = 10

/** How long a call waits for a connection, new or given back. */
const connectMs = 5000

/** How long a statement that serves waits for a lock: only somebody who changes the tables holds one. */
const lockMs = 5000

/** A connection that nobody needs is given up after this long. */
const idleMs = 60_000

/** How much longer than the database itself a call waits, before the connection counts as dead. */
const answerMs = 5000

const keepAliveMs = 10_000

/** What a connection is for. */
interface Use {
  readonly statementMs: number
  /** Settings of the session. */
  readonly session: Readonly<Record<string, string>>
}

/**
 * Plans are made once and depend neither on the values nor on what the tables hold just then: each statement
 * asks for few rows by a key of an index.
 */
const steady = {
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_material: 'off',
}

const uses = {
  read: {
    statementMs: 30_000,
    session: { ...steady, lock_timeout: `${lockMs}`, default_transaction_read_only: 'on' },
  },
  write: {
    statementMs: 5000,
    session: {
      ...steady,
      synchronous_commit: 'on',
      // Each statement must see what was committed before it began (claim-store.ts).
      default_transaction_isolation: 'read\\ committed',
    },
  },
  /** A load or a dump takes as long as it takes. */
  load: { statementMs: 0, session: { jit: 'off' } },
} as const satisfies Record<string, Use>

/** A pool of connections to a database that has the newest version, or is brought to it. */
export async function openPool(
  url: string,
  use: keyof typeof uses,
  options: DatabaseOptions,
): Promise<pg.Pool> {
  const pool = makePool(url, use, options)
  try {
    if (!(await isUpToDate(pool))) await migrateAt(url, options)
    if (use !== 'load') options.onPool?.(use, pool)
    return pool
  } catch (error) {
    await pool.end()
    throw unusable(url, error)
  }
}

async function migrateAt(url: string, options: DatabaseOptions): Promise<void> {
  const pool = makePool(url, 'load', { ...options, connections: 1 })
  try {
    await migrate(pool, options.partitions)
  } finally {
    await pool.end()
  }
}

export function makePool(
  url: string,
  use: keyof typeof uses,
  { connections = connectionsDefault, passwordFile }: DatabaseOptions,
): pg.Pool {
  const { statementMs, session } = uses[use]
  const pool = new pg.Pool({
    Client: use === 'read' ? LongValueClient : pg.Client,
    ...placeOf(url),
    ...(passwordFile !== undefined && { password: () => passwordIn(passwordFile) }),
    application_name: 'holdfast',
    max: connections,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: idleMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    ...(statementMs > 0 && {
      statement_timeout: statementMs,
      query_timeout: statementMs + answerMs,
    }),
    options: Object.entries(session)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  })
  // A connection that breaks while it is idle is dropped by the pool; the next call opens another.
  pool.on('error', () => {})
  return pool
}

/** Where the database is, by its address. Nothing is taken from the driver's own reading of it. */
function placeOf(address: string): pg.PoolConfig {
  const url = new URL(address)
  const parameter = (name: string) => url.searchParams.get(name) ?? undefined
  const unknown = [...url.searchParams.keys()].filter((name) => !parameters.includes(name))
  if (unknown.length > 0) {
    throw new DatabaseError(
      `the database address may have these parameters: ${parameters.join(', ')}`,
    )
  }
  const host = parameter('host') ?? url.hostname.replace(/^\[(.+)\]$/, '$1')
  return {
    host: decodeURIComponent(host) || 'localhost',
    port: Number(parameter('port') ?? (url.port || 5432)),
    user: parameter('user') ?? decodeURIComponent(url.username),
    ...(url.password && { password: decodeURIComponent(url.password) }),
    database: decodeURIComponent(url.pathname.slice(1)),
    ssl: encryption(parameter('sslmode') ?? 'disable', parameter),
  }
}

const parameters = ['host', 'port', 'user', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']

/**
 * Encrypted means checked: a server whose certificate is not for its name, or of nobody we trust, gets no
 * data. The modes of PostgreSQL that would take any server are refused instead of being read otherwise.
 */
function encryption(
  mode: string,
  parameter: (name: string) => string | undefined,
): pg.PoolConfig['ssl'] {
  if (mode === 'disable') return false
  if (mode !== 'require' && mode !== 'verify-full') {
    throw new DatabaseError(
      'sslmode must be verify-full (or require, which checks as much) or disable',
    )
  }
  const file = (name: string) => {
    const path = parameter(name)
    return path === undefined ? undefined : contentOf(path, name)
  }
  return { ca: file('sslrootcert'), cert: file('sslcert'), key: file('sslkey') }
}

function contentOf(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new DatabaseError(`the file ${path} (${name}) cannot be read`)
  }
}

async function passwordIn(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new DatabaseError(`the password file ${path} cannot be read`)
  })
  return text.replace(/\r?\n$/, '')
}

/** Names the database without its password. */
function unusable(address: string, error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error
  const { host, pathname } = new URL(address)
  const reason = error instanceof Error ? error.message || String(error) : ''
  return new DatabaseError(`the database ${host}${pathname} cannot be used: ${reason}`, {
    cause: error,
  })
}
