import pg from 'pg'
import type { AccountKind } from '../../provider/store.ts'
import type { ProviderWriter, Refusal, WriterOptions } from '../../provider/writer.ts'
import { kindCodes, listCodes } from '../codes.ts'
import { DatabaseError, type DatabaseOptions } from '../database.ts'
import { anotherPerson, noAccount, noCustomer, otherKind } from '../refusals.ts'
import { openPool } from './connect.ts'
import { openCopyRows } from './copy-rows.ts'
import {
  forgetLost,
  forgetRemoved,
  heldTables,
  holdLines,
  makeHeld,
  moveHeld,
  refuseAccounts,
  refuseLines,
  releaseHeld,
} from './held-lines.ts'
import { lastProducts, mergeProduct } from './loaded-products.ts'
import {
  dropAccounts,
  dropHoldings,
  mergeAccounts,
  mergeCustomers,
  mergeHolders,
  mergeParts,
} from './merge-accounts.ts'
import { entryTables, makeEntryTables, mergeEntries } from './merge-entries.ts'
import { makeStaging, openStaging, type StagedTable, stagedNames } from './staging.ts'
import { type Ask, rowsOf } from './statements.ts'
import { fromText } from './text.ts'
import {
  isAnyLost,
  lostHolders,
  lostLines,
  makeWalks,
  refusedLines,
  walkAccounts,
  walkCustomers,
  walkTables,
} from './walks.ts'

/** One load at a time judges and merges: the next one sees what it committed. */
const lock = `select pg_advisory_xact_lock(hashtext('holdfast load'))`

/** What one load may use of the server's memory, for sorting and for what it stages. */
const memory = `set work_mem = '64MB'; set temp_buffers = '64MB';`

/** From so many lines on, what the planner knows of a table is not true any more. */
const manyLines = 10_000

/** What the planner has to know of a load's own tables, it knows from a small sample. */
const sample = 'set local default_statistics_target = 10'

/** How many refusals are fetched at a time. */
const fetchCount = 1000

/**
 * Opens the store for one load. Lines are staged beside the tables while they come. They are judged and
 * merged when all are there, in one transaction that writes only what is different: readers are not held
 * up, and see all of it at once. With `inBatches`, what refers to something that is not there yet is held
 * back until the end.
 */
