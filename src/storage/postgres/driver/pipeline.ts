import type pg from 'pg'
import { serialize } from 'pg-protocol'
import type { JsonText } from '../../../contract/index.ts'
import { abandonAt } from './abandon.ts'
import { lockTimeout, longTimeoutMs, timeoutDefaultMs } from './timeouts.ts'

export type Value =
  | string
  | number
  | bigint
  | boolean
  | readonly string[]
  | readonly number[]
  | null

/** A statement that every connection prepares once, under its name. */
export interface Statement {
  readonly name: string
  readonly text: string
  /** It may read many rows, so no other statement is sent behind it. */
  readonly isLong?: boolean
  /** Its values are passed on unread: a long one may be returned as bytes. */
  readonly isPage?: boolean
}

export type Rows = (string | null)[][]

/** Members of the driver's connection that its types lack. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void; destroy(error: Error): void }
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements: Record<string, string>
  parse(message: Statement): void
  bind(message: { statement: string; values: readonly (string | null)[] }): void
  execute(message: object): void
  sync(): void
}

interface PendingStatement {
  readonly statement: Statement
  /** Already encoded, so that an invalid value fails before a connection is used. */
  readonly values: readonly (string | null)[]
  readonly resolve: (rows: Rows) => void
  readonly reject: (error: Error) => void
}

/** Times of `performance.now()`. */
interface Deadlines {
  readonly sendBy: number
  readonly deadline: number
}

/**
 * Statements that are sent together, through the driver's interface for custom queries. The driver's own query class
 * sends one statement, requests a description of its columns each time, and copies values and rows, which is two thirds
 * of the cost of a short statement.
 */
class Pipeline {
  /** The driver records by these what a connection has prepared. */
  readonly name: string
  readonly text: string
  /** The driver sets it. */
  callback: ((error: Error | null) => void) | undefined
  isSent = false
  #pending: readonly PendingStatement[]
  #results: Rows[] = []
  #rows: Rows = []

  constructor(pending: readonly [PendingStatement, ...PendingStatement[]]) {
    this.name = pending[0].statement.name
    this.text = pending[0].statement.text
    this.#pending = pending
  }

  /**
   * Must not throw: the driver calls it from its own callbacks, where an error would end the process. If not everything
   * could be written, the connection is closed, and the driver fails these statements as on any broken connection.
   */
  submit(connection: Connection): void {
    const { stream } = connection
    this.isSent = true
    stream.cork()
    try {
      this.#write(connection)
    } catch (error) {
      // All connections share one encoding buffer: the rest of a failed message would be sent before the next one.
      serialize.bind()
      stream.destroy(error instanceof Error ? error : new Error('not sent'))
    }
    stream.uncork()
  }

  #write(connection: Connection): void {
    const { parsedStatements, submittedNamedStatements } = connection
    for (const { statement, values } of this.#pending) {
      const { name, text } = statement
      if (parsedStatements[name] === undefined && submittedNamedStatements[name] === undefined) {
        connection.parse({ name, text })
        submittedNamedStatements[name] = text
      }
      connection.bind({ statement: name, values })
      connection.execute({})
    }
    connection.sync()
  }

  handleDataRow({ fields }: { readonly fields: (JsonText | null)[] }): void {
    const { isPage } = this.#pending[this.#results.length]?.statement ?? {}
    this.#rows.push(isPage ? (fields as Rows[number]) : fields.map(decodeText))
  }

  handleCommandComplete(): void {
    this.#results.push(this.#rows)
    this.#rows = []
  }

  /** Everything is committed only now. */
  handleReadyForQuery(): void {
    this.callback?.(null)
  }

  handleError(error: Error): void {
    this.callback?.(error)
  }

  /**
   * Resolves the statements that have results, and returns how many. The driver keeps a reference to this object for
   * longer, so the results are released here: they would survive several garbage collections.
   */
  settle(): number {
    const [pending, results] = [this.#pending, this.#results]
    this.#pending = []
    this.#results = []
    for (const [index, rows] of results.entries()) pending[index]?.resolve(rows)
    return results.length
  }
}

function decodeText(value: JsonText | null): string | null {
  return value === null || typeof value === 'string' ? value : Buffer.from(value).toString()
}

/** All values are sent and received in the text format. */
export function encode(values: readonly Value[]): (string | null)[] {
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
export function queryOn(
  client: pg.ClientBase,
  statement: Statement,
  values: readonly (string | null)[],
): Promise<Rows> {
  return new Promise((resolve, reject) => {
    const pipeline = new Pipeline([{ statement, values, resolve, reject }])
    submit(client, pipeline, (error) => {
      if (error) reject(error)
      else pipeline.settle()
    })
  })
}

/** Calls back exactly once. */
function submit(
  client: pg.ClientBase,
  pipeline: Pipeline,
  done: (error: Error | undefined) => void,
): void {
  const stopWatching = watchStandby(client)
  let isDone = false
  const finish = (error?: Error | null): void => {
    if (isDone) return
    isDone = true
    client.off('error', finish)
    const warning = stopWatching()
    done(error ?? warning)
  }
  client.on('error', finish)
  // The driver's types only accept streams.
  const send = client.query as unknown as (pipeline: Pipeline, done: typeof finish) => void
  send.call(client, pipeline, finish)
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
  pipeline: Pipeline,
  { sendBy, deadline }: Deadlines,
  settled: (error: Error | undefined) => void,
): void {
  const done = (error: Error | undefined) =>
    settled(error && !pipeline.isSent ? new NotSentError('', { cause: error }) : error)
  const waitMs = sendBy - performance.now()
  const failLate = () => done(new Error('no connection to the database was free in time'))
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
      if (!isLate) done(error ?? new Error('no connection'))
      return
    }
    if (isLate) return release()
    const clearDeadline = abandonAt(client, deadline)
    submit(client, pipeline, (failure) => {
      clearDeadline()
      release(failure !== undefined)
      done(failure)
    })
  })
}

