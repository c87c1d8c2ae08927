import type { QueryArrayConfig, QueryConfig } from 'pg'
import type { FeedWriterOptions } from '../../../intake/feed-writer.ts'
import { abandonAt, abandonOnAbort, streamOf } from '../driver/abandon.ts'
import { openCopy } from '../driver/copy.ts'
import { type Rows, statementName, watchStandby } from '../driver/pipeline.ts'
import { durableCommits, type makePool, plannerChoice } from '../driver/pool.ts'
import { longTimeoutMs } from '../driver/timeouts.ts'
import { openCopyEncoder } from '../loads/copy-encoder.ts'
import { createLineEffects } from '../loads/line-effects.ts'
import { createComparedEntries } from '../loads/merge-distributed-entries.ts'
import { makeEntryTables } from '../loads/merge-entries.ts'
import type { Run, Send } from '../loads/run.ts'
import { makeStaging, openStaging } from '../loads/staging.ts'
import { type Backend, findBackend, watchConnection } from './connection-watch.ts'

/** How much of the server's memory the commits of a process may use. */
const memory = `set work_mem = '32MB'; set temp_buffers = '16MB';`

/** If this process or its host disappears during a transaction, the server releases the lock of the loads within minutes. */
const lostClient = `set idle_in_transaction_session_timeout = '2min';
  set tcp_keepalives_idle = 30; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 3;`

/** Plans of small batches have only nested loops. */
const indexes = `
  create index on staged_customer (place);
  create index on staged_email (place);
  create index on staged_account (place);
  create index on staged_holder (place);
  create index on account_effect (place);
  create index on repeated (account, list, id);
  create index on needs_reorder (account, list);`

const setUp =
  memory + durableCommits + lostClient + makeStaging + createLineEffects + makeEntryTables + indexes

/** Up to this many staged rows, plans are kept. For more, the planner decides. */
const smallRowsMax = 10_000

/** Up to this many customers and accounts: a kept plan reads all of their lines for each. */
const smallOwnersMax = 200

/** Each staged row leads to a few others. A batch with more than these moved or removed many entries. */
const otherRowsMax = (stagedRows: number) => 4 * stagedRows + 2000

/** After this many rows, all temporary tables are truncated: deleted rows still take time to skip. */
const deletedRowsMax = 10_000

export type FeedSession = Awaited<ReturnType<typeof openFeedSession>>

interface SessionOptions extends Pick<FeedWriterOptions, 'onWait' | 'signal'> {
  readonly isDistributed: boolean
  /** For the connection that checks this one. */
  readonly watching: ReturnType<typeof makePool>
  /** How long an aborted transaction may take to end before the connection is closed. */
  readonly abortMs: number
  /** How long a lock is waited for. */
  readonly waitMaxMs: number
}

/**
 * A connection with the temporary tables for batches. It is used until a statement fails. Statements of one turn of the
 * event loop are sent together; if one fails, all that follow it reject with its error.
 */
