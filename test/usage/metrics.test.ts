import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { PlannedOutage } from '../../src/contract/cds/outages.ts'
import { type MetricsPeriod, readMetrics } from '../../src/platform/admin/metrics.ts'
import { openAvailability } from '../../src/platform/usage/availability.ts'
import { openCalendar } from '../../src/platform/usage/calendar.ts'
import { type CountedCall, openCallCounts } from '../../src/platform/usage/call-counts.ts'
import { countedEndpoint } from '../../src/platform/usage/counted-endpoint.ts'
import { infosecOperations, publicOperations } from '../../src/platform/usage/operations.ts'
import type { UsageStore } from '../../src/platform/usage/store.ts'
import { openConsentStore, openUsageStore } from '../../src/storage/open.ts'
import { findPasscode, nextCustomer, openConsentPlatform } from '../consent/platform.ts'
import { makeArrangement, makeThirdParty } from '../consent/stores.ts'
import { registerThirdParty } from '../consent/third-party.ts'
import { compileMetricsSchema } from '../support/cds-metrics-schema.ts'
import { describe, newDatabase, type Scope } from '../support/engines.ts'
import { until } from '../support/until.ts'
import { noonZone } from './counts.ts'

/** Midnight in Adelaide. */
const midnight = Temporal.Instant.from('2026-06-30T14:30:00Z')
const yesterday = (duration: Temporal.DurationLike) =>
  midnight.subtract({ hours: 24 }).add(duration)

const schemas = { 4: compileMetricsSchema(4), 5: compileMetricsSchema(5) }

async function open(scope: Scope, outages: readonly PlannedOutage[] = []) {
  const database = await newDatabase(scope)
  const usage = await openUsageStore(database)
  const consents = await openConsentStore(database)
  const calendar = openCalendar('Australia/Adelaide')
  let now = midnight
  const clock = () => now
  const onError = (error: Error) => assert.fail(error)
  const callCounts = openCallCounts({
    store: usage,
    clock,
    purgeSeconds: () => 0,
    calendar,
    onError,
  })
  scope.after(async () => {
    await callCounts.close()
    await usage.close()
    await consents.close()
  })
  const { authorisations, flows } = consents
  const makeUpdate = (store: UsageStore) =>
    openAvailability({ store, calendar, clock, listOutages: () => outages })
  const update = makeUpdate(usage)
  let batches = 0
  return {
    ...{ consents, usage, update, makeUpdate },
    /** Sets the time, and counts calls then. */
    async at(time: Temporal.Instant, ...calls: readonly Partial<CountedCall>[]) {
      now = time
      for (const each of calls) callCounts.count({ ...call, ...each })
      await callCounts.write()
    },
    /** A process was running in these minutes after a time. */
    async run(time: Temporal.Instant, first: number, last: number) {
      batches += 1
      const minutes = Array.from(
        { length: last - first + 1 },
        (_, index) => time.epochMilliseconds + (first + index) * 60_000,
      )
      const empty = { counts: [], seconds: [], peaks: [] }
      await usage.add({ writer: 'test', number: batches, time: 0, minutes, ...empty })
    },
    async read(time: Temporal.Instant, version: 4 | 5 = 5, period: MetricsPeriod = 'ALL') {
      now = time
      // biome-ignore lint/suspicious/noExplicitAny: the schema describes it
      const data: any = await readMetrics(
        { usage, authorisations, flows, calendar, clock },
        version,
        period,
      )
      const validate = schemas[version]
      const isValid = validate({ data, links: { self: 'https://bank.example/' }, meta: {} })
      assert.ok(isValid, JSON.stringify(validate.errors))
      return data
    },
  }
}

const call: CountedCall = {
  operation: publicOperations.products,
  status: 200,
  isCustomerPresent: false,
  durationMs: 100,
}
const accounts = { operation: countedEndpoint('accounts'), thirdPartyId: 'tp' }
const balance = { operation: countedEndpoint('balance'), isCustomerPresent: true }
const token = { operation: infosecOperations.token }
const rejected = { status: 429, rejection: 'session_per_second', durationMs: 1 }

