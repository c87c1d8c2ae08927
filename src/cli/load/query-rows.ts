import pg from 'pg'
import type { RowChunk, RowSource } from '../../intake/rows.ts'
import type { ReadOptions } from '../../intake/source.ts'
import { DatabaseError } from '../../storage/database.ts'
import { abandon } from '../../storage/postgres/driver/abandon.ts'
import { makePool, unusable } from '../../storage/postgres/driver/pool.ts'

/** A SELECT, and the name of its file. */
interface RowQuery {
  readonly file: string
  readonly sql: string
}

/** The number of rows per round trip, which bounds the memory of a query. */
const fetchRows = 500

const declaration = 'declare holdfast_rows no scroll cursor for '

/**
 * The rows of queries on another database, in order. All queries read one snapshot, in a transaction that cannot write.
 * Booleans and JSON are values; everything else is the text that PostgreSQL prints.
 */
export function createQueryRows(url: string, queries: readonly RowQuery[]): RowSource[] {
  const session = openSession(url)
  return queries.map((query, index) => ({
    name: `rows of ${query.file}`,
    file: query.file,
    isRepeatable: false,
    read: (options) => readRows(session, query, index === queries.length - 1, options),
  }))
}

/** One connection with one transaction, which the first query opens. */
function openSession(url: string) {
  const pool = makePool(url, 'query', { connections: 1 })
  let client: pg.PoolClient | undefined
  return {
    async connect(): Promise<pg.PoolClient> {
      if (client) return client
      try {
        client = await pool.connect()
        await client.query('begin isolation level repeatable read read only')
        return client
      } catch (error) {
        throw unusable(url, error)
      }
    },
    async close(): Promise<void> {
      client?.release(true)
      client = undefined
      await pool.end()
    },
  }
}

async function* readRows(
  session: ReturnType<typeof openSession>,
  query: RowQuery,
  isLast: boolean,
  { signal, withRaw = false }: ReadOptions = {},
): AsyncGenerator<RowChunk> {
  let isComplete = false
  let stop = () => {}
  try {
    const client = await session.connect()
    stop = () => abandon(client, 'the load was stopped')
    signal?.addEventListener('abort', stop, { once: true })
    signal?.throwIfAborted()
    await run(client, declaration + query.sql)
    for (let row = 0; ; ) {
      const { fields, rows } = await run(client, `fetch ${fetchRows} from holdfast_rows`)
      const columns = fields.map(({ name }) => name)
      if (row === 0) requireDistinct(columns, query)
      const header = row === 0 ? { header: { line: 1, columns } } : {}
      yield {
        bytes: 0,
        rows: rows.map((cells) => toRow(++row, columns, cells, withRaw)),
        ...header,
      }
      if (rows.length < fetchRows) break
    }
    await run(client, 'close holdfast_rows')
    isComplete = true
  } catch (error) {
    signal?.throwIfAborted()
    throw error instanceof DatabaseError ? error : describeFailure(error, query)
  } finally {
    signal?.removeEventListener('abort', stop)
    if (isLast || !isComplete) await session.close()
  }
}

/** The extended protocol accepts one statement only. */
function run(client: pg.PoolClient, text: string): Promise<pg.QueryArrayResult> {
  const config = { text, rowMode: 'array', types: { getTypeParser }, queryMode: 'extended' }
  return client.query(config as pg.QueryArrayConfig)
}

const { BOOL, JSON: JSON_TEXT, JSONB } = pg.types.builtins

function getTypeParser(oid: number): (text: string) => unknown {
  if (oid === BOOL) return (text) => text === 't'
  return oid === JSON_TEXT || oid === JSONB ? JSON.parse : (text) => text
}

function requireDistinct(columns: readonly string[], { file }: RowQuery): void {
  const repeated = columns.find((column, index) => columns.indexOf(column) !== index)
  if (repeated === undefined) return
  throw new DatabaseError(`${file}: two columns are named ${JSON.stringify(repeated)}`)
}

function toRow(
  line: number,
  columns: readonly string[],
  cells: readonly unknown[],
  withRaw: boolean,
) {
  const values = Object.fromEntries(columns.map((column, index) => [column, cells[index]]))
  return { line, values, ...(withRaw && { raw: Buffer.from(JSON.stringify(values)) }) }
}

/** Classes of SQLSTATE whose messages name parts of the query or of the server, but no values of rows. */
const safeClasses = /^(08|0A|25|28|3D|3F|42|53|54|55|57|58)/

function describeFailure(error: unknown, { file, sql }: RowQuery): DatabaseError {
  const { code = '', message, position } = error as Partial<pg.DatabaseError>
  const offset = position === undefined ? -1 : Number(position) - 1 - declaration.length
  const before = sql.slice(0, Math.max(0, offset)).split('\n')
  const place = offset < 0 ? '' : `:${before.length}:${(before.at(-1) ?? '').length + 1}`
  const isServerError = error instanceof pg.DatabaseError
  const reason =
    !isServerError || safeClasses.test(code) ? message : `the query failed with SQLSTATE ${code}`
  return new DatabaseError(`${file}${place}: ${reason}`, { cause: error })
}
