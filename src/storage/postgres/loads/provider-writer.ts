import { openLineCounter, totalCounts } from '../../../intake/line-counts.ts'
import type { ProviderWriter, WriterOptions } from '../../../intake/writer.ts'
import { loader } from '../../../platform/catalogue/store.ts'
import type { DatabaseOptions } from '../../database.ts'
import { countGaps } from '../../loaded-accounts.ts'
import { forgetOldLoads, recordLoad } from '../../status-store.ts'
import { announceWait } from '../../waiting.ts'
import { abandonOnAbort } from '../driver/abandon.ts'
import { openCopy } from '../driver/copy.ts'
import { readGroups } from '../driver/cursor.ts'
import { mergeTableNames } from '../driver/distributed-tables.ts'
import { lockLoads, tryLockLoads } from '../driver/locks.ts'
import { openOneConnection } from '../driver/one-connection.ts'
import { watchStandby } from '../driver/pipeline.ts'
import { durableCommits } from '../driver/pool.ts'
import { abortDefaultMs, commitAbortMs } from '../driver/timeouts.ts'
import { openCopyEncoder } from './copy-encoder.ts'
import { writeCorrections } from './corrections.ts'
import type { CountedLines } from './count-lines.ts'
import { createLineEffects, indexUnresolvedLines, unresolvedLines } from './line-effects.ts'
import {
  type RejectedLine,
  rejectedLines,
  toLineError,
  toRejection,
  type UnresolvedLine,
} from './line-errors.ts'
import { commitFailure, loadFailure, standbyFailure } from './load-failure.ts'
import { createLoadedAccounts, storeLoadedAccounts } from './loaded-accounts.ts'
import {
  analyzeStaged,
  mergeOwners,
  mergeParts,
  mergeRecords,
  smallSample,
  storeUnresolved,
  usedTables,
} from './merge.ts'
import { createComparedEntries } from './merge-distributed-entries.ts'
import { createAssignedTimes, makeEntryTables } from './merge-entries.ts'
import { indexChanged } from './search-index.ts'
import { makeStaging, manyLines, openStaging } from './staging.ts'

/** How much of the server's memory one load may use, for sorting and for its temporary tables. */
const memory = `set work_mem = '64MB'; set temp_buffers = '64MB';`

/** How many line errors are fetched at a time. */
const fetchCount = 1000

/**
 * Lines are staged in temporary tables, then checked and merged in one transaction that writes only the differences:
 * readers are not blocked, and see the load as a whole.
 */
export async function openPostgresProviderWriter(
  database: string,
  { loadTime, inBatches = false, onWait, signal }: WriterOptions,
  options: DatabaseOptions = {},
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
        createLoadedAccounts +
        makeEntryTables +
        (isDistributed ? createComparedEntries : '') +
        (inBatches ? createAssignedTimes + indexUnresolvedLines : ''),
    )
  } catch (error) {
    await close()
    throw error
  }

  const rows = openCopyEncoder((statement) => openCopy(client, statement))
  const staging = openStaging(rows)
  let isPrepared = false
  let parts: Awaited<ReturnType<typeof mergeParts>> | undefined
  /** The staged lines are committed. They are cleared only when more follow: closing the connection drops the tables. */
  let isCommitted = false
  let committed = 0
  let committedLines = totalCounts([])
  const counter = openLineCounter()
  const addCounts = (counts: readonly CountedLines[]): void => {
    for (const { type, outcome, lines } of counts) counter.add(type, outcome, lines)
  }

  /** From here to the commit, no other load can change anything. */
  const prepare = async (): Promise<void> => {
    if (isPrepared) return
    if (isCommitted) await clear()
    await rows.finish().catch(fail)
    await analyzeStaged(run, staging)
    await run(`begin; ${smallSample}`)
    if (!(await run(tryLockLoads)).rowCount) await announceWait(run(lockLoads), onWait)
    isPrepared = true
    addCounts(await mergeOwners(merging))
    await storeUnresolved(merging)
    const hasAccounts = staging.has('staged_account') || staging.has('staged_part')
    if (hasAccounts) await run(storeLoadedAccounts)
  }

  const prepareParts = async (): Promise<NonNullable<typeof parts>> => {
    await prepare()
    parts ??= await mergeParts(merging)
    return parts
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
    parts = undefined
    staging.clear()
    if (tables.length > 0) await run(`truncate ${tables.join()}`)
  }

  const readLines = <Row extends object>(sql: string, size = fetchCount) =>
    readGroups<Row>({ query: run }, sql, size)
  const lines = { run, send: run, readGroups: readLines, staging }
  const merging = { ...lines, inBatches, loadTime, isDistributed }

  return {
    async write(items) {
      if (isCommitted) await clear()
      await staging.put(items).catch(fail)
      return []
    },

    async *findErrors() {
      await prepare()
      for await (const rows of readLines<RejectedLine>(rejectedLines)) yield* rows.map(toRejection)
    },

    async *findUnresolved() {
      await prepare()
      for await (const rows of readLines<UnresolvedLine>(unresolvedLines)) {
        yield* rows.map(toLineError)
      }
    },

    async countGaps() {
      await prepareParts()
      await run(`${smallSample}; analyze loaded_account`)
      const [row] = (await run(countGaps)).rows
      const { withoutBalance, withoutContact } = row
      return { withoutBalance: Number(withoutBalance), withoutContact: Number(withoutContact) }
    },

    async commit() {
      const merged = await prepareParts()
      addCounts(await mergeRecords({ ...merging, author: loader, isPrepared: false }, merged))
      if (!isDistributed && staging.has('staged_entry')) await indexChanged(run)
      await writeCorrections(merging)
      const total = counter.take()
      const lines = totalCounts([committedLines, ...total.values()])
      await run(...recordLoad(loadTime, Date.now(), lines))
      await run(forgetOldLoads)
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

const tables = 'customer, further_email, account, holder, balance, contact, entry'
