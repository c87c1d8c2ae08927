import { openLineCounter } from '../../../intake/line-counts.ts'
import type { LineError, ProviderWriter, WriterOptions } from '../../../intake/writer.ts'
import { loader } from '../../../platform/catalogue/store.ts'
import type { DatabaseOptions } from '../../database.ts'
import { addCounts, loadValues, noLines, recordLoad } from '../../status-store.ts'
import { announceWait } from '../../waiting.ts'
import { abandonOnAbort } from '../driver/abandon.ts'
import { openCopy } from '../driver/copy.ts'
import { mergeTableNames } from '../driver/distributed-tables.ts'
import { openOneConnection } from '../driver/one-connection.ts'
import { watchStandby } from '../driver/pipeline.ts'
import { durableCommits } from '../driver/pool.ts'
import { abortDefaultMs, commitAbortMs } from '../driver/timeouts.ts'
import { openCopyEncoder } from './copy-encoder.ts'
import { toVoidType } from './count-lines.ts'
import {
  createDeferred,
  deferLines,
  deferredTables,
  deleteRemoved,
  deleteUnresolved,
  keepUnresolvedRemovals,
  moveDeferred,
  rejectAccounts,
  rejectedDeferred,
  rejectLines,
  releaseDeferred,
  resolveRemovals,
  type VoidLines,
} from './deferred-lines.ts'
import { summarizeChanged } from './entry-summaries.ts'
import {
  accountEffects,
  createLineEffects,
  customerEffects,
  hasUnresolvedLines,
  rejectedLines,
  unresolvedHolders,
  unresolvedLines,
} from './line-effects.ts'
import {
  type RejectedLine,
  toHolderError,
  toLineError,
  toRejection,
  type UnresolvedHolder,
  type UnresolvedLine,
} from './line-errors.ts'
import { commitFailure, loadFailure, standbyFailure } from './load-failure.ts'
import { lock, tryLock } from './load-lock.ts'
import { analyzeStaged, manyLines, mergeLines, smallSample, usedTables } from './merge.ts'
import { createComparedEntries } from './merge-distributed-entries.ts'
import { makeEntryTables } from './merge-entries.ts'
import { makeStaging, openStaging } from './staging.ts'

