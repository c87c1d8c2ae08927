import type { RecordType } from '../../../contract/index.ts'
import type { LineOutcome } from '../../../intake/line-counts.ts'
import { entryTypes } from '../../../intake/record-type.ts'
import { entryLists } from '../../../provider/store.ts'
import { kindCodes, listCodes } from '../../enum-codes.ts'
import { deletedList } from './line-effects.ts'
import { columnsOf, kindBefore, remainingKind } from './merge-accounts.ts'
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
interface CountRow {
  readonly file: number
  readonly type: RecordType
  readonly outcome: number
  readonly lines: string | number
}

export function toCountedLines({ file, type, outcome, lines }: CountRow): CountedLines {
  return { file, type, outcome: outcomes[outcome] ?? 'unchanged', lines: Number(lines) }
}

const counted = (lines: string) => `
  select file, type, outcome, count(*) as lines from (${lines}) l group by file, type, outcome`

/** What a line is compared with is the line before it with the same key, or what is stored. */
const countRecords = (
  type: RecordType,
  table: string,
  key: readonly string[],
  compared: readonly string[] = ['record'],
) => {
  const list = (format: (column: string) => string, columns = compared) =>
    columns.map(format).join(', ')
  return counted(`
  select ${fileOf('l.place')} as file, '${type}' as type, case
    when not l.is_put then case when l.was_present then ${isRemoved} else ${unchanged} end
    when not l.was_present then ${isNew}
    when (${list((name) => `l.${name}`)}) is distinct from (${list((name) => `l.${name}_before`)})
      then ${isReplaced}
    else ${unchanged} end as outcome
  from (
    select s.place, s.is_put, ${list((name) => `s.${name}`)},
      coalesce(lag(s.is_put) over lines, t.record is not null) as was_present,
      ${list(
        (name) => `case when lag(s.place) over lines is null then t.${name}
        else lag(s.${name}) over lines end as ${name}_before`,
      )}
    from staged_${table} s left join ${table} t using (${key.join(', ')})
    window lines as (partition by ${list((name) => `s.${name}`, key)} order by s.place)
  ) l`)
}

export const countCustomers = countRecords('customer', 'customer', ['id'], ['record', 'emails'])
export const countRestrictions = countRecords('restriction', 'restriction', ['target', 'id'])

/** The record of an account before a line is that of the line before it, or the stored one. Of a line whose record is the same, the holders are compared. */
export const countAccounts = counted(`
  with line as materialized (
    select e.place, e.put_before, a.number, s.kind, case
      when not s.is_put then
        case when e.kind_before = s.kind then ${isRemoved} else ${unchanged} end
      when e.kind_before = 0 then ${isNew}
      when case when e.put_before is null then (${columnsOf('s')}) is distinct from (${columnsOf('a')})
        else (${columnsOf('s')}) is distinct from (${columnsOf('p')}) end then ${isReplaced}
      end as outcome
    from account_effect e join staged_account s on s.place = e.place
    left join account a on a.id = e.id
    left join staged_account p on p.place = e.put_before
  ), held as (
    select l.place, h.customer, h.is_owned, true as is_after
    from line l join staged_holder h on h.place = l.place where l.outcome is null
    union all
    select l.place, h.customer, h.is_owned, false
    from line l join staged_holder h on h.place = l.put_before where l.outcome is null
    union all
    select l.place, c.id, h.is_owned, false
    from line l join holder h on h.account = l.number join customer c on c.number = h.customer
    where l.outcome is null and l.put_before is null
  ), held_differently as (
    select distinct place from (
      select place from held group by place, customer, is_owned
      having bool_and(is_after) or not bool_or(is_after)
    ) d
  )
  select ${fileOf('l.place')} as file,
    case l.kind when ${kindCodes.energy} then 'energy.account' else 'banking.account' end as type,
    coalesce(l.outcome, case when d.place is null then ${unchanged} else ${isReplaced} end) as outcome
  from line l left join held_differently d on d.place = l.place`)

/** The effects of the last line of an account before another line. */
const effectBefore = (line: string) => `lateral (
    select * from account_effect t where t.id = ${line}.account and t.place < ${line}.place
    order by t.place desc limit 1)`

