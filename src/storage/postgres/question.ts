import type pg from 'pg'
import type { JsonText } from '../../contract/index.ts'

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
  readonly stream: { cork(): void; uncork(): void }
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements: Record<string, string>
  parse(message: Statement): void
  bind(message: { statement: string; values: readonly (string | null)[] }): void
  execute(message: object): void
  sync(): void
}

interface Asked {
  readonly statement: Statement
  readonly values: readonly Value[]
  readonly resolve: (rows: Rows) => void
  readonly reject: (error: Error) => void
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

  submit(connection: Connection): void {
    const { stream, parsedStatements, submittedNamedStatements } = connection
    this.isSent = true
    stream.cork()
    for (const { statement, values } of this.#asked) {
      const { name, text } = statement
      if (parsedStatements[name] === undefined && submittedNamedStatements[name] === undefined) {
        connection.parse({ name, text })
        submittedNamedStatements[name] = text
      }
      connection.bind({ statement: name, values: values.map(sent) })
      connection.execute({})
    }
    connection.sync()
    stream.uncork()
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
   * Gives the answers that there are, and returns who is without. The driver holds on to what it has sent for
   * longer, and so they are not kept here: every answer would grow old.
   */
  settle(): Asked[] {
    const [asked, answers] = [this.#asked, this.#answers]
    this.#asked = []
    this.#answers = []
    for (const [index, rows] of answers.entries()) asked[index]?.resolve(rows)
    return asked.slice(answers.length)
  }
}

function textOf(value: JsonText | null): string | null {
  return value === null || typeof value === 'string' ? value : Buffer.from(value).toString()
}

/** Everything goes, and comes, as the text that the database reads and writes. */
function sent(value: Value): string | null {
  if (value === null || typeof value === 'string') return value
  if (typeof value !== 'object') return String(value)
  return `{${value.map((each) => (typeof each === 'string' ? quoted(each) : each)).join()}}`
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}

function send(
  connection: pg.Pool | pg.ClientBase,
  questions: Questions,
  done: (error: Error | null) => void,
): void {
  // The driver's types know of streams alone.
  const query = connection.query as unknown as (
    questions: Questions,
    done: (error: Error | null) => void,
  ) => void
  query.call(connection, questions, done)
}

/** Runs a statement, in one round trip. */
export function ask(
  connection: pg.Pool | pg.ClientBase,
  statement: Statement,
  values: readonly Value[],
): Promise<Rows> {
  return new Promise((resolve, reject) => {
    const questions = new Questions([{ statement, values, resolve, reject }])
    send(connection, questions, (error) => {
      if (error) reject(error)
      else questions.settle()
    })
  })
}

/** A statement and its values. */
export type Call = readonly [Statement, readonly Value[]]

/** Runs statements one after another in one transaction and one round trip: each sees what those before it did. */
export function askInOrder(
  connection: pg.Pool | pg.ClientBase,
  [first, ...others]: readonly [Call, ...Call[]],
): Promise<Rows[]> {
  return new Promise((resolve, reject) => {
    const answers: Rows[] = []
    const asked = ([statement, values]: Call): Asked => ({
      statement,
      values,
      resolve: (rows) => void answers.push(rows),
      reject,
    })
    const questions = new Questions([asked(first), ...others.map(asked)])
    send(connection, questions, (error) => {
      if (error) return reject(error)
      questions.settle()
      resolve(answers)
    })
  })
}

/** So many share a round trip at most: a connection answers them one after another. */
const togetherMax = 8

/**
 * For short statements that only read: those that are asked in one turn of the event loop go together. Where one
 * fails, those behind it are asked again; the pool has given up the connection by then.
 */
export function askingTogether(
  pool: pg.Pool,
): (statement: Statement, values: readonly Value[]) => Promise<Rows> {
  let waiting: Asked[] = []

  const sendAll = (asked: readonly Asked[]): void => {
    const [first, ...others] = asked
    if (!first) return
    const questions = new Questions([first, ...others])
    send(pool, questions, (error) => {
      const [failed, ...rest] = questions.settle()
      if (!error) return
      failed?.reject(error)
      if (questions.isSent && 'severity' in error) sendAll(rest)
      else for (const { reject } of rest) reject(error)
    })
  }
  const flush = (): void => {
    const all = waiting
    waiting = []
    for (let start = 0; start < all.length; start += togetherMax) {
      sendAll(all.slice(start, start + togetherMax))
    }
  }
  return (statement, values) =>
    new Promise((resolve, reject) => {
      waiting.push({ statement, values, resolve, reject })
      if (waiting.length === 1) setImmediate(flush)
    })
}
