import type pg from 'pg'
import { serialize } from 'pg-protocol'
import type { JsonText } from '../../../contract/index.ts'
import { abandonAt } from './abandon.ts'
import { lockTimeoutOf, longTimeoutMs, timeoutDefaultMs } from './timeouts.ts'

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
  /** It may look at many rows, and so nobody is to wait behind it. */
  readonly isLong?: boolean
  /** Its values are passed on and not read: a long one may be given as the bytes of its text. */
  readonly isPage?: boolean
}

export type Rows = (string | null)[][]

/** What the driver has of a connection that a statement is sent on. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void; destroy(error: Error): void }
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements: Record<string, string>
  parse(message: Statement): void
  bind(message: { statement: string; values: readonly (string | null)[] }): void
  execute(message: object): void
  sync(): void
}

interface Asked {
  readonly statement: Statement
  /** Encoded already: a value that cannot be encoded fails before a connection is involved. */
  readonly values: readonly (string | null)[]
  readonly resolve: (rows: Rows) => void
  readonly reject: (error: Error) => void
}

/** Times of `performance.now()`. */
interface Times {
  readonly sendBy: number
  readonly deadline: number
}

/**
 * Statements on their way together, as the driver lets programs send their own. Its usual kind sends one, has its
 * columns described for every answer, and copies what is asked and what is answered: two thirds of what a short
 * statement costs.
 */
class Questions {
  /** By these the driver notes what a connection has prepared. */
  readonly name: string
  readonly text: string
  /** The driver sets it. */
  callback: ((error: Error | null) => void) | undefined
  isSent = false
  #asked: readonly Asked[]
  #answers: Rows[] = []
  #rows: Rows = []

  constructor(asked: readonly [Asked, ...Asked[]]) {
    this.name = asked[0].statement.name
    this.text = asked[0].statement.text
    this.#asked = asked
  }

  /**
   * Must not throw: the driver calls it from its own callbacks, where an error would end the process. A connection on
   * which not everything could be written is closed, and the driver fails these statements as of any that breaks.
   */
  submit(connection: Connection): void {
    const { stream } = connection
    this.isSent = true
    stream.cork()
    try {
      this.#write(connection)
    } catch (error) {
      // All connections encode in one buffer: the rest of a failed message would be sent before the next one.
      serialize.bind()
      stream.destroy(error instanceof Error ? error : new Error('not sent'))
    }
    stream.uncork()
  }

  #write(connection: Connection): void {
    const { parsedStatements, submittedNamedStatements } = connection
    for (const { statement, values } of this.#asked) {
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
    const { isPage } = this.#asked[this.#answers.length]?.statement ?? {}
    this.#rows.push(isPage ? (fields as Rows[number]) : fields.map(textOf))
  }

  handleCommandComplete(): void {
    this.#answers.push(this.#rows)
    this.#rows = []
  }

  /** Only now everything is committed. */
  handleReadyForQuery(): void {
    this.callback?.(null)
  }

  handleError(error: Error): void {
    this.callback?.(error)
  }

  /**
   * Gives the answers that there are, and returns how many. The driver keeps what it has sent for longer, so they are
   * not kept here: they would survive several garbage collections.
   */
  settle(): number {
    const [asked, answers] = [this.#asked, this.#answers]
    this.#asked = []
    this.#answers = []
    for (const [index, rows] of answers.entries()) asked[index]?.resolve(rows)
    return answers.length
  }
}

function textOf(value: JsonText | null): string | null {
  return value === null || typeof value === 'string' ? value : Buffer.from(value).toString()
}

/** Everything is sent, and comes back, as the text that the database reads and writes. */
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

/** Runs a statement on a connection that the caller holds and bounds, in one round trip. */
export function ask(
  client: pg.ClientBase,
  statement: Statement,
  values: readonly (string | null)[],
): Promise<Rows> {
  return new Promise((resolve, reject) => {
    const questions = new Questions([{ statement, values, resolve, reject }])
    query(client, questions, (error) => {
      if (error) reject(error)
      else questions.settle()
    })
  })
}

/** Calls back once, whatever happens. */
function query(
  client: pg.ClientBase,
  questions: Questions,
  done: (error: Error | undefined) => void,
): void {
  let isUnreplicated = false
  const onNotice = ({ routine }: { readonly routine?: string | undefined }) => {
    isUnreplicated ||= routine === standbyWait
  }
  let isDone = false
  const finish = (error?: Error | null): void => {
    if (isDone) return
    isDone = true
    client.off('error', finish)
    client.off('notice', onNotice)
    const doubt = isUnreplicated ? new Error('the commit may be missing on the standby') : undefined
    done(error ?? doubt)
  }
  client.on('error', finish)
  client.on('notice', onNotice)
  // The driver's types know of streams alone.
  const send = client.query as unknown as (questions: Questions, done: typeof finish) => void
  send.call(client, questions, finish)
}

/**
 * The part of PostgreSQL that warns where a wait for a synchronous standby was ended by a cancel or a shutdown:
 * everything was committed locally, but a failover may lose it. Here that counts as a failure.
 */
const standbyWait = 'SyncRepWaitForLSN'

/** SQLSTATE of a statement that waited too long for a lock. */
const lockNotAvailable = '55P03'

/** Sends statements on a connection of the pool, within their times. Calls back once. */
function sendOn(
  pool: pg.Pool,
  questions: Questions,
  { sendBy, deadline }: Times,
  done: (error: Error | undefined) => void,
): void {
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
    // Before anything else: a pool that gives up by its own timeout passes neither a client nor a function to release.
    if (!client) {
      if (!isLate) done(error ?? new Error('no connection'))
      return
    }
    if (isLate) return release()
    const callOff = abandonAt(client, deadline)
    query(client, questions, (failure) => {
      callOff()
      release(failure !== undefined)
      done(failure)
    })
  })
}

