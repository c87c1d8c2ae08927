import pg from 'pg'
import { ContractError } from '../../../contract/index.ts'
import { abandonAt } from './abandon.ts'
import { deniedError, isDenied } from './denied.ts'
import {
  ask,
  askAlone,
  encode,
  pipelined,
  queryInOrder,
  type Rows,
  type Statement,
  timeoutOf,
  type Value,
} from './pipeline.ts'

/** How many may wait for each connection of a pool; the rest is told so at once. */
const waitingMaxPerConnection = 100

/** Runs a statement, in one round trip. */
export async function rowsOf(
  connection: pg.Pool | pg.ClientBase,
  statement: Statement,
  values: readonly Value[],
): Promise<Rows> {
  if (connection instanceof pg.Pool) refuseWhenPoolFull(connection)
  const encoded = encode(values)
  try {
    return await (connection instanceof pg.Pool
      ? askAlone(connection, statement, encoded)
      : ask(connection, statement, encoded))
  } catch (error) {
    throw await toAppError(connection, error)
  }
}

/** A statement and its values. */
type Call = readonly [Statement, readonly Value[]]

/** Runs statements one after another in one transaction and one round trip: each sees what those before it did. */
export async function rowsInOrder(
  pool: pg.Pool,
  [first, ...others]: readonly [Call, ...Call[]],
): Promise<Rows[]> {
  refuseWhenPoolFull(pool)
  const encoded = ([statement, values]: Call) => [statement, encode(values)] as const
  const calls = [encoded(first), ...others.map(encoded)] as const
  try {
    return await queryInOrder(pool, calls)
  } catch (error) {
    throw await toAppError(pool, error)
  }
}

/** Asks on any connection of a pool, in as few round trips as there can be. It only reads. */
export function openAsking(pool: pg.Pool): Ask {
  const together = pipelined(pool)
  return async (statement, values) => {
    refuseWhenPoolFull(pool)
    const encoded = encode(values)
    try {
      return await (statement.isLong
        ? askAlone(pool, statement, encoded)
        : together(statement, encoded))
    } catch (error) {
      throw await toAppError(pool, error)
    }
  }
}

/** What would wait long is better asked again later, by whoever still wants it then. */
function refuseWhenPoolFull({ waitingCount, options }: pg.Pool): void {
  if (waitingCount < options.max * waitingMaxPerConnection) return
  throw new ContractError('unavailable', 'too many wait for a connection to the database')
}

/** Between texts that come together. It stands in no JSON text as it is, and in no part of one. */
export const separator = '\u001e'
export const separatorSql = 'chr(30)'

export function separated(joined: string | null | undefined): string[] {
  return joined ? joined.split(separator) : []
}

/**
 * Classes of SQLSTATE that speak of the server and not of the statement: connection, access, resources,
 * somebody's order to stop, the system, a lock that could not be had, a replica that had to catch up or takes no
 * changes.
 */
const outages = /^(08|25006|28|3D|40|53|55P03|57|58|XX)/

/**
 * The error for the caller, without any of the data: a message of the database may repeat values. What is not an
 * answer of the database is a connection that broke, or could not be had in time.
 */
export async function toAppError(
  connection: pg.Pool | pg.ClientBase,
  error: unknown,
): Promise<Error> {
  if (!(error instanceof pg.DatabaseError)) {
    return new ContractError('unavailable', 'the connection to the database failed', {
      cause: error,
    })
  }
  if (isDenied(error)) return deniedError(connection, error)
  const { code = '', table = '' } = error
  const cause = Object.assign(new Error(`the database said ${code} ${table}`.trimEnd()), { code })
  return outages.test(code) ? new ContractError('unavailable', cause.message, { cause }) : cause
}

/** Asks where it was opened: on the connections of a pool, or on that of a transaction. */
export type Ask = (statement: Statement, values: readonly Value[]) => Promise<Rows>

/**
 * All of the work is done when it resolves, and none of it where it throws, unless that is an outage: then all or none
 * of it is. It takes as long as one statement may, however many there are.
 */
export async function inTransaction<Result>(
  pool: pg.Pool,
  work: (ask: Ask) => Promise<Result>,
): Promise<Result> {
  refuseWhenPoolFull(pool)
  const deadline = performance.now() + timeoutOf(pool)
  const client = await pool.connect().catch(async (error: unknown) => {
    throw await toAppError(pool, error)
  })
  const callOff = abandonAt(client, deadline)
  // A connection that breaks between two statements fails the next one; unheard, it would end the process.
  client.on('error', unheard)
  const askHere: Ask = (statement, values) => rowsOf(client, statement, values)
  let isBroken = false
  try {
    await askHere(begin, [])
    const result = await work(askHere)
    await askHere(commit, [])
    return result
  } catch (error) {
    isBroken = await askHere(rollback, []).then(
      () => false,
      () => true,
    )
    throw error
  } finally {
    callOff()
    client.off('error', unheard)
    client.release(isBroken)
  }
}

function unheard(): void {}

const begin = { name: 'begin', text: 'begin' }
const commit = { name: 'commit', text: 'commit' }
const rollback = { name: 'rollback', text: 'rollback' }