export async function openFeedSession(
  pool: ReturnType<typeof makePool>,
  { isDistributed, watching, onWait, signal, abortMs, waitMaxMs }: SessionOptions,
) {
  const client = await pool.connect()
  const stream = streamOf(client)
  let isWaiting = false
  let isAnnounced = false
  const stopWatching = abandonOnAbort(client, {
    signal,
    isCancelled: () => isWaiting,
    closeMs: () => abortMs,
  })
  let isLost = false
  client.on('error', () => {
    isLost = true
  })
  /** In a transaction. */
  let isBusy = true
  let stopChecks: (() => void) | undefined
  const end = (): void => {
    stopWatching()
    stopChecks?.()
    // In pipeline mode, the driver waits for pending statements before it closes a connection: a COPY without an end
    // would keep the locks of its transaction.
    if (isBusy) stream.destroy()
    client.release(true)
  }
  const clearDeadline = abandonAt(client, performance.now() + longTimeoutMs)
  try {
    // To PostgreSQL, 0 means no limit.
    const lockTimeout = `set lock_timeout = ${Math.max(1, Math.ceil(waitMaxMs))};`
    const [found] = await Promise.all([
      client.query<Backend>(findBackend),
      client.query(setUp + (isDistributed ? createComparedEntries : '') + lockTimeout),
    ])
    const [backend] = found.rows
    if (!backend) throw new TypeError('the backend of a connection is missing')
    stopChecks = watchConnection(client, {
      pool: watching,
      backend,
      isDistributed,
      isBusy: () => isBusy,
      onLockWait() {
        if (!isWaiting || isAnnounced) return
        isAnnounced = true
        onWait?.()
      },
    })
    isBusy = false
  } catch (error) {
    end()
    throw error
  } finally {
    clearDeadline()
  }
  let failure: { readonly error: unknown } | undefined
  const onFailure = (error: unknown): void => {
    failure ??= { error }
  }
  const rows = openCopyEncoder((statement) => {
    joinWrites()
    return openCopy(client, statement, onFailure)
  })
  const staging = openStaging(rows)
  let deletedRows = 0
  /** One line may insert many: a late entry moves all that follow it. */
  let insertedRows = 0

  let isJoining = false
  const joinWrites = (): void => {
    if (isJoining) return
    isJoining = true
    stream.cork()
    process.nextTick(() => {
      isJoining = false
      stream.uncork()
    })
  }

  const run = async (query: QueryConfig | QueryArrayConfig) => {
    joinWrites()
    const result = await Promise.try(() => client.query(query)).catch(onFailure)
    // The commit of a failed transaction succeeds, as a rollback.
    if (!result || failure) throw failure?.error
    if (result.command === 'INSERT') insertedRows += result.rowCount ?? 0
    return result
  }
  /** Planning a statement takes longer than running it for a few lines. */
  const runPrepared: Run = (text, values = []) => run({ name: statementName(text), text, values })
  const runPlanned: Run = (text, values) => run(values ? { text, values } : { text })
  // If it fails, the next statement rejects with the same error.
  const sendWith =
    (run: Run): Send =>
    async (...statement) =>
      void run(...statement).catch(() => {})
  const sendPrepared = sendWith(runPrepared)
  const countOwners = () => staging.count('staged_customer') + staging.count('staged_account')
  const isSmall = () =>
    !isDistributed && staging.total() <= smallRowsMax && countOwners() <= smallOwnersMax
  const endTransaction = (): void => {
    isBusy = false
    deletedRows += staging.total() + insertedRows
    insertedRows = 0
    staging.clear()
  }

  return {
    client,
    staging,
    sendPrepared,
    end,
    isLost: () => isLost,

    /** Runs a statement after others that wait for locks. */
    async readLocked(locks: readonly string[], text: string, values: unknown[]): Promise<Rows> {
      isWaiting = true
      isAnnounced = false
      isBusy = true
      try {
        for (const sql of locks) await sendPrepared(sql)
        return (await run({ name: statementName(text), text, values, rowMode: 'array' })).rows
      } finally {
        isWaiting = false
      }
    },

    /** Sends the staged rows. Returns how statements on them should run. */
    async finishStaging(): Promise<{ run: Run; send: Send; isPrepared: boolean }> {
      await rows.finish()
      // The entries of a removed account may be many more than the lines.
      if (isSmall() && !staging.hasAccountRemovals()) {
        return { run: runPrepared, send: sendPrepared, isPrepared: true }
      }
      const send = sendWith(runPlanned)
      await send(plannerChoice)
      return { run: runPlanned, send, isPrepared: false }
    },

    /** `tables` are the temporary tables with rows. */
    async commit(tables: readonly string[]): Promise<void> {
      // A truncation discards plans and takes milliseconds per table.
      const isFull = deletedRows >= deletedRowsMax
      const hasFewRows = isSmall() && insertedRows <= otherRowsMax(staging.total())
      const clear =
        hasFewRows && !isFull
          ? tables.map((table) => `delete from ${table};`).join(' ')
          : `truncate ${(isFull ? [...temporaryTables, ...tables] : tables).join()};`
      if (isFull) deletedRows = 0
      const stopWatching = watchStandby(client)
      await runPlanned(`${clear} commit`)
      const warning = stopWatching()
      endTransaction()
      if (warning) throw warning
    },

    async rollback(): Promise<void> {
      await runPlanned('rollback')
      endTransaction()
    },
  }
}

const temporaryTables = [
  ...[makeStaging, createLineEffects, makeEntryTables]
    .join('\n')
    .matchAll(/create temp table (\w+)/g),
].map(([, name]) => name)