/** Statements that wait for a lock are sent again while there is time: others may have waited behind them. */
function sendAlone(pool: pg.Pool, asked: Asked & Times): void {
  const questions = new Questions([asked])
  sendOn(pool, questions, asked, (error) => {
    // Not even where there are rows: what they belong to may not be committed.
    if (error) failOrRetry(pool, asked, error)
    else questions.settle()
  })
}

function failOrRetry(pool: pg.Pool, asked: Asked & Times, error: Error): void {
  const isLockTimeout = 'code' in error && error.code === lockNotAvailable
  const isInTime = performance.now() + lockTimeoutOf(timeoutOf(pool)) <= asked.sendBy
  if (isLockTimeout && isInTime) sendAlone(pool, asked)
  else asked.reject(error)
}

/**
 * Sends statements that only read together. Where one fails, those behind it are sent again; the connection is given
 * up by then.
 */
function sendTogether(pool: pg.Pool, asked: readonly (Asked & Times)[]): void {
  const [first, ...others] = asked
  if (!first) return
  const questions = new Questions([first, ...others])
  sendOn(pool, questions, first, (error) => {
    const answered = questions.settle()
    if (!error) return
    const [failed, ...rest] = asked.slice(answered)
    if (failed) failOrRetry(pool, failed, error)
    if (questions.isSent && 'severity' in error) sendTogether(pool, rest)
    else for (const { reject } of rest) reject(error)
  })
}

/** A pool keeps how long one waits for a connection of it: no call takes longer. */
export function timeoutOf({ options }: pg.Pool): number {
  return options.connectionTimeoutMillis ?? timeoutDefaultMs
}

function timesOf(pool: pg.Pool, { isLong = false }: Statement): Times {
  const now = performance.now()
  const timeoutMs = timeoutOf(pool)
  return isLong
    ? { sendBy: now + timeoutMs - lockTimeoutOf(timeoutMs), deadline: now + longTimeoutMs }
    : { sendBy: now + timeoutMs, deadline: now + timeoutMs }
}

/** Runs a statement on any connection of a pool, in a round trip of its own. */
export function askAlone(
  pool: pg.Pool,
  statement: Statement,
  values: readonly (string | null)[],
): Promise<Rows> {
  return new Promise((resolve, reject) => {
    sendAlone(pool, { statement, values, ...timesOf(pool, statement), resolve, reject })
  })
}

/**
 * Runs statements one after another in one transaction and one round trip: each sees what those before it did. They
 * are committed when it resolves.
 */
export function queryInOrder(
  pool: pg.Pool,
  calls: readonly [EncodedCall, ...EncodedCall[]],
): Promise<Rows[]> {
  return new Promise((resolve, reject) => {
    const answers: Rows[] = []
    const asked = ([statement, values]: EncodedCall): Asked => ({
      statement,
      values,
      resolve: (rows) => void answers.push(rows),
      reject,
    })
    const [first, ...others] = calls
    const questions = new Questions([asked(first), ...others.map(asked)])
    sendOn(pool, questions, timesOf(pool, first[0]), (error) => {
      if (error) return reject(error)
      questions.settle()
      resolve(answers)
    })
  })
}

/** A statement and its values. */
export type EncodedCall = readonly [Statement, readonly (string | null)[]]

/** So many share a round trip at most: a connection answers them one after another. */
const togetherMax = 8

/** For short statements that only read: those that are asked in one turn of the event loop go together. */
export function pipelined(
  pool: pg.Pool,
): (statement: Statement, values: readonly (string | null)[]) => Promise<Rows> {
  let waiting: (Asked & Times)[] = []

  const flush = (): void => {
    const all = waiting
    waiting = []
    for (let start = 0; start < all.length; start += togetherMax) {
      sendTogether(pool, all.slice(start, start + togetherMax))
    }
  }
  return (statement, values) =>
    new Promise((resolve, reject) => {
      waiting.push({ statement, values, ...timesOf(pool, statement), resolve, reject })
      if (waiting.length === 1) setImmediate(flush)
    })
}
