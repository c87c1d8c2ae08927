import type pg from 'pg'
import type { JsonText } from '../../../contract/index.ts'
import type { DescribedStatement, Parameter } from '../../statement.ts'
import { abandonAt } from './abandon.ts'
import { discardUnsent } from './pg-internals.ts'
import { lockTimeout, longTimeoutMs, timeoutDefaultMs } from './timeouts.ts'

export type Rows = (string | null)[][]

/** A statement and its values, which are encoded in advance: an invalid one fails before a connection is used. */
type EncodedCall = readonly [DescribedStatement, readonly (string | null)[]]

interface PendingStatement extends Deadlines {
  readonly call: EncodedCall
  readonly resolve: (rows: Rows | Promise<Rows>) => void
  readonly reject: (error: Error) => void
}

/** The results of the statements before the failed one, or of all. */
type Settled = (error: Error | undefined, results: readonly Rows[]) => void

/** Times of `performance.now()`. */
interface Deadlines {
  readonly sendBy: number
  readonly deadline: number
}

const names = new Map<string, string>()

/** The name under which each connection prepares a statement once. */
export function statementName(text: string): string {
  return names.getOrInsertComputed(text, () => `sql-${names.size}`)
}

/** The names of the statements that a connection has prepared. */
const preparedOn = new WeakMap<pg.Connection, Set<string>>()

/**
 * Statements that are sent together, through the driver's interface for custom queries. The driver's own query class
 * sends one statement, requests a description of its columns each time, and copies values and rows.
 */
class Pipeline {
  isSent = false
  /** The driver replaces it to add its own timeout. */
  callback: (error?: Error | null) => void
  readonly #calls: readonly EncodedCall[]
  #results: Rows[] = []
  #rows: Rows = []
  #forgetPrepared = () => {}

  constructor(calls: readonly EncodedCall[], callback: (error?: Error | null) => void) {
    this.#calls = calls
    this.callback = callback
  }

  /**
   * Must not throw: the driver calls it from its own callbacks, where an error would end the process. If not everything
   * could be written, the connection is closed, and the driver fails these statements as on any broken connection.
   */
  submit(connection: pg.Connection): void {
    const { stream } = connection
    this.isSent = true
    stream.cork()
    try {
      this.#write(connection)
    } catch (error) {
      stream.destroy(error instanceof Error ? error : new Error('not sent'))
      discardUnsent(connection)
    }
    stream.uncork()
  }

  #write(connection: pg.Connection): void {
    const prepared = preparedOn.getOrInsertComputed(connection, () => new Set())
    const added: string[] = []
    this.#forgetPrepared = () => {
      for (const name of added) prepared.delete(name)
    }
    for (const [{ text }, values] of this.#calls) {
      const name = statementName(text)
      if (!prepared.has(name)) {
        // After an error it is unknown whether the server has it. To close what does not exist is not an error.
        connection.close({ type: 'S', name }, true)
        connection.parse({ name, text, types: [] }, true)
        prepared.add(name)
        added.push(name)
      }
      connection.bind({ statement: name, values: values as (string | null)[] }, true)
      connection.execute(null, true)
    }
    connection.sync()
  }

  handleDataRow({ fields }: { readonly fields: (JsonText | null)[] }): void {
    const isPage = this.#calls[this.#results.length]?.[0].isPage
    this.#rows.push(isPage ? (fields as Rows[number]) : fields.map(decodeText))
  }

  handleCommandComplete(): void {
    this.#results.push(this.#rows)
    this.#rows = []
  }

  /** Everything is committed only now. */
  handleReadyForQuery(): void {
    this.callback(null)
  }

  handleError(error: Error): void {
    this.#forgetPrepared()
    this.callback(error)
  }

  /** The driver keeps a reference to this object for longer: the results would survive several garbage collections. */
  takeResults(): readonly Rows[] {
    const results = this.#results
    this.#results = []
    return results
  }
}

function decodeText(value: JsonText | null): string | null {
  return value === null || typeof value === 'string' ? value : Buffer.from(value).toString()
}

/** All values are sent and received in the text format. */
export function encode(values: readonly Parameter[]): (string | null)[] {
  return values.map((value) => {
    if (value === null || typeof value === 'string') return value
    if (Array.isArray(value)) return `{${value.map(encodeElement).join()}}`
    return encodeScalar(value)
  })
}

function encodeElement(value: unknown): string {
  return typeof value === 'string' ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : encodeScalar(value)
}

function encodeScalar(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') {
    return String(value)
  }
  throw new TypeError(`a parameter of a statement is of the type ${typeof value}`)
}

/** Runs a statement in one round trip on a connection whose deadline the caller enforces. */
export function queryOn(client: pg.ClientBase, call: EncodedCall): Promise<Rows> {
  return new Promise((resolve, reject) => {
    submit(client, [call], (error, [rows = []]) => (error ? reject(error) : resolve(rows)))
  })
}

/** Calls back exactly once. */
function submit(client: pg.ClientBase, calls: readonly EncodedCall[], settled: Settled): Pipeline {
  const stopWatching = watchStandby(client)
  let isDone = false
  const finish = (error?: Error | null): void => {
    if (isDone) return
    isDone = true
    client.off('error', finish)
    const warning = stopWatching()
    settled(error ?? warning, pipeline.takeResults())
  }
  client.on('error', finish)
  const pipeline = new Pipeline(calls, finish)
  return client.query(pipeline)
}

/**
 * The routine of PostgreSQL that warns when a cancellation or shutdown ended the wait for a synchronous standby: the
 * transaction is committed locally, but a failover may lose it. This is treated as a failure.
 */
const standbyWait = 'SyncRepWaitForLSN'

