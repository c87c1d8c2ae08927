import type { PerformanceTier } from '../../contract/cds/performance-tiers.ts'
import {
  type GroupedBy,
  type UsageBatch,
  type UsageCount,
  type UsageSpan,
  type UsageStore,
  usageSpans,
} from '../../platform/usage/store.ts'
import {
  boolean,
  type Call,
  integer,
  oneOf,
  optional,
  replaceColumns,
  type Sql,
  text,
  words,
} from '../sql.ts'
import { columnsOf } from './rows.ts'

const kind =
  'span, start, operation, tier, is_authenticated, status, rejection, third_party, is_present'
const within = ['within_10', 'within_25', 'within_50', 'within_100', 'within_200']
const sums = ['calls', 'microseconds', ...within]

/** Only the first transaction with a batch finds its number: one whose outcome is unknown can be repeated. */
const isNew = 'exists (select 1 from usage_writer where id = $1 and batch < $2)'

const addCount = `insert into usage_count (${kind}, ${sums.join(', ')})
  select ${Array.from({ length: 16 }, (_, index) => `$${index + 3}`).join(', ')} where ${isNew}
  on conflict (span, start, operation, tier, status, rejection, third_party, is_present)
  do update set ${sums.map((name) => `${name} = usage_count.${name} + excluded.${name}`).join(', ')}`

const addSecond = `insert into usage_second (second, authenticated, unauthenticated)
  select $3, $4, $5 where ${isNew}
  on conflict (second) do update set
    authenticated = usage_second.authenticated + excluded.authenticated,
    unauthenticated = usage_second.unauthenticated + excluded.unauthenticated`

const peakColumns = ['peak', 'peak_authenticated', 'peak_unauthenticated']
const peakList = peakColumns.join(', ')

/** Of all processes: the seconds of each are added before. Repeating it changes nothing. */
const raisePeak = `insert into usage_period (span, start, ${peakList})
  select $1, $2, max(authenticated + unauthenticated), max(authenticated), max(unauthenticated)
  from usage_second where second between $3 and $4 having count(*) > 0
  on conflict (span, start) do update set ${peakColumns
    .map(
      (name) =>
        `${name} = case when excluded.${name} > usage_period.${name} then excluded.${name} else usage_period.${name} end`,
    )
    .join(', ')}`

const markMinute = `insert into usage_period (span, start, ${peakList})
  values ('minute', $1, 0, 0, 0) on conflict do nothing`

const availabilityColumns = [
  'minutes',
  'available',
  'available_authenticated',
  'available_unauthenticated',
]
const intoAvailability = `insert into usage_period (span, start, ${peakList}, ${availabilityColumns.join(', ')})`
const replaceAvailability = `on conflict (span, start)
  do update set ${replaceColumns(availabilityColumns)}`

/** How long seconds are kept, since other processes may still add calls to them. */
const secondsRetentionMs = 2 * 3_600_000
const writerRetentionMs = 48 * 3_600_000

/** How many periods or seconds of each kind are deleted at once. */
const purgeMax = 20
const secondsPurgeMax = 300

const tier = oneOf<PerformanceTier>()
const day = {
  ...{ start: integer, operation: text, tier, isAuthenticated: boolean },
  ...{ status: integer, rejection: text },
}
const hour = { start: integer, tier }

const groupColumns = {
  start: 'start',
  operation: 'operation',
  thirdPartyId: 'third_party',
} as const satisfies Record<GroupedBy, string>

const isFailed = 'status >= 500 and status < 600'
const sumIf = (condition: string) =>
  `coalesce(sum(case when ${condition} then calls else 0 end), 0)`

