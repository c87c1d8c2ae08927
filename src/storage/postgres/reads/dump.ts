import type pg from 'pg'
import type { DumpedItem } from '../../../intake/writer.ts'
import { type EntryList, entryLists } from '../../../provider/store.ts'
import { DatabaseError, type DatabaseOptions, outdatedList } from '../../database.ts'
import {
  type DumpedAccount,
  dumpAccount,
  dumpItems,
  isUnresolvedEntry,
} from '../../dumped-items.ts'
import { listCodes } from '../../enum-codes.ts'
import { abandonAt } from '../driver/abandon.ts'
import { readGroups } from '../driver/cursor.ts'
import { lockSession, unlockSession } from '../driver/locks.ts'
import { openOneConnection } from '../driver/one-connection.ts'
import { toAppError } from '../driver/statements.ts'
import { dataNodesTimeout, timeoutDefaultMs } from '../driver/timeouts.ts'

/** How many rows are fetched at a time. */
const fetchCount = 250

interface AccountRow extends DumpedAccount {
  readonly number: string
  readonly generation: string
}

interface EntryRow {
  readonly account: string
  readonly list: number
  readonly id: string
  readonly time: string
  readonly record: string
}

const selectAccounts = (isDistributed: boolean) => `
  select a.number, a.id, a.kind, a.head, a.tail, a.is_owned_text,
    array(select json_build_object('customerId', c.id, 'isOwned', h.is_owned,
        'isPresent', c.record is not null)
      from holder h join customer c on c.number = h.customer
      where h.account = a.number order by c.id) as holders,
    b.record as balance, case when t.account is not null then
      json_build_object('kind', t.kind, 'status', t.status, 'record', t.record) end as contact,
    ${isDistributed ? 'coalesce(s.generation, 0)' : '0'} as generation
  from account a left join balance b on b.account = a.number
  left join contact t on t.account = a.number
  ${isDistributed ? 'left join account_state s on s.account = a.number' : ''}
  order by a.id`

/** The entries of some accounts, in the order of the accounts. */
const selectEntries = (numbers: readonly string[]) => `
  select e.* from unnest(array[${numbers.join()}]::bigint[]) a (number)
  cross join lateral (
    select account, list, id, time, record from entry
    where account = a.number order by list, ordinal
  ) e`

/** The entries of some accounts in the layout `citus`, where the coordinator sorts what the shards return. */
const selectDistributedEntries = (numbers: readonly string[]) => `
  select account, list, id, time, record from entry where account in (${numbers.join()})
  order by array_position(array[${numbers.join()}]::bigint[], account), list, ordinal`

const selectGenerations = (numbers: readonly string[]) => `
  select account, generation from entry_state where account in (${numbers.join()})`

/** Each data node has one connection for the dump, whose snapshot begins with its first statement. */
async function beginOnDataNodes(
  client: pg.ClientBase,
  { timeoutMs = timeoutDefaultMs }: DatabaseOptions,
): Promise<void> {
  const clear = abandonAt(client, performance.now() + dataNodesTimeout(timeoutMs))
  try {
    await client.query(`set local citus.max_adaptive_executor_pool_size = 1;
      select count(*) from merge_line; ${unlockSession}`)
  } finally {
    clear()
  }
}

export async function* dumpPostgres(
  database: string,
  options: DatabaseOptions,
): AsyncGenerator<DumpedItem> {
  const connection = await openOneConnection(database, options)
  const { client, layout } = connection
  const isDistributed = layout === 'citus'
  try {
    // The data nodes have no common snapshot: without the lock, some could have one from before a commit and some from after.
    if (isDistributed) await client.query(lockSession)
    // One snapshot for the whole dump; without parallel workers, rows arrive in the order of the statement.
    await client.query(`begin isolation level repeatable read, read only;
      set local max_parallel_workers_per_gather = 0`)
    if (isDistributed) await beginOnDataNodes(client, options)
    yield* dumpItems((sql) => each(client, sql), dumpAccounts(client, isDistributed))
  } catch (error) {
    // A failed transaction runs no other statement.
    await client.query('rollback').catch(() => {})
    throw error instanceof DatabaseError ? error : await toAppError(client, error)
  } finally {
    await connection.close()
  }
}

async function* dumpAccounts(
  client: pg.ClientBase,
  isDistributed: boolean,
): AsyncGenerator<DumpedItem> {
  const accounts = selectAccounts(isDistributed)
  const select = isDistributed ? selectDistributedEntries : selectEntries
  for await (const group of readGroups<AccountRow>(client, accounts, fetchCount, 'account_rows')) {
    if (isDistributed) await requireGenerations(client, group)
    const entries = each<EntryRow>(client, select(group.map(({ number }) => number)))
    let next = await entries.next()
    for (const account of group) {
      yield* dumpAccount(account)
      for (; !next.done && next.value.account === account.number; next = await entries.next()) {
        const { list, id, time, record } = next.value
        const name = listName(list)
        const isUnresolved = isUnresolvedEntry(name, account.kind)
        yield { type: 'entry', list: name, id, time: BigInt(time), record, isUnresolved }
      }
    }
  }
}

/** The lists on the shards must have the state that the coordinator has of them. */
async function requireGenerations(
  client: pg.ClientBase,
  group: readonly AccountRow[],
): Promise<void> {
  const { rows } = await client.query<{ account: string; generation: string }>(
    selectGenerations(group.map(({ number }) => number)),
  )
  const found = new Map(rows.map(({ account, generation }) => [account, generation]))
  if (group.every(({ number, generation }) => (found.get(number) ?? '0') === generation)) return
  throw outdatedList()
}

function listName(code: number): EntryList {
  const list = entryLists.find((name) => listCodes[name] === code)
  if (!list) throw new Error(`no list has the code ${code}`)
  return list
}

/** The rows of a query. The accounts have a cursor of their own, since their entries are read meanwhile. */
async function* each<Row>(client: pg.ClientBase, sql: string): AsyncGenerator<Row, undefined> {
  for await (const rows of readGroups<Row>(client, sql, fetchCount)) yield* rows
}
