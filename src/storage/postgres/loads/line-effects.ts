import { accountKindByList, entryLists } from '../../../provider/store.ts'
import { kindCodes, listCodes } from '../../enum-codes.ts'
import { partCodes } from './staging.ts'

/**
 * The effect of each line of a load on its customer or account: the state after the line, and whether the line is
 * rejected. All other lines are checked and merged by these.
 */
export const createLineEffects = `
  create temp table customer_effect (
    id text collate "C" not null,
    place bigint not null,
    is_last boolean not null,
    is_rejected boolean not null,
    is_present boolean not null,
    email_hash text,
    name_hash text,
    put bigint,                 -- the line with the present state of the customer
    removed bigint,             -- the last line that removed the customer
    primary key (id, place)
  );
  create temp table account_effect (
    id text collate "C" not null,
    place bigint not null,
    is_last boolean not null,
    is_rejected boolean not null,
    is_unresolved boolean not null, -- removes an account that does not exist, before any line that puts it
    kind smallint not null,     -- 0: the account does not exist
    put bigint,                 -- the line with the present state of the account
    removed bigint,             -- the last line that removed the account and everything in it
    primary key (id, place)
  );`

/** A removal in an earlier batch, which takes effect with the first line that puts an account of the same kind. */
const resolvedRemoval = `(select max(u.place) from unresolved_removal u
  where w.kind = 0 and u.id = l.id and u.kind = l.kind)`

/**
 * A person may get a new name or a new address, but not both at once. No address is a value like any other. Names are
 * compared byte for byte.
 */
export const customerEffects = `
  insert into customer_effect
  with recursive line as (
    select id, place, is_put, email_hash, name_hash,
      row_number() over lines as n, lead(place) over lines is null as is_last
    from staged_customer window lines as (partition by id order by place)
  ), effect as (
    select l.id, 0::bigint as n, 0::bigint as place, false as is_last, false as is_rejected,
      c.record is not null as is_present, c.email_hash, c.name_hash,
      null::bigint as put, null::bigint as removed
    from line l left join customer c on c.id = l.id where l.n = 1
    union all
    select l.id, l.n, l.place, l.is_last, v.is_rejected,
      l.is_put and (w.is_present or not v.is_rejected),
      case when v.sets_identity then l.email_hash else w.email_hash end,
      case when v.sets_identity then l.name_hash else w.name_hash end,
      case when l.is_put then case when v.is_rejected then w.put else l.place end end,
      case when w.is_present and not l.is_put then l.place else w.removed end
    from effect w join line l on l.id = w.id and l.n = w.n + 1
    cross join lateral (
      select l.is_put and coalesce(
        w.email_hash <> l.email_hash and w.name_hash <> l.name_hash,
        false) as is_rejected
    ) r
    cross join lateral (
      -- A line that removes a customer may state who had the id, for a database that does not know it.
      select r.is_rejected, case when l.is_put then not r.is_rejected else w.email_hash is null end
        as sets_identity
    ) v
  )
  select id, place, is_last, is_rejected, is_present, email_hash, name_hash, put, removed
  from effect where n > 0`

/** Deferred lines determine the kind that an account will have. Their own effects are not computed. */
const deferredLines = `
  union all
  select id, place, true, kind, true from deferred_account
  where id in (select id from staged_account)`

/**
 * An account keeps its kind until it is removed; a line that removes one of the other kind has no effect. Where the
 * account does not exist, the next line that puts it determines the kind, so that loading the same lines again, when
 * the account exists, has the same result. In batches, that line may follow in a later batch (deferred-lines.ts).
 */
