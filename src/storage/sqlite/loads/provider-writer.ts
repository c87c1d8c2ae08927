import { setImmediate } from 'node:timers/promises'
import type { AccountKind, Problem, RecordType } from '../../../contract/index.ts'
import type {
  AccountItem,
  LineError,
  LocatedItem,
  ProviderWriter,
  WriterOptions,
} from '../../../intake/writer.ts'
import { DatabaseError } from '../../database.ts'
import { kindCodes } from '../../enum-codes.ts'
import { addCounts, loadValues, noLines, recordLoad } from '../../status-store.ts'
import { fileIdentity } from '../driver/files.ts'
import { openDatabase } from '../driver/open.ts'
import { command, execute } from '../driver/statements.ts'
import { commitWithinSpace, releaseLog } from '../driver/write-ahead-log.ts'
import { takeWriteLock } from '../driver/write-lock.ts'
import { openDeferredItems } from './deferred-items.ts'
import { openItemWriter } from './item-writer.ts'
import { type ItemProblem, toLineError } from './line-error.ts'
import { openStagedItems } from './staged-items.ts'
import { openUnresolvedReferences } from './unresolved-references.ts'

/**
 * Opens the store for one load. The write lock is taken with the first item of a commit, or with slow input after the
 * last item, and waits for other loads. With `inBatches`, items that refer to something that does not exist yet are
 * deferred to the end.
 *
 * Between two commits another process may change anything, so no cache survives a commit.
 */
export function openSqliteProviderWriter(
  path: string,
  { loadTime, inBatches = false, isSlow = false, onWait, signal }: WriterOptions,
): ProviderWriter {
  const opened = fileIdentity(path)
  const database = openDatabase(path, 'write')
  // `takeWriteLock` waits for other loads, without blocking the process.
  database.exec('pragma busy_timeout = 0')
  // Batches contain no unresolved references, because such items are deferred.
  const references = inBatches ? undefined : openUnresolvedReferences(database)
  const deferred = openDeferredItems(database)
  const items = openItemWriter(database, { clock: () => loadTime, references })
  const staged = openStagedItems(database)
  const record = command(database, recordLoad(['?', '?', '?', '?', '?', '?']))
  let committedLines = noLines
  let hasStaged = false

  // Only after the temporary tables exist: a rollback must not remove them.
  const begin = async (): Promise<void> => {
    if (!database.isTransaction) await takeWriteLock(database, { onWait, signal })
  }

  /** Items that a later line made void while they were deferred change nothing. */
  const countVoid = (types: readonly RecordType[]): void => {
    for (const type of types) items.count(type, 'unchanged')
  }

  /** An account of the other kind stays. One that does not exist yet may follow, see `openDeferredItems`. */
  const removeAccount = (kind: AccountKind, id: string): void => {
    const account = items.findAccount(id)
    const code = kindCodes[kind]
    const presentKind = account?.kind || deferred.putKind(id)
    if (presentKind === code) {
      countVoid(deferred.removeAccount(id))
      if (account) items.removeAccount(account)
    } else if (!presentKind && (account || deferred.isWaiting(id))) {
      deferred.addRemoval(id, code)
    }
    items.count(`${kind}.account`, account?.kind === code ? 'deleted' : 'unchanged')
  }

  const resolveRemovals = ({ id, kind }: AccountItem): void => {
    const account = items.findAccount(id)
    if (account?.kind) return
    const types = deferred.resolveRemovals(id, kindCodes[kind])
    if (!types) return
    countVoid(types)
    if (account) items.removeAccount(account)
  }

  const writeOrDefer = (item: LocatedItem): Problem | undefined => {
    if (item.type === 'removal' && item.of === 'account') {
      if (item.kind) removeAccount(item.kind, item.accountId ?? '')
      return undefined
    }
    if (!inBatches && deferred.isEmpty()) return items.write(item)
    if (item.type === 'account') resolveRemovals(item)
    const account = accountOf(item)
    if (account === undefined) return items.write(item)
    if (!deferred.isWaiting(account) && !mustDefer(item, account)) return items.write(item)
    deferred.defer(account, item)
    return undefined
  }

  const mustDefer = (item: LocatedItem, account: string): boolean =>
    inBatches ? items.findMissing(item).some(() => true) : deferred.hasRemoval(account)

  const writeAll = (all: readonly LocatedItem[]): LineError[] =>
    all.flatMap((item) => {
      const problem = writeOrDefer(item)
      return problem ? [toLineError(item, problem)] : []
    })

  /** Writes the deferred items. In one transaction, their unresolved references are recorded as those of other items. */
  function* writeDeferred(): Generator<LineError> {
    for (const { account, kind } of deferred.removals()) {
      if (items.findAccount(account)?.kind !== kind) continue
      countVoid(deferred.resolveRemovals(account, kind) ?? [])
    }
    for (const item of deferred.all()) {
      const problems: ItemProblem[] = inBatches ? items.findMissing(item).toArray() : []
      const problem = problems.length === 0 ? items.write(item) : undefined
      for (const each of problem ? [problem] : problems) yield toLineError(item, each)
    }
  }

  const clearStaged = (): void => {
    if (hasStaged) staged.clear()
    hasStaged = false
  }

  return {
    async write(all) {
      if (all.length === 0) return []
      if (isSlow) {
        hasStaged = true
        staged.put(all)
        return []
      }
      await begin()
      return writeAll(all)
    },

    /** Without slow input, errors were returned by `write`. */
    async *findErrors() {
      if (!hasStaged) return
      await begin()
      for (const group of staged.groups()) {
        yield* writeAll(group)
        // A signal is noticed between two turns of the event loop.
        await setImmediate()
        signal?.throwIfAborted()
      }
    },

    async *findUnresolved() {
      if (!deferred.isEmpty()) {
        await begin()
        yield* writeDeferred()
      }
      if (references) yield* references.errors()
    },

    async commit() {
      const counts = items.finish()
      items.writeSummaries(Number.POSITIVE_INFINITY).forEach(() => {})
      // A commit to a file that was deleted or replaced would be lost.
      if (fileIdentity(path) !== opened) throw replacedDatabase(path)
      if (database.isTransaction) {
        const lines = addCounts(committedLines, counts.values())
        record.run(...loadValues(loadTime, Date.now(), lines))
        commitWithinSpace(database, path)
        committedLines = lines
      }
      items.clearCache()
      clearStaged()
      return counts
    },

    async rollback() {
      if (database.isTransaction) execute(database, 'rollback')
      items.discard()
      clearStaged()
    },

    async close() {
      // Closing rolls back an open transaction.
      database.close()
      releaseLog(path)
    },
  }
}

/** The account whose items must stay in order. Undefined for an item that is never deferred, such as the removal of an account. */
function accountOf(item: LocatedItem): string | undefined {
  switch (item.type) {
    case 'account':
      return item.id
    case 'balance':
    case 'contact':
    case 'entry':
      return item.accountId
    case 'removal':
      return item.of === 'account' ? undefined : item.accountId
    default:
      return undefined
  }
}

function replacedDatabase(path: string): DatabaseError {
  return new DatabaseError(
    `the database ${path} was deleted or replaced during the load: uncommitted items were not loaded`,
  )
}
