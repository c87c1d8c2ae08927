import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { told } from './told.ts'

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
  const statement: StatementSync = database.prepare(sql)
  statement.setReadBigInts(bigints)
  statement.setReturnArrays(lists)
  return {
    all(...values) {
      try {
        return statement.all(...values) as Row[]
      } catch (error) {
        throw told(error)
      }
    },
    first(...values) {
      try {
        return statement.get(...values) as Row | undefined
      } catch (error) {
        throw told(error)
      }
    },
    each: (...values) => statement.iterate(...values) as Iterable<Row>,
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
  const statement = database.prepare(sql)
  statement.setReadBigInts(true)
  return {
    run(...values) {
      try {
        const { changes, lastInsertRowid } = statement.run(...values)
        return { changes: Number(changes), rowid: Number(lastInsertRowid) }
      } catch (error) {
        throw told(error)
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
