import type { Statement } from '../driver/pipeline.ts'
import {
  foundAccounts,
  missingAny,
  missingOne,
  owner,
  ownerAndAccount,
} from './account-statements.ts'
import { newest, oldest, oneListStatements, range } from './entry-statements.ts'

/** Statements of the layout `citus`: on the coordinator, or on the shard of one account, whose number is $1. */

const found = (account: string) => `${account}.number, ${account}.id, coalesce(s.generation, 0)`

export const findAccount: Statement = {
  name: 'find-account',
  text: `select ${missingOne}, ${found('a')} from ${ownerAndAccount('$3::smallint')}
    left join account_state s on s.account = a.number`,
}

/** $2 to $5 as in `foundAccounts`, $6 is the kind. One row with nulls if no account passes the filters. */
export const findAccounts: Statement = {
  name: 'find-accounts',
  text: `with ${foundAccounts('$6::smallint')}
    select ${missingAny}, ${found('f')} from ${owner} left join found f on f.passes
    left join account_state s on s.account = f.number order by f.place`,
}

/** The first column of every statement on a shard. */
const generation = `coalesce((select s.generation from entry_state s where s.account = $1::bigint), 0)`

/** $2 is the list. */
const inList = 'e.account = $1::bigint and e.list = $2::smallint'

export const oneList = oneListStatements({
  name: 'shard',
  table: 'entry',
  head: generation,
  from: '(select 1) one',
  inList,
  first: 3,
})

/** The oldest and the newest entry in a time window, $3 and $4. */
export const readWindow: Statement = {
  name: 'read-window',
  text: `select ${generation}, first.ordinal, last.ordinal, first.time, last.time
    from (select 1) one
    left join lateral ${oldest(inList, '>=', '$3::bigint')} first on true
    left join lateral ${newest(inList, '$4::bigint')} last on true`,
}

/** The entries with ordinals from $3 to $4, newest first. */
export const readRange: Statement = {
  name: 'read-range',
  isLong: true,
  text: `select ${generation}, e.time, e.id, e.record from (select 1) one
    left join lateral ${range(inList, '$3::integer', '$4::integer')} e on true order by e.ordinal desc`,
}

/** The ordinals of the oldest entries at or after each of the times $3; 0 without such an entry. */
export const seekTimes: Statement = {
  name: 'seek-times',
  text: `select ${generation}, array_to_string(array(
      select coalesce((select e.ordinal from entry e where ${inList} and e.time >= sought.time
        order by e.time, e.ordinal limit 1), 0)
      from unnest($3::bigint[]) with ordinality as sought(time, place) order by sought.place), ',')`,
}
