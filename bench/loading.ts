import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import pg from 'pg'
import { sqlitePath } from '../src/storage/open.ts'
import { openCopy } from '../src/storage/postgres/driver/copy.ts'
import { type Bench, type Engine, engines } from './bench.ts'
import { generateBankLines, generateLargeAccount, writeLines } from './data.ts'
import { runToEnd } from './processes.ts'
import { onPostgres, onSqlite } from './requests.ts'
import { formatCount, type Log, type Row } from './results.ts'

/** A row of the table `entry` without its account number. */
interface Entry {
  readonly ordinal: number
  readonly time: bigint
  readonly id: string
  readonly amount: string | null
  readonly description: string | null
  readonly reference: string | null
  readonly record: string
}

const bulkPath = { sqlite: 'prepared inserts', postgres: 'COPY' } as const

export const loadRow = 'load'
export const engineInsertion = 'fastest insertion of the engine'

const transactionList = 1

/**
 * Compares `holdfast load`, from its first line to its commit, with the fastest method of the engine to insert the same
 * rows into the same tables and indexes in one durable transaction. The rows for that method are already validated,
 * numbered and sorted.
 */
export async function measureLoading(bench: Bench, size: number, log: Log): Promise<Row[]> {
  const customer = generateBankLines({ customers: 1, accounts: 0, products: 0 })
  const { file: before } = await writeLines(bench.folder, 'load_before', customer)
  const { file: account } = await writeLines(
    bench.folder,
    'load_account',
    generateLargeAccount(size).take(1),
  )
  const transactions = generateLargeAccount(size).filter((line) => line.includes('.transaction"'))
  const { file, count } = await writeLines(bench.folder, 'load', transactions)

  const rows: Row[] = []
  let entries: Entry[] = []
  for (const engine of engines) {
    log(`load of ${formatCount(count)} transactions, ${engine}`)
    const target = await prepareDatabase(bench, engine, 'load', [before, account])
    const load = await timeLoad(bench, file, count, target)
    if (entries.length === 0) entries = readEntries(target)
    const bulkTarget = await prepareDatabase(bench, engine, 'bulk', [before, account])
    const bulkSeconds = await bulkInsert[engine](bulkTarget, entries)
    for (const database of [target, bulkTarget]) await bench.removeDatabase(database)
    const on = engine === 'sqlite' ? onSqlite : onPostgres
    const speed = (seconds: number) => ({ amount: count / seconds, unit: 'lines/s' })
    rows.push(
      {
        group: 'load',
        name: bulkPath[engine],
        on: engine === 'sqlite' ? 'SQLite directly' : 'PostgreSQL directly',
        value: speed(bulkSeconds),
      },
      {
        group: 'load',
        name: loadRow,
        on,
        value: speed(load.seconds),
        ratios: { [engineInsertion]: load.seconds / bulkSeconds },
      },
      {
        group: 'load',
        name: 'load, peak memory',
        on,
        value: { amount: load.peakMegabytes, unit: 'MB' },
      },
    )
  }
  return rows
}

interface Load {
  readonly seconds: number
  readonly peakMegabytes: number
}

/** Uses the speed that the command reports, which excludes process startup. */
export async function timeLoad(
  { program }: Bench,
  file: string,
  count: number,
  database: string,
  flags: readonly string[] = [],
): Promise<Load> {
  const run = await runToEnd(program, ['load', file, '--database', database, ...flags])
  const speed = /\(([\d,]+) lines per second\)/.exec(run.output)?.[1]?.replaceAll(',', '')
  if (speed === undefined) throw new Error(`the load reports no speed:\n${run.output}`)
  return { seconds: count / Number(speed), peakMegabytes: run.peakMegabytes }
}

/** Creates a database with the customer and the account. */
async function prepareDatabase(
  bench: Bench,
  engine: Engine,
  name: string,
  files: readonly string[],
) {
  const database = await bench.database(engine, name)
  await runToEnd(bench.program, ['load', ...files, '--database', database])
  return database
}

/** Reads the rows that Holdfast created from the lines, for the bulk inserts. */
function readEntries(database: string): Entry[] {
  const file = new DatabaseSync(sqlitePath(database), { readOnly: true })
  const statement = file.prepare(
    `select position & 4294967295 as ordinal, time, id, amount, description, reference, record
     from entry order by position`,
  )
  statement.setReadBigInts(true)
  const rows = statement.all().map((row) => {
    const entry = row as unknown as Entry
    return { ...entry, ordinal: Number(entry.ordinal) }
  })
  file.close()
  return rows
}

const bulkInsert: Readonly<
  Record<Engine, (database: string, entries: readonly Entry[]) => Promise<number>>
> = {
  async sqlite(database, entries) {
    const file = new DatabaseSync(sqlitePath(database))
    file.exec('pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -32768')
    const account = BigInt(Number(file.prepare('select number from account').get()?.['number']))
    const list = account * 8n + BigInt(transactionList)
    const rows = entries.map(({ ordinal, time, id, amount, description, reference, record }) => {
      const position = (list << 32n) + BigInt(ordinal)
      return [position, list, time, id, amount, description, reference, record] as SQLInputValue[]
    })
    const insert = file.prepare('insert into entry values (?,?,?,?,?,?,?,?)')
    // `run` returns the last row id, which exceeds the safe integers.
    insert.setReadBigInts(true)
    const start = performance.now()
    file.exec('begin immediate')
    for (const row of rows) insert.run(...row)
    file.exec('commit')
    const seconds = (performance.now() - start) / 1000
    file.close()
    return seconds
  },

  async postgres(database, entries) {
    const client = new pg.Client({ connectionString: database })
    await client.connect()
    const { rows } = await client.query<{ number: string }>('select number from account')
    const chunks = encodeChunks(entries, rows[0]?.number ?? '')
    const start = performance.now()
    const copy = openCopy(client, 'copy entry from stdin')
    for (const chunk of chunks) await copy.write(chunk)
    await copy.end()
    const seconds = (performance.now() - start) / 1000
    await client.end()
    return seconds
  },
}

const chunkRows = 2000

/** Encodes rows in the text format of `COPY`. */
function encodeChunks(entries: readonly Entry[], account: string): Buffer[] {
  const escapes: Readonly<Record<string, string>> = {
    '\\': '\\\\',
    '\n': '\\n',
    '\t': '\\t',
    '\r': '\\r',
  }
  const text = (value: string | null) =>
    value === null ? '\\N' : value.replaceAll(/[\\\n\t\r]/g, (found) => escapes[found] ?? found)
  const encodeRow = (entry: Entry) =>
    [
      account,
      transactionList,
      't',
      entry.ordinal,
      entry.time,
      ...[entry.id, entry.amount, entry.description, entry.reference, entry.record].map(text),
    ].join('\t')
  return Array.from({ length: Math.ceil(entries.length / chunkRows) }, (_, index) => {
    const rows = entries.slice(index * chunkRows, (index + 1) * chunkRows)
    return Buffer.from(`${rows.map(encodeRow).join('\n')}\n`)
  })
}