export async function openPostgresProviderWriter(
  database: string,
  { loadTime, inBatches = false }: WriterOptions,
  options: DatabaseOptions,
): Promise<ProviderWriter> {
  const pool = await openPool(database, 'load', { ...options, connections: 1 })
  const client = await pool.connect()
  // A connection that breaks fails whatever is asked next.
  client.on('error', () => {})
  const run = (sql: string, values?: string[]) => client.query(sql, values).catch(fail)
  const runAll = async (statements: readonly string[]): Promise<void> => {
    for (const sql of statements) await run(sql)
  }
  await run(memory + makeStaging + makeWalks + makeEntryTables + (inBatches ? makeHeld : ''))

  const rows = openCopyRows(client)
  const staging = openStaging(rows)
  let isJudged = false
  /** What is staged was committed. Most loads end here, and their tables with them. */
  let isDone = false
  let committed = 0

  /** From here to the commit, no other load changes anything. */
  const judge = async (): Promise<void> => {
    if (isJudged) return
    if (isDone) await clear()
    await rows.finish().catch(fail)
    for (const table of stagedNames) {
      if (staging.count(table) >= manyLines) await run(`${sample}; analyze ${table}`)
    }
    await run(`begin; ${lock}; ${sample}`)
    isJudged = true
    if (staging.count('staged_customer') > 0) await run(walkCustomers)
    if (inBatches) await hold()
    else if (staging.count('staged_account') > 0) await run(walkAccounts)
    if (staging.total() >= manyLines) await run('analyze customer_walk, account_walk')
  }

  /** Leaves in the batch what can be merged. */
  const hold = async (): Promise<void> => {
    await run(walkAccounts)
    const hasAccounts = staging.count('staged_account') > 0
    if (hasAccounts) await runAll(forgetRemoved)
    while ((await run(holdLines)).rowCount) {
      await runAll(moveHeld)
      await run(`delete from account_walk; ${walkAccounts}`)
    }
    if (hasAccounts) await runAll(forgetLost)
  }

  const merge = async (): Promise<void> => {
    const has = (table: StagedTable) => staging.count(table) > 0
    if (has('staged_customer')) await runAll(mergeCustomers)
    if (has('staged_account')) await runAll([...mergeAccounts, ...mergeHolders])
    if (has('staged_customer')) await run(dropHoldings)
    if (has('staged_part') || has('staged_account')) await runAll(mergeParts)
    if (has('staged_entry') || has('staged_account')) {
      const isLarge = staging.count('staged_entry') >= manyLines
      for (const { sql, needsLoadTime } of mergeEntries({ inBatches, isLarge })) {
        await run(sql, needsLoadTime ? [loadTime.epochNanoseconds.toString()] : undefined)
      }
    }
    if (has('staged_account')) await run(dropAccounts)
    // Last: whoever changes one of them waits from here to the commit.
    if (has('staged_product')) await mergeProducts()
  }

  const mergeProducts = async (): Promise<void> => {
    const ask: Ask = (statement, values) =>
      rowsOf(client, statement, values).catch((error: Error) => fail(error.cause ?? error))
    for await (const { id, item } of each<LoadedProduct>(lastProducts)) {
      await mergeProduct(ask, fromText(id), item ? JSON.parse(item) : undefined, () => loadTime)
    }
  }

  const clear = async (): Promise<void> => {
    isJudged = false
    isDone = false
    staging.clear()
    await run(`truncate ${[...stagedNames, ...walkTables, ...entryTables].join()}`)
  }

  async function* refused(): AsyncGenerator<Refusal> {
    for await (const { place, kind } of each<Placed & { kind: number | null }>(refusedLines)) {
      yield { ...placeOf(place), ...(kind === null ? anotherPerson : otherKind(kindOf(kind))) }
    }
  }

  /** What waited for something that never came. The rest goes into the last commit. */
  async function* unresolvedHeld(): AsyncGenerator<Refusal> {
    await runAll([...releaseHeld, ...refuseAccounts])
    staging.countHeld()
    await run(`delete from account_walk; ${walkAccounts}`)
    for await (const row of each<LostHolder>('select place, index from refusal order by 1, 2')) {
      yield lostHolder(row)
    }
    yield* refused()
    await runAll(['truncate refusal', ...refuseLines])
    for await (const row of each<LostLine>('select place, kind, list from refusal order by 1')) {
      yield lostLine(row)
    }
    await run(`truncate ${heldTables.join()}`)
  }

  /** The rows of a query that may have many. */
  async function* each<Row extends object>(sql: string): AsyncGenerator<Row> {
    await run(`declare refusals cursor for ${sql}`)
    let fetched: Row[]
    do {
      fetched = (await run(`fetch ${fetchCount} from refusals`)).rows
      yield* fetched
    } while (fetched.length === fetchCount)
    await run('close refusals')
  }

  return {
    async write(items) {
      if (isDone) await clear()
      await staging.put(items).catch(fail)
      return []
    },

    async *impossible() {
      await judge()
      yield* refused()
    },

    async *unresolved() {
      await judge()
      if (inBatches) {
        yield* unresolvedHeld()
        return
      }
      if ((await run(isAnyLost)).rowCount) {
        for await (const row of each<LostLine>(`${lostLines} order by place`)) yield lostLine(row)
      }
      for await (const row of each<LostHolder>(`${lostHolders} order by place, index`)) {
        yield lostHolder(row)
      }
    },

    async commit() {
      await judge()
      await merge()
      await client.query('commit').catch(failAtCommit)
      committed += staging.total()
      isJudged = false
      isDone = true
    },

    async rollback() {
      await rows.forget().catch(fail)
      await run('rollback')
      await clear()
    },

    async close() {
      // What a server would learn by itself in time, whoever reads next should not wait for.
      if (committed >= manyLines) await client.query(`analyze ${tables}`).catch(() => {})
      client.release(true)
      await pool.end()
    },
  }
}

const tables = 'customer, account, holder, balance, contact, entry, payment'

interface LoadedProduct {
  readonly id: string
  readonly item: string | null
}

interface Placed {
  readonly place: string
}

interface LostLine extends Placed {
  readonly kind: number
  readonly list: number | null
}

interface LostHolder extends Placed {
  readonly index: number
}

function lostLine({ place, kind, list }: LostLine): Refusal {
  const path = list === listCodes.payment ? 'from.accountId' : 'accountId'
  return { ...placeOf(place), path, reason: noAccount(kind === 0 ? undefined : kindOf(kind)) }
}

function lostHolder({ place, index }: LostHolder): Refusal {
  return { ...placeOf(place), path: `holders[${index}].customerId`, reason: noCustomer }
}

function kindOf(code: number): AccountKind {
  return code === kindCodes.banking ? 'banking' : 'energy'
}

/** File and line, out of the one number that they are staged with. */
function placeOf(place: string): { file: number; line: number } {
  const number = BigInt(place)
  return { file: Number(number >> 32n), line: Number(number & 0xffff_ffffn) }
}

/** Without a word of the data: a message of the database may repeat values. */
function fail(error: unknown): never {
  if (error instanceof TypeError || error instanceof RangeError) throw error
  const reason = isLoss(error)
    ? 'the connection to the database was lost'
    : `the database said ${(error as pg.DatabaseError).code}`
  throw new DatabaseError(`${reason}: what was not committed is not kept`, { cause: error })
}

/** Broken, or ended by the server: by an operator, or because it stops. */
function isLoss(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(08|57P)/.test(error.code ?? '')
}

/** The answer did not come: it may be there or not. */
function failAtCommit(error: unknown): never {
  if (!isLoss(error)) fail(error)
  throw new DatabaseError(
    'the connection to the database was lost at the very end: load again, which changes nothing twice',
    { cause: error },
  )
}
