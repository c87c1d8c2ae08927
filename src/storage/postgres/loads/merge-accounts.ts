import { kindCodes } from '../../enum-codes.ts'
import { accountColumns, clearAccount, customerColumns } from '../../owner-columns.ts'
import { replaceColumns } from '../../sql.ts'
import { partCodes } from './staging.ts'

/** Merges customers, accounts, their holders, balances, contacts and restrictions. Unchanged rows are not written. */

/** The last line of each customer. A deleted customer keeps the digests of the person. */
export const mergeCustomers = `
  insert into customer (id, email, match, emails, record, email_hash, name_hash)
  select l.id, s.email, s.match, s.emails, s.record, i.email_hash, i.name_hash
  from (
    select id, max(place) as last, max(place) filter (where is_put) as put,
      min(place) filter (where not is_put and email_hash is not null) as first_deleted
    from staged_customer group by id
  ) l
  join staged_customer s on s.place = l.last
  left join staged_customer p on p.place = l.put
  left join staged_customer d on d.place = l.first_deleted
  left join customer c on c.id = l.id
  cross join lateral (
    select coalesce(p.email_hash, c.email_hash, d.email_hash) as email_hash,
      coalesce(p.name_hash, c.name_hash, d.name_hash) as name_hash
  ) i
  where (c.record, c.emails, c.email_hash, c.name_hash)
    is distinct from (s.record, s.emails, i.email_hash, i.name_hash)
  order by l.id
  on conflict (id) do update set ${replaceColumns([...customerColumns, 'email_hash', 'name_hash'])}`

/** Before the merge of customers: the further addresses of those who have others afterwards, or none. */
export const deleteEmails = `
  with last_line as (
    select id, max(place) as place from staged_customer
    where id in (select c.id from further_email f join customer c on c.number = f.customer)
    group by id
  )
  delete from further_email f using last_line l
  join staged_customer s on s.place = l.place join customer c on c.id = l.id
  where c.number = f.customer and c.emails is distinct from s.emails`

/** After the merge of customers. */
export const insertEmails = `
  insert into further_email (customer, email)
  select c.number, e.email
  from (select id, max(place) as last from staged_customer group by id) l
  join staged_email e on e.place = l.last join customer c on c.id = l.id
  on conflict do nothing`

export const columnsOf = (table: string) =>
  accountColumns.map((name) => `${table}.${name}`).join(', ')

/** A deleted account leaves a placeholder. */
export const mergeAccounts = [
  `insert into account (id, ${accountColumns.join(', ')})
   select w.id, ${columnsOf('s')} from account_effect w join staged_account s on s.place = w.put
   left join account a on a.id = w.id
   where w.is_last and w.kind <> 0 and (a.id is null or (${columnsOf('a')}) is distinct from (${columnsOf('s')}))
   order by w.id
   on conflict (id) do update set ${replaceColumns(accountColumns)}`,
  `update account a set ${clearAccount}
   from account_effect w where w.is_last and w.kind = 0 and w.id = a.id and a.kind <> 0`,
]

/** A holder who does not exist gets a placeholder. */
export const mergeHolders = [
  `insert into customer (id)
   select distinct s.customer from account_effect w join staged_holder s on s.place = w.put
   where w.is_last and w.kind <> 0
     and not exists (select from customer c where c.id = s.customer) order by 1`,
  `delete from holder h using account a, account_effect w
   where w.is_last and w.id = a.id and a.number = h.account and (w.put is not null or w.kind = 0)
     and not exists (select from staged_holder s join customer c on c.id = s.customer
       where w.kind <> 0 and s.place = w.put and c.number = h.customer)`,
  `insert into holder (customer, account, is_owned)
   select c.number, a.number, s.is_owned
   from account_effect w join account a on a.id = w.id
   join staged_holder s on s.place = w.put join customer c on c.id = s.customer
   left join holder h on h.customer = c.number and h.account = a.number
   where w.is_last and w.kind <> 0 and h.is_owned is distinct from s.is_owned
   on conflict (customer, account) do update set is_owned = excluded.is_owned`,
]

