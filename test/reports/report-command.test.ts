import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { cdsErrors } from '../../src/platform/cds/errors.ts'
import { refusalBases } from '../../src/platform/reports/refusal-rules.ts'
import { openConsentStore, openUsageStore } from '../../src/storage/open.ts'
import { discloseRecords, discloseUnsent } from '../consent/disclose.ts'
import { execute } from '../consent/stored-records.ts'
import { describe, describeOnce, newDatabase, type Scope } from '../support/engines.ts'
import { runInProcess } from '../support/process.ts'

const timeZone = 'Australia/Sydney'

/** The half of the year that a time is in, and the one before or after it. */
function findHalf(offset: number) {
  const today = Temporal.Now.zonedDateTimeISO(timeZone).toPlainDate()
  const current = today.with({ month: today.month <= 6 ? 1 : 7, day: 1 })
  const first = current.add({ months: 6 * offset })
  const startOf = (day: Temporal.PlainDate) => day.toZonedDateTime(timeZone).toInstant()
  return {
    name: `${first.year}-H${first.month === 1 ? 1 : 2}`,
    first,
    start: startOf(first),
    end: startOf(first.add({ months: 6 })),
  }
}

const last = findHalf(-1)

async function openReport(scope: Scope) {
  const database = await newDatabase(scope)
  const store = await openConsentStore(database)
  scope.after(() => store.close())
  const run = (...args: readonly string[]) =>
    runInProcess([...args, '--database', database], { HOLDFAST_TIME_ZONE: timeZone })
  return {
    database,
    store,
    run,
    async report(name: string, format = 'json', ...args: readonly string[]) {
      const flags = ['--period', name, '--format', format, ...args]
      const { status, stdout, stderr } = await run('report', ...flags)
      assert.equal(status, 0, stderr)
      return stdout
    },
    /** Adds calls of a day, as a process does. */
    async count(start: Temporal.Instant, operation: string, status: number, calls: number) {
      const usage = await openUsageStore(database)
      const kind = { operation, tier: 'unauthenticated', isAuthenticated: false } as const
      const rest = { rejection: '', thirdPartyId: '', isCustomerPresent: false }
      await usage.add({
        ...{ writer: randomUUID(), number: 1, time: start.epochMilliseconds },
        counts: [
          {
            ...{ ...kind, ...rest, span: 'day', start: start.epochMilliseconds, status, calls },
            ...{ microseconds: 1000, within: [1, 1, 1, 1, 1] },
          },
        ],
        ...{ seconds: [], peaks: [], minutes: [] },
      })
      await usage.close()
    },
  }
}

const refused = (error: string, status: number, rest = {}) => ({
  ...{ error, status, scopes: [], accountIds: [], count: 0, isRefusal: true as const },
  ...rest,
})

/** Records on both sides of the bounds of the period. */
async function addRecords({ store }: Awaited<ReturnType<typeof openReport>>): Promise<void> {
  const before = last.start.subtract({ milliseconds: 1 })
  await discloseRecords(store, before, {}, {})
  await discloseRecords(store, last.end, {})
  await discloseRecords(store, last.start, {}, refused('sharingRefused', 403))
  const atLast = last.end.subtract({ milliseconds: 1 })
  await discloseRecords(
    store,
    atLast,
    refused('accountUnavailable', 404),
    refused('accountUnavailable', 404),
    refused('tooManyRequests', 429, { limit: 'session_calls' }),
    refused('access_denied', 403, { operation: 'userinfo' }),
    { ...refused('accountUnavailable', 404), isRefusal: undefined },
    { ...refused('invalidField', 400), isRefusal: undefined },
  )
  await discloseUnsent(store, atLast, refused('sharingRefused', 403), {})
}

