import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { toAppError } from './errors.ts'

/** Rows as plain objects of a known shape: the statement's own text says which. */
export interface Query<Row> {
  all(...values: readonly SQLInputValue[]): Row[]
  first(...values: readonly SQLInputValue[]): Row | undefined
  each(...values: readonly SQLInputValue[]): Iterable<Row>
}

interface QueryOptions {
  /** Whole numbers as big integers. */
  readonly bigints?: boolean
  /** Rows as lists: the names of columns would be made anew for every row. */
  readonly lists?: boolean
}

export function query<Row>(
  database: DatabaseSync,
  sql: string,
  { bigints = false, lists = false }: QueryOptions = {},
): Query<Row> {
  const statement = prepared(database, sql)
  statement.setReadBigInts(bigints)
  statement.setReturnArrays(lists)
  return {
    all(...values) {
      try {
        return statement.all(...values) as Row[]
      } catch (error) {
        throw toAppError(error, database)
      }
    },
    first(...values) {
      try {
        return statement.get(...values) as Row | undefined
      } catch (error) {
        throw toAppError(error, database)
      }
    },
    *each(...values) {
      try {
        yield* statement.iterate(...values) as Iterable<Row>
      } catch (error) {
        throw toAppError(error, database)
      }
    },
  }
}

function prepared(database: DatabaseSync, sql: string): StatementSync {
  try {
    return database.prepare(sql)
  } catch (error) {
    throw toAppError(error, database)
  }
}

/** Runs statements without values. */
export function execute(database: DatabaseSync, sql: string): void {
  try {
    database.exec(sql)
  } catch (error) {
    throw toAppError(error, database)
  }
}

/** A statement that writes. */
export interface Command {
  run(...values: readonly SQLInputValue[]): { readonly changes: number; readonly rowid: number }
}

/**
 * Positions of entries are larger than a number of JavaScript can be, and the driver tells the last one
 * after every statement: as a big integer, or not at all.
 */
export function command(database: DatabaseSync, sql: string): Command {
  const statement = prepared(database, sql)
  statement.setReadBigInts(true)
  return {
    run(...values) {
      try {
        const { changes, lastInsertRowid } = statement.run(...values)
        return { changes: Number(changes), rowid: Number(lastInsertRowid) }
      } catch (error) {
        throw toAppError(error, database)
      }
    },
  }
}

/** Runs the work on one state of the data, whatever other processes commit meanwhile. */
export function snapshots(database: DatabaseSync): <Result>(work: () => Result) => Result {
  const begin = database.prepare('begin')
  const end = database.prepare('commit')
  return (work) => {
    begin.run()
    try {
      const result = work()
      end.run()
      return result
    } catch (error) {
      // Some failures end the transaction by themselves.
      if (database.isTransaction) end.run()
      throw error
    }
  }
}

interface Asked {
  readonly work: () => unknown
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * As `snapshots`, and what is asked for in one turn of the event loop is done together at its end, on one state of
 * the data: to begin and end a transaction, and to come back to SQLite from other code, costs as much as a
 * short query does.
 */
export function batchReads(
  database: DatabaseSync,
): <Result>(work: () => Result) => Promise<Result> {
  const snapshot = snapshots(database)
  let waiting: Asked[] = []

  const flush = (): void => {
    const all = waiting
    waiting = []
    let done = 0
    while (done < all.length) {
      try {
        snapshot(() => {
          for (; done < all.length; done += 1) all[done]?.resolve(all[done]?.work())
        })
      } catch (error) {
        // Of the one that failed. Those behind it begin anew: some failures end the transaction.
        all[done]?.reject(toAppError(error, database))
        done += 1
      }
    }
  }
  return (work) =>
    new Promise((resolve, reject) => {
      waiting.push({ work, resolve: resolve as Asked['resolve'], reject })
      if (waiting.length === 1) setImmediate(flush)
    })
}