/** How much of the server's memory one load may use, for sorting and for its temporary tables. */
const memory = `set work_mem = '64MB'; set temp_buffers = '64MB';`

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
  const isDistributed = connection.layout === 'citus'
  const fail = async (error: unknown): Promise<never> => {
    throw await loadFailure(client, error, signal)
  }
  const run = async (sql: string, values?: unknown[]) => {
    signal?.throwIfAborted()
    return client.query(sql, values).catch(fail)
  }
  const runAll = async (statements: readonly string[]): Promise<void> => {
    for (const sql of statements) await run(sql)
  }
  /** Runs statements that delete lines without effect, which count as unchanged once they are committed. */
  const deleteVoid = async (statements: readonly string[]): Promise<void> => {
    for (const sql of statements) {
      for (const row of (await run(sql)).rows as VoidLines[]) {
        const type = toVoidType(row)
        if (type) counter.add(type, 'unchanged', Number(row.lines))
      }
    }
  }
  const { abortMs = abortDefaultMs } = options
  /** Once the commit is sent, only the server knows whether it happens. */
  let isCommitting = false
  const stopWatching = abandonOnAbort(client, {
    signal,
    isCancelled: () => !isCommitting,
    closeMs: () => (isCommitting ? commitAbortMs(abortMs) : abortMs),
  })
  const close = async (): Promise<void> => {
    stopWatching()
    await connection.close()
  }
  try {
    await run(
      memory +
        durableCommits +
        makeStaging +
        createLineEffects +
        makeEntryTables +
        (isDistributed ? createComparedEntries : '') +
        (inBatches ? createDeferred : ''),
    )
  } catch (error) {
    await close()
    throw error
  }

  const findAccountEffects = accountEffects(inBatches)
  const rows = openCopyEncoder((statement) => openCopy(client, statement))
  const staging = openStaging(rows)
  let isPrepared = false
  /** The staged lines are committed. They are cleared only when more follow: closing the connection drops the tables. */
  let isCommitted = false
  let committed = 0
  let committedLines = noLines
  const counter = openLineCounter()

  /** From here to the commit, no other load can change anything. */
  const prepare = async (): Promise<void> => {
    if (isPrepared) return
    if (isCommitted) await clear()
    await rows.finish().catch(fail)
    await analyzeStaged(run, staging)
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
    if (hasAccounts) await deleteVoid(deleteRemoved)
    if (hasAccounts) staging.forgetEntryLines()
    while ((await run(deferLines)).rowCount) {
      staging.forgetEntryLines()
      await runAll(moveDeferred)
      await run(`delete from account_effect; ${findAccountEffects}`)
    }
    if (hasAccounts) await deleteVoid([...deleteUnresolved, keepUnresolvedRemovals])
  }

  const sendCommit = async (): Promise<void> => {
    const stopWatching = watchStandby(client)
    isCommitting = true
    try {
      await client.query('commit').catch((error) => {
        const failure = commitFailure(error)
        if (failure) throw failure
        return fail(error)
      })
    } finally {
      isCommitting = false
    }
    const warning = stopWatching()
    if (warning) throw standbyFailure(warning)
  }

  /** Only tables with rows are truncated: a table takes a millisecond, and a batch may be as small as one line. */
  const clear = async (): Promise<void> => {
    const tables = usedTables(staging, isDistributed)
    isPrepared = false
    isCommitted = false
    staging.clear()
    if (tables.length > 0) await run(`truncate ${tables.join()}`)
  }

  async function* rejectedErrors(lines = rejectedLines): AsyncGenerator<LineError> {
    for await (const row of each<RejectedLine>(lines)) yield toRejection(row)
  }

  /** Deferred lines that refer to something that still does not exist. The others become part of the last commit. */
  async function* deferredErrors(): AsyncGenerator<LineError> {
    await deleteVoid(resolveRemovals)
    await runAll([...releaseDeferred, ...rejectAccounts])
    staging.countDeferred()
    await run(`delete from account_effect; ${findAccountEffects}`)
    for await (const row of each<UnresolvedHolder>(
      'select place, index, id as customer from line_error order by 1, 2',
    )) {
      yield toHolderError(row)
    }
    yield* rejectedErrors(rejectedDeferred)
    await runAll(['truncate line_error', ...rejectLines])
    for await (const row of each<UnresolvedLine>(
      'select place, id as account, kind, list from line_error order by 1',
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
      const counts = await mergeLines(run, staging, {
        loadTime,
        author: loader,
        inBatches,
        isPrepared: false,
        isDistributed,
        send: run,
        readGroups: groups,
      })
      if (!isDistributed && staging.count('staged_entry') > 0) await summarizeChanged(run)
      for (const { type, outcome, lines } of counts) counter.add(type, outcome, lines)
      const total = counter.take()
      const lines = addCounts(committedLines, total.values())
      await run(recordLoad(loadValues(loadTime, Date.now(), lines).map(String)))
      signal?.throwIfAborted()
      await sendCommit()
      committedLines = lines
      committed += staging.total()
      isPrepared = false
      isCommitted = true
      return total
    },

    async rollback() {
      await rows.discard().catch(fail)
      await run('rollback')
      counter.take()
      await clear()
    },

    async close() {
      // The next reads should not have to wait for autovacuum to update the statistics.
      if (committed >= manyLines) await run(`analyze ${tables}`).catch(() => {})
      // They are empty, but large: the next load would read them.
      if (committed >= manyLines && isDistributed) {
        await run(`vacuum ${mergeTableNames.join()}`).catch(() => {})
      }
      await close()
    },
  }
}

const tables = 'customer, account, holder, balance, contact, entry'
