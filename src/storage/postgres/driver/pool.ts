import { readFileSync } from 'node:fs'
import pg from 'pg'
import { DatabaseError, type DatabaseOptions, MissingDatabase, solutions } from '../../database.ts'
import { warnOfUntestedCitus } from './citus-version.ts'
import { deniedError, isDenied } from './denied.ts'
import { isOlder, migrate, readSchema, type Schema } from './migrate.ts'
import { BufferClient, requireKnownDriver } from './pg-internals.ts'
import { pooledClient } from './pooled-client.ts'
import { type Layout, migrations } from './schema.ts'
import {
  dataNodeTestMs,
  lockTimeout,
  longTimeoutMs,
  timeoutDefaultMs,
  writeTimeout,
} from './timeouts.ts'

const connectionsDefault = 10

const idleMs = 60_000

/** How much longer than the server the driver waits. Statements of requests have shorter timeouts. */
const driverMs = 5000

const keepAliveMs = 10_000

/** The settings of a session by its use. */
type Use = (timeoutMs: number) => {
  readonly statementMs: number
  readonly session: Readonly<Record<string, string>>
}

/** Plans are made once, whatever the values and the tables: each statement reads few rows by a key of an index. */
const stablePlans = {
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_material: 'off',
}

/** The order of an index also tells the planner which index to use: it must not sort instead. */
const smallBatchPlans = { ...stablePlans, enable_sort: 'off', enable_incremental_sort: 'off' }

/** For a transaction whose statements read many rows: the planner decides again. */
export const plannerChoice = Object.keys(smallBatchPlans)
  .filter((name) => name.startsWith('enable_'))
  .map((name) => `set local ${name} = on;`)
  .join(' ')

/** For the session of a load or a feed: a server may be configured to lose the last commits in a crash. */
export const durableCommits = `select set_config('synchronous_commit', 'on', false)
  where current_setting('synchronous_commit') = 'off';`

/** Each statement must see what was committed before it, such as a used token. A server may have another default. */
const readCommitted = { default_transaction_isolation: 'read\\ committed' }

const writing = { ...stablePlans, synchronous_commit: 'on', ...readCommitted }

/** If the host of a client disappears during a statement, the server releases its locks after a minute. */
const watchClient = {
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
}

const uses = {
  read: (timeoutMs) => ({
    statementMs: longTimeoutMs,
    session: {
      ...stablePlans,
      // A reader waits only for the lock of a schema change.
      lock_timeout: `${lockTimeout(timeoutMs)}`,
      default_transaction_read_only: 'on',
    },
  }),
  /**
   * Tests connections to the data nodes. Each test opens new ones: Citus cannot cancel a statement on a data node that does not
   * respond, and would wait on a connection that exists already.
   */
  dataNodes: (timeoutMs) => ({
    statementMs: timeoutMs,
    session: {
      'citus.node_connection_timeout': `${dataNodeTestMs}`,
      'citus.max_cached_conns_per_worker': '0',
      default_transaction_read_only: 'on',
    },
  }),
  write: (timeoutMs) => ({
    statementMs: writeTimeout(timeoutMs),
    session: {
      ...writing,
      ...watchClient,
      // The caller has given up the transaction by then, or it has disappeared.
      idle_in_transaction_session_timeout: `${timeoutMs}`,
    },
  }),
  /** Rows that exceed the memory of a statement need space on the disk of the tables. */
  probe: (timeoutMs) => ({
    statementMs: timeoutMs,
    session: { ...writing, work_mem: '64kB', temp_tablespaces: '' },
  }),
  /** Queries on the database of another system. Values are printed in the same format everywhere. */
  query: () => ({
    statementMs: 0,
    session: {
      default_transaction_read_only: 'on',
      datestyle: 'ISO',
      intervalstyle: 'iso_8601',
      timezone: 'UTC',
    },
  }),
  /** A load or a dump has no statement timeout. */
  load: () => ({ statementMs: 0, session: { jit: 'off', ...readCommitted } }),
  /**
   * Neither has the commit of a feed, which waits for loads: a check finds out that its connection no longer
   * responds. Most of its batches are small.
   */
  feed: () => ({ statementMs: 0, session: { ...smallBatchPlans, ...readCommitted } }),
} as const satisfies Record<string, Use>

