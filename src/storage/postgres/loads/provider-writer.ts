import type { AccountKind } from '../../../contract/index.ts'
import type { LineError, ProviderWriter, WriterOptions } from '../../../load/writer.ts'
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
  deferLines,
  deferredTables,
  deleteRemoved,
  deleteUnresolved,
  keepUnresolvedRemovals,
  moveDeferred,
  rejectAccounts,
  rejectLines,
  releaseDeferred,
  resolveRemovals,
} from './deferred-lines.ts'
import {
  accountEffects,
  createLineEffects,
  customerEffects,
  hasUnresolvedLines,
  rejectedLines,
  unresolvedHolders,
  unresolvedLines,
} from './line-effects.ts'
import { commitFailure, loadFailure } from './load-failure.ts'
import {
  type LoadedProduct,
  lastProducts,
  mergeProducts,
  productsAtOnce,
} from './loaded-products.ts'
import {
  deleteAccounts,
  deleteHoldings,
  mergeAccounts,
  mergeCustomers,
  mergeHolders,
  mergeParts,
} from './merge-accounts.ts'
import { entryTables, makeEntryTables, mergeEntries } from './merge-entries.ts'
import { makeStaging, openStaging, type StagedTable, stagedNames } from './staging.ts'

/** One load at a time checks and merges: the next one sees what it committed. */
const lockKey = `hashtext('holdfast load')`
const lock = `select pg_advisory_xact_lock(${lockKey})`

/** Returns a row if no other load has the lock. */
const tryLock = `select 1 where pg_try_advisory_xact_lock(${lockKey})`

/** How much of the server's memory one load may use, for sorting and for its temporary tables. */
const memory = `set work_mem = '64MB'; set temp_buffers = '64MB';`

/** From this many lines on, the planner's statistics of a table are outdated. */
const manyLines = 10_000

/** For the temporary tables of a load, statistics from a small sample suffice. */
const smallSample = 'set local default_statistics_target = 10'

/** How many line errors are fetched at a time. */
const fetchCount = 1000

