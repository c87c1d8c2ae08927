import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { toAppError } from './errors.ts'

interface QueryOptions {
  /** Reads integers as bigints. */
  readonly bigints?: boolean
  /** Reads rows as arrays, which saves creating the property names for every row. */
  readonly lists?: boolean
}

export interface Query<Row> {
  all(...values: SQLInputValue[]): Row[]
  first(...values: SQLInputValue[]): Row | undefined
  each(...values: SQLInputValue[]): Iterable<Row>
}

export interface Command {
  run(...values: SQLInputValue[]): { readonly changes: number; readonly rowid: number }
}

/** Prepares the statements of a connection. */
export function prepareOn(database: DatabaseSync) {
  const prepare = (sql: string) => withAppErrors(database, () => database.prepare(sql))
  return {
    /** A statement that reads. Its text determines the type of the rows. */
    query<Row>(sql: string, { bigints = false, lists = false }: QueryOptions = {}): Query<Row> {
      const statement = prepare(sql)
      statement.setReadBigInts(bigints)
      statement.setReturnArrays(lists)
      return {
        all: (...values) => withAppErrors(database, () => statement.all(...values) as Row[]),
        first: (...values) =>
          withAppErrors(database, () => statement.get(...values) as Row | undefined),
        *each(...values) {
          try {
            yield* statement.iterate(...values) as Iterable<Row>
          } catch (error) {
            throw toAppError(error, database)
          }
        },
      }
    },

    /**
     * A statement that writes. Reads bigints: the driver returns the last rowid after every statement, and fails if it
     * exceeds a safe integer.
     */
    command(sql: string): Command {
      const statement = prepare(sql)
      statement.setReadBigInts(true)
      return {
        run: (...values) =>
          withAppErrors(database, () => {
            const { changes, lastInsertRowid } = statement.run(...values)
            return { changes: Number(changes), rowid: Number(lastInsertRowid) }
          }),
      }
    },
  }
}

function withAppErrors<Result>(database: DatabaseSync, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw toAppError(error, database)
  }
}

/** Runs statements without values. */
export function execute(database: DatabaseSync, sql: string): void {
  withAppErrors(database, () => database.exec(sql))
}

/** Commits the work, or rolls it back if it throws. */
export function transaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('begin immediate')
  try {
    const result = work()
    database.exec('commit')
    return result
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    throw error
  }
}

interface PendingRead {
  readonly work: () => unknown
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * Runs all reads of one turn of the event loop together at its end, on one snapshot, while other processes may commit:
 * beginning and ending a transaction, and returning to SQLite from other code, costs as much as a short query.
 */
export function batchReads(
  database: DatabaseSync,
): <Result>(work: () => Result) => Promise<Result> {
  const begin = database.prepare('begin')
  const end = database.prepare('commit')
  let waiting: PendingRead[] = []

  const flush = (): void => {
    const all = waiting
    waiting = []
    let done = 0
    while (done < all.length) {
      try {
        begin.run()
        for (; done < all.length; done += 1) all[done]?.resolve(all[done]?.work())
        end.run()
      } catch (error) {
        // The reads behind the failed one need a new snapshot, as some failures end the transaction.
        if (database.isOpen && database.isTransaction) database.exec('rollback')
        all[done]?.reject(toAppError(error, database))
        done += 1
      }
    }
  }
  return (work) =>
    new Promise((resolve, reject) => {
      waiting.push({ work, resolve: resolve as PendingRead['resolve'], reject })
      if (waiting.length === 1) setImmediate(flush)
    })
}
