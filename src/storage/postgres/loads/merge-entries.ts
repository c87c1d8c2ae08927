import { listCodes } from '../../enum-codes.ts'
import { rememberAssignedTimes } from './deferred-lines.ts'

const { payment } = listCodes

/**
 * The lists of accounts. The last word on each entry is found, then what it changes, then where each new
 * entry stands; records are moved once, at the end.
 */
export const makeEntryTables = `
  create temp table repeated (
    account text collate "C" not null, list smallint not null, id text collate "C" not null
  );
  create temp table word (
    account bigint not null,
    list smallint not null,
    is_put boolean not null,
    has_own_time boolean,
    time bigint,
    given bigint,               -- the last line that gave it a time, which the record does not say
    line tid,                   -- where the staged line is
    id text collate "C" not null
  );
  create temp table change (
    account bigint not null,
    list smallint not null,
    what smallint not null,
    has_own_time boolean,
    time bigint,
    time_before bigint,
    given_before bigint,        -- the same, where the record did not say it
    line tid,
    id text collate "C" not null
  );
  create temp table disturbed (
    account bigint not null,
    list smallint not null,
    since bigint not null,
    ordinal integer not null,   -- of the last entry before
    is_end boolean not null     -- nothing that stays comes after
  );
  create temp table placed (
    account bigint not null,
    list smallint not null,
    has_own_time boolean,
    ordinal integer not null,
    time bigint not null,
    line tid,                   -- null: is there already, with another ordinal
    id text collate "C" not null
  );`

export const entryTables = ['repeated', 'word', 'change', 'disturbed', 'placed']

const isBehindCut = 'w.cut is null or s.place > w.cut'

/** Most entries have one line. */
const findRepeated = `
  insert into repeated
  select account, list, id from staged_entry where list <> ${payment}
  group by account, list, id having count(*) > 1`

/** The last line of those that have more. One that is taken away and comes again keeps the time it was given. */
const lastOfRepeated = `
  insert into word
  select a.number, s.list, s.is_put, s.has_own_time, s.time, s.given, s.line, s.id from (
    select account, list, s.is_put, s.has_own_time, s.time, s.ctid as line, id, s.place,
      max(s.place) filter (where s.time is not null and not s.has_own_time) over lines as given,
      lead(s.place) over lines is null as is_last
    from staged_entry s join repeated r using (account, list, id)
    window lines as (partition by account, list, id order by s.place)
  ) s
  join account a on a.id = s.account
  left join account_walk w on w.id = s.account and w.is_last
  where s.is_last and (${isBehindCut})`

/** A scheduled payment has one id over all accounts: where it was before, it is no more. */
const lastPayments = `
  insert into word
  with last as (
    select distinct on (s.id) s.id, s.ctid as line, a.number as account, s.time, 
      s.is_put and (${isBehindCut}) as is_put
    from staged_entry s
    left join account a on a.id = s.account
    left join account_walk w on w.id = s.account and w.is_last
    where s.list = ${payment}
    order by s.id, s.place desc
  )
  select account, ${payment}, true, true, time, null::bigint, line, id from last where is_put
  union all
  select p.account, ${payment}, false, null, null, null, null, p.id
  from last l join payment p on p.id = l.id where not l.is_put or l.account <> p.account`

/** All that an account had which was taken away, but for what came again. */
const cutEntries = `
  insert into word
  select e.account, e.list, false, null, null, null, null, e.id
  from account_walk w join account a on a.id = w.id join entry e on e.account = a.number
  where w.is_last and w.cut is not null
    and not exists (
      select from word x where x.account = e.account and x.list = e.list and x.id = e.id)
    and not exists (
      select from staged_entry s where s.list <> ${payment} and s.account = w.id and s.list = e.list
        and s.id = e.id and s.place > w.cut)`

/** Every last word. */
const words = `
  select a.number as account, s.list, s.is_put, s.has_own_time, s.time, null::bigint as given,
    s.ctid as line, s.id
  from staged_entry s
  join account a on a.id = s.account
  left join account_walk w on w.id = s.account and w.is_last
  where s.list <> ${payment} and (${isBehindCut}) and not exists (
    select from repeated r where r.account = s.account and r.list = s.list and r.id = s.id)
  union all
  select account, list, is_put, has_own_time, time, given, line, id from word`

const isNew = 1
const isReplaced = 2
const isMoved = 3
const isRemoved = 4

/**
 * What is different from what is there. `$1` is the time of the load. In batches, an entry may have been
 * given a time which a batch before took away.
 */