/** Watches a connection for that warning. Returns a function that ends this, and returns the failure. */
export function watchStandby(client: pg.ClientBase): () => Error | undefined {
  let failure: Error | undefined
  const onNotice = ({ routine }: { readonly routine?: string | undefined }) => {
    if (routine === standbyWait) failure = new Error('the commit may be missing on the standby')
  }
  client.on('notice', onNotice)
  return () => {
    client.off('notice', onNotice)
    return failure
  }
}

/** Of statements that were not sent: nothing was changed. */
export class NotSentError extends Error {}

/** SQLSTATE of a statement that waited too long for a lock. */
const lockNotAvailable = '55P03'

/** Sends statements on a connection of the pool, within their deadlines. Calls back once. */
function sendOn(
  pool: pg.Pool,
  calls: readonly EncodedCall[],
  { sendBy, deadline }: Deadlines,
  settled: Settled,
): void {
  const fail = (cause: Error) => settled(new NotSentError('', { cause }), [])
  const waitMs = sendBy - performance.now()
  const failLate = () => fail(new Error('no connection to the database was free in time'))
  if (waitMs <= 0) {
    failLate()
    return
  }
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    failLate()
  }, waitMs)
  pool.connect((error, client, release) => {
    clearTimeout(timer)
    // First of all: after its own timeout, the pool passes neither a client nor a release function.
    if (!client) {
      if (!isLate) fail(error ?? new Error('no connection'))
      return
    }
    if (isLate) return release()
    const clearDeadline = abandonAt(client, deadline)
    const pipeline = submit(client, calls, (failure, results) => {
      clearDeadline()
      release(failure !== undefined)
      if (failure && !pipeline.isSent) fail(failure)
      else settled(failure, results)
    })
  })
}

/** Statements that timed out waiting for a lock are sent again if there is time: they may have waited behind others. */
function mayRetry(pool: pg.Pool, { sendBy }: Deadlines, error: Error): boolean {
  const isLockTimeout = 'code' in error && error.code === lockNotAvailable
  return isLockTimeout && performance.now() + lockTimeout(poolTimeout(pool)) <= sendBy
}

/** Sends statements that only read. If one fails, those behind it are sent again on another connection. */
function sendPipeline(
  pool: pg.Pool,
  pending: readonly PendingStatement[],
  done?: () => void,
): void {
  const [first] = pending
  if (!first) return
  const calls = pending.map(({ call }) => call)
  sendOn(pool, calls, first, (error, results) => {
    done?.()
    for (const [index, rows] of results.entries()) pending[index]?.resolve(rows)
    if (!error) return
    const [failed, ...rest] = pending.slice(results.length)
    if (failed && mayRetry(pool, failed, error)) {
      failed.resolve(queryInOrder(pool, [failed.call], failed).then(([rows = []]) => rows))
    } else {
      failed?.reject(error)
    }
    if ('severity' in error) sendPipeline(pool, rest)
    else for (const { reject } of rest) reject(error)
  })
}

/** The timeout for a connection is also the timeout of each call. */
export function poolTimeout({ options }: pg.Pool): number {
  return options.connectionTimeoutMillis ?? timeoutDefaultMs
}

function deadlines(pool: pg.Pool, { isLong = false }: DescribedStatement): Deadlines {
  const now = performance.now()
  const timeoutMs = poolTimeout(pool)
  return isLong
    ? { sendBy: now + timeoutMs - lockTimeout(timeoutMs), deadline: now + longTimeoutMs }
    : { sendBy: now + timeoutMs, deadline: now + timeoutMs }
}

/** Runs statements in one transaction and one round trip: each sees the changes of those before it. */
export function queryInOrder(
  pool: pg.Pool,
  calls: readonly [EncodedCall, ...EncodedCall[]],
  limits = deadlines(pool, calls[0][0]),
): Promise<readonly Rows[]> {
  return new Promise((resolve, reject) => {
    sendOn(pool, calls, limits, (error, results) => {
      // Rows may have arrived before an error, but they may belong to a transaction that was not committed.
      if (!error) resolve(results)
      else if (mayRetry(pool, limits, error)) resolve(queryInOrder(pool, calls, limits))
      else reject(error)
    })
  })
}

/** How many statements share a round trip at most: a connection runs them one after another. */
const pipelineMax = 8

/** While so many round trips are in flight, statements wait for one of them to end, so that more share the next one. */
const roundTripsMax = 2

/** But no longer than this: the database may be waiting for its disk. */
const waitMaxMs = 2

/** For short statements that only read: those of one turn of the event loop are sent together. */
export function openPipeline(pool: pg.Pool): (call: EncodedCall) => Promise<Rows> {
  let waiting: PendingStatement[] = []
  let roundTrips = 0
  let isTimed = false

  const flush = (): void => {
    while (waiting.length > 0 && (roundTrips < roundTripsMax || waiting.length >= pipelineMax)) {
      send()
    }
    if (waiting.length === 0 || isTimed) return
    isTimed = true
    setTimeout(flushAll, waitMaxMs)
  }
  const flushAll = (): void => {
    isTimed = false
    while (waiting.length > 0) send()
  }
  const send = (): void => {
    const pending = waiting.slice(0, pipelineMax)
    waiting = waiting.slice(pipelineMax)
    roundTrips += 1
    sendPipeline(pool, pending, () => {
      roundTrips -= 1
      flush()
    })
  }
  return (call) =>
    new Promise((resolve, reject) => {
      waiting.push({ call, ...deadlines(pool, call[0]), resolve, reject })
      if (waiting.length === 1 || waiting.length === pipelineMax) setImmediate(flush)
    })
}
