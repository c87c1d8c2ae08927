import { accountKindByList, entryLists } from '../../../provider/store.ts'
import { kindCodes, listCodes } from '../../enum-codes.ts'
import { partCodes } from './staging.ts'

/**
 * What the lines of a load do to each customer and each account, one after another: the state after each
 * line, and whether the line could be. All else is judged and merged by these.
 */
export const createLineEffects = `
  create temp table customer_walk (
    id text collate "C" not null,
    place bigint not null,
    is_last boolean not null,
    is_refused boolean not null,
    is_there boolean not null,
    email_hash text,
    name_hash text,
    put bigint,                 -- the line that says how the customer is now
    gone bigint,                -- the last line that took the customer away
    primary key (id, place)
  );
  create temp table account_walk (
    id text collate "C" not null,
    place bigint not null,
    is_last boolean not null,
    is_refused boolean not null,
    is_undecided boolean not null, -- removes what is not there, before any line that puts it
    kind smallint not null,     -- 0: not there
    put bigint,                 -- the line that says how the account is now
    cut bigint,                 -- the last line that took away all that came before it
    primary key (id, place)
  );`

/** A removal in an earlier batch, which the first line that puts the account decides. */
const decidedCut = `(select max(u.place) from undecided_removal u
  where w.kind = 0 and u.id = l.id and u.kind = l.kind)`

export const lineEffectTables = ['customer_walk', 'account_walk']

/** A person may get a new name or a new address, but not both at once. Names are compared as they are written. */
export const customerEffects = `
  insert into customer_walk
  with recursive line as (
    select id, place, is_put, email_hash, earlier_email_hash, name_hash,
      row_number() over lines as n, lead(place) over lines is null as is_last
    from staged_customer window lines as (partition by id order by place)
  ), walk as (
    select l.id, 0::bigint as n, 0::bigint as place, false as is_last, false as is_refused,
      c.record is not null as is_there, c.email_hash, c.name_hash,
      null::bigint as put, null::bigint as gone
    from line l left join customer c on c.id = l.id where l.n = 1
    union all
    select l.id, l.n, l.place, l.is_last, v.is_refused,
      l.is_put and (w.is_there or not v.is_refused),
      case when v.is_taken then l.email_hash else w.email_hash end,
      case when v.is_taken then l.name_hash else w.name_hash end,
      case when l.is_put then case when v.is_refused then w.put else l.place end end,
      case when w.is_there and not l.is_put then l.place else w.gone end
    from walk w join line l on l.id = w.id and l.n = w.n + 1
    cross join lateral (
      select l.is_put and coalesce(
        w.email_hash not in (l.email_hash, l.earlier_email_hash) and w.name_hash <> l.name_hash,
        false) as is_refused
    ) r
    cross join lateral (
      -- A line that removes may say who had the id, for whoever does not know.
      select r.is_refused, case when l.is_put then not r.is_refused else w.email_hash is null end
        as is_taken
    ) v
  )
  select id, place, is_last, is_refused, is_there, email_hash, name_hash, put, gone
  from walk where n > 0`

/** Lines that wait for a holder say of which kind an account will be. They are not walked themselves. */
const heldLines = `
  union all
  select id, place, true, kind, true from held_account
  where id in (select id from staged_account)`

/**
 * An account keeps its kind until it is removed; a line that removes one of the other kind does nothing. Where the
 * account is not there, the next line that puts it says which kind is meant: loading the same lines again finds it
 * there. In batches that line may come in a later one (held-lines.ts).
 */
export const accountEffects = (inBatches: boolean) => `
  insert into account_walk
  with recursive known as (
    select id, place, is_put, kind, false as is_held from staged_account
    ${inBatches ? heldLines : ''}
  ), line as (
    select id, place, is_put, kind, is_held, row_number() over lines as n,
      not is_held and lead(place) over (partition by id, is_held order by place) is null as is_last,
      -- The kind of the next line that puts: the kind is behind the place, in one number.
      (min(case when is_put then place * 4 + kind end) over (lines
        rows between current row and unbounded following) & 3)::smallint as next_kind
    from known window lines as (partition by id order by place)
  ), walk as (
    select l.id, 0::bigint as n, 0::bigint as place, false as is_last, true as is_held,
      false as is_refused, false as is_undecided, coalesce(a.kind, 0::smallint) as kind,
      null::smallint as held_kind, null::bigint as put, null::bigint as cut
    from line l left join account a on a.id = l.id where l.n = 1
    union all
    select l.id, l.n, l.place, l.is_last, l.is_held, l.is_put and not v.fits,
      not l.is_put and w.kind = 0 and w.held_kind is null and l.next_kind is null,
      case when l.is_held or not v.fits then w.kind when l.is_put then l.kind else 0::smallint end,
      case when l.is_held then l.kind when not v.fits then w.held_kind end,
      case when l.is_held or not v.fits then w.put when l.is_put then l.place end,
      case
        when l.is_put then coalesce(${inBatches ? decidedCut : 'null'}, w.cut)
        when v.fits then l.place
        else w.cut
      end
    from walk w join line l on l.id = w.id and l.n = w.n + 1
    cross join lateral (
      select l.is_held or l.kind = coalesce(nullif(w.kind, 0), case when l.is_put then l.kind
        else coalesce(w.held_kind, l.next_kind) end) as fits
    ) f
    cross join lateral (select coalesce(f.fits, false) as fits) v
  )
  select id, place, is_last, is_refused, is_undecided, kind, put, cut
  from walk where n > 0 and not is_held`

/** Lines that could not be, in order: those of a customer have no kind. */
export const refusedLines = `
  select place, null::smallint as kind from customer_walk where is_refused
  union all
  select w.place, s.kind from account_walk w join staged_account s on s.place = w.place
  where w.is_refused
  order by place`

const energyLists = entryLists
  .filter((list) => accountKindByList[list] === 'energy')
  .map((list) => listCodes[list])

/** Every line that refers to an account, with the kind that it means: 0 where either will do. */
const references = `
  select place, account, list, case when list in (${energyLists.join()}) then ${kindCodes.energy}
    else ${kindCodes.banking} end as kind
  from staged_entry where is_put
  union all
  select place, account, null, case part when ${partCodes.balance} then ${kindCodes.banking}
    else 0 end
  from staged_part where is_put`

const isLost = (kind: string) => `(${kind} = 0 or (m.kind <> 0 and ${kind} <> m.kind))`

/** Whether there are any such: asked of each account once, as almost always there are none. */
export const isAnyLost = `
  select 1 from (select distinct account, kind from (${references}) r) m
  left join account_walk w on w.id = m.account and w.is_last
  left join account a on a.id = m.account
  where ${isLost('coalesce(w.kind, a.kind, 0)')} limit 1`

/**
 * Lines whose account is not there when all are in, and was not when they came. Those that had one which
 * was removed later went with it.
 */
export const lostLines = `
  select m.place, m.kind, m.list from (${references}) m
  left join account_walk w on w.id = m.account and w.is_last
  left join account a on a.id = m.account
  where ${isLost('coalesce(w.kind, a.kind, 0)')}
    and (w.cut is null or m.place > w.cut or ${isLost(`coalesce(
      (select t.kind from account_walk t where t.id = m.account and t.place < m.place
       order by t.place desc limit 1), a.kind, 0)`)})`

/** Holders who are not there when all is in. */
export const lostHolders = `
  select h.place, h.index from staged_holder h
  join account_walk a on a.place = h.place and not a.is_refused
  left join customer_walk w on w.id = h.customer and w.is_last
  left join customer c on c.id = h.customer
  where not coalesce(w.is_there, c.record is not null)`