describe('holdfast report', () => {
  it('has the numbers of the exported records of the period in the time zone, by rule', async (t) => {
    const opened = await openReport(t)
    await addRecords(opened)
    const days = ['--from', last.start.toString(), '--to', last.end.toString()]
    const { stdout } = await opened.run('records', 'export', ...days)
    const records = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    const count = (isCounted: (record: Record<string, unknown>) => boolean) =>
      records.filter(isCounted).length

    const report = JSON.parse(await opened.report(last.name))

    const [brand] = report.brands
    assert.equal(brand.consumerDataRequests, records.length)
    assert.equal(records.length, 10)
    assert.equal(
      brand.disclosed,
      count(({ isSent, error }) => isSent === true && error === undefined),
    )
    assert.equal(
      brand.notSent,
      count(({ isSent }) => isSent === false),
    )
    for (const [error, rule] of [
      ['sharingRefused', '4.7(1)(a)'],
      ['accountUnavailable', '4.7(1)(c)'],
      ['tooManyRequests', '4.7(1)(d)'],
      ['access_denied', '4.7(1)(a) or (c)'],
    ] as const) {
      const found = brand.refusals.filter((each: { rule: string }) => each.rule === rule)
      const expected = count(
        (each) => each['error'] === error && each['isRefusal'] === true && each['isSent'] === true,
      )
      assert.deepEqual(
        found.map((each: { count: number }) => each.count),
        [expected],
      )
    }
    assert.deepEqual(
      brand.errors.map((each: { error: string; count: number }) => [each.error, each.count]),
      [
        ['accountUnavailable', 1],
        ['invalidField', 1],
      ],
    )
    assert.equal(report.records.records, records.length)
    assert.deepEqual([report.timeZone, report.isFinished], [timeZone, true])
  })

  it('has product data requests from the counts of the days, with those over a limit as refusals', async (t) => {
    const { report, count } = await openReport(t)
    const day = last.first.add({ days: 1 }).toZonedDateTime(timeZone).toInstant()
    await count(last.start, 'products', 200, 7)
    await count(day, 'product', 404, 2)
    await count(day, 'products', 429, 3)
    await count(day, 'status', 200, 50)
    await count(last.end, 'products', 200, 100)

    const [brand] = JSON.parse(await report(last.name)).brands

    assert.equal(brand.productDataRequests, 12)
    const refusals = brand.refusals.map((each: Record<string, unknown>) => [
      each['data'],
      each['rule'],
      each['count'],
    ])
    assert.deepEqual(refusals, [['product', '2.5(1)', 3]])
  })

  it('has the same bytes each time, in each format, once the period has ended', async (t) => {
    const opened = await openReport(t)
    await addRecords(opened)
    const brand = ['--brand-name', 'Bank & <Sons>', '--brand-id', 'brand-7']
    const read = (format: string) => opened.report(last.name, format, ...brand)

    const html = await read('html')
    const csv = await read('csv')
    const json = await read('json')
    await discloseRecords(opened.store, last.end.add({ seconds: 1 }), {})

    assert.deepEqual([await read('html'), await read('csv'), await read('json')], [html, csv, json])
    assert.match(html, /Bank &amp; &lt;Sons&gt;/)
    assert.match(html, /\(Australia\/Sydney\)/)
    assert.match(html, /Rule 4\.7\(1\)\(c\)/)
    assert.equal(html.match(/aria-label="To be filled in"/g)?.length, 7)
    const rows = csv.trimEnd().split('\r\n')
    const blank = rows.filter((row) => /,Complaints of consumers received,,,,,,$/.test(row))
    assert.equal(blank.length, 1)
    assert.ok(rows.some((row) => row.endsWith(',Consumer data requests,,,,,,10')))
  })

  it('says that a period has not ended, and refuses one that is not kept or has not begun', async (t) => {
    const { report, run } = await openReport(t)
    const [current, next, old] = [findHalf(0), findHalf(1), findHalf(-5)]

    const unfinished = await report(current.name, 'html')
    const failures = await Promise.all(
      [
        ['--period', next.name],
        ['--period', old.name, '--record-years', '1'],
        ['--period', '2026-Q1'],
      ].map((flags) => run('report', ...flags)),
    )
    const oldProducts = await report(old.name, 'html', '--record-years', '9')

    assert.match(unfinished, /Unfinished: the period has not ended/)
    assert.deepEqual(
      failures.map(({ status }) => status),
      [1, 1, 2],
    )
    const [future, expired, invalid] = failures.map(({ stderr }) => stderr)
    assert.match(future ?? '', new RegExp(`period ${next.name} begins on ${next.first}`))
    assert.match(expired ?? '', /before the records that are kept: HOLDFAST_RECORD_YEARS is 1\n/)
    assert.match(invalid ?? '', /--period must be half a year, such as 2026-H1/)
    assert.match(oldProducts, /Not available: the counts of calls by day are kept for two years/)
  })

  it('names a block that was changed, and exits with 1', async (t) => {
    const opened = await openReport(t)
    await addRecords(opened)
    await execute(opened.database, `update record_block set lines = replace(lines, '403', '200')`)

    const { status, stdout, stderr } = await opened.run('report', '--period', last.name)

    assert.equal(status, 1)
    assert.match(
      stdout,
      /The records are not as they were written: chain \S+, block 0: it was changed/,
    )
    assert.match(stderr, /the records were changed/)
  })
})

describeOnce('the rules that refusals rely upon', () => {
  it('have every error of the standards, and those alone', () => {
    assert.deepEqual(Object.keys(refusalBases).sort(), Object.keys(cdsErrors).sort())
  })
})
