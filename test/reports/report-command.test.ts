import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import type { RegulatoryReport, ReportState } from '../../src/contract/index.ts'
import { cdsErrors } from '../../src/platform/cds/errors.ts'
import { openBackgroundReports } from '../../src/platform/reports/background-reports.ts'
import { refusalBases } from '../../src/platform/reports/refusal-rules.ts'
import { openConsentStore, openUsageStore } from '../../src/storage/open.ts'
import { discloseRecords, discloseUnsent } from '../consent/disclose.ts'
import { execute } from '../consent/stored-records.ts'
import { describe, describeOnce, newDatabase, type Scope } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { runInProcess, startServer } from '../support/process.ts'
import { until } from '../support/until.ts'

const timeZone = 'Australia/Sydney'

/** The half of the year that yesterday is in, and those before and after it. The one before is finished. */
function findHalf(offset: number) {
  const today = Temporal.Now.zonedDateTimeISO(timeZone).toPlainDate().subtract({ days: 1 })
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

  it('has the same bytes each time, in each format, once the period is finished', async (t) => {
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

  it('says that a period is not finished, and refuses one that is not kept or has not begun', async (t) => {
    const { report, run } = await openReport(t)
    const [current, next, old] = [findHalf(0), findHalf(2), findHalf(-5)]

    const unfinished = await report(current.name, 'html')
    const failures = await Promise.all(
      [
        ['--period', next.name],
        ['--period', old.name, '--record-years', '1'],
        ['--period', '2026-Q1'],
      ].map((flags) => run('report', ...flags)),
    )
    const oldProducts = await report(old.name, 'html', '--record-years', '9')

    assert.match(unfinished, /Unfinished: the numbers can grow until a day after the period/)
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

async function untilReport(read: () => Promise<ReportState>): Promise<RegulatoryReport> {
  let state: ReportState = {}
  await until(async () => {
    state = await read()
    return state.report !== undefined
  })
  return state.report ?? assert.fail()
}

describe('GET /v1/reports', () => {
  it('returns the report of the command, for clients with the scope consent.read', async (t) => {
    const opened = await openReport(t)
    await addRecords(opened)
    await opened.count(last.start, 'products', 200, 12)
    const register = async (scope: string) => {
      const { stdout } = await opened.run('client', 'add', 'console', '--scope', scope)
      const [, id, secret] = /client_id: (\S+)\nclient_secret: (\S+)/.exec(stdout) ?? []
      return { client_id: id, client_secret: secret }
    }
    const [reader, outsider] = [await register('consent.read'), await register('operations.read')]
    const { database } = opened
    const flags = { database, 'time-zone': timeZone }
    const { port } = await startServer(t, ['serve', 'platform'], flags)
    const read = async (period: string, client: object) => {
      const { token } = (await send(port, '/v1/token', { method: 'POST', body: client })).body
      const headers = { authorization: `Bearer ${token}` }
      return send(port, `/v1/reports/${period}`, { headers })
    }

    const readReport = (period: string) =>
      untilReport(async () => (await read(period, reader)).body)

    const reports = await Promise.all([readReport(last.name), readReport(last.name)])
    const current = await readReport(findHalf(0).name)

    const expected = JSON.parse(await opened.report(last.name))
    for (const report of reports) assert.deepEqual(report, expected)
    assert.equal(current.isFinished, false)
    assert.equal(current.records.records, 1)
    assert.equal((await read(last.name, outsider)).status, 403)
    for (const [period, problem] of [
      ['2026-H3', /period must be half a year/],
      [findHalf(2).name, /begins on/],
      ['1999-H1', /before the records that are kept/],
      ['__proto__', /period must be half a year/],
    ] as const) {
      const refused = await read(period, reader)
      assert.equal(refused.status, 400)
      assert.match(refused.text, problem)
    }
  })

  it('says how far the records were counted, counts them once, and again after a failure', async (t) => {
    const { store, database } = await openReport(t)
    for (let minute = 0; minute < 51; minute += 1)
      await discloseRecords(store, last.start.add({ minutes: minute }), {})
    const usage = await openUsageStore(database)
    t.after(() => usage.close())
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let calls = 0
    const { disclosureRecords } = store
    const reports = openBackgroundReports({
      store: {
        async list(query) {
          calls += 1
          await gates[calls - 2]?.promise
          return disclosureRecords.list(query)
        },
      },
      usage,
      clock: () => Temporal.Now.instant(),
      timeZone,
      brand: { name: 'Bank' },
      recordYears: 6,
    })

    const countedTo = last.start.add({ minutes: 49 }).toString()
    await until(async () => (await reports.read(last.name)).countedTo === countedTo)
    gates[0]?.reject(new Error('the database is away'))
    await assert.rejects(reports.read(last.name), /the database is away/)
    const counted = untilReport(() => reports.read(last.name))
    gates[1]?.resolve()
    const report = await counted
    const again = await reports.read(last.name)
    await reports.close()

    assert.equal(report.records.records, 51)
    assert.deepEqual(again, { report })
    assert.equal(calls, 4)
    await assert.rejects(reports.read(findHalf(0).name), /aborted/)
  })

  it('is finished a day after the period, when processes have written their last records and counts', async (t) => {
    const { store, database, count } = await openReport(t)
    const usage = await openUsageStore(database)
    t.after(() => usage.close())
    const readAt = async (now: Temporal.Instant) => {
      const reports = openBackgroundReports({
        ...{ store: store.disclosureRecords, usage, clock: () => now, timeZone },
        ...{ brand: { name: 'Bank' }, recordYears: 6 },
      })
      const { isFinished, brands, records } = await untilReport(() => reports.read(last.name))
      await reports.close()
      return [isFinished, records.records, brands[0]?.productDataRequests]
    }
    const atLast = last.end.subtract({ seconds: 1 })
    const lastDay = last.end.toZonedDateTimeISO(timeZone).subtract({ days: 1 }).toInstant()
    await discloseRecords(store, atLast, {})

    const early = await readAt(last.end)
    await discloseRecords(store, atLast, {})
    await count(lastDay, 'products', 200, 3)
    const final = await readAt(last.end.add({ hours: 24 }))

    assert.deepEqual(early, [false, 1, 0])
    assert.deepEqual(final, [true, 2, 3])
  })
})
