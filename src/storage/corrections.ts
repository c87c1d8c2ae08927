import { recordTypeOf } from '../intake/record-type.ts'
import type { Item } from '../intake/writer.ts'
import { accountKindByList, type EntryList } from '../provider/store.ts'
import { kindCodes, listCodes } from './enum-codes.ts'
import type { TableDialect } from './platform/schema.ts'

/**
 * A commit lists a correction if a line for a record is marked as one, and readers see another record afterwards, or none:
 * what they have never seen was not disclosed. Each holder before the commit has a row.
 */

export const createCorrectionTable = (dialect: TableDialect) => {
  const { key, bigint, boolean, sequence, numberOptions } = dialect
  return `
  create table correction (
    number ${sequence},
    time ${bigint} not null,
    type text not null,           -- of the line
    is_deleted ${boolean} not null, -- or the customer does not hold the account any longer
    customer ${key} not null,     -- a holder before the correction
    account ${key},
    entry ${key},
    time_before ${bigint},        -- of a transaction, an invoice or a billing transaction, in milliseconds
    time_after ${bigint}
  )${numberOptions};
  create index correction_customer on correction (customer, time, number);
  create index correction_time on correction (time, number);`
}

/** Refers to a record: that of a customer has no account, and only an entry has a list. */
export const keyColumns = ['type', 'account', 'id', 'kind', 'list'] as const

/** The values of the columns. A contact has one of either kind of account, with the code 0. */
export function toCorrectionKey(item: Item): [string, string, string, number, number] {
  const type = recordTypeOf(item)
  const of = item.type === 'removal' ? item.of : item.type === 'entry' ? item.list : item.type
  const { id = '', accountId = '' } = item as { readonly id?: string; readonly accountId?: string }
  if (of === 'customer') return [type, '', id, 0, 0]
  if (of in listCodes) {
    const list = of as EntryList
    return [type, accountId, id, kindCodes[accountKindByList[list]], listCodes[list]]
  }
  const kind = type === 'energy.account' ? 'energy' : 'banking'
  return [type, accountId || id, '', of === 'contact' ? 0 : kindCodes[kind], 0]
}

/** SQL for the columns of a key. */
export const defineKey = (text: string) =>
  `type ${text} not null, account ${text} not null, id ${text} not null, kind smallint not null,
    list smallint not null`

/** What readers see of corrected records before the commit, with a row for each holder. */
export const createCorrected = (text: string) => `
  create temp table corrected (${defineKey(text)}, customer ${text} not null, content text, time bigint);`

/** `isEntry`: a condition on the account `a`, the key `k` and the row `e` of the table of entries. */
export interface EntrySource {
  readonly table: string
  readonly isEntry: string
}

const ofAccount = `a.id = k.account and a.kind <> 0 and (k.kind = 0 or a.kind = k.kind)`
const fromAccount = (value: string, join = '') =>
  `(select ${value} from account a ${join} where ${ofAccount})`

const holders = `(select string_agg(o.id || case when h.is_owned then '+' else '-' end, ' ' order by o.id)
  from holder h join customer o on o.number = h.customer where h.account = a.number)`

/** SQL for what readers see of the record with the key `k`. Null if they see none. */
const contentOf = ({ table, isEntry }: EntrySource) => `case
  when k.account = '' then (select c.record from customer c where c.id = k.id)
  when k.list > 0 then ${fromAccount('e.record', `join ${table} e on ${isEntry}`)}
  when k.type = 'banking.balance' then ${fromAccount('b.record', 'join balance b on b.account = a.number')}
  when k.type = 'account.contact' then
    ${fromAccount('c.status || c.record', 'join contact c on c.account = a.number')}
  else ${fromAccount(`a.head || coalesce(a.is_owned_text, '') || a.tail || coalesce(${holders}, '')`)} end`

/** Only these lists are in the order of time: that of nanoseconds, and invoices in that of days. */
const timeOf = ({ table, isEntry }: EntrySource) => {
  const select = (value: string) => fromAccount(value, `join ${table} e on ${isEntry}`)
  const { transaction, billing, invoice } = listCodes
  return `case when k.list in (${transaction}, ${billing}) then ${select('e.time / 1000000')}
    when k.list = ${invoice} then ${select('e.time * 86400000')} end`
}

/** Selects the rows of `corrected`, by the keys in a table. */
export const selectSeen = (keys: string, source: EntrySource) => `
  select * from (
    select ${keyColumns.map((name) => `k.${name}`).join(', ')}, coalesce(o.id, k.id) as customer,
      ${contentOf(source)} as content, ${timeOf(source)} as time
    from ${keys} k
    left join account a on ${ofAccount}
    left join holder h on h.account = a.number
    left join customer o on o.number = h.customer
    where k.account = '' or o.id is not null
  ) r where content is not null`

/** Lists the rows of `corrected` that differ from what readers will see. */
export const listCorrections = (source: EntrySource, now: string) => `
  insert into correction (time, type, is_deleted, customer, account, entry, time_before, time_after)
  select ${now}, type, content_after is null or not is_held, customer, nullif(account, ''),
    case when list > 0 then id end, time, time_after
  from (
    select k.*, ${contentOf(source)} as content_after, ${timeOf(source)} as time_after,
      k.account = '' or exists (select 1 from account a join holder h on h.account = a.number
        join customer o on o.number = h.customer where ${ofAccount} and o.id = k.customer) as is_held
    from corrected k
  ) r
  where content_after is distinct from content or time_after is distinct from time
  order by customer, account, type, id`
