import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { ContractError, type JsonText } from '../../../contract/index.ts'
import type { EntryList } from '../../../provider/store.ts'
import type { DatabaseOptions } from '../../database.ts'
import { kindOfList, listCodes } from '../../enum-codes.ts'
import {
  type EntryKey,
  type ListReads,
  type ListWindow,
  readSeveralLists,
} from '../../merged-lists.ts'
import { type Reads, toMissing, toPage } from '../../provider-store.ts'
import {
  pageValues,
  requestedAccounts,
  searchValues,
  toId,
  windowValues,
} from '../../request-values.ts'
import type { Rows } from '../driver/pipeline.ts'
import { openShards } from '../driver/shards.ts'
import { openQuery, type Query } from '../driver/statements.ts'
import {
  findAccount,
  findAccounts,
  type ShardStatements,
  shardStatements,
} from './distributed-statements.ts'

/** How many times are sought at once: fewer rounds, at little cost on the shard. */
const soughtAtOnce = 63

/**
 * How long a read waits for the shards to have the generation that the coordinator has. A commit reaches the coordinator
 * first, and the data nodes milliseconds later, unless a data node fails at that moment.
 */
const waitMaxMs = 2000
const firstWaitMs = 2

/** A list does not have the generation that the coordinator has of its account. */
const outdated = Symbol('outdated')

type Lists = Pick<Reads, 'listEntries' | 'listEntriesOfAccounts' | 'close'>

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

  /** The rows of a statement on one list, without the generation. */
  const readList = async (
    name: keyof ShardStatements,
    { number, code, shard: id, generation }: DistributedList,
    values: Parameters<Query>[1],
  ): Promise<Rows> => {
    const { entryTable, stateTable, query } = await shards.find(id)
    const ofShard = statements.getOrInsertComputed(entryTable, () =>
      shardStatements(entryTable, stateTable),
    )
    try {
      const rows = await query(ofShard[name], [number, code, ...values])
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

  const listEntries: Lists['listEntries'] = async (request) => {
    const [[text, ...row] = []] = await onCoordinator(findAccount, [
      toId(request.customerId),
      toId(request.accountId),
      kindOfList(request.list),
    ])
    const missing = toMissing(text)
    if (missing) return missing
    const filter = searchValues(request) ?? []
    const [page = []] = await readList(
      filter.length > 0 ? 'search' : 'list',
      toList(row, request.list),
      [...windowValues(request.window), ...pageValues(request), ...filter],
    )
    return toPage(page)
  }

  const reads: ListReads<DistributedList> = {
    soughtAtOnce,
    async seek(list, times) {
      const [[ordinals] = []] = await readList('seek', list, [times.map(String)])
      return (ordinals ?? '').split(',').map(Number)
    },
    async keys({ window, low, high }) {
      const rows = await readList('keys', window.list, [low, high])
      return rows.map(([time, id, ordinal]) => ({
        window,
        time: BigInt(time ?? 0),
        id: id ?? '',
        ordinal: Number(ordinal),
      }))
    },
    async records({ window, low, high }) {
      const [[texts] = []] = (await readList('range', window.list, [low, high])) as JsonText[][]
      return texts ? [texts] : []
    },
    async recordsOf(keys) {
      const records = new Map<EntryKey<DistributedList>, string>()
      const lists = Map.groupBy(keys, ({ window }) => window.list)
      const reading = lists.entries().map(async ([list, ofList]) => {
        const rows = await readList('records', list, [ofList.map(({ ordinal }) => ordinal)])
        const byOrdinal = new Map(rows.map(([ordinal, record]) => [Number(ordinal), record]))
        for (const key of ofList) records.set(key, byOrdinal.get(key.ordinal) ?? '')
      })
      await Promise.all(reading)
      return keys.map((key) => records.get(key) ?? '')
    },
  }

  const listEntriesOfAccounts: Lists['listEntriesOfAccounts'] = async (request) => {
    const found = await onCoordinator(findAccounts, [
      ...requestedAccounts(request),
      kindOfList(request.list),
    ])
    const missing = toMissing(found[0]?.[0])
    if (missing) return missing
    const lists = found
      .map(([, ...row]) => toList(row, request.list))
      .filter(({ number }) => number)
    const read = async (list: DistributedList) =>
      toWindow(list, await readList('window', list, windowValues(request.window)))
    const windows = (await Promise.all(lists.map(read))).filter((window) => window !== undefined)
    return readSeveralLists(reads, windows, request)
  }

  return {
    listEntries: (request) => atOneGeneration(() => listEntries(request)),
    listEntriesOfAccounts: (request) => atOneGeneration(() => listEntriesOfAccounts(request)),
    close: shards.close,
  }
}

/** SQLSTATE of a table that does not exist: its shard was moved or split. */
function isMissingTable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '42P01'
}

type DistributedList = ReturnType<typeof toList>

/** A list of an account: the number and the id of the account, as stored, its shard and its generation. */
function toList([number, id, shard, generation]: Rows[number], list: EntryList) {
  return {
    number: number ?? '',
    id: id ?? '',
    shard: shard ?? '',
    generation: generation ?? '',
    code: listCodes[list],
  }
}

/** Undefined if no entry is in the window. */
function toWindow(list: DistributedList, rows: Rows): ListWindow<DistributedList> | undefined {
  const [[first, last, oldest, newest] = []] = rows
  if (!first || !last || !oldest || !newest || Number(first) > Number(last)) return undefined
  return {
    list,
    account: list.id,
    first: Number(first),
    last: Number(last),
    oldest: BigInt(oldest),
    newest: BigInt(newest),
  }
}
