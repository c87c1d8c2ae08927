import { accountKindByList, entryLists } from '../../../provider/store.ts'
import { kindCodes, listCodes, targetCodes } from '../../enum-codes.ts'
import { partCodes } from './staging.ts'

const { banking, energy } = kindCodes

/**
 * The effect of each line of a load on its account: the state after the line. All other lines are checked and merged by
 * these. Rejected lines have none.
 *
 * The lines that may be unresolved after the last line (`unresolved_line`) are kept until the load ends.
 */
export const createLineEffects = `
  create temp table rejected_line (place bigint not null, kind smallint); -- null: the line of a customer
  create temp table account_effect (
    id text collate "C" not null,
    place bigint not null,
    is_last boolean not null,
    kind smallint not null,     -- 0: the account does not exist
    kind_before smallint not null,
    put bigint,                 -- the last line that puts the account; null: the stored account
    put_before bigint,
    banking_put bigint,         -- the last lines that put or delete an account of each kind
    energy_put bigint,
    banking_deleted bigint,
    energy_deleted bigint,
    primary key (id, place)
  );
  create temp table unresolved_line (
    place bigint not null, index integer,
    kind smallint,              -- null: of a restriction, which is not deleted with the account
    list smallint,
    account text collate "C" not null, customer text collate "C"
  );`

/** In batches, the lines of all batches are in the table: the deletion of an account finds those of the account. */
export const indexUnresolvedLines = 'create index on unresolved_line (account);'

const lastPlaces = ['put', 'deleted'].flatMap((effect) =>
  (['banking', 'energy'] as const).map(
    (kind) => `max(s.place) filter (where ${effect === 'put' ? '' : 'not '}s.is_put
      and s.kind = ${kindCodes[kind]}) over lines as ${kind}_${effect}`,
  ),
)

/** An account keeps its kind until it is deleted. A line that deletes one of the other kind leaves it as it is. */
export const accountEffects = `
  insert into account_effect
  select id, place, lead(place) over lines is null, kind,
    coalesce(lag(kind) over lines, stored_kind), put, lag(put) over lines,
    banking_put, energy_put, banking_deleted, energy_deleted
  from (
    select l.*, case when coalesce(case l.put_kind when ${banking} then l.banking_deleted
      else l.energy_deleted end > coalesce(l.put, 0), false) then 0 else l.put_kind end as kind
    from (
      select l.*, greatest(banking_put, energy_put) as put, case
        when coalesce(banking_put, 0) > coalesce(energy_put, 0) then ${banking}
        when energy_put is not null then ${energy}
        else stored_kind end as put_kind
      from (
        select s.id, s.place, coalesce(a.kind, 0) as stored_kind, ${lastPlaces.join(', ')}
        from staged_account s left join account a on a.id = s.id
        window lines as (partition by s.id order by s.place)
      ) l
    ) l
  ) l
  window lines as (partition by id order by place)`

export const hasDeletedAccounts = `
  select 1 from account_effect
  where is_last and coalesce(banking_deleted, energy_deleted) is not null limit 1`

const energyLists = entryLists
  .filter((list) => accountKindByList[list] === 'energy')
  .map((list) => listCodes[list])

/** SQL for the kind of account that has a list. */
export const entryKind = (list: string) =>
  `case when ${list} in (${energyLists.join()}) then ${energy} else ${banking} end`

/** SQL for the last line that deletes an account of a kind, 0 for either, by the effects of a line. */
const deletedKind = (effect: string, kind: string) => `case ${kind}
  when ${banking} then ${effect}.banking_deleted when ${energy} then ${effect}.energy_deleted
  when 0 then greatest(${effect}.banking_deleted, ${effect}.energy_deleted) end`

/** SQL for the last line that deletes the account that has a list, by the effects of a line. */
export const deletedList = (effect: string, list: string) =>
  `case when ${list} in (${energyLists.join()}) then ${effect}.energy_deleted
    else ${effect}.banking_deleted end`

/** Every line that refers to an account, with the required kind of account: 0 for either. */
const references = `
  select place, account, list, ${entryKind('list')} as kind from staged_entry where is_put
  union all
  select place, account, null, case part when ${partCodes.balance} then ${banking} else 0 end
  from staged_part where is_put`

const isUnresolved = '(coalesce(a.kind, 0) = 0 or (m.kind <> 0 and a.kind <> m.kind))'

/** Checks each account once instead of each line, as unresolved lines are rare. */
export const hasUnresolvedLines = `
  select 1 from (select distinct account, kind from (${references}) r) m
  left join account a on a.id = m.account where ${isUnresolved} limit 1`

/** Lines before the deletion of their account are deleted with it. An account that does not exist gets a placeholder. */
export const storeUnresolvedLines = [
  `insert into unresolved_line (place, kind, list, account)
   select m.place, m.kind, m.list, m.account from (${references}) m
   left join account a on a.id = m.account
   left join account_effect w on w.id = m.account and w.is_last
   where ${isUnresolved} and m.place > coalesce(${deletedKind('w', 'm.kind')}, 0)`,
  `insert into account (id)
   select distinct m.account from (${references}) m
   where not exists (select from account a where a.id = m.account) order by 1`,
]

/** In batches, a later one may delete a holder who exists. */
export const storeUnresolvedHolders = (inBatches: boolean) => `
  insert into unresolved_line (place, index, kind, account, customer)
  select h.place, h.index, s.kind, s.id, h.customer
  from staged_holder h join staged_account s on s.place = h.place
  join account_effect w on w.id = s.id and w.is_last
  ${inBatches ? '' : 'left join customer c on c.id = h.customer'}
  where h.place > coalesce(${deletedKind('w', 's.kind')}, 0) ${inBatches ? '' : 'and c.record is null'}`

/** A later batch may delete the account or the customer. */
export const storeRestrictionReferences = `
  insert into unresolved_line (place, account, customer)
  select place, case target when ${targetCodes.account} then id else '' end,
    case target when ${targetCodes.customer} then id end
  from staged_restriction where is_put`

/** Lines of earlier batches. */
export const deleteUnresolvedLines = `
  delete from unresolved_line u using account_effect w
  where w.is_last and w.id = u.account and ${deletedKind('w', 'u.kind')} is not null`

/** The lines of the load that refer to what does not exist now. */
export const unresolvedLines = `
  select m.place, m.index, m.kind, m.list, m.account, m.customer from unresolved_line m
  left join account a on a.id = m.account left join customer c on c.id = m.customer
  where case when m.customer is null then ${isUnresolved} else c.record is null end
  order by m.place, m.index`