export const accountEffects = (inBatches: boolean) => `
  insert into account_effect
  with recursive known as (
    select id, place, is_put, kind, false as is_deferred from staged_account
    ${inBatches ? deferredLines : ''}
  ), line as (
    select id, place, is_put, kind, is_deferred, n,
      not is_deferred and lead(place) over (partition by id, is_deferred order by place) is null as is_last,
      -- The kind of the next line that puts the account. Order and kind are combined in one number.
      (min(case when is_put then n * 4 + kind end) over (partition by id order by place
        rows between current row and unbounded following) & 3)::smallint as next_kind
    from (select *, row_number() over (partition by id order by place) as n from known) k
  ), effect as (
    select l.id, 0::bigint as n, 0::bigint as place, false as is_last, true as is_deferred,
      false as is_rejected, false as is_unresolved, coalesce(a.kind, 0::smallint) as kind,
      null::smallint as deferred_kind, null::bigint as put, null::bigint as removed
    from line l left join account a on a.id = l.id where l.n = 1
    union all
    select l.id, l.n, l.place, l.is_last, l.is_deferred, l.is_put and not v.fits,
      not l.is_put and w.kind = 0 and w.deferred_kind is null and l.next_kind is null,
      case when l.is_deferred or not v.fits then w.kind when l.is_put then l.kind else 0::smallint end,
      case when l.is_deferred then l.kind when not v.fits then w.deferred_kind end,
      case when l.is_deferred or not v.fits then w.put when l.is_put then l.place end,
      case
        when l.is_put then coalesce(${inBatches ? resolvedRemoval : 'null'}, w.removed)
        when v.fits then l.place
        else w.removed
      end
    from effect w join line l on l.id = w.id and l.n = w.n + 1
    cross join lateral (
      select l.is_deferred or l.kind = coalesce(nullif(w.kind, 0), case when l.is_put then l.kind
        else coalesce(w.deferred_kind, l.next_kind) end) as fits
    ) f
    cross join lateral (select coalesce(f.fits, false) as fits) v
  )
  select id, place, is_last, is_rejected, is_unresolved, kind, put, removed
  from effect where n > 0 and not is_deferred`

export const hasRemovedAccounts = `
  select 1 from account_effect where is_last and removed is not null limit 1`

/** In order. Lines of customers have no kind. */
export const rejectedLines = `
  select place, null::smallint as kind from customer_effect where is_rejected
  union all
  select w.place, s.kind from account_effect w join staged_account s on s.place = w.place
  where w.is_rejected
  order by place`

const energyLists = entryLists
  .filter((list) => accountKindByList[list] === 'energy')
  .map((list) => listCodes[list])

/** SQL for the kind of account that has a list. */
export const entryKind = (list: string) =>
  `case when ${list} in (${energyLists.join()}) then ${kindCodes.energy} else ${kindCodes.banking} end`

/** Every line that refers to an account, with the required kind of account: 0 for either. */
const references = `
  select place, account, list, ${entryKind('list')} as kind from staged_entry where is_put
  union all
  select place, account, null, case part when ${partCodes.balance} then ${kindCodes.banking}
    else 0 end
  from staged_part where is_put`

const isUnresolved = (kind: string) => `(${kind} = 0 or (m.kind <> 0 and ${kind} <> m.kind))`

/** Checks each account once instead of each line, as unresolved lines are rare. */
export const hasUnresolvedLines = `
  select 1 from (select distinct account, kind from (${references}) r) m
  left join account_effect w on w.id = m.account and w.is_last
  left join account a on a.id = m.account
  where ${isUnresolved('coalesce(w.kind, a.kind, 0)')} limit 1`

/** The kind of the account before a line: 0 if it does not exist. */
const kindBefore = `coalesce(
  (select t.kind from account_effect t where t.id = m.account and t.place < m.place
   order by t.place desc limit 1), a.kind, 0)`

/**
 * Lines whose account does not exist after the load, and did not exist at the line either. Lines of an account that was
 * removed later are removed with it.
 */
export const unresolvedLines = `
  select m.place, m.account, m.kind, m.list from (${references}) m
  left join account_effect w on w.id = m.account and w.is_last
  left join account a on a.id = m.account
  where ${isUnresolved('coalesce(w.kind, a.kind, 0)')}
    and (w.removed is null or m.place > w.removed or ${isUnresolved(kindBefore)})`

/** Holders who do not exist after the load. */
export const unresolvedHolders = `
  select h.place, h.index, h.customer from staged_holder h
  join account_effect a on a.place = h.place and not a.is_rejected
  left join customer_effect w on w.id = h.customer and w.is_last
  left join customer c on c.id = h.customer
  where not coalesce(w.is_present, c.record is not null)`

/** Whether a holder exists before the line that names them. */
export const existsBefore = `coalesce((select t.is_present from customer_effect t
  where t.id = h.customer and t.place < h.place order by t.place desc limit 1),
  c.record is not null)`

/** For lines in a strict order: those whose account does not exist at the line. */
export const unresolvedInOrder = `
  select m.place, m.account, m.kind, m.list from (${references}) m
  left join account a on a.id = m.account
  where ${isUnresolved(kindBefore)}`

/** The same for holders. */
export const unresolvedHoldersInOrder = `
  select h.place, h.index, h.customer from staged_holder h
  left join customer c on c.id = h.customer
  where not ${existsBefore}`

/** An account with such a holder is not created: lines that refer to it are invalid too. */
export const deleteAccountsWithoutHolder = `
  delete from staged_account where place in (select place from (${unresolvedHoldersInOrder}) h)`