export function createUsageStore(sql: Sql): Omit<UsageStore, 'close'> {
  return {
    async add(batch) {
      const { writer, number, time } = batch
      await sql.inOrder(
        // Also locks the row, so that an earlier attempt of which the answer was lost has ended.
        [
          `insert into usage_writer (id, batch, time) values ($1, 0, $2)
           on conflict (id) do update set time = excluded.time`,
          [writer, time],
        ],
        ...listCalls(batch),
        ['update usage_writer set batch = $2 where id = $1 and batch < $2', [writer, number]],
      )
    },
    readDays: (from) =>
      sql.all(
        { ...day, calls: integer, microseconds: integer, withinTier: integer },
        `select ${columnsOf(day)}, sum(calls), sum(microseconds), sum(within_100)
         from usage_count where span = 'day' and start >= $1 group by ${columnsOf(day)}`,
        [from],
      ),
    readHours: (from) =>
      sql.all(
        { ...hour, calls: integer, withinTier: integer },
        `select ${columnsOf(hour)}, sum(calls), sum(within_100) from usage_count
         where span = 'hour' and start >= $1 and rejection = '' group by ${columnsOf(hour)}`,
        [from],
      ),
    readGroups(by, { span, start, end, operation, thirdPartyId }) {
      const values = [span, start, end, operation, thirdPartyId].filter(
        (each) => each !== undefined,
      )
      const column = groupColumns[by]
      return sql.all(
        {
          ...{ key: String, tier, status: integer, rejection: text, calls: integer },
          within: (cell) => words(cell).map(Number),
        },
        `select ${column}, tier, status, rejection, sum(calls),
           ${within.map((name) => `sum(${name})`).join(" || ' ' || ")}
         from usage_count where span = $1 and start >= $2 and start < $3
           ${operation === undefined ? '' : 'and operation = $4'}
           ${thirdPartyId === undefined ? '' : `and third_party = $${values.length}`}
         group by ${column}, tier, status, rejection`,
        values,
      )
    },
    readPeriods: (span, from = 0) =>
      sql.all(
        {
          start: integer,
          peak: integer,
          peakAuthenticated: integer,
          peakUnauthenticated: integer,
          minutes: integer,
          available: integer,
          authenticated: integer,
          unauthenticated: integer,
        },
        `select start, ${peakList}, ${availabilityColumns.map((name) => `coalesce(${name}, 0)`).join(', ')}
         from usage_period where span = $1 and start >= $2 order by start`,
        [span, from],
      ),
    readMinutes: ({ start, end }) =>
      sql.all(
        {
          start: integer,
          authenticated: integer,
          failedAuthenticated: integer,
          unauthenticated: integer,
          failedUnauthenticated: integer,
        },
        `select p.start, ${sumIf('is_authenticated')}, ${sumIf(`is_authenticated and ${isFailed}`)},
           ${sumIf('not is_authenticated')}, ${sumIf(`not is_authenticated and ${isFailed}`)}
         from usage_period p left join usage_count c on c.span = 'minute' and c.start = p.start
         where p.span = 'minute' and p.start >= $1 and p.start < $2 group by p.start`,
        [start, end],
      ),
    async readBounds(before) {
      const [minutes, hours] = await Promise.all([
        sql.first(
          { firstMinute: optional(integer) },
          `select min(start) from usage_period where span = 'minute' and start < $1`,
          [before],
        ),
        sql.first(
          { firstHour: optional(integer), lastHour: optional(integer) },
          `select min(start), max(start) from usage_period
           where span = 'hour' and start < $1 and minutes is not null`,
          [before],
        ),
      ])
      return { ...minutes, ...hours }
    },
    async putAvailability(
      hour,
      { start, end },
      { minutes, available, authenticated, unauthenticated },
    ) {
      await sql.inOrder(
        [
          `${intoAvailability} values ('hour', $1, 0, 0, 0, $2, $3, $4, $5) ${replaceAvailability}`,
          [hour, minutes, available, authenticated, unauthenticated],
        ],
        [
          `${intoAvailability}
           select 'day', cast($1 as bigint), 0, 0, 0, ${availabilityColumns.map((name) => `sum(${name})`).join(', ')}
           from usage_period where span = 'hour' and start >= $1 and start < $2 having count(*) > 0
           ${replaceAvailability}`,
          [start, end],
        ],
      )
    },
    async purge(now) {
      for (const [span, { retentionHours }] of Object.entries(usageSpans)) {
        const before = now - retentionHours * 3_600_000
        await purgePeriods(sql, span as UsageSpan, before)
      }
      await sql.run(
        `delete from usage_second where second in
           (select second from usage_second where second < $1 order by second limit ${secondsPurgeMax})`,
        [Math.floor((now - secondsRetentionMs) / 1000)],
      )
      await sql.run('delete from usage_writer where time < $1', [now - writerRetentionMs])
    },
  }
}

function listCalls({ writer, number, counts, seconds, peaks, minutes }: UsageBatch): Call[] {
  return [
    ...counts.map((count): Call => [addCount, [writer, number, ...toValues(count)]]),
    ...seconds.map(
      ({ second, authenticated, unauthenticated }): Call => [
        addSecond,
        [writer, number, second, authenticated, unauthenticated],
      ],
    ),
    ...listPeriods(peaks, minutes),
  ]
}

/** In one order, so that concurrent transactions do not block each other. */
function listPeriods(peaks: UsageBatch['peaks'], minutes: UsageBatch['minutes']): Call[] {
  const raised = peaks.map(({ span, start, firstSecond, lastSecond }) => ({
    ...{ span, start },
    call: [raisePeak, [span, start, firstSecond, lastSecond]] as Call,
  }))
  const marked = minutes.map((start) => ({
    ...{ span: 'minute' as const, start },
    call: [markMinute, [start]] as Call,
  }))
  const order = Object.keys(usageSpans)
  return [...raised, ...marked]
    .sort((a, b) => order.indexOf(a.span) - order.indexOf(b.span) || a.start - b.start)
    .map(({ call }) => call)
}

function toValues(count: UsageCount) {
  return [
    ...[count.span, count.start, count.operation, count.tier, count.isAuthenticated, count.status],
    ...[count.rejection, count.thirdPartyId, count.isCustomerPresent],
    ...[count.calls, count.microseconds, ...count.within],
  ]
}

/** The oldest periods, one after another: each has a bounded number of rows. */
async function purgePeriods(sql: Sql, span: UsageSpan, before: number): Promise<void> {
  const oldest = (table: string) =>
    `delete from ${table} where span = $1 and start =
       (select min(start) from ${table} where span = $1 and start < $2)`
  for (let count = 0; count < purgeMax; count += 1) {
    const deleted = await sql.inOrder(
      [oldest('usage_count'), [span, before]],
      [oldest('usage_period'), [span, before]],
    )
    if (deleted.every((rows) => rows === 0)) return
  }
}
