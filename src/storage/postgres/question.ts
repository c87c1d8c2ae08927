import type pg from 'pg'

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

/**
 * A statement on its way, as the driver lets programs send their own. Its usual kind also has the columns
 * described for every answer, and copies what is asked and what is answered: half of a short statement's cost.
 */
class Question {
  readonly name: string
  readonly text: string
  readonly rows: Rows = []
  /** The driver sets it. */
  callback: ((error: Error | null) => void) | undefined
  readonly #values: readonly Value[]

  constructor({ name, text }: Statement, values: readonly Value[]) {
    this.name = name
    this.text = text
    this.#values = values
  }

  submit(connection: Connection): void {
    const { name, text } = this
    const { stream, parsedStatements, submittedNamedStatements } = connection
    stream.cork()
    if (parsedStatements[name] === undefined && submittedNamedStatements[name] === undefined) {
      connection.parse({ name, text })
      submittedNamedStatements[name] = text
    }
    connection.bind({ statement: name, values: this.#values.map(sent) })
    connection.execute({})
    connection.sync()
    stream.uncork()
  }

  handleDataRow({ fields }: { readonly fields: (string | null)[] }): void {
    this.rows.push(fields)
  }

  handleCommandComplete(): void {}

  handleEmptyQuery(): void {}

  handleReadyForQuery(): void {
    this.callback?.(null)
  }

  handleError(error: Error): void {
    this.callback?.(error)
  }
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

/** Runs a statement, in one round trip. */
export function ask(
  connection: pg.Pool | pg.ClientBase,
  statement: Statement,
  values: readonly Value[],
): Promise<Rows> {
  return new Promise((resolve, reject) => {
    const question = new Question(statement, values)
    const query = connection.query.bind(connection) as unknown as (
      question: Question,
      done: (error: Error | null) => void,
    ) => void
    query(question, (error) => (error ? reject(error) : resolve(question.rows)))
  })
}