/**
 * Opens the store for one load. Lines are staged in temporary tables as they arrive. When all have arrived, they are
 * checked and merged in one transaction that writes only the differences: readers are not blocked, and see the load as
 * a whole. With `inBatches`, lines that refer to something that does not exist yet are deferred to the end.
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

  /** Once the commit is sent, only the server knows whether it happens. */
  let isCommitting = false
  const cancel = async (): Promise<void> => {
    if (isCommitting) return
    const other = makePool(database, 'load', { ...options, connections: 1 })
    const { processID } = client as typeof client & { readonly processID: number }
    // If the cancellation fails, the statement ends by itself, and nothing is committed.
    await other.query('select pg_cancel_backend($1)', [processID]).catch(() => {})
    await other.end()
  }
  signal?.addEventListener('abort', cancel)

  const findAccountEffects = accountEffects(inBatches)
  const rows = openCopyEncoder(client)
  const staging = openStaging(rows)
  let isPrepared = false
  /** The staged lines are committed. They are cleared only when more follow: closing the connection drops the tables. */
  let isCommitted = false
  let committed = 0

  /** From here to the commit, no other load can change anything. */
  const prepare = async (): Promise<void> => {
    if (isPrepared) return
    if (isCommitted) await clear()
    await rows.finish().catch(fail)
    for (const table of stagedNames) {
      if (staging.count(table) >= manyLines) await run(`${smallSample}; analyze ${table}`)
    }
    await run(`begin; ${smallSample}`)
    if (!(await run(tryLock)).rowCount) await announceWait(run(lock), onWait)
    isPrepared = true
    if (staging.count('staged_customer') > 0) await run(customerEffects)
    if (inBatches) await deferUnresolved()
    else if (staging.count('staged_account') > 0) await run(findAccountEffects)
    if (staging.total() >= manyLines) await run('analyze customer_effect, account_effect')
  }

  /** Defers the lines of the batch that cannot be merged yet. */
  const deferUnresolved = async (): Promise<void> => {
    await run(findAccountEffects)
    const hasAccounts = staging.count('staged_account') > 0
    if (hasAccounts) await runAll(deleteRemoved)
    while ((await run(deferLines)).rowCount) {
      await runAll(moveDeferred)
      await run(`delete from account_effect; ${findAccountEffects}`)
    }
    if (hasAccounts) await runAll([...deleteUnresolved, keepUnresolvedRemovals])
  }

  const has = (table: StagedTable) => staging.count(table) > 0
  const hasEntries = () => has('staged_entry') || has('staged_account')

  const merge = async (): Promise<void> => {
    if (has('staged_customer')) await runAll(mergeCustomers)
    if (has('staged_account')) await runAll([...mergeAccounts, ...mergeHolders])
    if (has('staged_customer')) await run(deleteHoldings)
    if (has('staged_part') || has('staged_account')) await runAll(mergeParts)
    if (hasEntries()) {
      const isLarge = staging.count('staged_entry') >= manyLines
      for (const { sql, needsLoadTime } of mergeEntries({ inBatches, isLarge })) {
        await run(sql, needsLoadTime ? [loadTime.epochNanoseconds.toString()] : undefined)
      }
    }
    if (has('staged_account')) await run(deleteAccounts)
    // Last, as it blocks changes of products through the platform until the commit.
    if (has('staged_product')) {
      await run(lockAllProducts)
      for await (const products of groups<LoadedProduct>(lastProducts, productsAtOnce)) {
        await mergeProducts(run, products, loadTime)
      }
    }
  }

  /** Only tables with rows are truncated: a table takes a millisecond, and a batch may be as small as one line. */
  const clear = async (): Promise<void> => {
    const tables = [
      ...stagedNames.filter(has),
      ...(has('staged_customer') ? ['customer_effect'] : []),
      ...(has('staged_account') ? ['account_effect'] : []),
      ...(hasEntries() ? entryTables : []),
    ]
    isPrepared = false
    isCommitted = false
    staging.clear()
    if (tables.length > 0) await run(`truncate ${tables.join()}`)
  }

  async function* rejectedErrors(): AsyncGenerator<LineError> {
    for await (const { place, kind } of each<Placed & { kind: number | null }>(rejectedLines)) {
      yield {
        ...parsePlace(place),
        ...(kind === null ? anotherPerson : otherKind(accountKind(kind))),
      }
    }
  }

  /** Deferred lines that refer to something that still does not exist. The others become part of the last commit. */
  async function* deferredErrors(): AsyncGenerator<LineError> {
    await runAll([...resolveRemovals, ...releaseDeferred, ...rejectAccounts])
    staging.countDeferred()
    await run(`delete from account_effect; ${findAccountEffects}`)
    for await (const row of each<UnresolvedHolder>(
      'select place, index from line_error order by 1, 2',
    )) {
      yield toHolderError(row)
    }
    yield* rejectedErrors()
    await runAll(['truncate line_error', ...rejectLines])
    for await (const row of each<UnresolvedLine>(
      'select place, kind, list from line_error order by 1',
    )) {
      yield toLineError(row)
    }
    await run(`truncate ${deferredTables.join()}`)
  }

  /** The rows of a query with a large result. */
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
      if (isCommitted) await clear()
      await staging.put(items).catch(fail)
      return []
    },

    async *findErrors() {
      await prepare()
      yield* rejectedErrors()
    },

    async *findUnresolved() {
      await prepare()
      if (inBatches) {
        yield* deferredErrors()
        return
      }
      if ((await run(hasUnresolvedLines)).rowCount) {
        for await (const row of each<UnresolvedLine>(`${unresolvedLines} order by place`))
          yield toLineError(row)
      }
      for await (const row of each<UnresolvedHolder>(
        `${unresolvedHolders} order by place, index`,
      )) {
        yield toHolderError(row)
      }
    },

    async commit() {
      await prepare()
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
      isPrepared = false
      isCommitted = true
    },

    async rollback() {
      await rows.discard().catch(fail)
      await run('rollback')
      await clear()
    },

    async close() {
      // The next reads should not have to wait for autovacuum to update the statistics.
      if (committed >= manyLines) await client.query(`analyze ${tables}`).catch(() => {})
      signal?.removeEventListener('abort', cancel)
      await connection.close()
    },
  }
}

const tables = 'customer, account, holder, balance, contact, entry'

interface Placed {
  readonly place: string
}

interface UnresolvedLine extends Placed {
  readonly kind: number
  readonly list: number | null
}

interface UnresolvedHolder extends Placed {
  readonly index: number
}

function toLineError({ place, kind, list }: UnresolvedLine): LineError {
  const path = list === listCodes.payment ? 'from.accountId' : 'accountId'
  return {
    ...parsePlace(place),
    path,
    reason: noAccount(kind === 0 ? undefined : accountKind(kind)),
  }
}

function toHolderError({ place, index }: UnresolvedHolder): LineError {
  return { ...parsePlace(place), path: `holders[${index}].customerId`, reason: noCustomer }
}

function accountKind(code: number): AccountKind {
  return code === kindCodes.banking ? 'banking' : 'energy'
}

/** Splits a staged place into file and line. */
function parsePlace(place: string): { file: number; line: number } {
  const number = BigInt(place)
  return { file: Number(number >> 32n), line: Number(number & 0xffff_ffffn) }
}
