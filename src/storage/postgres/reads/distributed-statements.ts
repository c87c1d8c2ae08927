import {
  foundAccounts,
  missingAny,
  missingOne,
  owner,
  ownerAndAccount,
} from '../../account-statements.ts'
import type { Statement } from '../../statement.ts'
import { dialect } from '../driver/sql.ts'
import { listStatement, newest, oldest, range, searchStatement } from './one-list-statements.ts'

/** Statements of the layout `citus`: on the coordinator, and on the tables of a shard. */

/** The number, the id, the shard and the generation of an account. */
const found = (account: string) => `${account}.number, ${account}.id,
    case when ${account}.number is not null
      then get_shard_id_for_distribution_column('entry', ${account}.number) end,
    coalesce(s.generation, 0)`

export const findAccount = `select ${missingOne(dialect)}, ${found('a')} from ${ownerAndAccount('$3::smallint')}
  left join account_state s on s.account = a.number`

/** $2 to $5 as in `foundAccounts`, $6 is the kind. One row with nulls if no account passes the filters. */
export const findAccounts = `with ${foundAccounts(dialect, '$6::smallint')}
  select ${missingAny(dialect)}, ${found('f')} from ${owner} left join found f on f.passes
  left join account_state s on s.account = f.number order by f.place`

export type ShardStatements = ReturnType<typeof shardStatements>

/** The first column of each is the generation of the account, whose number is $1. $2 is the list. */
export function shardStatements(entryTable: string, stateTable: string) {
  const generation = `coalesce((select s.generation from ${stateTable} s where s.account = $1::bigint), 0)`
  const inList = 'e.account = $1::bigint and e.list = $2::smallint'
  const one = {
    table: entryTable,
    head: generation,
    from: '(select) one',
    inList,
    first: 3,
  }
  return {
    list: listStatement(one),
    search: searchStatement(one),

    /** The oldest and the newest entry in a time window, $3 and $4. */
    window: `select ${generation}, first.ordinal, last.ordinal, first.time, last.time
        from (select) one
        left join lateral ${oldest(inList, '>=', '$3::bigint', entryTable)} first on true
        left join lateral ${newest(inList, '$4::bigint', entryTable)} last on true`,

    /** The records of the entries with ordinals from $3 to $4, newest first. */
    range: {
      isPage: true,
      text: `select ${generation}, array_to_string(array(
          select e.record from ${range(inList, '$3::integer', '$4::integer', entryTable)} e), ',')`,
    },

    /** The keys of these entries. */
    keys: `select ${generation}, e.time, e.id, e.ordinal from (select) one
        left join lateral ${range(inList, '$3::integer', '$4::integer', entryTable)} e on true`,

    /** The records of the entries with the ordinals $3. */
    records: `select ${generation}, e.ordinal, e.record from (select) one
        left join lateral (
          select e.ordinal, e.record from unnest($3::integer[]) as wanted(ordinal)
          cross join lateral ${range(inList, 'wanted.ordinal', 'wanted.ordinal + 0', entryTable)} e
        ) e on true`,

    /** The ordinals of the oldest entries at or after each of the times $3; 0 without such an entry. */
    seek: `select ${generation}, array_to_string(array(
          select coalesce((select e.ordinal from ${entryTable} e where ${inList}
            and e.time >= sought.time order by e.time, e.ordinal limit 1), 0)
          from unnest($3::bigint[]) with ordinality as sought(time, place) order by sought.place), ',')`,
  } as const satisfies Record<string, Statement>
}
