import { kindCodes } from '../../enum-codes.ts'
import type { Statement } from '../driver/pipeline.ts'
import { separatorSql } from '../driver/statements.ts'

/** The requesting customer, or a row of nulls. */
export const owner = `(select) one left join customer o on o.id = $1 and o.record is not null`

/** The first column of every statement: whether the customer or the account was not found. */
export const missingOne = `case when o.number is null then 'customer' when h.account is null then 'account' end`

/** One account of the customer. `kind` is SQL; without it, either kind is found. */
export function ownerAndAccount(kind?: string): string {
  return `${owner}
    left join account a on a.id = $2 ${kind ? `and a.kind = ${kind}` : ''}
    left join holder h on h.customer = o.number and h.account = a.number`
}

/** The filters of a list of accounts, $3 to $5: open, category, owned. Null matches everything. */
const passes = `($3::boolean is null or a.is_open = $3) and ($4::text is null or a.category = $4)
      and ($5::boolean is null or h.is_owned = $5)`

/** The requested accounts ($2) of this kind that the customer holds, and whether each matches the filters. */
export function foundAccounts(kind: string): string {
  return `found as materialized (
    select a.number, a.id, requested.place, ${passes} as passes
    from customer o
    cross join unnest($2::text[]) with ordinality as requested(id, place)
    cross join lateral (select * from account a where a.id = requested.id and a.kind = ${kind} limit 1) a
    join holder h on h.customer = o.number and h.account = a.number
    where o.id = $1 and o.record is not null
  )`
}

export const missingAny = `case when o.number is null then 'customer'
    when (select count(*) from found) < cardinality($2::text[]) then 'account' end`

/** $6 is the offset, $7 the limit. */
const page = 'offset $6::bigint limit $7::bigint'

export const listAccounts: Statement = {
  name: 'list-accounts',
  text: `with visible as materialized (
      select a.created, a.id, concat_ws(${separatorSql}, a.head, h.is_owned, a.tail) as parts
      from customer o join holder h on h.customer = o.number join account a on a.number = h.account
      where o.id = $1 and o.record is not null and a.kind = $2::smallint and ${passes}
    )
    select case when o.number is null then 'customer' end, (select count(*) from visible),
      array_to_string(array(select parts from visible order by created, id ${page}), ${separatorSql})
    from ${owner}`,
}

/** A text per requested account, without the accounts that have none. */
function texts(name: string, kind: number, text: string, source: string): Statement {
  return {
    name,
    isPage: true,
    text: `with ${foundAccounts(String(kind))},
      texts as materialized (
        select f.place, ${text} as text from found f join ${source} where f.passes
      )
      select ${missingAny}, (select count(*) from texts),
        array_to_string(array(select text from texts order by place ${page}), ',')
      from ${owner}`,
  }
}

export const readEnergyAccounts = texts(
  'read-energy-accounts',
  kindCodes.energy,
  'coalesce(a.detail, a.head)',
  'account a on a.number = f.number',
)

export const listBalances = texts(
  'list-balances',
  kindCodes.banking,
  'b.record',
  'balance b on b.account = f.number',
)

export const readBalance: Statement = {
  name: 'read-balance',
  text: `select ${missingOne}, b.record
    from ${ownerAndAccount(String(kindCodes.banking))}
    left join balance b on b.account = h.account`,
}

export const readContact: Statement = {
  name: 'read-contact',
  text: `select ${missingOne}, c.status, c.record
    from ${ownerAndAccount()} left join contact c on c.account = h.account`,
}

export const readCustomer: Statement = {
  name: 'read-customer',
  text: 'select record from customer where id = $1 and record is not null',
}

export const findCustomers: Statement = {
  name: 'find-customers',
  text: 'select match from customer where email = $1 and record is not null order by id',
}

export const listShareableAccounts: Statement = {
  name: 'list-shareable-accounts',
  text: `select case when o.number is null then 'customer' end,
      array_to_string(array(
        select a.shareable from holder h join account a on a.number = h.account
        where h.customer = o.number order by a.created, a.id), ${separatorSql})
    from ${owner}`,
}