/** Creates the tables unless they exist, and applies the missing migrations. False: the database itself existed. */
export async function createPostgresSchema(
  url: string,
  options: DatabaseOptions = {},
  steps = migrations,
): Promise<false> {
  const pool = makePool(url, 'load', { ...options, connections: 1 })
  try {
    // Only the owner of the tables may migrate them, but every role may find that they are up to date.
    const schema = await readSchema(pool)
    const mustMigrate = !schema || isOlder(schema, steps)
    if (schema) requireLayout(schema, options)
    if (mustMigrate) await migrate(pool, options, steps)
    return false
  } catch (error) {
    throw unusable(url, error)
  } finally {
    await pool.end()
  }
}

function requireLayout({ layout }: Schema, options: DatabaseOptions): void {
  if (options.layout === undefined || options.layout === layout) return
  throw new DatabaseError(
    `the database was created with the layout ${layout}, not ${options.layout}: correct HOLDFAST_DATABASE_LAYOUT, or move the data to a new database with holdfast dump and holdfast load`,
  )
}

/** Opens a pool on a database with tables, which is migrated if necessary. */
export async function openPool(
  url: string,
  use: 'read' | 'write' | 'load',
  options: DatabaseOptions,
): Promise<Layout & { readonly pool: pg.Pool }> {
  const pool = makePool(url, use, options)
  try {
    const schema = await readSchema(pool)
    if (!schema) {
      throw new MissingDatabase(
        `the database ${describeAddress(url)} has no Holdfast tables: check the address, or create them with ${solutions.create}`,
      )
    }
    if (isOlder(schema)) await createPostgresSchema(url, options)
    requireLayout(schema, options)
    if (schema.layout === 'citus') await warnOfUntestedCitus(pool, options)
    if (use !== 'load') options.onPool?.(use, pool)
    return { ...schema, pool }
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
    ...parseAddress(url),
    application_name: 'holdfast',
    max: connections,
    connectionTimeoutMillis: timeoutMs,
    idleTimeoutMillis: idleMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    // The statements of a commit are sent together: each answer that it waits for takes longer than most statements.
    pipeline: use === 'feed',
    ...(statementMs > 0 && {
      statement_timeout: statementMs,
      query_timeout: statementMs + driverMs,
    }),
    options: Object.entries(session)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  })
  // The pool drops an idle connection that breaks; the next call opens another.
  pool.on('error', () => {})
  // A connection may break before its user listens: the user's next statement then fails.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** Parses the address itself: the driver's parser accepts more than is supported here. */
function parseAddress(address: string): pg.PoolConfig {
  const url = new URL(address)
  const parameter = (name: string) => url.searchParams.get(name) ?? undefined
  const unknown = [...url.searchParams.keys()].filter((name) => !parameters.includes(name))
  if (unknown.length > 0) {
    throw new DatabaseError(
      `the database address has an unknown parameter; known are ${parameters.join(', ')}`,
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
 * Encryption includes verification of the certificate and the host name. The modes of PostgreSQL that accept any server
 * are rejected instead of being interpreted differently.
 */
function encryption(
  mode: string,
  parameter: (name: string) => string | undefined,
): pg.PoolConfig['ssl'] {
  if (mode === 'disable') return false
  if (mode !== 'require' && mode !== 'verify-full') {
    throw new DatabaseError(
      'sslmode must be verify-full, require (which verifies as much) or disable',
    )
  }
  const file = (name: string) => {
    const path = parameter(name)
    try {
      return path === undefined ? undefined : readFileSync(path, 'utf8')
    } catch {
      throw new DatabaseError(`the file ${path} (${name}) cannot be read`)
    }
  }
  return { ca: file('sslrootcert'), cert: file('sslcert'), key: file('sslkey') }
}

/** Without the password. */
function describeAddress(address: string): string {
  const { host, pathname } = new URL(address)
  return host + pathname
}

export function unusable(address: string, error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error
  const reason = error instanceof Error ? error.message || String(error) : ''
  return new DatabaseError(`the database ${describeAddress(address)} cannot be used: ${reason}`, {
    cause: error,
  })
}
