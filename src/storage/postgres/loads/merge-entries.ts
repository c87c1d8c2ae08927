import { listCodes } from '../../enum-codes.ts'
import {
  type CountedLines,
  countChanges,
  countComparedEntries,
  countEntries,
  type EntryCountRow,
  isMoved,
  isNew,
  isRemoved,
  isReplaced,
} from './count-lines.ts'
import { deletedList } from './line-effects.ts'
import { fileOf } from './place.ts'
import type { EntryMerging } from './run.ts'

/** Finds the last line for each entry, what it changes, and new positions. Records are copied once, at the end. */
export const makeEntryTables = `
  create temp table repeated (
    account text collate "C" not null, list smallint not null, id text collate "C" not null
  );
  create temp table last_line (
    account bigint not null,
    list smallint not null,
    is_put boolean not null,
    has_own_time boolean,
    time bigint,
    assigned_by bigint,         -- the last line that assigned a time, for a record without one
    line tid,                   -- the location of the staged line
    id text collate "C" not null
  );
  create temp table change (
    account bigint not null,
    list smallint not null,
    outcome smallint not null,
    has_own_time boolean,
    file smallint,              -- of the line, unless it is compared with other lines
    ordinal_before integer,
    time bigint,
    time_before bigint,
    assigned_before bigint,     -- the same, if it was assigned
    line tid,
    id text collate "C" not null
  );
  create temp table needs_reorder (
    account bigint not null,
    list smallint not null,
    since bigint not null,
    ordinal integer not null,   -- of the last entry before
    is_append boolean not null  -- no existing entry follows
  );
  create temp table placed (
    account bigint not null,
    list smallint not null,
    has_own_time boolean,
    ordinal integer not null,
    ordinal_before integer,
    time bigint not null,
    line tid,                   -- null: an existing entry with another ordinal
    id text collate "C" not null
  );`

/** The assigned times of entries that an earlier batch removed, or loaded with a time of their own. */
export const createAssignedTimes = `
  create temp table assigned_time (
    account text collate "C", id text collate "C", time bigint not null, primary key (account, id)
  );`

export const rememberAssignedTimes = [
  `insert into assigned_time
   select a.id, c.id, c.assigned_before from change c join account a on a.number = c.account
   where c.list = ${listCodes.transaction} and c.assigned_before is not null
   on conflict (account, id) do update set time = excluded.time`,
  `insert into assigned_time
   select distinct on (account, id) account, id, time from staged_entry
   where time is not null and not has_own_time
   order by account, id, place desc
   on conflict (account, id) do update set time = excluded.time`,
]

export const entryTables = ['repeated', 'last_line', 'change', 'needs_reorder', 'placed']

const isAfterDeletion = `s.place > coalesce(${deletedList('w', 's.list')}, 0)`

/** Few entries have more than one line. */
export const findRepeated = `
  insert into repeated
  select account, list, id from staged_entry
  group by account, list, id having count(*) > 1`

/** The last line of each. An entry that is removed and loaded again keeps its assigned time. */
export const lastOfRepeated = `
  insert into last_line
  select a.number, s.list, s.is_put, s.has_own_time, s.time, s.assigned_by, s.line, s.id from (
    select account, list, s.is_put, s.has_own_time, s.time, s.ctid as line, id, s.place,
      max(s.place) filter (where s.time is not null and not s.has_own_time) over lines as assigned_by,
      lead(s.place) over lines is null as is_last
    from staged_entry s join repeated r using (account, list, id)
    window lines as (partition by account, list, id order by s.place)
  ) s
  join account a on a.id = s.account
  left join account_effect w on w.id = s.account and w.is_last
  where s.is_last and ${isAfterDeletion}`

/** The entries of deleted accounts, except those that were loaded again. */
const entriesOfDeletedAccounts = `
  insert into last_line
  select e.account, e.list, false, null, null, null, null, e.id
  from account_effect w join account a on a.id = w.id join entry e on e.account = a.number
  where w.is_last and ${deletedList('w', 'e.list')} is not null
    and not exists (
      select from last_line x where x.account = e.account and x.list = e.list and x.id = e.id)
    and not exists (
      select from staged_entry s where s.account = w.id and s.list = e.list and s.id = e.id
        and s.place > ${deletedList('w', 'e.list')})`

type LastLines = Pick<EntryMerging, 'hasDeletedAccounts'> & { readonly hasRepeated: boolean }

