import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

/** Rows as plain objects of a known shape: the statement's own text says which. */
export interface Query<Row> {
  all(...values: readonly SQLInputValue[]): Row[]
  first(...values: readonly SQLInputValue[]): Row | undefined
  each(...values: readonly SQLInputValue[]): Iterable<Row>
}

export function query<Row>(database: DatabaseSync, sql: string, bigints = false): Query<Row> {
  const statement: StatementSync = database.prepare(sql)
  if (bigints) statement.setReadBigInts(true)
  return {
    all: (...values) => statement.all(...values) as Row[],
    first: (...values) => statement.get(...values) as Row | undefined,
    each: (...values) => statement.iterate(...values) as Iterable<Row>,
  }
}

/** Runs the work on one state of the data, whatever other processes commit meanwhile. */
export function snapshots(database: DatabaseSync): <Result>(work: () => Result) => Result {
  const begin = database.prepare('begin')
  const end = database.prepare('commit')
  return (work) => {
    begin.run()
    try {
      return work()
    } finally {
      end.run()
    }
  }
}
