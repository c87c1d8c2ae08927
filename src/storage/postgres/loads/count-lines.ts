import type { RecordType } from '../../../contract/index.ts'
import type { LineOutcome } from '../../../intake/line-counts.ts'
import { entryTypes } from '../../../intake/record-type.ts'
import { entryLists } from '../../../provider/store.ts'
import { kindCodes, listCodes } from '../../enum-codes.ts'
import type { VoidLines } from './deferred-lines.ts'
import { accountColumns } from './merge-accounts.ts'
import { fileOf } from './place.ts'
import { partCodes } from './staging.ts'

/** Counts what the lines did, before they are merged. Most lines are compared with the stored state alone. */

/** The codes of outcomes. An entry with another time is moved, one with another record only is replaced. */
const unchanged = 0
export const isNew = 1
export const isReplaced = 2
export const isMoved = 3
export const isRemoved = 4

const outcomes: Readonly<Record<number, LineOutcome>> = {
  [unchanged]: 'unchanged',
  [isNew]: 'created',
  [isReplaced]: 'changed',
  [isMoved]: 'changed',
  [isRemoved]: 'deleted',
}

export interface CountedLines {
  readonly file: number
  readonly type: RecordType
  readonly outcome: LineOutcome
  readonly lines: number
}

/** A row of a statement that counts. */
export interface CountRow {
  readonly file: number
  readonly type: RecordType
  readonly what: number
  readonly lines: string | number
}

export function toCountedLines({ file, type, what, lines }: CountRow): CountedLines {
  return { file, type, outcome: outcomes[what] ?? 'unchanged', lines: Number(lines) }
}

const counted = (lines: string) => `
  select file, type, what, count(*) as lines from (${lines}) l group by file, type, what`

/** The record of a customer before a line is that of an earlier line, or the stored one. */
export const countCustomers = counted(`
  with line as (
    select id, place, is_rejected, lag(is_present) over lines as was_present,
      lag(put) over lines as put_before
    from customer_effect window lines as (partition by id order by place)
  ), earlier as materialized (
    select place, record from staged_customer
    where place in (select put_before from line where put_before is not null)
  )
  select ${fileOf('l.place')} as file, 'customer' as type, case
    when not s.is_put then case when v.was_present then ${isRemoved} else ${unchanged} end
    when not v.was_present then ${isNew}
    when s.record <> coalesce(p.record, c.record) then ${isReplaced}
    else ${unchanged} end as what
  from line l join staged_customer s on s.place = l.place
  left join customer c on c.id = l.id
  left join earlier p on p.place = l.put_before
  cross join lateral (select coalesce(l.was_present, c.record is not null) as was_present) v
  where not l.is_rejected`)

const columnsOf = (table: string) => accountColumns.map((name) => `${table}.${name}`).join(', ')

/**
 * The same for accounts. Of a line whose record is the same, the holders are compared: without those who were removed
 * between the two lines.
 */
export const countAccounts = counted(`
  with effect as (
    select id, place, is_rejected, kind, lag(kind) over lines as kind_before,
      lag(put) over lines as put_before
    from account_effect window lines as (partition by id order by place)
  ), earlier as materialized (
    select * from staged_account
    where place in (select put_before from effect where put_before is not null)
  ), line as materialized (
    select e.place, e.put_before, a.number, s.kind, case
      when not s.is_put then case when v.was_present and e.kind = 0 then ${isRemoved} else ${unchanged} end
      when not v.was_present then ${isNew}
      when case when e.put_before is null then (${columnsOf('s')}) is distinct from (${columnsOf('a')})
        else (${columnsOf('s')}) is distinct from (${columnsOf('p')}) end then ${isReplaced}
      end as what
    from effect e join staged_account s on s.place = e.place
    left join account a on a.id = e.id
    left join earlier p on p.place = e.put_before
    cross join lateral (select coalesce(e.kind_before, a.kind, 0) <> 0 as was_present) v
    where not e.is_rejected
  ), held as (
    select l.place, h.customer, h.is_owned, true as is_after
    from line l join staged_holder h on h.place = l.place where l.what is null
    union all
    select b.place, b.customer, b.is_owned, false from (
      select l.place, l.put_before, h.customer, h.is_owned
      from line l join staged_holder h on h.place = l.put_before where l.what is null
      union all
      select l.place, 0, c.id, h.is_owned
      from line l join holder h on h.account = l.number join customer c on c.number = h.customer
      where l.what is null and l.put_before is null
    ) b
    where not exists (select from customer_effect q where q.id = b.customer
      and q.removed = q.place and q.place > b.put_before and q.place < b.place)
  ), held_differently as (
    select distinct place from (
      select place from held group by place, customer, is_owned
      having bool_and(is_after) or not bool_or(is_after)
    ) d
  )
  select ${fileOf('l.place')} as file,
    case l.kind when ${kindCodes.energy} then 'energy.account' else 'banking.account' end as type,
    coalesce(l.what, case when d.place is null then ${unchanged} else ${isReplaced} end) as what
  from line l left join held_differently d on d.place = l.place`)

/** The last removal of the account before a line. */
const removedBefore = (line: string) => `(select t.removed from account_effect t
  where t.id = ${line}.account and t.place < ${line}.place order by t.place desc limit 1)`

