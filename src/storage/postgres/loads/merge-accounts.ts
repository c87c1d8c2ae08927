import { partCodes } from './staging.ts'

/** Merges customers, accounts, their holders, balances and contacts. Unchanged rows are not written. */
export const mergeCustomers = [
  `insert into customer (id, email, match, record, email_hash, name_hash)
   select w.id, s.email, s.match, s.record, w.email_hash, w.name_hash
   from customer_effect w left join staged_customer s on s.place = w.put
   where w.is_last and w.email_hash is not null
     and not exists (select from customer c where c.id = w.id)
   order by w.id`,
  `update customer c set email = s.email, match = s.match, record = s.record,
     email_hash = w.email_hash, name_hash = w.name_hash
   from customer_effect w left join staged_customer s on s.place = w.put
   where w.is_last and w.id = c.id and (w.put is not null or not w.is_present)
     -- A customer that was put and removed again has no record before or after, but may be another person.
     and (c.record, c.email_hash, c.name_hash)
       is distinct from (s.record, w.email_hash, w.name_hash)`,
]

export const accountColumns = [
  'kind',
  'is_open',
  'category',
  'created',
  'is_owned_text',
  'shareable',
  'head',
  'tail',
  'detail',
]
const columnsOf = (table: string) => accountColumns.map((name) => `${table}.${name}`).join(', ')

export const mergeAccounts = [
  `insert into account (id, ${accountColumns.join(', ')})
   select w.id, ${columnsOf('s')} from account_effect w join staged_account s on s.place = w.put
   where w.is_last and not exists (select from account a where a.id = w.id)
   order by w.id`,
  `update account a set (${accountColumns.join(', ')}) = row (${columnsOf('s')})
   from account_effect w join staged_account s on s.place = w.put
   where w.is_last and w.id = a.id
     and (${columnsOf('a')}) is distinct from (${columnsOf('s')})`,
]

/** A holder who was removed after the line that names them no longer holds the account. */
const newHolders = `
  staged_holder s join customer c on c.id = s.customer
  left join customer_effect p on p.id = s.customer and p.is_last`
const isHolder = 's.place = w.put and (p.removed is null or p.removed < s.place)'

export const mergeHolders = [
  `delete from holder h using account a, account_effect w
   where w.is_last and w.id = a.id and a.number = h.account and (w.put is not null or w.kind = 0)
     and not exists (select from ${newHolders} where ${isHolder} and c.number = h.customer)`,
  `insert into holder (customer, account, is_owned)
   select * from (
     select c.number as customer, a.number as account, s.is_owned
     from account_effect w join account a on a.id = w.id, ${newHolders}
     where w.is_last and ${isHolder}
   ) n
   where not exists (select from holder h where h.customer = n.customer and h.account = n.account
     and h.is_owned = n.is_owned)
   on conflict (customer, account) do update set is_owned = excluded.is_owned`,
]

/** Holdings of removed customers, except in accounts whose holders this load sets. */
export const deleteHoldings = `
  delete from holder h using customer c, customer_effect w
  where w.is_last and w.removed is not null and w.id = c.id and c.number = h.customer
    and not exists (select from account a join account_effect l on l.id = a.id and l.is_last
      where a.number = h.account and l.put is not null)`

/** The last line for each balance and contact, after the last removal of its account. */
const lastLines = `
  with last_line as (
    select distinct on (s.account, s.part) a.number as account, s.part, s.is_put, s.status, s.record
    from staged_part s join account a on a.id = s.account
    left join account_effect w on w.id = s.account and w.is_last
    where w.removed is null or s.place > w.removed
    order by s.account, s.part, s.place desc
  )`
const removedAccounts = `
  select a.number from account a join account_effect w on w.id = a.id and w.is_last
  where w.removed is not null`

export const mergeParts = (['balance', 'contact'] as const).flatMap((table) => {
  const part = partCodes[table]
  const columns = table === 'balance' ? ['record'] : ['status', 'record']
  const isSame = columns.map((name) => `t.${name} = w.${name}`).join(' and ')
  return [
    `${lastLines}
     delete from ${table} t where t.account in (
       select account from last_line where part = ${part} and not is_put
       union all
       ${removedAccounts} and a.number not in (select account from last_line where part = ${part} and is_put)
     )`,
    `${lastLines}
     insert into ${table} (account, ${columns.join(', ')})
     select w.account, ${columns.map((name) => `w.${name}`).join(', ')} from last_line w
     where w.part = ${part} and w.is_put
       and not exists (select from ${table} t where t.account = w.account and ${isSame})
     on conflict (account) do update set ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
  ]
})

/** After everything that belongs to the accounts. */
export const deleteAccounts = `
  delete from account a using account_effect w where w.is_last and w.kind = 0 and w.id = a.id`
