import { setTimeout as wait } from 'node:timers/promises'
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
import { openPool } from '../driver/pool.ts'
import { openQuery, type Query } from '../driver/statements.ts'
import * as shard from './distributed-statements.ts'
import { type DistributedAccount, type Lists, type ReadList, toOverview } from './lists.ts'
import { candidatesMax, countAll, findWithTransactions, listCandidates } from './overview.ts'
import { selectByAccount, selectByTime, toWindow } from './select-ranges.ts'
import { pageValues, requestedAccounts, searchValues, toId, windowValues } from './values.ts'

/**
 * How long a read waits for the shards to have the generation that the coordinator has. A commit reaches the coordinator
 * first, and the workers milliseconds later, unless a worker fails at that moment.
 */
const waitMaxMs = 2000
const firstWaitMs = 2

/** A list does not have the generation that the coordinator has of its account. */
const outdated = Symbol('outdated')

/**
 * The lists of accounts in the layout `citus`: the coordinator finds the accounts, then each list is read from its
 * shard. Workers have no common snapshot. Each load that changes a list of an account therefore stores its number, the
 * generation, with the account on the coordinator and with the list on the shard, and a result is used only if all of
 * its lists have the generations that one statement has read from the coordinator.
 */
export async function openDistributedLists(
  database: string,
  onCoordinator: Query,
  options: DatabaseOptions,
): Promise<Lists> {
  const pool = await openPool(database, 'shards', options)
  const onShard = openQuery(pool)

  /** The rows of a statement on one list, without the generation. */
  const readList: ReadList = async (statement, { number, generation }, values) => {
    const rows = await onShard(statement, [number, ...values])
    if (rows.some(([found]) => found !== generation)) throw outdated
    return rows.map(([, ...row]) => row)
  }

  const listEntries = async (request: EntriesQuery): Promise<Page<JsonText> | Missing> => {
    const [[missing, number, id, generation] = []] = await onCoordinator(shard.findAccount, [
      toId(request.customerId),
      toId(request.accountId),
      kindCodes[accountKindByList[request.list]],
    ])
    if (missing) return { missing } as Missing
    const filter = searchValues(request)
    const account = { number: number ?? '', id: id ?? '', generation: generation ?? '' }
    const [[total, texts] = []] = (await readList(
      filter ? shard.oneList.search : shard.oneList.list,
      account,
      [
        listCodes[request.list],
        ...windowValues(request.window),
        ...pageValues(request),
        ...(filter ?? []),
      ],
    )) as (JsonText | null)[][]
    return { items: texts ? [texts] : [], total: Number(total) }
  }

  const listEntriesOfAccounts = async (
    request: EntriesOfAccountsQuery,
  ): Promise<Page<JsonText> | Missing> => {
    const found = await onCoordinator(shard.findAccounts, [
      ...requestedAccounts(request),
      kindCodes[accountKindByList[request.list]],
    ])
    const [[missing] = []] = found
    if (missing) return { missing } as Missing
    const accounts = found.flatMap(([, number, id, generation]) =>
      number ? [{ number, id: id ?? '', generation: generation ?? '' }] : [],
    )
    const list = listCodes[request.list]
    const read = async (account: DistributedAccount) => {
      const values = [list, ...windowValues(request.window)]
      return toWindow(account, list, await readList(shard.readWindow, account, values))
    }
    const windows = (await Promise.all(accounts.map(read))).filter((window) => window !== undefined)
    const total = windows.reduce((sum, { first, last }) => sum + last - first + 1, 0)
    const [offset, limit] = pageValues(request)
    const select = request.window ? selectByTime : selectByAccount
    const records = await select(readList, windows, { offset, limit, total })
    return { items: records.length > 0 ? [records.join()] : [], total }
  }

  /** The first candidate, by customer, that has transactions. */
  const findExample = async (): Promise<Rows[number]> => {
    for (let from = 0; ; from += candidatesMax) {
      const candidates = await onCoordinator(listCandidates, [from])
      const numbers = candidates.map(([, , number]) => number ?? '')
      const found = new Set(
        (await onShard(findWithTransactions, [numbers])).map(([number]) => number),
      )
      const example = candidates.find(([, , number]) => found.has(number ?? ''))
      if (example || candidates.length < candidatesMax) return example ?? []
    }
  }

  return {
    async overview() {
      const [counts = []] = await onCoordinator(countAll, [])
      return toOverview(counts, await findExample())
    },
    listEntries: (request) => atOneGeneration(() => listEntries(request)),
    listEntriesOfAccounts: (request) => atOneGeneration(() => listEntriesOfAccounts(request)),
    close: () => pool.end(),
  }
}

/** Repeats the work until no list is outdated. */
async function atOneGeneration<Result>(work: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + waitMaxMs
  for (let waitMs = firstWaitMs; ; waitMs *= 2) {
    try {
      return await work()
    } catch (error) {
      if (error !== outdated) throw error
    }
    if (performance.now() + waitMs > deadline) {
      throw new ContractError('unavailable', 'a worker has not finished the commit of a load')
    }
    await wait(waitMs)
  }
}
