import { kindCodes } from './enum-codes.ts'
import type { Dialect } from './sql.ts'
import type { Statement } from './statement.ts'

/** The requesting customer, or a row of nulls. */
export const owner = `(select 1) one left join customer o on o.id = $1 and o.record is not null`

/** The first column of every statement: whether the customer or the account was not found. */
export const missingOne = `case when o.number is null then 'customer' when h.account is null then 'account' end`

/** One account of the customer. `kind` is SQL; without it, either kind is found. */
export function ownerAndAccount(kind?: string | number): string {
  return `${owner}
    left join account a on a.id = $2 ${kind ? `and a.kind = ${kind}` : ''}
    left join holder h on h.customer = o.number and h.account = a.number`
}

/** The filters of a list of accounts, $3 to $5: open, category, owned. Null matches everything. */
const passes = `(cast($3 as boolean) is null or a.is_open = $3)
      and (cast($4 as text) is null or a.category = $4)
      and (cast($5 as boolean) is null or h.is_owned = $5)`

/** The requested accounts ($2) of this kind that the customer holds, and whether each matches the filters. */
export function foundAccounts(dialect: Dialect, kind: string | number): string {
  return `found as materialized (
    select a.number, a.id, requested.place, ${passes} as passes
    from customer o cross join ${dialect.elements('$2')} requested
    ${dialect.lookUp('account', 'a', `a.id = requested.text and a.kind = ${kind}`)}
    join holder h on h.customer = o.number and h.account = a.number
    where o.id = $1 and o.record is not null
  )`
}

export function missingAny({ elements }: Dialect): string {
  return `case when o.number is null then 'customer'
    when (select count(*) from found) < (select count(*) from ${elements('$2')} e) then 'account' end`
}

/** The texts on a page of a table, joined. $6 is the offset, $7 the limit. */
const pageOf = (table: string, order: string, separator: string) => `(
      select string_agg(text, ${separator}) from (
        select text from ${table} order by ${order}
        limit cast($7 as bigint) offset cast($6 as bigint)) as page)`

/** The statements on accounts. The texts of accounts are joined with the separator that is the last parameter. */
export function createAccountStatements(dialect: Dialect) {
  /** The account `a` of the holder `h`: a banking account has the customer's `isOwned` between its two parts. */
  const listed = `a.head || case when a.kind <> ${kindCodes.banking} then ''
            when h.is_owned then 'true' else 'false' end || a.tail`

  /** A text per requested account that passes the filters. Only that of a balance may be missing. */
  const texts = (name: string, kind: number, text: string, source: string): Statement => ({
    name,
    isPage: true,
    text: `with ${foundAccounts(dialect, kind)},
      texts as materialized (
        select f.place, ${text} as text from found f left join ${source} where f.passes
      )
      select coalesce(${missingAny(dialect)},
          case when exists (select 1 from texts where text is null) then 'balance' end),
        (select count(*) from texts), ${pageOf('texts', 'place', `','`)}
      from ${owner}`,
  })

  return {
    listAccounts: {
      name: 'list-accounts',
      text: `with visible as materialized (
          select a.created, a.id, ${listed} as text
          from customer o join holder h on h.customer = o.number join account a on a.number = h.account
          where o.id = $1 and o.record is not null and a.kind = cast($2 as smallint) and ${passes}
        )
        select case when o.number is null then 'customer' end, (select count(*) from visible),
          ${pageOf('visible', 'created, id', 'cast($8 as text)')}
        from ${owner}`,
    },

    readAccount: {
      name: 'read-account',
      text: `select ${missingOne}, coalesce(a.detail, ${listed})
        from ${ownerAndAccount('cast($3 as smallint)')}`,
    },

    readEnergyAccounts: texts(
      'read-energy-accounts',
      kindCodes.energy,
      'coalesce(a.detail, a.head)',
      'account a on a.number = f.number',
    ),

    listBalances: texts(
      'list-balances',
      kindCodes.banking,
      'b.record',
      'balance b on b.account = f.number',
    ),

    readBalance: {
      name: 'read-balance',
      text: `select ${missingOne}, b.record from ${ownerAndAccount(kindCodes.banking)}
        left join balance b on b.account = h.account`,
    },

    readContact: {
      name: 'read-contact',
      text: `select ${missingOne}, c.status, c.record from ${ownerAndAccount()}
        left join contact c on c.account = h.account`,
    },

    readCustomer: {
      name: 'read-customer',
      text: 'select record from customer where id = $1 and record is not null',
    },

    findCustomers: {
      name: 'find-customers',
      text: `select match from customer where record is not null and number in (
          select number from customer where email = $1
          union all select customer from further_email where email = $1)
        order by id`,
    },

    listShareableAccounts: {
      name: 'list-shareable-accounts',
      text: `select case when o.number is null then 'customer' end, (
          select string_agg(shareable, cast($2 as text)) from (
            select a.shareable from holder h join account a on a.number = h.account
            where h.customer = o.number order by a.created, a.id) as held)
        from ${owner}`,
    },
  } as const satisfies Record<string, Statement>
}

/**
 * The number of customers and accounts, and an example: a customer with an account that has transactions. The condition
 * for that is SQL about the account `a`.
 */
export function countAll(hasTransactions: string): Statement {
  return {
    name: 'overview',
    isLong: true,
    text: `select (select count(*) from customer where record is not null),
        (select count(*) from account where kind <> 0), example.customer, example.account
      from (select 1) one left join (
        select c.id as customer, a.id as account
        from customer c join holder h on h.customer = c.number join account a on a.number = h.account
        where c.record is not null and a.kind = ${kindCodes.banking} and h.is_owned
          and ${hasTransactions}
        order by c.number limit 1
      ) example on true`,
  }
}