describe('Get Metrics', () => {
  it('has the calls of the present day and of those before it, by tier and by what became of them', async (t) => {
    const { at, read } = await open(t)
    await at(
      yesterday({ hours: 9, minutes: 15 }),
      ...[call, { durationMs: 1501 }, { status: 404 }],
      ...[accounts, { ...accounts, isCustomerPresent: true, durationMs: 900 }],
    )
    await at(
      midnight.add({ hours: 1, minutes: 30 }),
      ...[balance, { ...balance, durationMs: 1600, status: 503 }, { ...balance, ...rejected }],
      ...[token, token, { ...token, status: 401 }, { ...token, status: 499 }],
      { operation: countedEndpoint('billing'), durationMs: 6000 },
      { operation: countedEndpoint('billing'), isCustomerPresent: true, durationMs: 6001 },
    )

    const data = await read(midnight.add({ hours: 2, minutes: 5 }))

    const ofDays = (currentDay: unknown, previousDay: unknown) => ({
      currentDay,
      previousDays: [previousDay],
    })
    const hours = (count: number, rates: Readonly<Record<number, string>> = {}) =>
      Array.from({ length: count }, (_, hour) => rates[hour] ?? '1.0000')
    assert.deepEqual(data.invocations, {
      unauthenticated: ofDays(0, 3),
      highPriority: ofDays(4, 1),
      lowPriority: ofDays(3, 0),
      unattended: ofDays(0, 1),
      largePayload: ofDays(2, 0),
    })
    assert.deepEqual(data.performance, {
      aggregate: ofDays('0.7500', '0.8000'),
      unauthenticated: ofDays(hours(3), hours(24, { 9: '0.6666' })),
      highPriority: ofDays(hours(3), hours(24)),
      lowPriority: ofDays(hours(3, { 1: '0.5000' }), hours(24)),
      unattended: ofDays(hours(3), hours(24)),
      largePayload: ofDays(hours(3, { 1: '0.5000' }), hours(24)),
    })
    assert.deepEqual(data.averageResponse, {
      unauthenticated: ofDays(0, 0.567),
      highPriority: ofDays(0.1, 0.9),
      lowPriority: ofDays(0.85, 0),
      unattended: ofDays(0, 0.1),
      largePayload: ofDays(6.001, 0),
    })
    assert.deepEqual(data.sessionCount, ofDays(2, 0))
    assert.deepEqual(data.averageTps, {
      aggregate: ofDays(0.001, 0),
      unauthenticated: ofDays(0, 0),
      authenticated: ofDays(0.001, 0),
    })
    assert.deepEqual(data.peakTps, {
      aggregate: ofDays(9, 5),
      unauthenticated: ofDays(0, 3),
      authenticated: ofDays(9, 2),
    })
    assert.deepEqual(data.errors, {
      aggregate: ofDays(1, 0),
      unauthenticated: ofDays({}, { 404: 1 }),
      authenticated: ofDays({ 401: 1, 429: 1, 503: 1 }, {}),
    })
    assert.deepEqual(data.rejections, {
      authenticated: ofDays(1, 0),
      unauthenticated: ofDays(0, 0),
    })
    assert.equal(data.requestTime, '2026-06-30T16:35:00Z')
  })

  it('has the present period, earlier ones or both, and no more than seven days and twelve months', async (t) => {
    const { at, read, update } = await open(t)
    const days = 430
    await at(midnight.subtract({ hours: 24 * days }), call)
    await at(midnight.subtract({ hours: 24 * 8 - 1 }), call, call)
    await at(midnight.subtract({ hours: 24 * 7 - 1 }), call)
    await at(midnight.add({ hours: 1 }), call, call, call)
    await update()
    const now = midnight.add({ hours: 2 })
    const { invocations } = await read(now)

    const { currentDay, previousDays } = invocations.unauthenticated
    assert.deepEqual([currentDay, previousDays], [3, [0, 0, 0, 0, 0, 0, 1]])
    const current = await read(now, 5, 'CURRENT')
    assert.deepEqual(current.invocations.unauthenticated, { currentDay: 3 })
    assert.deepEqual(Object.keys(current.availability.aggregate), ['currentMonth'])
    const historic = await read(now, 5, 'HISTORIC')
    assert.deepEqual(historic.invocations.unauthenticated, { previousDays })
    assert.equal(historic.availability.aggregate.previousMonths.length, 12)
  })

  it('of version 4 has one performance and no stages', async (t) => {
    const { at, read } = await open(t)
    await at(midnight, balance, { ...balance, durationMs: 1501 })

    const data = await read(midnight.add({ minutes: 1 }), 4)

    assert.deepEqual(data.performance, { currentDay: '0.5000', previousDays: [] })
    assert.equal(data.authorisations.abandonmentsByStage, undefined)
  })

  it('has the minutes in which the platform ran and did not fail, without planned outages', async (t) => {
    const toNanoseconds = (minute: number) => midnight.add({ minutes: minute }).epochNanoseconds
    const planned = { start: toNanoseconds(100), end: toNanoseconds(105) } as PlannedOutage
    const { at, read, run, update } = await open(t, [planned])
    await run(midnight, 0, 99)
    for (let minute = 0; minute < 10; minute += 1) {
      await at(midnight.add({ minutes: minute }), { ...accounts, status: 500 }, call)
      await at(midnight.add({ minutes: minute + 20 }), { ...accounts, status: 500 }, accounts)
    }
    await at(midnight.add({ minutes: 60 }))
    await update()
    await run(midnight, 120, 120)
    await at(midnight.add({ minutes: 120 }))
    await update()
    await update()

    const { availability } = await read(midnight.add({ minutes: 120 }))

    assert.deepEqual(availability, {
      aggregate: { currentMonth: '0.7826', previousMonths: [] },
      unauthenticated: { currentMonth: '0.8695', previousMonths: [] },
      authenticated: { currentMonth: '0.7826', previousMonths: [] },
    })
  })

  it('counts the hours after an outage once for all that ask', async (t) => {
    const { at, usage, makeUpdate } = await open(t)
    const counted: number[] = []
    const update = makeUpdate({
      ...usage,
      async putAvailability(hour, ...rest) {
        counted.push(hour)
        await usage.putAvailability(hour, ...rest)
      },
    })
    await at(midnight, call)
    await at(midnight.add({ hours: 20 }))

    await Promise.all([update(), update(), update()])

    assert.equal(counted.length, 20)
    await update()
    assert.deepEqual(counted.slice(20), counted.slice(-2))
  })

  it('has the consents that are active, and those that began, changed and ended', async (t) => {
    const { consents, read, at } = await open(t)
    const { arrangements, thirdParties } = consents
    for (const id of ['tp', 'other', 'unused']) await thirdParties.add(makeThirdParty(id))
    const from = yesterday({ hours: 10 })
    await at(from, call)
    const give = (
      id: string,
      customerId: string,
      { hours = 1000, start = from, thirdPartyId = 'tp', isAmendment = false } = {},
    ) =>
      arrangements.add(
        makeArrangement(id, {
          ...{ customerId, thirdPartyId, from: start },
          until: hours === 0 ? start.add({ seconds: 660 }) : start.add({ minutes: hours * 60 }),
        }),
        { isAmendment },
      )
    const now = midnight.add({ hours: 2 })
    await give('r1', 'c1')
    await give('r2', 'c1', { thirdPartyId: 'other' })
    await give('r3', 'c2', { hours: 0 })
    await give('r4', 'c3', { hours: 14.5 })
    await give('r5', 'c4')
    await arrangements.withdraw('r5', 'customer', now)
    await give('r6', 'c5', { start: now, hours: 0 })
    await give('r7', 'c1', { start: now, isAmendment: true })
    assert.ok(await arrangements.amend('r1', 'r7', now))

    const { authorisations, customerCount, recipientCount } = await read(now.add({ minutes: 1 }))

    const persons = (individual: number) => ({ individual, nonIndividual: 0 })
    const ofDays = (currentDay: number, previousDay: number) => ({
      currentDay: persons(currentDay),
      previousDays: [persons(previousDay)],
    })
    assert.deepEqual([customerCount, recipientCount], [2, 2])
    assert.deepEqual(authorisations.activeAuthorisationCount, persons(2))
    assert.deepEqual(authorisations.newAuthorisationCount, {
      currentDay: { onceOff: persons(1), ongoing: persons(0) },
      previousDays: [{ onceOff: persons(1), ongoing: persons(4) }],
    })
    assert.deepEqual(authorisations.revokedAuthorisationCount, ofDays(1, 0))
    assert.deepEqual(authorisations.amendedAuthorisationCount, ofDays(1, 0))
    assert.deepEqual(authorisations.expiredAuthorisationCount, ofDays(1, 0))
  })

  it('has each consent flow that led to no tokens in one stage', async (t) => {
    const { consents, read, at } = await open(t)
    const { flows } = consents
    const path = ['identify', 'passcode', 'accounts', 'confirm', 'token'] as const
    const start = yesterday({ hours: 23, minutes: 30 })
    await at(start, call)
    const succeed = (step: (typeof path)[number] | 'request', time: Temporal.Instant) =>
      ({ step, time, outcome: 'succeeded' }) as const
    for (let length = 0; length <= path.length; length += 1) {
      const id = `f${length}`
      await flows.add(id, 'tp', succeed('request', start))
      for (const step of path.slice(0, length)) await flows.append(id, succeed(step, start))
    }
    await flows.add('today', 'tp', succeed('request', midnight))
    await flows.append('today', { step: 'confirm', outcome: 'cancelled', time: midnight })

    const { authorisations } = await read(midnight.add({ minutes: 5 }))

    const ofDays = (currentDay: number, previousDay: number) => ({
      currentDay,
      previousDays: [previousDay],
    })
    assert.deepEqual(authorisations.abandonedConsentFlowCount, ofDays(1, 5))
    assert.deepEqual(authorisations.abandonmentsByStage, {
      preIdentification: ofDays(0, 1),
      preAuthentication: ofDays(0, 1),
      preAccountSelection: ofDays(0, 1),
      preAuthorisation: ofDays(0, 1),
      failedTokenExchange: ofDays(0, 1),
      rejected: ofDays(1, 0),
    })
  })

  it('counts a flow that needs no accounts and ended at the confirmation as one before the authorisation', async (t) => {
    const platform = await openConsentPlatform(t)
    const thirdParty = await registerThirdParty(platform)
    const customer = nextCustomer()
    const browser = platform.browse()
    await browser.open((await thirdParty.start({ scope: 'openid email' })).url)
    await browser.submit('identify', { email: customer.email })
    await browser.submit('passcode', { passcode: findPasscode(platform.passcodes, customer.id) })
    assert.match(browser.page.text, /Share your data with/)
    const { authorisations, flows, ...consents } = await openConsentStore(platform.database)
    const usage = await openUsageStore(platform.database)
    t.after(() => Promise.all([usage.close(), consents.close()]))
    const started = Temporal.Instant.fromEpochMilliseconds(platform.now())
    const clock = () => started.add({ minutes: 25 })
    const options = { usage, authorisations, flows, calendar: openCalendar(noonZone()), clock }
    const readStages = async () => {
      // biome-ignore lint/suspicious/noExplicitAny: the schema describes it
      const data: any = await readMetrics(options, 5, 'CURRENT')
      const counted: Readonly<Record<string, { readonly currentDay: number }>> =
        data.authorisations.abandonmentsByStage
      return Object.entries(counted).flatMap(([stage, { currentDay }]) =>
        Array<string>(currentDay).fill(stage),
      )
    }
    let stages: string[] = []
    // Steps are recorded in the background.
    await until(
      async () => {
        stages = await readStages()
        return stages.includes('preAuthorisation')
      },
      () => stages.join(),
    )

    assert.deepEqual(stages, ['preAuthorisation'])
  })
})
