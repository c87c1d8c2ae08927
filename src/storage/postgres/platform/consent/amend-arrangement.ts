import type pg from 'pg'
import type { ArrangementStore } from '../../../../platform/consent/store.ts'
import { escapeNul } from '../../driver/escape-nul.ts'
import { runInOrder } from '../../driver/statements.ts'

/** First, so that the exchange sees the last change of another transaction. In order of the IDs, as everywhere. */
const lock = {
  name: 'lock-amended-arrangement',
  text: 'select id from arrangement where id in ($1, $2) order by id for update',
}
const exchange = {
  name: 'amend-arrangement',
  text: `with exchanged as (
      update arrangement a set accounts = b.accounts, scopes = b.scopes, starts = b.starts,
        ends = b.ends, status = case a.id when $1 then 'active' else 'withdrawn' end, updated = $3
      from arrangement b
      where (a.id, b.id) in (($1, $2), ($2, $1))
        and a.third_party = b.third_party and a.customer = b.customer
        and a.status = 'active' and b.status = 'active' and a.ends > $3 and b.ends > $3
      returning a.id),
    times as (
      update arrangement_change a set time = b.time from arrangement_change b
      where (a.arrangement, b.arrangement) in (($1, $2), ($2, $1))
        and a.status = 'active' and b.status = 'active'
        and a.arrangement in (select id from exchanged)),
    removed as (
      delete from artifact where grant_id = $1 and exists (select from exchanged)),
    moved as (
      update artifact
      set grant_id = $1, uid = replace(uid, $2, $1), payload = replace(payload, $2, $1)
      where grant_id = $2 and exists (select from exchanged))
    insert into arrangement_change
      select id, $3, 'withdrawn', 'amended' from exchanged where id = $2 returning 1`,
}

export function openAmendments(pool: pg.Pool): ArrangementStore['amend'] {
  return async (id, agreedId, { epochMilliseconds: now }) => {
    const ids = [escapeNul(id), escapeNul(agreedId)]
    const [, amended] = await runInOrder(pool, [
      [lock, ids],
      [exchange, [...ids, now]],
    ])
    return amended?.length === 1
  }
}
