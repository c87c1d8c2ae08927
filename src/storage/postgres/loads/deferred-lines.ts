import { listCodes } from '../../enum-codes.ts'
import { lostLines } from './line-effects.ts'

const { payment, transaction } = listCodes

/**
 * Lines of a load in batches that refer to what is not there yet. They wait here, and so does whatever
 * comes after them for the same account or payment: a batch that is committed holds nothing half.
 */
const stagedOf = {
  held_account: 'staged_account',
  held_holder: 'staged_holder',
  held_part: 'staged_part',
  held_entry: 'staged_entry',
} as const

export const deferredTables = [
  'held_line',
  ...Object.keys(stagedOf),
  'undecided_removal',
  'refusal',
]

export const createDeferred = `
  create temp table held_line (
    place bigint primary key, account text collate "C", payment text collate "C"
  );
  create index on held_line (account);
  create index on held_line (payment);
  ${Object.entries(stagedOf)
    .map(
      ([held, staged]) =>
        `create temp table ${held} (like ${staged}); create index on ${held} (place);`,
    )
    .join('\n  ')}
  create index on held_account (id);
  -- Removals of accounts that are not there: a later batch may have the line that puts the account (walks.ts).
  create temp table undecided_removal (
    id text collate "C" not null, kind smallint not null, place bigint not null
  );
  create index on undecided_removal (id);
  create temp table refusal (
    place bigint not null, index integer, kind smallint, list smallint
  );
  -- The times that entries were given which a batch before took away, or gave a time of their own.
  create temp table given (
    account text collate "C", id text collate "C", time bigint not null, primary key (account, id)
  );`

const removedAccounts = `
  select id, cut as place from account_walk where is_last and cut is not null`

const dropForgotten = Object.keys(stagedOf).map(
  (held) =>
    `delete from ${held} h where not exists (select from held_line l where l.place = h.place)`,
)

/**
 * The removal of an account does not wait: what waits for it goes with it. A payment that came to the
 * account last goes whole, for where it was before is overruled.
 */
export const dropRemoved = [
  `create temp table overruled on commit drop as
   select p.id, max(p.place) as place from (${removedAccounts}) r join (
     select id, account, place from staged_entry where list = ${payment} and is_put
     union all
     select payment, account, place from held_line where payment is not null
   ) p on p.account = r.id and p.place < r.place group by p.id`,
  `delete from staged_entry s using overruled o
   where s.list = ${payment} and s.id = o.id and s.place < o.place
     and s.place in (select place from (${lostLines}) l)`,
  `delete from held_line h using overruled o where h.payment = o.id and h.place < o.place`,
  `delete from held_line h using (${removedAccounts}) r
   where h.account = r.id and h.place < r.place`,
  ...dropForgotten,
  `delete from undecided_removal u using staged_account s where s.is_put and s.id = u.id`,
]

/** After the walk of a batch. */
export const keepUndecided = `
  insert into undecided_removal
  select w.id, s.kind, w.place from account_walk w join staged_account s on s.place = w.place
  where w.is_undecided`

/** At the end: an account that another load created meanwhile, and that the last batch does not remove. */
export const decideAtEnd = [
  `delete from held_line h using undecided_removal u join account a on a.id = u.id
     left join account_walk w on w.id = u.id and w.is_last
   where coalesce(w.kind, a.kind) = u.kind and h.account = u.id and h.place < u.place`,
  ...dropForgotten,
]

/** Whose holder is not there, and was not when the line came. */
const lackingAccounts = `
  select s.place from staged_account s where s.is_put and exists (
    select from staged_holder h
    left join customer_walk w on w.id = h.customer and w.is_last
    left join customer c on c.id = h.customer
    where h.place = s.place and not coalesce(w.is_there, c.record is not null)
      and not coalesce((select t.is_there from customer_walk t
        where t.id = h.customer and t.place < h.place order by t.place desc limit 1),
        c.record is not null))`

/** The lines that stand in line for something: their account, and a payment that may change accounts. */
const standing = `
  select place, id as account, null as payment from staged_account where is_put
  union all
  select place, account, null from staged_part
  union all
  select place, account, case when list = ${payment} then id end from staged_entry`

/** Asked again until it finds none: what waits may be what others wait for. */
export const deferLines = `
  insert into held_line
  select s.place, s.account, s.payment from (${standing}) s
  where (
    s.place in (${lackingAccounts})
    or s.place in (select place from (${lostLines}) l)
    or exists (select from held_line h where h.account = s.account and h.place < s.place)
    or exists (select from held_line h where h.payment = s.payment and h.place < s.place)
  ) and not exists (select from account_walk r
    where r.id = s.account and r.is_last and r.cut > s.place)`

/** What would have waited for an account that the same batch removes later. */
export const dropLost = ['staged_part', 'staged_entry'].map(
  (staged) => `delete from ${staged} where place in (select place from (${lostLines}) l)`,
)

export const moveDeferred = Object.entries(stagedOf).map(
  ([held, staged]) => `
  with moved as (
    delete from ${staged} s using held_line h where s.place = h.place returning s.*
  ) insert into ${held} select * from moved`,
)

/** At the end, all of them try again. */
export const releaseDeferred = [
  ...Object.entries(stagedOf).map(
    ([held, staged]) => `insert into ${staged} select * from ${held}`,
  ),
  'truncate held_account',
]

/** Before the others: what an account that is refused would have had is refused too. */
export const refuseAccounts = [
  `insert into refusal (place, index)
   select h.place, h.index from held_holder h
   left join customer_walk w on w.id = h.customer and w.is_last
   left join customer c on c.id = h.customer
   where not coalesce(w.is_there, c.record is not null)`,
  'delete from staged_account s using refusal r where s.place = r.place',
]

export const refuseLines = [
  `insert into refusal (place, kind, list)
   select l.place, l.kind, l.list from (${lostLines}) l
   join held_line h on h.place = l.place`,
  'delete from staged_part s using refusal r where s.place = r.place',
  'delete from staged_entry s using refusal r where s.place = r.place',
]

export const rememberAssignedTimes = [
  `insert into given
   select a.id, c.id, c.given_before from change c join account a on a.number = c.account
   where c.list = ${transaction} and c.given_before is not null
   on conflict (account, id) do update set time = excluded.time`,
  `insert into given
   select distinct on (account, id) account, id, time from staged_entry
   where time is not null and not has_own_time
   order by account, id, place desc
   on conflict (account, id) do update set time = excluded.time`,
]
