import { entryKind } from './line-effects.ts'
import { mayCompleteBlock } from './search-index.ts'

const columns = 'has_own_time, time, id, amount, description, reference, record'

/**
 * Appends the new entries of most batches to their lists: all staged entries, or none if the general statements have to
 * decide. Requires one line per entry, and no line of an account. `$1` is the time of the load. Returns the number of
 * entries, and the accounts whose lists may have complete blocks without an index.
 */
export const appendEntries = `
  with placed as materialized (
    select account, list, ${columns}, (max(last_ordinal) over lines + position)::integer as ordinal,
      has_account and is_new and coalesce(max(last_time) over lines < time, true) as is_append
    from (
      select l.*, coalesce(n.ordinal, 0) as last_ordinal, n.time as last_time, e.id is null as is_new
      from (
        select *, row_number() over (partition by account, list order by time, id desc) as position
        from (
          select a.number as account, s.list, s.has_own_time, coalesce(s.time, $1) as time, s.id,
            s.amount, s.description, s.reference, s.record,
            coalesce(a.kind = ${entryKind('s.list')}, false) as has_account
          from staged_entry s left join account a on a.id = s.account
        ) s
      ) l
      left join lateral (
        select x.ordinal, x.time from entry x
        where l.position = 1 and x.account = l.account and x.list = l.list
        order by x.time desc, x.ordinal desc limit 1) n on true
      left join lateral (
        select x.id from entry x where x.account = l.account and x.list = l.list
          and x.id >= l.id and x.id <= l.id
        order by x.id limit 1) e on true
    ) p
    window lines as (partition by account, list)
  ), inserted as (
    insert into entry (account, list, ordinal, ${columns})
    select account, list, ordinal, ${columns} from placed
    where (select bool_and(is_append) from placed)
    returning account, list, ordinal
  )
  select count(*)::integer as count,
    coalesce(array_agg(distinct account) filter (where ${mayCompleteBlock}), '{}') as grown
  from inserted`
