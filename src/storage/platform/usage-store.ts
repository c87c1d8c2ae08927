import {
  type UsageBatch,
  type UsageCount,
  type UsageSpan,
  type UsageStore,
  usageSpans,
} from '../../platform/usage/store.ts'
import type { Call, Sql } from '../sql.ts'

const kind =
  'span, start, operation, tier, is_authenticated, status, rejection, third_party, is_present'
const sums = [
  'calls',
  'microseconds',
  'within_10',
  'within_25',
  'within_50',
  'within_100',
  'within_200',
]

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

/** How long seconds are kept, since other processes may still add calls to them. */
const secondsRetentionMs = 2 * 3_600_000
const writerRetentionMs = 48 * 3_600_000

/** How many periods or seconds of each kind are deleted at once. */
const purgeMax = 20
const secondsPurgeMax = 300

export function createUsageStore(sql: Sql): UsageStore {
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
    close: () => sql.close(),
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
    ...peaks.map(
      ({ span, start, firstSecond, lastSecond }): Call => [
        raisePeak,
        [span, start, firstSecond, lastSecond],
      ],
    ),
    ...minutes.map(
      (minute): Call => [
        `insert into usage_period (span, start, ${peakList}) values ('minute', $1, 0, 0, 0)
         on conflict do nothing`,
        [minute],
      ],
    ),
  ]
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
