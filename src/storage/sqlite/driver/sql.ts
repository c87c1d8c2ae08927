import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { DatabaseOptions } from '../../database.ts'
import { openTurns } from '../../in-turn.ts'
import { type Cell, createSession, type Dialect, type Sql, type Value } from '../../sql.ts'
import { openDatabase } from './open.ts'
import { type Command, execute, prepareOn, type Query } from './statements.ts'
import { withWriteLock } from './write-lock.ts'

/** How long a change waits for a load or another process. */
const busyMaxMs = 5000

/** One writer at a time: there are no rows to lock. */
export const dialect: Dialect = {
  forUpdate: '',
  skipLocked: '',
  useIndex: (name) => `indexed by ${name}`,
  now: `cast(unixepoch('subsec') * 1000 as integer)`,
  position: 'instr',
  isRowByRow: true,
  rowsPerTurn: 2000,
  isOneOf: (column, parameter) => `${column} in (select value from json_each(${parameter}))`,
  elements: (texts) => `(select value as text, key as place from json_each(${texts}))`,
  // In this order: SQLite does not reorder a cross join.
  lookUp: (table, alias, condition) => `cross join ${table} ${alias} on ${condition}`,
  pairs: (texts, numbers) =>
    `(select value as text, ${numbers} ->> key as number, key as place from json_each(${texts})) as k`,
}

/** Reads and changes have connections of their own, so that no read sees a change before its commit. */
export function openSqliteSql(
  path: string,
  { isMapped = true }: Pick<DatabaseOptions, 'isMapped'> = {},
  open = openDatabase,
): Sql {
  const reading = open(path, 'serve')
  if (!isMapped) reading.exec('pragma mmap_size = 0')
  const writing = open(path, 'write')
  const { inTurn, settle } = openTurns()
  const reader = openStatements(reading)
  const writer = openStatements(writing)
  writing.exec('pragma busy_timeout = 0')
  const transaction = {
    ...createSession(writer),
    async lock() {},
  }
  /** A change waits for the changes before it, and for nothing but its statements. */
  const write = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const waiting = { waitMaxMs: busyMaxMs, since: performance.now() }
    return inTurn(() =>
      withWriteLock(writing, waiting, async () => {
        const result = await work()
        execute(writing, 'commit')
        return result
      }),
    )
  }

  return {
    ...createSession({
      readRows: reader.readRows,
      run: (text, values) => write(async () => writer.run(text, values)),
    }),
    dialect,
    inOrder: (...calls) =>
      write(async () => calls.map(([text, values = []]) => writer.run(text, values))),
    transaction: (work) => write(() => work(transaction)),
    async readChangeMark() {
      return Number(reading.prepare('pragma data_version').get()?.['data_version'])
    },
    async close() {
      // After the changes that no caller awaits.
      await settle()
      reading.close()
      writing.close()
    },
  }
}

/** Statements that are prepared when they are first used. */
export function openStatements(database: DatabaseSync) {
  const { query, command } = prepareOn(database)
  const queries = new Map<string, Query<Cell[]>>()
  const commands = new Map<string, Command>()

  return {
    readRows(text: string, values: readonly (Value | bigint)[]): Cell[][] {
      const prepared = queries.getOrInsertComputed(text, () =>
        query<Cell[]>(toNumbered(text), { lists: true }),
      )
      return prepared.all(...values.map(encode))
    },
    run(text: string, values: readonly Value[]): number {
      const prepared = commands.getOrInsertComputed(text, () => command(toNumbered(text)))
      return prepared.run(...values.map(encode)).changes
    },
  }
}

/** To SQLite, `$1` is a name. */
function toNumbered(text: string): string {
  return text.replaceAll(/\$(\d+)/g, '?$1')
}

function encode(value: Value | bigint): SQLInputValue {
  if (value instanceof Temporal.Instant) return value.epochMilliseconds
  if (typeof value === 'boolean') return Number(value)
  if (typeof value !== 'object') return value ?? null
  return value === null ? null : JSON.stringify(value)
}
