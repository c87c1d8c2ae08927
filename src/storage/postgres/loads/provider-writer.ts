import type { LineError, ProviderWriter, WriterOptions } from '../../../load/writer.ts'
import type { AccountKind } from '../../../provider/store.ts'
import type { DatabaseOptions } from '../../database.ts'
import { kindCodes, listCodes } from '../../enum-codes.ts'
import { anotherPerson, noAccount, noCustomer, otherKind } from '../../load-errors.ts'
import { announceWait } from '../../waiting.ts'
import { openOneConnection } from '../driver/one-connection.ts'
import { makePool } from '../driver/pool.ts'
import { lockAllProducts } from '../platform/product-rows.ts'
import { openCopyEncoder } from './copy-encoder.ts'
import {
  createDeferred,
  decideAtEnd,
  deferLines,
  deferredTables,
  dropLost,
  dropRemoved,
  keepUndecided,
  moveDeferred,
  refuseAccounts,
  refuseLines,
  releaseDeferred,
} from './deferred-lines.ts'
import {
  accountEffects,
  createLineEffects,
  customerEffects,
  isAnyLost,
  lineEffectTables,
  lostHolders,
  lostLines,
  refusedLines,
} from './line-effects.ts'
import { commitFailure, loadFailure } from './load-failure.ts'
import {
  type LoadedProduct,
  lastProducts,
  mergeProducts,
  productsAtOnce,
} from './loaded-products.ts'
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
  { loadTime, inBatches = false, onWait, signal }: WriterOptions,
  options: DatabaseOptions,
): Promise<ProviderWriter> {
  const connection = await openOneConnection(database, options)
  const { client } = connection
  const fail = async (error: unknown): Promise<never> => {
    throw await loadFailure(client, error, signal)
  }
  const run = (sql: string, values?: unknown[]) => client.query(sql, values).catch(fail)
  const runAll = async (statements: readonly string[]): Promise<void> => {
    for (const sql of statements) await run(sql)
  }
  try {
    await run(
      memory +
        makeStaging +
        createLineEffects +
        makeEntryTables +
        (inBatches ? createDeferred : ''),
    )
  } catch (error) {
    await connection.close()
    throw error
  }

  /** From when the commit is sent, only the server knows whether it happens. */
  let isCommitting = false
  const cancel = async (): Promise<void> => {
    if (isCommitting) return
    const other = makePool(database, 'load', { ...options, connections: 1 })
    const { processID } = client as typeof client & { readonly processID: number }
    // Where it cannot be cancelled, the statement ends by itself, and nothing is committed.
    await other.query('select pg_cancel_backend($1)', [processID]).catch(() => {})
    await other.end()
  }
  signal?.addEventListener('abort', cancel)

  const walk = accountEffects(inBatches)
  const rows = openCopyEncoder(client)
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
    await announceWait(run(`begin; ${lock}; ${sample}`), onWait)
    isJudged = true
    if (staging.count('staged_customer') > 0) await run(customerEffects)
    if (inBatches) await hold()
    else if (staging.count('staged_account') > 0) await run(walk)
    if (staging.total() >= manyLines) await run('analyze customer_walk, account_walk')
  }

  /** Leaves in the batch what can be merged. */
  const hold = async (): Promise<void> => {
    await run(walk)
    const hasAccounts = staging.count('staged_account') > 0
    if (hasAccounts) await runAll(dropRemoved)
    while ((await run(deferLines)).rowCount) {
      await runAll(moveDeferred)
      await run(`delete from account_walk; ${walk}`)
    }
    if (hasAccounts) await runAll([...dropLost, keepUndecided])
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
    // Last: the platform's changes of products wait from here to the commit.
    if (has('staged_product')) {
      await run(lockAllProducts)
      for await (const products of groups<LoadedProduct>(lastProducts, productsAtOnce)) {
        await mergeProducts(run, products, loadTime)
      }
    }
  }

  const clear = async (): Promise<void> => {
    isJudged = false
    isDone = false
    staging.clear()
    await run(`truncate ${[...stagedNames, ...lineEffectTables, ...entryTables].join()}`)
  }

  async function* refused(): AsyncGenerator<LineError> {
    for await (const { place, kind } of each<Placed & { kind: number | null }>(refusedLines)) {
      yield { ...placeOf(place), ...(kind === null ? anotherPerson : otherKind(kindOf(kind))) }
    }
  }

  /** What waited for something that never came. The rest goes into the last commit. */
  async function* unresolvedHeld(): AsyncGenerator<LineError> {
    await runAll([...decideAtEnd, ...releaseDeferred, ...refuseAccounts])
    staging.countHeld()
    await run(`delete from account_walk; ${walk}`)
    for await (const row of each<LostHolder>('select place, index from refusal order by 1, 2')) {
      yield lostHolder(row)
    }
    yield* refused()
    await runAll(['truncate refusal', ...refuseLines])
    for await (const row of each<LostLine>('select place, kind, list from refusal order by 1')) {
      yield lostLine(row)
    }
    await run(`truncate ${deferredTables.join()}`)
  }

  /** The rows of a query that may have many. */
  async function* each<Row extends object>(sql: string): AsyncGenerator<Row> {
    for await (const rows of groups<Row>(sql, fetchCount)) yield* rows
  }

  async function* groups<Row extends object>(sql: string, size: number): AsyncGenerator<Row[]> {
    await run(`declare load_rows cursor for ${sql}`)
    let rows: Row[]
    do {
      rows = (await run(`fetch ${size} from load_rows`)).rows
      yield rows
    } while (rows.length === size)
    await run('close load_rows')
  }

  return {
    async write(items) {
      if (isDone) await clear()
      await staging.put(items).catch(fail)
      return []
    },

    async *findErrors() {
      await judge()
      yield* refused()
    },

    async *findUnresolved() {
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
      signal?.throwIfAborted()
      isCommitting = true
      await client.query('commit').catch((error) => {
        const failure = commitFailure(error)
        if (failure) throw failure
        return fail(error)
      })
      isCommitting = false
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
      signal?.removeEventListener('abort', cancel)
      await connection.close()
    },
  }
}

const tables = 'customer, account, holder, balance, contact, entry, payment'

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

function lostLine({ place, kind, list }: LostLine): LineError {
  const path = list === listCodes.payment ? 'from.accountId' : 'accountId'
  return { ...placeOf(place), path, reason: noAccount(kind === 0 ? undefined : kindOf(kind)) }
}

function lostHolder({ place, index }: LostHolder): LineError {
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
