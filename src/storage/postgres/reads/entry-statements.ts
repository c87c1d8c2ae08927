import {
  foundAccounts,
  missingAny as isAnyMissing,
  missingOne,
  owner,
  ownerAndAccount,
} from '../../account-statements.ts'
import type { DescribedStatement } from '../../statement.ts'
import { dialect } from '../driver/sql.ts'
import { indexedSearchStatements } from './indexed-search-statements.ts'
import { listStatement, newest, oldest, range } from './one-list-statements.ts'

/**
 * The statements on one list of a partition: $3 is the kind, $4 the list. The partitioned table has the same entries,
 * but each change of its statistics would make every connection plan for all partitions again.
 */
export function partitionStatements(table: string) {
  const one = {
    table,
    head: missingOne(dialect),
    from: ownerAndAccount('$3::smallint'),
    inList: 'e.account = h.account and e.list = $4::smallint',
    first: 5,
  }
  return { list: listStatement(one), ...indexedSearchStatements(one) }
}

const missingAny = isAnyMissing(dialect)

const inList = (account: string) => `e.account = ${account} and e.list = $9::smallint`

/** The lists of the accounts that match the filters: $8 is the kind, $9 the list, $10 and $11 the time window. */
const severalLists = `${foundAccounts(dialect, '$8::smallint')},
    list_range as materialized (
      select f.number, f.id, f.place, first.ordinal as first, last.ordinal as last,
        first.time as oldest, last.time as newest
      from found f
      cross join lateral ${oldest(inList('f.number'), '>=', '$10::bigint')} first
      cross join lateral ${newest(inList('f.number'), '$11::bigint')} last
      where f.passes and first.ordinal <= last.ordinal
    )`

const total = '(select coalesce(sum(last - first + 1), 0) from list_range)'

/** Account by account, in the requested order. $6 is the offset, $7 the limit. */
export const listEntriesByAccount: DescribedStatement = {
  isPage: true,
  text: `with ${severalLists},
    placed as materialized (
      select *, sum(last - first + 1) over (order by place) - (last - first + 1) as before from list_range
    )
    select ${missingAny}, ${total},
      array_to_string(array(
        select e.record from placed p cross join lateral ${range(
          inList('p.number'),
          'greatest(p.first, p.last + 1 - ($6::bigint + $7::bigint - p.before))',
          'p.last - greatest(0, $6::bigint - p.before)',
        )} e
        where p.before < $6::bigint + $7::bigint and p.before + p.last - p.first + 1 > $6::bigint
        order by p.place, e.ordinal desc), ',')
    from ${owner}`,
}

/** Newest first over all accounts, then by id, then by account. */
const byTime = 'order by e.time desc, e.id, s.id'

/** By time, for the first pages: the newest entries of every list, up to the end of the page, are read and sorted. */
export const listEntriesByTime: DescribedStatement = {
  isPage: true,
  text: `with ${severalLists}
    select ${missingAny}, ${total},
      array_to_string(array(
        select e.record from list_range s cross join lateral ${range(
          inList('s.number'),
          'greatest(s.first, s.last + 1 - $6::bigint - $7::bigint)',
          's.last',
        )} e
        ${byTime} offset $6::bigint limit $7::bigint), ',')
    from ${owner}`,
}

/** By time, for later pages: a binary search finds the times of its first and its last entry. */
export const listEntriesByTimeLater: DescribedStatement = {
  isPage: true,
  isLong: true,
  text: `with recursive ${severalLists},
    total as materialized (select ${total} as count),
    search (rank, low, high) as (
      select ranks.rank, ends.oldest, ends.newest
      from total, (select min(oldest) as oldest, max(newest) as newest from list_range) ends,
        unnest(array[$6::bigint, least($6::bigint + $7::bigint, total.count) - 1]) as ranks(rank)
      where $6::bigint < total.count
      union all
      select rank, case when since > rank then middle else low end,
        case when since > rank then high else middle - 1 end
      from (
        select rank, low, high, middle, (
          select sum(s.last + 1 - greatest(s.first, least(s.last + 1, coalesce(at.ordinal, s.last + 1))))
          from list_range s left join lateral ${oldest(inList('s.number'), '>=', 'middle')} at on true
        ) as since
        from (
          select rank, low, high, div(low::numeric + high + 1, 2)::bigint as middle
          from search where low < high offset 0
        ) halved
        offset 0
      ) counted
    ),
    bounds as materialized (select min(low) as oldest, max(low) as newest from search where low = high),
    part as materialized (
      select s.number, s.id, s.last,
        greatest(s.first, coalesce(low.ordinal, s.last + 1)) as low,
        least(s.last, greatest(s.first, coalesce(after.ordinal, s.last + 1)) - 1) as high
      from list_range s cross join bounds b
      left join lateral ${oldest(inList('s.number'), '>=', 'b.oldest')} low on true
      left join lateral ${oldest(inList('s.number'), '>', 'b.newest')} after on true
    )
    select ${missingAny}, (select count from total),
      array_to_string(array(
        select e.record from part s cross join lateral ${range(inList('s.number'), 's.low', 's.high')} e
        ${byTime}
        offset $6::bigint - (select coalesce(sum(last - high), 0) from part)
        limit $7::bigint), ',')
    from ${owner}`,
}