const findChanges = (inBatches: boolean) => `
  insert into change
  select w.account, w.list, v.what, w.has_own_time, t.time, e.time, b.time, w.line, w.id
  from (${words}) w
  left join entry e on e.account = w.account and e.list = w.list and e.id = w.id
  left join staged_entry g on w.time is null and g.place = w.given
    and g.time is not null and not g.has_own_time
  cross join lateral (select case when not e.has_own_time then e.time end as time) b
  ${inBatches ? 'left join account n on n.number = w.account left join given m on m.account = n.id and m.id = w.id' : ''}
  cross join lateral (
    select coalesce(w.time, g.time, b.time, ${inBatches ? 'm.time, ' : ''}$1) as time
  ) t
  cross join lateral (
    select case
      when not w.is_put then case when e.id is not null then ${isRemoved} end
      when e.id is null then ${isNew}
      when e.time <> t.time then ${isMoved}
      when e.record <> (select s.record from staged_entry s where s.ctid = w.line) then ${isReplaced}
    end as what
  ) v
  where v.what is not null`

/** From which time on a list is another, and how many entries come before. */
const findDisturbed = `
  insert into disturbed
  select d.account, d.list, d.since, coalesce((
    select e.ordinal from entry e
    where e.account = d.account and e.list = d.list and e.time < d.since
    order by e.time desc, e.ordinal desc limit 1), 0),
    not exists (
      select from entry e
      where e.account = d.account and e.list = d.list and e.time >= d.since)
  from (
    select account, list, min(least(
      case when what <> ${isRemoved} then time end, time_before)) as since
    from change where what <> ${isReplaced} group by account, list
  ) d`

const removeEntries = [
  `delete from payment p using change c
   where c.list = ${payment} and c.what = ${isRemoved} and p.id = c.id and p.account = c.account`,
  `delete from entry e using change c
   where c.what in (${isMoved}, ${isRemoved})
     and e.account = c.account and e.list = c.list and e.id = c.id`,
]

const replaceEntries = `
  update entry e set has_own_time = s.has_own_time, amount = s.amount, description = s.description,
    reference = s.reference, record = s.record
  from change c join staged_entry s on s.ctid = c.line
  where c.what = ${isReplaced} and e.account = c.account and e.list = c.list and e.id = c.id`

/** From the oldest: by time, and at the same time from the last id to the first. */
const ordinal = `(ordinal + row_number()
  over (partition by account, list order by time, id desc))::integer`

/** Where others come after, they move. */
const placeEntries = `
  insert into placed
  select account, list, has_own_time, ordinal, time, line, id from (
    select account, list, has_own_time, time, line, id, ordinal_before, ${ordinal} as ordinal
    from (
      select d.account, d.list, d.ordinal, c.has_own_time, c.time, c.line, c.id,
        null::integer as ordinal_before
      from disturbed d join change c on c.account = d.account and c.list = d.list
      where not d.is_end and c.what in (${isNew}, ${isMoved})
      union all
      select d.account, d.list, d.ordinal, null, e.time, null, e.id, e.ordinal
      from disturbed d join entry e on e.account = d.account and e.list = d.list
        and e.time >= d.since
      where not d.is_end
    ) p
  ) n where ordinal is distinct from ordinal_before`

const renumberEntries = `
  update entry e set ordinal = p.ordinal from placed p
  where p.line is null and e.account = p.account and e.list = p.list and e.id = p.id`

const insertEntries = `
  insert into entry (account, list, has_own_time, ordinal, time, id, amount, description, reference,
    record)
  select p.account, p.list, p.has_own_time, p.ordinal, p.time, p.id, s.amount, s.description,
    s.reference, s.record
  from (
    select account, list, has_own_time, time, id, line, ${ordinal} as ordinal
    from change join disturbed using (account, list)
    where is_end and what in (${isNew}, ${isMoved})
    union all
    select account, list, has_own_time, time, id, line, ordinal from placed where line is not null
  ) p
  join staged_entry s on s.ctid = p.line`

const putPayments = `
  insert into payment (id, account)
  select id, account from change where list = ${payment} and what = ${isNew}
  on conflict (id) do update set account = excluded.account`

/** A staged line is found by where it is: the planner would rather read the whole table again. */
const byLine = (sql: string) => [
  'set local random_page_cost = 0',
  sql,
  'set local random_page_cost to default',
]

export interface Step {
  readonly sql: string
  readonly needsLoadTime?: true
}

export interface MergeOptions {
  readonly inBatches: boolean
  /** Whether the planner should look at what it works on. */
  readonly isLarge: boolean
}

export function mergeEntries({ inBatches, isLarge }: MergeOptions): readonly Step[] {
  const look = (table: string) => (isLarge ? [`analyze ${table}`] : [])
  const steps = (...statements: readonly string[]) => statements.map((sql) => ({ sql }))
  return [
    ...steps(findRepeated, lastOfRepeated, lastPayments, cutEntries, ...look('word')),
    { sql: findChanges(inBatches), needsLoadTime: true },
    ...steps(...look('change'), ...(inBatches ? rememberAssignedTimes : [])),
    ...steps(findDisturbed, ...look('disturbed'), ...removeEntries, replaceEntries),
    ...steps(placeEntries, renumberEntries, ...byLine(insertEntries), putPayments),
  ]
}
