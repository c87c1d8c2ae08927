import type { RestrictionTarget } from '../intake/writer.ts'
import { kindCodes, targetCodes } from './enum-codes.ts'
import type { Dialect } from './sql.ts'
import type { Statement } from './statement.ts'

/** The requesting customer, or a row of nulls. */
export const owner = `(select 1) one left join customer o on o.id = $1 and o.record is not null`

const applies = ({ now }: Dialect, of: RestrictionTarget, id: string) =>
  `r.target = ${targetCodes[of]} and r.id = ${id} and r.until > ${now}`

/** Null, or `account` or `customer` and the reason of its restriction. Most tables of restrictions are empty. */
export function restriction(dialect: Dialect, of: RestrictionTarget, id: string): string {
  return `(select '${of} ' || r.reason from restriction r where ${applies(dialect, of, id)})`
}

/** Null, or `account` and the reason that takes precedence among the restrictions of the accounts in `found`. */
export function anyRestriction(dialect: Dialect): string {
  return `(select 'account ' || r.reason from found f
    ${dialect.lookUp('restriction', 'r', applies(dialect, 'account', 'f.id'))}
    order by r.reason <> 'harm', r.reason limit 1)`
}

/** The first column of a statement on a customer: whether the customer is missing (`toMissing`). */
export function missingCustomer(dialect: Dialect): string {
  return `case when o.number is null then 'customer' else ${restriction(dialect, 'customer', 'o.id')} end`
}

/** The first column of a statement on a customer and accounts. The customer comes first. */
const missingFirst = (dialect: Dialect, isUnknown: string, restrictedAccount: string) =>
  `case when o.number is null then 'customer' else coalesce(${restriction(dialect, 'customer', 'o.id')},
    case when ${isUnknown} then 'account' else ${restrictedAccount} end) end`

export function missingOne(dialect: Dialect): string {
  return missingFirst(dialect, 'h.account is null', restriction(dialect, 'account', 'a.id'))
}

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

export function missingAny(dialect: Dialect): string {
  const isUnknown = `(select count(*) from found) < (select count(*) from ${dialect.elements('$2')} e)`
  return missingFirst(dialect, isUnknown, anyRestriction(dialect))
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
  const texts = (kind: number, text: string, source: string): Statement => ({
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
    listAccounts: `with visible as materialized (
          select a.created, a.id, ${listed} as text
          from customer o join holder h on h.customer = o.number join account a on a.number = h.account
          where o.id = $1 and o.record is not null and a.kind = cast($2 as smallint) and ${passes}
            and ${restriction(dialect, 'account', 'a.id')} is null
        )
        select ${missingCustomer(dialect)}, (select count(*) from visible),
          ${pageOf('visible', 'created, id', 'cast($8 as text)')}
        from ${owner}`,

    readAccount: `select ${missingOne(dialect)}, coalesce(a.detail, ${listed})
        from ${ownerAndAccount('cast($3 as smallint)')}`,

    readEnergyAccounts: texts(
      kindCodes.energy,
      'coalesce(a.detail, a.head)',
      'account a on a.number = f.number',
    ),

    listBalances: texts(kindCodes.banking, 'b.record', 'balance b on b.account = f.number'),

    readBalance: `select ${missingOne(dialect)}, b.record from ${ownerAndAccount(kindCodes.banking)}
        left join balance b on b.account = h.account`,

    readContact: `select ${missingOne(dialect)}, c.status, c.record from ${ownerAndAccount()}
        left join contact c on c.account = h.account`,

    readCustomer: `select ${missingCustomer(dialect)}, o.record from ${owner}`,

    findCustomers: `select match from customer where record is not null and number in (
          select number from customer where email = $1
          union all select customer from further_email where email = $1)
        order by id`,

    listShareableAccounts: `select ${missingCustomer(dialect)}, (
          select string_agg(shareable, cast($2 as text)) from (
            select a.shareable from holder h join account a on a.number = h.account
            where h.customer = o.number and ${restriction(dialect, 'account', 'a.id')} is null
            order by a.created, a.id) as held)
        from ${owner}`,
  } as const satisfies Record<string, Statement>
}

/** Numbers, and an example: a customer with an account that has transactions, a condition on `a`. */
export function countAll(hasTransactions: string): Statement {
  return {
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