/** The last line for each balance, after the last deletion of its account. */
const lastBalances = `
  with last_line as (
    select distinct on (s.account) a.number as account, s.is_put, s.record
    from staged_part s join account a on a.id = s.account
    left join account_effect w on w.id = s.account and w.is_last
    where s.part = ${partCodes.balance} and (w.banking_deleted is null or s.place > w.banking_deleted)
    order by s.account, s.place desc
  )`

export const mergeBalances = [
  `${lastBalances}
   delete from balance t where t.account in (
     select account from last_line where not is_put
     union all
     select a.number from account a join account_effect w on w.id = a.id
     where w.is_last and w.banking_deleted is not null
       and a.number not in (select account from last_line where is_put)
   )`,
  `${lastBalances}
   insert into balance (account, record)
   select w.account, w.record from last_line w
   where w.is_put and not exists (
     select from balance t where t.account = w.account and t.record = w.record)
   on conflict (account) do update set record = excluded.record`,
]

/** SQL for the kind of an account before a line: 0 if it does not exist. `a` is the account. */
export const kindBefore = (id: string, place: string) => `coalesce(
  (select e.kind from account_effect e where e.id = ${id} and e.place < ${place}
   order by e.place desc limit 1),
  (select e.kind_before from account_effect e where e.id = ${id} order by e.place limit 1),
  a.kind, 0)`

/**
 * SQL for the kind of account that a contact still belongs to after other lines: 0 for either, null for none. `kind` and
 * `place` are those of the contact, `effect` is the effect of the last line of its account. A contact that arrives before
 * its account may belong to either kind, until the account is put or one of a kind is deleted.
 */
export const remainingKind = (kind: string, place: string, effect: string): string => {
  const isLost = (own: string, other: string) =>
    `coalesce(${effect}.${own}_deleted > ${place} or ${effect}.${other}_put > ${place}, false)`
  const { banking, energy } = kindCodes
  return `case
    when ${kind} <> ${energy} and not ${isLost('banking', 'energy')} then
      case when ${kind} = 0 and not ${isLost('energy', 'banking')} then 0 else ${banking} end
    when ${kind} <> ${banking} and not ${isLost('energy', 'banking')} then ${energy} end`
}

/** The last line for each contact, or the stored contact of an account that has lines. */
const lastContacts = `
  with line as (
    select distinct on (account) account as id, place, is_put, status, record
    from staged_part where part = ${partCodes.contact} order by account, place desc
  ), found as (
    select l.id, a.number as account, l.place, l.is_put, l.status, l.record,
      ${kindBefore('l.id', 'l.place')} as kind
    from line l join account a on a.id = l.id
    union all
    select w.id, a.number, 0, true, c.status, c.record, c.kind
    from account_effect w join account a on a.id = w.id join contact c on c.account = a.number
    where w.is_last and not exists (select from line l where l.id = w.id)
  ), last_contact as materialized (
    select f.account, f.status, f.record,
      case when f.is_put then ${remainingKind('f.kind', 'f.place', 'w')} end as kind
    from found f left join account_effect w on w.id = f.id and w.is_last
  )`

export const mergeContacts = [
  `${lastContacts}
   delete from contact c using last_contact l where l.account = c.account and l.kind is null`,
  `${lastContacts}
   insert into contact (account, kind, status, record)
   select l.account, l.kind, l.status, l.record from last_contact l
   left join contact c on c.account = l.account
   where l.kind is not null
     and (c.kind, c.status, c.record) is distinct from (l.kind::smallint, l.status, l.record)
   on conflict (account) do update
     set kind = excluded.kind, status = excluded.status, record = excluded.record`,
]

/** The last line for each restriction. */
const lastRestrictions = `
  with last_line as (
    select distinct on (target, id) target, id, is_put, reason, until, record
    from staged_restriction order by target, id, place desc
  )`

export const mergeRestrictions = [
  `${lastRestrictions}
   delete from restriction r using last_line l
   where l.target = r.target and l.id = r.id and not l.is_put`,
  `${lastRestrictions}
   insert into restriction (target, id, reason, until, record)
   select l.target, l.id, l.reason, l.until, l.record from last_line l
   where l.is_put and not exists (select from restriction r
     where r.target = l.target and r.id = l.id and r.record = l.record)
   on conflict (target, id) do update
     set reason = excluded.reason, until = excluded.until, record = excluded.record`,
]
