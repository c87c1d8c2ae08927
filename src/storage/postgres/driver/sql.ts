import type { DatabaseOptions } from '../../database.ts'
import { type Call, createSession, type Dialect, type Sql, type Value } from '../../sql.ts'
import type { Parameter } from '../../statement.ts'
import { locks } from './locks.ts'
import type { Rows } from './pipeline.ts'
import { openPool } from './pool.ts'
import { inTransaction, openQuery, type Query, runInOrder, runStatement } from './statements.ts'

export const dialect: Dialect = {
  forUpdate: 'for update',
  skipLocked: 'for update skip locked',
  useIndex: () => '',
  now: 'cast(floor(extract(epoch from statement_timestamp()) * 1000) as bigint)',
  position: 'strpos',
  isRowByRow: false,
  rowsPerTurn: 50_000,
  // An array, since a join might not use the index, depending on the statistics.
  isOneOf: (column, parameter) => `${column} = any(cast(${parameter} as text[]))`,
  elements: (texts) =>
    `(select * from unnest(cast(${texts} as text[])) with ordinality as k (text, place))`,
  // In this order: the planner does not reorder a limited subquery.
  lookUp: (table, alias, condition) =>
    `cross join lateral (select * from ${table} ${alias} where ${condition} limit 1) ${alias}`,
  pairs: (texts, numbers) => `unnest(cast(${texts} as text[]), cast(${numbers} as bigint[]))
    with ordinality as k (text, number, place)`,
}

export async function openPostgresSql(url: string, options: DatabaseOptions = {}): Promise<Sql> {
  const { pool } = await openPool(url, 'write', options)
  const alone: Query = (...call) => runStatement(pool, ...call)
  const pipelined = openQuery(pool)

  return {
    ...createSession({ ...openStatements(alone), readFewRows: openStatements(pipelined).readRows }),
    dialect,
    async inOrder(first, ...others) {
      const results = await runInOrder(pool, [toCounted(first), ...others.map(toCounted)])
      return results.map((rows) => rows.length)
    },
    transaction: (work) =>
      inTransaction(pool, (query) =>
        work({
          ...createSession(openStatements(query)),
          async lock(name, key) {
            await query(locks[name], key === undefined ? [] : [key])
          },
        }),
      ),
    async readTime() {
      const [[time] = []] = await alone(readTime, [])
      return Temporal.Instant.fromEpochMilliseconds(Number(time))
    },
    close: () => pool.end(),
  }
}

function openStatements(query: Query) {
  return {
    readRows: (text: string, values: readonly Value[]): Promise<Rows> =>
      query(text, values.map(encode)),
    async run(text: string, values: readonly Value[]): Promise<number> {
      return (await query(...toCounted([text, values]))).length
    },
  }
}

/** Returns a row for each one that it changes, to count them. */
function toCounted([text, values = []]: Call): [string, Parameter[]] {
  return [`${text} returning 1`, values.map(encode)]
}

function encode(value: Value): Parameter {
  return value instanceof Temporal.Instant ? value.epochMilliseconds : (value ?? null)
}

const readTime = 'select cast(extract(epoch from clock_timestamp()) * 1000 as bigint)'