/** The last line for each entry. Joins that can find nothing are left out: they take time for every line. */
export const lastLines = ({ hasRepeated, hasDeletedAccounts }: LastLines) => `
  select a.number as account, s.list, s.is_put, s.has_own_time,
    ${hasDeletedAccounts ? `case when coalesce(w.banking_deleted, w.energy_deleted) is null then ${fileOf('s.place')} end` : fileOf('s.place')} as file,
    s.time, null::bigint as assigned_by, s.ctid as line, s.id
  from staged_entry s
  join account a on a.id = s.account
  ${
    hasDeletedAccounts
      ? `left join account_effect w on w.id = s.account and w.is_last
  where ${isAfterDeletion}`
      : 'where true'
  }
  ${
    hasRepeated
      ? `and not exists (
    select from repeated r where r.account = s.account and r.list = s.list and r.id = s.id)`
      : ''
  }
  ${
    hasRepeated || hasDeletedAccounts
      ? `union all
  select account, list, is_put, has_own_time, null, time, assigned_by, line, id from last_line`
      : ''
  }`

/**
 * The order makes the planner use the index by id, even if it assumes that accounts have few entries. With both bounds,
 * PostgreSQL reads one entry of the index instead of the rest of the page.
 */
const storedEntry = `lateral (
    select * from entry x where x.account = w.account and x.list = w.list
      and x.id >= w.id and x.id <= w.id
    order by x.id limit 1) e on true`

/** The differences from the stored entries. An earlier batch may have assigned a time, or else `$1` is assigned. */
const findChanges = ({ inBatches, isPrepared, ...lines }: EntryMerging & LastLines) => `
  insert into change
  select w.account, w.list, v.outcome, w.has_own_time, w.file, e.ordinal, t.time, e.time, b.time, w.line, w.id
  from (${lastLines(lines)}) w
  left join ${isPrepared ? storedEntry : 'entry e on e.account = w.account and e.list = w.list and e.id = w.id'}
  left join staged_entry g on w.time is null and g.place = w.assigned_by
    and g.time is not null and not g.has_own_time
  cross join lateral (select case when not e.has_own_time then e.time end as time) b
  ${inBatches ? 'left join account n on n.number = w.account left join assigned_time m on m.account = n.id and m.id = w.id' : ''}
  cross join lateral (
    select coalesce(w.time, g.time, b.time, ${inBatches ? 'm.time, ' : ''}$1) as time
  ) t
  cross join lateral (
    select case
      when not w.is_put then case when e.id is not null then ${isRemoved} end
      when e.id is null then ${isNew}
      when e.time <> t.time then ${isMoved}
      when e.record <> (select s.record from staged_entry s where s.ctid = w.line) then ${isReplaced}
    end as outcome
  ) v
  where v.outcome is not null`

/** The lists that change, and from which time. */
export const listsSince = (changes: string) => `
    select account, list, min(least(
      case when outcome <> ${isRemoved} then time end, time_before)) as since
    from ${changes} where outcome <> ${isReplaced} group by account, list`

/** The time from which a list changes, and how many entries precede it. Most changes follow the newest entry. */
const findReordered = `
  with reordered as (
  insert into needs_reorder
  select d.account, d.list, d.since, case when a.is_append then coalesce(n.ordinal, 0) else coalesce((
    select e.ordinal from entry e
    where e.account = d.account and e.list = d.list and e.time < d.since
    order by e.time desc, e.ordinal desc limit 1), 0) end,
    a.is_append
  from (${listsSince('change')}) d
  left join lateral (
    select e.ordinal, e.time from entry e where e.account = d.account and e.list = d.list
    order by e.time desc, e.ordinal desc limit 1) n on true
  cross join lateral (select coalesce(n.time < d.since, true) as is_append) a
  returning is_append
  ) select bool_and(is_append) as "areAppends" from reordered`

/** With the ordinal, any index of the entries finds a row quickly, whichever the planner uses. */
const isEntry = (table: string) =>
  `e.account = ${table}.account and e.list = ${table}.list and e.ordinal = ${table}.ordinal_before
    and e.id = ${table}.id`

export const removeEntries = (changes: string) => `
  delete from entry e using ${changes} c
  where c.outcome in (${isMoved}, ${isRemoved}) and ${isEntry('c')}`

/** `source` is the alias of the table with the new values. */
export const replaceEntries = (changes: string, source: string) => `
  update entry e set ${['has_own_time', 'amount', 'description', 'reference', 'record']
    .map((column) => `${column} = ${source}.${column}`)
    .join(', ')}
  from ${changes} where c.outcome = ${isReplaced} and ${isEntry('c')}`

