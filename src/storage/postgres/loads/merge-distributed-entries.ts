import { outdatedList } from '../../database.ts'
import { kindCodes } from '../../enum-codes.ts'
import { mergeTableNames } from '../driver/distributed-tables.ts'
import { createCorrectedEntries } from './corrections.ts'
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
import { entryKind } from './line-effects.ts'
import {
  findRepeated,
  lastLines,
  lastOfRepeated,
  listsSince,
  newPositions,
  ordinal,
  rememberAssignedTimes,
  removeEntries,
  replaceEntries,
} from './merge-entries.ts'
import type { EntryMerging } from './run.ts'

/** The last line for each entry is found as in the other layout, and sent to the shard of its account. */

const payload = 'amount, description, reference, record'

/** The stored entries that lines are compared with on the coordinator. */
export const comparedTable = 'compared_entry'
export const createComparedEntries = `
  create temp table ${comparedTable} (
    account bigint not null, list smallint not null, id text collate "C" not null,
    has_own_time boolean not null, time bigint not null, record text not null
  );
  ${createCorrectedEntries}`

const sendLines = (merge: EntryMerging, hasRepeated: boolean) => `
  insert into merge_line (account, list, id, is_put, has_own_time, file, time, earlier_time, ${payload})
  select w.account, w.list, w.id, w.is_put, w.has_own_time, w.file, coalesce(w.time, g.time),
    ${merge.inBatches ? 'm.time' : 'null::bigint'}, s.amount, s.description, s.reference, s.record
  from (${lastLines({ ...merge, hasRepeated })}) w
  left join staged_entry s on s.ctid = w.line
  left join staged_entry g on w.time is null and g.place = w.assigned_by
    and g.time is not null and not g.has_own_time
  ${merge.inBatches ? 'left join account n on n.number = w.account left join assigned_time m on m.account = n.id and m.id = w.id' : ''}`

const sendDeletedAccounts = `
  insert into merge_line (account, list, id, is_put)
  select a.number, -k.kind, '', false from account_effect w join account a on a.id = w.id
  cross join lateral (values (${kindCodes.banking}, w.banking_deleted),
    (${kindCodes.energy}, w.energy_deleted)) k (kind, deleted)
  where w.is_last and k.deleted is not null`

const isInDeletedAccount = `w.list < 0 and w.list = -(${entryKind('e.list')})`

/**
 * An account whose list does not have the state that the coordinator has of it: the commit of an earlier load has not
 * reached its data node, or one of them was restored to another moment. New positions would be wrong.
 */
const findOutdated = `
  with touched as materialized (
    select w.account, max(coalesce(s.generation, 0)) as generation
    from merge_line w left join entry_state s on s.account = w.account group by w.account
  )
  select 1 from touched t left join account_state a on a.account = t.account
  where t.generation <> coalesce(a.generation, 0) limit 1`

const isEntry = (table: string) =>
  `e.account = ${table}.account and e.list = ${table}.list and e.id = ${table}.id`

const fetchCompared = [
  `insert into ${comparedTable}
   select e.account, e.list, e.id, e.has_own_time, e.time, e.record
   from merge_line w join entry e on ${isEntry('w')} where w.file is null`,
  `insert into ${comparedTable}
   select e.account, e.list, e.id, e.has_own_time, e.time, e.record
   from merge_line w join entry e on e.account = w.account
   where ${isInDeletedAccount} and not exists (select from merge_line x
     where x.account = e.account and x.list = e.list and x.id = e.id and x.file is null)`,
]

/** The differences from the stored entries. */
const findChanges = (loadTime: string) => `
  insert into merge_change (account, list, id, outcome, has_own_time, file, ordinal_before, time,
    time_before, assigned_before, ${payload})
  select account, list, id, case
      when not is_put then case when is_stored then ${isRemoved} end
      when not is_stored then ${isNew}
      when time_before <> time then ${isMoved}
      else ${isReplaced} end,
    has_own_time, file, ordinal_before, time, time_before, assigned_before, ${payload}
  from (
    select w.account, w.list, w.id, w.is_put, w.has_own_time, w.file, e.ordinal as ordinal_before,
      coalesce(w.time, case when not e.has_own_time then e.time end, w.earlier_time, ${loadTime}::bigint) as time,
      e.time as time_before, case when not e.has_own_time then e.time end as assigned_before,
      e.id is not null as is_stored, e.record as record_before,
      w.amount, w.description, w.reference, w.record
    from merge_line w left join entry e on ${isEntry('w')}
    where w.list > 0
  ) c
  where case when is_put then not is_stored or time_before <> time or record_before <> record
    else is_stored end`

const removeEntriesOfAccounts = `
  insert into merge_change (account, list, id, outcome, ordinal_before, time_before)
  select e.account, e.list, e.id, ${isRemoved}, e.ordinal, e.time
  from merge_line w join entry e on e.account = w.account
  where ${isInDeletedAccount} and not exists (select from merge_line x
    where x.account = e.account and x.list = e.list and x.id = e.id)`

