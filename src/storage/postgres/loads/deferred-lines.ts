import { listCodes } from '../../enum-codes.ts'
import { existsBefore, rejectedLines, unresolvedLines } from './line-effects.ts'

const { transaction } = listCodes

/**
 * Lines of a load in batches that refer to a customer or an account that does not exist yet. They are deferred to the
 * end of the load, and so are the lines after them for the same account, so that every committed batch is consistent.
 */
const stagedByDeferred = {
  deferred_account: 'staged_account',
  deferred_holder: 'staged_holder',
  deferred_part: 'staged_part',
  deferred_entry: 'staged_entry',
} as const

export const deferredTables = [
  'deferred_line',
  ...Object.keys(stagedByDeferred),
  'unresolved_removal',
  'line_error',
]

export const createDeferred = `
  create temp table deferred_line (place bigint primary key, account text collate "C" not null);
  create index on deferred_line (account);
  ${Object.entries(stagedByDeferred)
    .map(
      ([deferred, staged]) =>
        `create temp table ${deferred} (like ${staged}); create index on ${deferred} (place);`,
    )
    .join('\n  ')}
  create index on deferred_account (id);
  -- Removals of accounts that do not exist: a later batch may contain the line that puts the account (line-effects.ts).
  create temp table unresolved_removal (
    id text collate "C" not null, kind smallint not null, place bigint not null
  );
  create index on unresolved_removal (id);
  create temp table line_error (
    place bigint not null, index integer, kind smallint, list smallint, id text collate "C" not null
  );
  -- The assigned times of entries that an earlier batch removed, or loaded with a time of their own.
  create temp table assigned_time (
    account text collate "C", id text collate "C", time bigint not null, primary key (account, id)
  );`

const removedAccounts = `
  select id, removed as place from account_effect where is_last and removed is not null`

/** Deletes lines that another line makes void. They count as unchanged (`VoidLines`). */
const deleteVoid = (table: string, isVoid: string): string => {
  const code = codeColumns[table]
  const deletion = `delete from ${table} h where ${isVoid}`
  if (code === undefined) return deletion
  return `with deleted as (${deletion} returning ${code})
    select ${code}, count(*) as lines from deleted group by ${code}`
}

/** The column that determines the type of a line. */
const codeColumns: Readonly<Record<string, string>> = {
  deferred_account: 'kind',
  deferred_part: 'part',
  deferred_entry: 'list',
  staged_part: 'part',
  staged_entry: 'list',
}

/** A row of a statement that deletes lines, with one of the codes. */
export interface VoidLines {
  readonly kind?: number
  readonly part?: number
  readonly list?: number
  readonly lines?: string
}

const deleteOrphans = Object.keys(stagedByDeferred).map((deferred) =>
  deleteVoid(deferred, 'not exists (select from deferred_line l where l.place = h.place)'),
)

/** The removal of an account is not deferred: it also removes the deferred lines of the account. */
export const deleteRemoved = [
  `delete from deferred_line h using (${removedAccounts}) r
   where h.account = r.id and h.place < r.place`,
  ...deleteOrphans,
  `delete from unresolved_removal u using staged_account s where s.is_put and s.id = u.id`,
]

/** Runs when the effects of a batch are known. */
export const keepUnresolvedRemovals = `
  insert into unresolved_removal
  select w.id, s.kind, w.place from account_effect w join staged_account s on s.place = w.place
  where w.is_unresolved`

/** At the end of the load, for accounts that another load created meanwhile and that the last batch does not remove. */
export const resolveRemovals = [
  `delete from deferred_line h using unresolved_removal u join account a on a.id = u.id
     left join account_effect w on w.id = u.id and w.is_last
   where coalesce(w.kind, a.kind) = u.kind and h.account = u.id and h.place < u.place`,
  ...deleteOrphans,
]

/** Accounts with a holder who does not exist, and did not exist at that line either. */
const accountsWithoutHolder = `
  select s.place from staged_account s where s.is_put and exists (
    select from staged_holder h
    left join customer_effect w on w.id = h.customer and w.is_last
    left join customer c on c.id = h.customer
    where h.place = s.place and not coalesce(w.is_present, c.record is not null)
      and not ${existsBefore})`

/** The lines of each account, whose order matters. */
const dependentLines = `
  select place, id as account from staged_account where is_put
  union all
  select place, account from staged_part
  union all
  select place, account from staged_entry`

/** Repeated until it inserts nothing: other lines may depend on a deferred one. */
export const deferLines = `
  insert into deferred_line
  select s.place, s.account from (${dependentLines}) s
  where (
    s.place in (${accountsWithoutHolder})
    or s.place in (select place from (${unresolvedLines}) l)
    or exists (select from deferred_line h where h.account = s.account and h.place < s.place)
  ) and not exists (select from account_effect r
    where r.id = s.account and r.is_last and r.removed > s.place)`

/** Lines that depend on an account that the same batch removes later. */
export const deleteUnresolved = ['staged_part', 'staged_entry'].map((staged) =>
  deleteVoid(staged, `h.place in (select place from (${unresolvedLines}) l)`),
)

export const moveDeferred = Object.entries(stagedByDeferred).map(
  ([deferred, staged]) => `
  with moved as (
    delete from ${staged} s using deferred_line h where s.place = h.place returning s.*
  ) insert into ${deferred} select * from moved`,
)

/** At the end of the load, all deferred lines are merged or rejected. */
export const releaseDeferred = [
  ...Object.entries(stagedByDeferred).map(
    ([deferred, staged]) => `insert into ${staged} select * from ${deferred}`,
  ),
  'truncate deferred_account',
]

/** Before `rejectLines`: the lines of a rejected account are rejected too. */
export const rejectAccounts = [
  `insert into line_error (place, index, id)
   select h.place, h.index, h.customer from deferred_holder h
   left join customer_effect w on w.id = h.customer and w.is_last
   left join customer c on c.id = h.customer
   where not coalesce(w.is_present, c.record is not null)`,
  'delete from staged_account s using line_error r where s.place = r.place',
]

/** The others were reported with their batch. */
export const rejectedDeferred = `
  select * from (${rejectedLines}) r where place in (select place from deferred_line) order by place`

export const rejectLines = [
  `insert into line_error (place, kind, list, id)
   select l.place, l.kind, l.list, l.account from (${unresolvedLines}) l
   join deferred_line h on h.place = l.place`,
  'delete from staged_part s using line_error r where s.place = r.place',
  'delete from staged_entry s using line_error r where s.place = r.place',
]

export const rememberAssignedTimes = [
  `insert into assigned_time
   select a.id, c.id, c.assigned_before from change c join account a on a.number = c.account
   where c.list = ${transaction} and c.assigned_before is not null
   on conflict (account, id) do update set time = excluded.time`,
  `insert into assigned_time
   select distinct on (account, id) account, id, time from staged_entry
   where time is not null and not has_own_time
   order by account, id, place desc
   on conflict (account, id) do update set time = excluded.time`,
]
