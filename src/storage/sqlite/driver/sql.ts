import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { type Cell, createSession, type Dialect, type Sql, type Value } from '../../sql.ts'
import { openDatabase } from './open.ts'
import { type Command, command, type Query, query } from './statements.ts'
import { openChangeQueue } from './write-queue.ts'

/** One writer at a time: there are no rows to lock. */
const dialect: Dialect = {
  forUpdate: '',
  skipLocked: '',
  position: 'instr',
  isOneOf: (column, parameter) => `${column} in (select value from json_each(${parameter}))`,
}

/** Reads and changes have connections of their own, so that no read sees a change before its commit. */
export function openSqliteSql(path: string): Sql {
  const reading = openDatabase(path, 'serve')
  const writing = openDatabase(path, 'write')
  const queue = openChangeQueue(writing)
  const writer = openStatements(writing)
  const transaction = { ...createSession(writer), async lock() {} }

  return {
    ...createSession({
      readRows: openStatements(reading).readRows,
      run: (text, values) => queue.write(() => writer.run(text, values)),
    }),
    dialect,
    inOrder: (...calls) =>
      queue.write(async () => {
        const counts: number[] = []
        for (const call of calls) counts.push(await transaction.run(...call))
        return counts
      }),
    transaction: (work) => queue.write(() => work(transaction)),
    async readChangeMark() {
      return Number(reading.prepare('pragma data_version').get()?.['data_version'])
    },
    async close() {
      // After the changes that no caller awaits.
      await queue.settle()
      reading.close()
      writing.close()
    },
  }
}

/** Statements that are prepared when they are first used. */
function openStatements(database: DatabaseSync) {
  const queries = new Map<string, Query<Cell[]>>()
  const commands = new Map<string, Command>()

  return {
    async readRows(text: string, values: readonly Value[]): Promise<Cell[][]> {
      const prepared =
        queries.get(text) ?? query<Cell[]>(database, toNumbered(text), { lists: true })
      queries.set(text, prepared)
      return prepared.all(...values.map(encode))
    },
    async run(text: string, values: readonly Value[]): Promise<number> {
      const prepared = commands.get(text) ?? command(database, toNumbered(text))
      commands.set(text, prepared)
      return prepared.run(...values.map(encode)).changes
    },
  }
}

/** To SQLite, `$1` is a name. */
function toNumbered(text: string): string {
  return text.replaceAll(/\$(\d+)/g, '?$1')
}

function encode(value: Value): SQLInputValue {
  if (value instanceof Temporal.Instant) return value.epochMilliseconds
  if (typeof value === 'boolean') return Number(value)
  if (typeof value !== 'object') return value ?? null
  return value === null ? null : JSON.stringify(value)
}