export const countParts = counted(`
  select ${fileOf('l.place')} as file,
    case l.part when ${partCodes.balance} then 'banking.balance' else 'account.contact' end as type,
    case
      when not l.is_put then case when b.is_put then ${isRemoved} else ${unchanged} end
      when not b.is_put then ${isNew}
      when (l.record, l.status) is distinct from (b.record, b.status) then ${isReplaced}
      else ${unchanged} end as what
  from (
    select s.*, ${removedBefore('s')} as removed, lag(place) over lines as place_before,
      lag(is_put) over lines as put_before, lag(record) over lines as record_before,
      lag(status) over lines as status_before
    from staged_part s window lines as (partition by account, part order by place)
  ) l
  left join account a on a.id = l.account
  left join balance m on m.account = a.number and l.part = ${partCodes.balance}
  left join contact n on n.account = a.number and l.part = ${partCodes.contact}
  cross join lateral (
    select l.put_before, l.record_before, l.status_before
    where l.place_before is not null and (l.removed is null or l.place_before > l.removed)
    union all
    select l.removed is null and (m.account is not null or n.account is not null),
      coalesce(m.record, n.record), n.status
    where l.place_before is null or l.place_before <= l.removed
  ) b (is_put, record, status)`)

export const countProducts = counted(`
  select ${fileOf('place')} as file, 'product' as type, ${unchanged} as what from staged_product`)

/** A row about entries. */
export interface EntryCountRow {
  /** Null for lines that `countComparedEntries` counts. */
  readonly file: number | null
  readonly list: number
  readonly what: number
  readonly lines: string | number
}

/** The entries that are different from the stored ones, which `table` lists. */
export const countChanges = (table: string) => `
  select file, list, what, count(*) as lines from ${table} group by file, list, what`

/** The number of all lines of entries. */
export const countEntryLines = `
  select ${fileOf('place')} as file, list, count(*) as lines from staged_entry group by 1, 2`

/**
 * The lines that did something, of those that have to be compared with other lines: of entries with several lines, and
 * of accounts that are removed. `$1` is the time of the load, `stored` the table with the stored entries.
 */
export const countComparedEntries = (inBatches: boolean, stored = 'entry') => `
  with line as (
    select s.account, s.list, s.id, s.place, s.is_put, s.record, ${removedBefore('s')} as removed,
      coalesce(s.time, (max(array[s.place, s.time]) filter (where s.time is not null and not s.has_own_time)
        over (partition by s.account, s.list, s.id order by s.place))[2]) as time
    from staged_entry s
    where (s.account, s.list, s.id) in (select account, list, id from repeated)
      or s.account in (select id from account_effect where is_last and removed is not null)
  ), timed as (
    select l.account, l.list, l.id, l.place, l.is_put, l.record, l.removed,
      e.id is not null as is_stored, e.record as stored_record, e.time as stored_time,
      coalesce(l.time, case when not e.has_own_time then e.time end, ${inBatches ? 'm.time, ' : ''}$1) as time
    from line l left join account a on a.id = l.account
    left join ${stored} e on e.account = a.number and e.list = l.list and e.id = l.id
    ${inBatches ? 'left join assigned_time m on m.account = l.account and m.id = l.id' : ''}
  ), compared as (
    select *, lag(place) over lines as place_before, lag(is_put) over lines as put_before,
      lag(record) over lines as record_before, lag(time) over lines as time_before
    from timed window lines as (partition by account, list, id order by place)
  )
  select file, list, what, count(*) as lines from (
    select ${fileOf('l.place')} as file, l.list, case
      when not l.is_put then case when b.is_put then ${isRemoved} end
      when not b.is_put then ${isNew}
      when l.record <> b.record or l.time <> b.time then ${isReplaced} end as what
    from compared l cross join lateral (
      select l.put_before, l.record_before, l.time_before
      where l.place_before is not null and (l.removed is null or l.place_before > l.removed)
      union all
      select l.removed is null and l.is_stored, l.stored_record, l.stored_time
      where l.place_before is null or l.place_before <= l.removed
    ) b (is_put, record, time)
  ) l where what is not null group by file, list, what`

/** The lines that did something, and all lines, which count as unchanged otherwise. */
export function countEntries(
  changed: readonly EntryCountRow[],
  all: readonly Omit<EntryCountRow, 'what'>[],
): CountedLines[] {
  return [...changed, ...all.map((each) => ({ ...each, what: unchanged }))].flatMap(
    toCountedEntries,
  )
}

/** Lines that did something were counted as unchanged with all others. */
function toCountedEntries({ file, list, what, lines }: EntryCountRow): CountedLines[] {
  const type = typeByList.get(list)
  if (file === null || type === undefined) return []
  const found = toCountedLines({ file, type, what, lines })
  return what === unchanged
    ? [found]
    : [found, { ...found, outcome: 'unchanged', lines: -found.lines }]
}

/** The type of lines that the database deleted before they were counted. */
export function toVoidType({ kind, part, list }: VoidLines): RecordType | undefined {
  if (kind !== undefined) return accountType(kind)
  if (part !== undefined) return part === partCodes.balance ? 'banking.balance' : 'account.contact'
  return list === undefined ? undefined : typeByList.get(list)
}

function accountType(kind: number): RecordType {
  return kind === kindCodes.energy ? 'energy.account' : 'banking.account'
}

const typeByList = new Map<number, RecordType>(
  entryLists.map((list) => [listCodes[list], entryTypes[list]]),
)