/** A statement that timed out waiting for a lock is sent again if there is time: it may have waited behind another. */
function sendAlone(pool: pg.Pool, pending: PendingStatement & Deadlines): void {
  const pipeline = new Pipeline([pending])
  sendOn(pool, pipeline, pending, (error) => {
    // Rows may have arrived, but they may belong to a transaction that was not committed.
    if (error) failOrRetry(pool, pending, error)
    else pipeline.settle()
  })
}

function failOrRetry(pool: pg.Pool, pending: PendingStatement & Deadlines, error: Error): void {
  const isLockTimeout = 'code' in error && error.code === lockNotAvailable
  const isInTime = performance.now() + lockTimeout(poolTimeout(pool)) <= pending.sendBy
  if (isLockTimeout && isInTime) sendAlone(pool, pending)
  else pending.reject(error)
}

/**
 * Sends statements that only read, and calls back when the connection is free again. If one fails, the statements behind
 * it are sent again on another connection.
 */
function sendPipeline(
  pool: pg.Pool,
  pending: readonly (PendingStatement & Deadlines)[],
  done?: () => void,
): void {
  const [first, ...others] = pending
  if (!first) return
  const pipeline = new Pipeline([first, ...others])
  sendOn(pool, pipeline, first, (error) => {
    done?.()
    const resolved = pipeline.settle()
    if (!error) return
    const [failed, ...rest] = pending.slice(resolved)
    if (failed) failOrRetry(pool, failed, error)
    if (pipeline.isSent && 'severity' in error) sendPipeline(pool, rest)
    else for (const { reject } of rest) reject(error)
  })
}

/** The timeout for a connection is also the timeout of each call. */
export function poolTimeout({ options }: pg.Pool): number {
  return options.connectionTimeoutMillis ?? timeoutDefaultMs
}

function deadlines(pool: pg.Pool, { isLong = false }: Statement): Deadlines {
  const now = performance.now()
  const timeoutMs = poolTimeout(pool)
  return isLong
    ? { sendBy: now + timeoutMs - lockTimeout(timeoutMs), deadline: now + longTimeoutMs }
    : { sendBy: now + timeoutMs, deadline: now + timeoutMs }
}

/** Runs a statement on any connection of a pool, in a round trip of its own. */
export function queryAlone(
  pool: pg.Pool,
  statement: Statement,
  values: readonly (string | null)[],
): Promise<Rows> {
  return new Promise((resolve, reject) => {
    sendAlone(pool, { statement, values, ...deadlines(pool, statement), resolve, reject })
  })
}

/**
 * Runs statements in order, in one transaction and one round trip: each sees the changes of those before it. They are
 * committed when it resolves.
 */
export function queryInOrder(
  pool: pg.Pool,
  calls: readonly [EncodedCall, ...EncodedCall[]],
): Promise<Rows[]> {
  return new Promise((resolve, reject) => {
    const results: Rows[] = []
    const pending = ([statement, values]: EncodedCall): PendingStatement => ({
      statement,
      values,
      resolve: (rows) => void results.push(rows),
      reject,
    })
    const [first, ...others] = calls
    const pipeline = new Pipeline([pending(first), ...others.map(pending)])
    sendOn(pool, pipeline, deadlines(pool, first[0]), (error) => {
      if (error) return reject(error)
      pipeline.settle()
      resolve(results)
    })
  })
}

/** A statement and its values. */
export type EncodedCall = readonly [Statement, readonly (string | null)[]]

/** How many statements share a round trip at most: a connection runs them one after another. */
const pipelineMax = 8

/** While so many round trips are in flight, statements wait for one of them to end, so that more share the next one. */
const roundTripsMax = 2

/** But no longer than this: the database may be waiting for its disk. */
const waitMaxMs = 2

/** For short statements that only read: those of one turn of the event loop are sent together. */
export function openPipeline(
  pool: pg.Pool,
): (statement: Statement, values: readonly (string | null)[]) => Promise<Rows> {
  let waiting: (PendingStatement & Deadlines)[] = []
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
  return (statement, values) =>
    new Promise((resolve, reject) => {
      waiting.push({ statement, values, ...deadlines(pool, statement), resolve, reject })
      if (waiting.length === 1 || waiting.length === pipelineMax) setImmediate(flush)
    })
}