/** Oldest first: by time, then by descending id. */
export const ordinal = `(ordinal + row_number()
  over (partition by account, list order by time, id desc))::integer`

/** New positions in lists where existing entries follow the new ones, for both. */
export const newPositions = (
  reorders: string,
  changes: string,
  ofNew: string,
  ofStored: string,
) => `
  select * from (
    select p.*, ${ordinal} as new_ordinal
    from (
      select d.account, d.list, d.ordinal, c.time, c.id, null::integer as ordinal_before, ${ofNew}
      from ${reorders} d join ${changes} c on c.account = d.account and c.list = d.list
      where not d.is_append and c.outcome in (${isNew}, ${isMoved})
      union all
      select d.account, d.list, d.ordinal, e.time, e.id, e.ordinal, ${ofStored}
      from ${reorders} d join entry e on e.account = d.account and e.list = d.list
        and e.time >= d.since
      where not d.is_append
    ) p
  ) n where new_ordinal is distinct from ordinal_before`

const placeEntries = `
  insert into placed
  select account, list, has_own_time, new_ordinal, ordinal_before, time, line, id
  from (${newPositions('needs_reorder', 'change', 'c.has_own_time, c.line', 'null, null')}) p`

const renumberEntries = `
  update entry e set ordinal = p.ordinal from placed p
  where p.line is null and ${isEntry('p')}`

const insertEntries = `
  insert into entry (account, list, has_own_time, ordinal, time, id, amount, description, reference,
    record)
  select p.account, p.list, p.has_own_time, p.ordinal, p.time, p.id, s.amount, s.description,
    s.reference, s.record
  from (
    select account, list, has_own_time, time, id, line, ${ordinal} as ordinal
    from change join needs_reorder using (account, list)
    where is_append and outcome in (${isNew}, ${isMoved})
    union all
    select account, list, has_own_time, time, id, line, ordinal from placed where line is not null
  ) p
  join staged_entry s on s.ctid = p.line`

/** Makes the planner fetch staged lines by location instead of scanning the whole table. */
const byLine = (sql: string) => [
  'set local random_page_cost = 0',
  sql,
  'set local random_page_cost to default',
]

/** Statements without input are skipped: planning and running one takes longer than merging a line. */
export async function mergeEntries(merge: EntryMerging): Promise<CountedLines[]> {
  const { run, send, staging, inBatches, isPrepared } = merge
  const analyze = async (table: string) => {
    if (staging.hasMany('staged_entry')) await send(`analyze ${table}`)
  }
  const loadTime = [merge.loadTime.epochNanoseconds.toString()]

  const hasRepeated = !merge.areEntriesDistinct && Boolean((await run(findRepeated)).rowCount)
  if (hasRepeated) await send(lastOfRepeated)
  if (merge.hasDeletedAccounts) await send(entriesOfDeletedAccounts)
  await analyze('last_line')
  await send(findChanges({ ...merge, hasRepeated }), loadTime)
  await analyze('change')

  // For a small batch, sending both at once saves more than skipping the second one does.
  const [counted, reordered] = await Promise.all([
    run(countChanges('change')),
    isPrepared ? run(findReordered) : undefined,
  ])
  const counts: EntryCountRow[] = counted.rows
  const changes = new Set(counts.map(({ outcome }) => outcome))
  const has = (...kinds: readonly number[]) => kinds.some((outcome) => changes.has(outcome))
  if (hasRepeated || merge.hasDeletedAccounts) {
    counts.push(...(await run(countComparedEntries(inBatches), loadTime)).rows)
  }
  if (inBatches) for (const sql of rememberAssignedTimes) await send(sql)

  let areAppends = true
  if (has(isNew, isMoved, isRemoved)) {
    areAppends = (reordered ?? (await run(findReordered))).rows[0]?.areAppends !== false
    await analyze('needs_reorder')
  }
  if (has(isMoved, isRemoved)) await send(removeEntries('change'))
  if (has(isReplaced))
    await send(replaceEntries('change c join staged_entry s on s.ctid = c.line', 's'))
  if (!areAppends) {
    await run(placeEntries)
    await send(renumberEntries)
  }
  if (has(isNew, isMoved)) {
    for (const sql of isPrepared ? [insertEntries] : byLine(insertEntries)) await send(sql)
  }
  return countEntries(counts, staging.countEntryLines())
}
