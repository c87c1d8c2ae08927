import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { ContractError, type JsonText } from '../../../contract/index.ts'
import {
  accountKindByList,
  type EntriesOfAccountsQuery,
  type EntriesQuery,
  type Missing,
  type Page,
} from '../../../provider/store.ts'
import type { DatabaseOptions } from '../../database.ts'
import { kindCodes, listCodes } from '../../enum-codes.ts'
import type { Rows } from '../driver/pipeline.ts'
import { openShards, type Shard } from '../driver/shards.ts'
import { openQuery } from '../driver/statements.ts'
import {
  findAccount,
  findAccounts,
  type ShardStatements,
  shardStatements,
} from './distributed-statements.ts'
import { type DistributedAccount, type Lists, type ReadList, toOverview } from './lists.ts'
import { candidatesMax, countAll, listCandidates } from './overview.ts'
import { selectByAccount, selectByTime, toWindow } from './select-ranges.ts'
import { pageValues, requestedAccounts, searchValues, toId, windowValues } from './values.ts'

/**
 * How long a read waits for the shards to have the generation that the coordinator has. A commit reaches the coordinator
 * first, and the data nodes milliseconds later, unless a data node fails at that moment.
 */
const waitMaxMs = 2000
const firstWaitMs = 2

/** A list does not have the generation that the coordinator has of its account. */
const outdated = Symbol('outdated')

/**
 * The lists of accounts in the layout `citus`: the coordinator finds the accounts, then each list is read from its
 * shard. Data nodes have no common snapshot. Each load that changes a list of an account therefore stores its number, the
 * generation, with the account on the coordinator and with the list on the shard, and a result is used only if all of
 * its lists have the generations that one statement has read from the coordinator. This also detects a shard that was
 * moved: its former tables do not get the next generation.
 */
export async function openDistributedLists(
  database: string,
  coordinator: pg.Pool,
  options: DatabaseOptions,
): Promise<Lists> {
  const onCoordinator = openQuery(coordinator)
  const shards = await openShards(database, coordinator, options)
  const statements = new Map<string, ShardStatements>()

  const statementsOn = ({ entryTable, stateTable }: Shard): ShardStatements => {
    const existing = statements.get(entryTable) ?? shardStatements(entryTable, stateTable)
    statements.set(entryTable, existing)
    return existing
  }

  /** The rows of a statement on one list, without the generation. */
  const readList: ReadList = async (name, { number, shard: id, generation }, values) => {
    const shard = await shards.find(id)
    try {
      const rows = await shard.query(statementsOn(shard)[name], [number, ...values])
      if (rows.some(([found]) => found !== generation)) throw outdated
      return rows.map(([, ...row]) => row)
    } catch (error) {
      if (!isMissingTable(error)) throw error
      throw outdated
    }
  }

  /** Repeats the work until no list is outdated. */
  const atOneGeneration = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const deadline = performance.now() + waitMaxMs
    for (let waitMs = firstWaitMs; ; waitMs *= 2) {
      try {
        return await work()
      } catch (error) {
        // A data node may have been replaced.
        if (error instanceof ContractError) shards.refresh().catch(() => {})
        if (error !== outdated) throw error
      }
      if (performance.now() + waitMs > deadline) {
        throw new ContractError('unavailable', 'a data node has not finished the commit of a load')
      }
      await Promise.all([wait(waitMs), shards.refresh()])
    }
  }

  const listEntries = async (request: EntriesQuery): Promise<Page<JsonText> | Missing> => {
    const [[missing, ...row] = []] = await onCoordinator(findAccount, [
      toId(request.customerId),
      toId(request.accountId),
      kindCodes[accountKindByList[request.list]],
    ])
    if (missing) return { missing } as Missing
    const filter = searchValues(request) ?? []
    const [[total, texts] = []] = (await readList(
      filter.length > 0 ? 'search' : 'list',
      toAccount(row),
      [listCodes[request.list], ...windowValues(request.window), ...pageValues(request), ...filter],
    )) as (JsonText | null)[][]
    return { items: texts ? [texts] : [], total: Number(total) }
  }

  const listEntriesOfAccounts = async (
    request: EntriesOfAccountsQuery,
  ): Promise<Page<JsonText> | Missing> => {
    const found = await onCoordinator(findAccounts, [
      ...requestedAccounts(request),
      kindCodes[accountKindByList[request.list]],
    ])
    const [[missing] = []] = found
    if (missing) return { missing } as Missing
    const accounts = found.map(([, ...row]) => toAccount(row)).filter(({ number }) => number)
    const list = listCodes[request.list]
    const read = async (account: DistributedAccount) => {
      const values = [list, ...windowValues(request.window)]
      return toWindow(account, list, await readList('window', account, values))
    }
    const windows = (await Promise.all(accounts.map(read))).filter((window) => window !== undefined)
    const total = windows.reduce((sum, { first, last }) => sum + last - first + 1, 0)
    const [offset, limit] = pageValues(request)
    const select = request.window ? selectByTime : selectByAccount
    return { items: await select(readList, windows, { offset, limit, total }), total }
  }

  /** The ids of the first candidate, by customer, that has transactions. */
  const findExample = async (): Promise<Rows[number]> => {
    for (let from = 0; ; from += candidatesMax) {
      const candidates = await onCoordinator(listCandidates, [from])
      for (const [customerId = null, id = null, number, ...location] of candidates) {
        const [[hasTransactions] = []] = await readList(
          'sample',
          toAccount([number ?? null, id, ...location]),
          [],
        )
        if (hasTransactions === 't') return [customerId, id]
      }
      if (candidates.length < candidatesMax) return []
    }
  }

  return {
    async overview() {
      const [counts = []] = await onCoordinator(countAll, [])
      return toOverview(counts, await atOneGeneration(findExample))
    },
    listEntries: (request) => atOneGeneration(() => listEntries(request)),
    listEntriesOfAccounts: (request) => atOneGeneration(() => listEntriesOfAccounts(request)),
    close: shards.close,
  }
}

/** SQLSTATE of a table that does not exist: its shard was moved or split. */
function isMissingTable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '42P01'
}

function toAccount([number, id, shard, generation]: Rows[number]): DistributedAccount {
  return {
    number: number ?? '',
    id: id ?? '',
    shard: shard ?? '',
    generation: generation ?? '',
  }
}