const fetchAssigned = `
  insert into change (account, list, outcome, assigned_before, id)
  select account, list, outcome, assigned_before, id from merge_change where assigned_before is not null`

/** The time from which a list changes, and how many entries precede it. */
const findReordered = `
  insert into merge_reorder (account, list, since, ordinal, is_append)
  select d.account, d.list, d.since, coalesce((
      select e.ordinal from entry e
      where e.account = d.account and e.list = d.list and e.time < d.since
      order by e.time desc, e.ordinal desc limit 1), 0),
    not exists (
      select from entry e where e.account = d.account and e.list = d.list and e.time >= d.since)
  from (${listsSince('merge_change')}) d`

const areAppends = `select bool_and(is_append) as "areAppends" from merge_reorder`

const placeEntries = `
  insert into merge_position (account, list, id, ordinal, is_new)
  select account, list, id, new_ordinal, is_new
  from (${newPositions('merge_reorder', 'merge_change', 'true as is_new', 'false')}) p`

const renumberEntries = `
  update entry e set ordinal = p.ordinal from merge_position p where not p.is_new and ${isEntry('p')}`

const columns = `account, list, has_own_time, ordinal, time, id, ${payload}`
const appendEntries = `
  insert into entry (${columns})
  select account, list, has_own_time, ${ordinal}, time, id, ${payload}
  from merge_change join merge_reorder using (account, list)
  where is_append and outcome in (${isNew}, ${isMoved})`
const insertEntries = `
  insert into entry (${columns})
  select c.account, c.list, c.has_own_time, p.ordinal, c.time, c.id, c.amount, c.description,
    c.reference, c.record
  from merge_change c join merge_position p
    on p.account = c.account and p.list = c.list and p.id = c.id
  where p.is_new`

/** From the clock: a sequence would repeat numbers after a failover to a server that lags. */
const nextGeneration = `
  select (extract(epoch from clock_timestamp()) * 1000000)::bigint as generation`

/** On the shards and on the coordinator. */
const advanceGenerations = (generation: string) => [
  `insert into entry_state (account, generation)
   select account, ${generation} from merge_change group by account
   on conflict (account) do update set generation = excluded.generation`,
  `with changed as materialized (select distinct account from merge_change)
   insert into account_state (account, generation) select account, ${generation} from changed
   on conflict (account) do update set generation = excluded.generation`,
]

/** Statements without input are skipped: each takes milliseconds on every shard. */
export async function mergeDistributedEntries(merge: EntryMerging): Promise<CountedLines[]> {
  const { run, staging } = merge
  const runAll = async (statements: readonly string[]): Promise<void> => {
    for (const sql of statements) await run(sql)
  }
  const loadTime = merge.loadTime.epochNanoseconds.toString()
  const hasRepeated = Boolean((await run(findRepeated)).rowCount)
  if (hasRepeated) await run(lastOfRepeated)
  await run(sendLines(merge, hasRepeated))
  if (merge.hasDeletedAccounts) await run(sendDeletedAccounts)

  if ((await run(findOutdated)).rowCount) throw outdatedList()

  const compared: EntryCountRow[] = []
  if (hasRepeated || merge.hasDeletedAccounts) {
    await runAll(fetchCompared)
    const sql = countComparedEntries(merge.inBatches, comparedTable)
    compared.push(...(await run(sql, [loadTime])).rows)
  }
  await run(findChanges(loadTime))
  if (merge.hasDeletedAccounts) await run(removeEntriesOfAccounts)
  const counts: EntryCountRow[] = (await run(countChanges('merge_change'))).rows
  const changes = new Set(counts.map(({ outcome }) => outcome))
  const has = (...kinds: readonly number[]) => kinds.some((outcome) => changes.has(outcome))
  if (merge.inBatches) await runAll([fetchAssigned, ...rememberAssignedTimes])

  let isOrdered = true
  if (has(isNew, isMoved, isRemoved)) {
    await run(findReordered)
    isOrdered = (await run(areAppends)).rows[0]?.areAppends !== false
  }
  if (has(isMoved, isRemoved)) await run(removeEntries('merge_change'))
  if (has(isReplaced)) await run(replaceEntries('merge_change c', 'c'))
  if (!isOrdered) await runAll([placeEntries, renumberEntries, insertEntries])
  if (has(isNew, isMoved)) await run(appendEntries)
  if (counts.length > 0) {
    const [row] = (await run(nextGeneration)).rows
    await runAll(advanceGenerations(row.generation))
  }
  await runAll(mergeTableNames.map((table) => `delete from ${table}`))
  return countEntries([...counts, ...compared], staging.countEntryLines())
}
