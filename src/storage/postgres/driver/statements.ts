import pg from 'pg'
import { ContractError } from '../../../contract/index.ts'
import { describe, type Parameter, type Statement } from '../../statement.ts'
import { abandonAt } from './abandon.ts'
import { deniedError, isDenied } from './denied.ts'
import {
  encode,
  NotSentError,
  openPipeline,
  poolTimeout,
  queryInOrder,
  queryOn,
  type Rows,
} from './pipeline.ts'

/** How many calls may wait per connection of a pool. More are rejected at once. */
const waitingMaxPerConnection = 100

/** Runs a statement, in one round trip. */
export async function runStatement(
  connection: pg.Pool | pg.ClientBase,
  statement: Statement,
  values: readonly Parameter[],
): Promise<Rows> {
  if (connection instanceof pg.Pool) {
    const [rows = []] = await runInOrder(connection, [[statement, values]])
    return rows
  }
  return orAppError(connection, queryOn(connection, encodeCall([statement, values])))
}

type Call = Parameters<Query>

function encodeCall([statement, values]: Call) {
  return [describe(statement), encode(values)] as const
}

/** Runs statements in order, in one transaction and one round trip: each sees the changes of those before it. */
export async function runInOrder(
  pool: pg.Pool,
  [first, ...others]: readonly [Call, ...Call[]],
): Promise<readonly Rows[]> {
  refuseWhenPoolFull(pool)
  return orAppError(pool, queryInOrder(pool, [encodeCall(first), ...others.map(encodeCall)]))
}

/** Runs statements that only read on any connection of a pool, in as few round trips as possible. */
export function openQuery(pool: pg.Pool): Query {
  const pipeline = openPipeline(pool)
  return async (...call) => {
    const encoded = encodeCall(call)
    if (encoded[0].isLong) return runStatement(pool, ...call)
    refuseWhenPoolFull(pool)
    return orAppError(pool, pipeline(encoded))
  }
}

async function orAppError<Result>(
  connection: pg.Pool | pg.ClientBase,
  result: Promise<Result>,
): Promise<Result> {
  try {
    return await result
  } catch (error) {
    throw await toAppError(connection, error)
  }
}

/** Load shedding: instead of a long wait, the client retries later. */
function refuseWhenPoolFull({ waitingCount, options }: pg.Pool): void {
  if (waitingCount < options.max * waitingMaxPerConnection) return
  throw new ContractError('unavailable', 'too many calls wait for a connection to the database')
}

/**
 * Classes of SQLSTATE for failures of the server instead of the statement: connection, access, resources, operator
 * intervention, system, an unavailable lock, a conflict on a replica, a read-only server, an idle transaction.
 */
const outages = /^(08|25006|25P03|28|3D|40|53|55P03|57|58|XX)/

/** Those of a server that may have committed before it failed. After any other error, nothing was changed. */
const doubts = /^(08|40003|57P|58)/

/**
 * The error for the caller, without data: a message of the database may contain values. Any error that is not a response
 * of the database is a connection that failed or was not available in time.
 */
export async function toAppError(
  connection: pg.Pool | pg.ClientBase,
  thrown: unknown,
): Promise<Error> {
  const isSent = !(thrown instanceof NotSentError)
  const error = isSent ? thrown : thrown.cause
  if (!(error instanceof pg.DatabaseError)) {
    const text = 'the connection to the database failed'
    return new ContractError('unavailable', text, { cause: error, isInDoubt: isSent })
  }
  if (isDenied(error)) return deniedError(connection, error)
  const { code = '', table = '' } = error
  const cause = Object.assign(new Error(`the database failed with ${code} ${table}`.trimEnd()), {
    code,
  })
  if (!outages.test(code)) return cause
  return new ContractError('unavailable', cause.message, {
    cause,
    isInDoubt: isSent && doubts.test(code),
  })
}

/** Runs a statement on a connection of a pool, or on that of a transaction. */
export type Query = (statement: Statement, values: readonly Parameter[]) => Promise<Rows>

/**
 * Runs the work in a transaction, which is committed when it resolves and rolled back when it rejects. When the
 * connection fails during the commit, either may have happened. The timeout is that of one statement.
 */
export async function inTransaction<Result>(
  pool: pg.Pool,
  work: (query: Query) => Promise<Result>,
): Promise<Result> {
  refuseWhenPoolFull(pool)
  const deadline = performance.now() + poolTimeout(pool)
  const client = await pool.connect().catch(async (error: unknown) => {
    throw await toAppError(pool, new NotSentError('', { cause: error }))
  })
  const clearDeadline = abandonAt(client, deadline)
  const query: Query = (...call) => runStatement(client, ...call)
  let isBroken = false
  try {
    await query('begin', [])
    const result = await work(query)
    await query('commit', [])
    return result
  } catch (error) {
    isBroken = await query('rollback', []).then(
      () => false,
      () => true,
    )
    throw error
  } finally {
    clearDeadline()
    client.release(isBroken)
  }
}
