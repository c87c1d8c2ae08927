import { readFileSync } from 'node:fs'
import pg from 'pg'
import { DatabaseError, type DatabaseOptions } from '../../database.ts'
import { BufferClient } from './buffer-client.ts'
import { deniedError, isDenied } from './denied.ts'
import { requireKnownDriver } from './driver-check.ts'
import { migrate, schemaState } from './migrate.ts'
import { pooledClient } from './pooled-client.ts'
import { lockTimeoutOf, longTimeoutMs, timeoutDefaultMs } from './timeouts.ts'

const connectionsDefault = 10

/** A connection that nobody needs is given up after this long. */
const idleMs = 60_000

/** How much longer than the database itself the driver waits. What serves requests waits less: see timeouts.ts. */
const driverMs = 5000

const keepAliveMs = 10_000

/** What a connection is for, with settings of its session. */
type Use = (timeoutMs: number) => {
  readonly statementMs: number
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
  read: (timeoutMs) => ({
    statementMs: longTimeoutMs,
    session: {
      ...steady,
      // Only a change of the tables themselves holds a lock that a reader waits for.
      lock_timeout: `${lockTimeoutOf(timeoutMs)}`,
      default_transaction_read_only: 'on',
    },
  }),
  write: (timeoutMs) => ({
    statementMs: timeoutMs,
    session: {
      ...steady,
      synchronous_commit: 'on',
      // Each statement must see what was committed before it began (replay-store.ts).
      default_transaction_isolation: 'read\\ committed',
    },
  }),
  /** A load or a dump takes as long as it takes. */
  load: () => ({ statementMs: 0, session: { jit: 'off' } }),
} as const satisfies Record<string, Use>

/** Creates the tables, unless they exist, and brings them to the newest version. */
export async function createPostgresSchema(url: string, options: DatabaseOptions): Promise<void> {
  const pool = makePool(url, 'load', { ...options, connections: 1 })
  try {
    // Only the owner of the tables may change them, but every role may find that there is nothing to change.
    if ((await schemaState(pool)) !== 'current') await migrate(pool, options.partitions)
  } catch (error) {
    throw unusable(url, error)
  } finally {
    await pool.end()
  }
}

/** A pool of connections to a database that has the newest version, or is brought to it. It must have the tables. */
export async function openPool(
  url: string,
  use: keyof typeof uses,
  options: DatabaseOptions,
): Promise<pg.Pool> {
  const pool = makePool(url, use, options)
  try {
    const state = await schemaState(pool)
    if (state === 'missing') throw missingSchema(url)
    if (state === 'older') await createPostgresSchema(url, options)
    if (use !== 'load') options.onPool?.(use, pool)
    return pool
  } catch (error) {
    const failure = isDenied(error) ? await deniedError(pool, error) : unusable(url, error)
    await pool.end()
    throw failure
  }
}

export function makePool(
  url: string,
  use: keyof typeof uses,
  { connections = connectionsDefault, passwordFile, timeoutMs = timeoutDefaultMs }: DatabaseOptions,
): pg.Pool {
  requireKnownDriver()
  const { statementMs, session } = uses[use](timeoutMs)
  const pool = new pg.Pool({
    Client: pooledClient(use === 'read' ? BufferClient : pg.Client, passwordFile),
    ...placeOf(url),
    application_name: 'holdfast',
    max: connections,
    connectionTimeoutMillis: timeoutMs,
    idleTimeoutMillis: idleMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    ...(statementMs > 0 && {
      statement_timeout: statementMs,
      query_timeout: statementMs + driverMs,
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

function missingSchema(address: string): DatabaseError {
  return new DatabaseError(
    `the database ${nameOf(address)} has no tables of Holdfast: check the address, or create them with holdfast load or with --create`,
  )
}

/** Without the password. */
function nameOf(address: string): string {
  const { host, pathname } = new URL(address)
  return host + pathname
}

function unusable(address: string, error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error
  const reason = error instanceof Error ? error.message || String(error) : ''
  return new DatabaseError(`the database ${nameOf(address)} cannot be used: ${reason}`, {
    cause: error,
  })
}