/** A record before a line is that of the line before it or the stored one, unless it was deleted with its account. */
export const countParts = counted(`
  select ${fileOf('l.place')} as file,
    case l.part when ${partCodes.balance} then 'banking.balance' else 'account.contact' end as type,
    case
      when not l.is_put then case when v.was_present then ${isRemoved} else ${unchanged} end
      when not v.was_present then ${isNew}
      when (l.record, l.status) is distinct from (l.record_before, l.status_before) then ${isReplaced}
      else ${unchanged} end as outcome
  from (
    select s.account, s.part, s.place, s.is_put, s.record, s.status,
      coalesce(s.place_before, 0) as place_before,
      case when s.place_before is null then m.account is not null or n.account is not null
        else s.put_before end as was_put,
      case when s.place_before is null then n.kind
        else ${kindBefore('s.account', 's.place_before')} end as kind_before,
      case when s.place_before is null then coalesce(m.record, n.record)
        else s.record_before end as record_before,
      case when s.place_before is null then n.status else s.status_before end as status_before
    from (
      select *, lag(place) over lines as place_before, lag(is_put) over lines as put_before,
        lag(record) over lines as record_before, lag(status) over lines as status_before
      from staged_part window lines as (partition by account, part order by place)
    ) s
    left join account a on a.id = s.account
    left join balance m on m.account = a.number and s.part = ${partCodes.balance}
    left join contact n on n.account = a.number and s.part = ${partCodes.contact}
  ) l
  left join ${effectBefore('l')} e on true
  cross join lateral (select l.was_put and case l.part
    when ${partCodes.balance} then coalesce(e.banking_deleted < l.place_before, true)
    else ${remainingKind('l.kind_before', 'l.place_before', 'e')} is not null end as was_present
  ) v`)

export const countProducts = counted(`
  select ${fileOf('place')} as file, 'product' as type, ${unchanged} as outcome from staged_product`)

/** A row about entries. */
export interface EntryCountRow {
  /** Null for lines that `countComparedEntries` counts. */
  readonly file: number | null
  readonly list: number
  readonly outcome: number
  readonly lines: string | number
}

/** The entries that are different from the stored ones, which `table` lists. */
export const countChanges = (table: string) => `
  select file, list, outcome, count(*) as lines from ${table} group by file, list, outcome`

/**
 * The lines that did something, of those that have to be compared with other lines: of entries with several lines, and
 * of accounts that are removed. `$1` is the time of the load, `stored` the table with the stored entries.
 */
export const countComparedEntries = (inBatches: boolean, stored = 'entry') => `
  with line as (
    select s.account, s.list, s.id, s.place, s.is_put, s.record, (
        select ${deletedList('t', 's.list')} from ${effectBefore('s')} t) as deleted,
      coalesce(s.time, (max(array[s.place, s.time]) filter (where s.time is not null and not s.has_own_time)
        over (partition by s.account, s.list, s.id order by s.place))[2]) as time
    from staged_entry s
    where (s.account, s.list, s.id) in (select account, list, id from repeated)
      or s.account in (select id from account_effect
        where is_last and coalesce(banking_deleted, energy_deleted) is not null)
  ), timed as (
    select l.account, l.list, l.id, l.place, l.is_put, l.record, l.deleted,
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
  select file, list, outcome, count(*) as lines from (
    select ${fileOf('l.place')} as file, l.list, case
      when not l.is_put then case when b.is_put then ${isRemoved} end
      when not b.is_put then ${isNew}
      when l.record <> b.record or l.time <> b.time then ${isReplaced} end as outcome
    from compared l cross join lateral (
      select l.put_before, l.record_before, l.time_before
      where l.place_before is not null and (l.deleted is null or l.place_before > l.deleted)
      union all
      select l.deleted is null and l.is_stored, l.stored_record, l.stored_time
      where l.place_before is null or l.place_before <= l.deleted
    ) b (is_put, record, time)
  ) l where outcome is not null group by file, list, outcome`

/** The lines that did something, and all lines, which count as unchanged otherwise. */
export function countEntries(
  changed: readonly EntryCountRow[],
  all: readonly Omit<EntryCountRow, 'outcome'>[],
): CountedLines[] {
  return [...changed, ...all.map((each) => ({ ...each, outcome: unchanged }))].flatMap(
    toCountedEntries,
  )
}

/** Lines that did something were counted as unchanged with all others. */
function toCountedEntries({ file, list, outcome, lines }: EntryCountRow): CountedLines[] {
  const type = typeByList.get(list)
  if (file === null || type === undefined) return []
  const found = toCountedLines({ file, type, outcome, lines })
  return outcome === unchanged
    ? [found]
    : [found, { ...found, outcome: 'unchanged', lines: -found.lines }]
}

const typeByList = new Map<number, RecordType>(
  entryLists.map((list) => [listCodes[list], entryTypes[list]]),
)
