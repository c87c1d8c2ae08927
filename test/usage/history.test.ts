import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { makeSigningKey } from '../../src/auth/signing.ts'
import type { PlannedOutage } from '../../src/contract/cds/outages.ts'
import { performanceTiers } from '../../src/contract/cds/performance-tiers.ts'
import {
  UsageHistory,
  type UsageMark,
  type UsageRange,
  usageRangeNames,
} from '../../src/contract/index.ts'
import { findProblems } from '../../src/contract/problems.ts'
import type { HistoryQuery } from '../../src/platform/history/read-history.ts'
import type { CountedCall } from '../../src/platform/usage/call-counts.ts'
import { countedEndpoint } from '../../src/platform/usage/counted-endpoint.ts'
import { infosecOperations, publicOperations } from '../../src/platform/usage/operations.ts'
import { createHistory } from '../../src/server/open-history.ts'
import { openUsage } from '../../src/server/open-usage.ts'
import {
  openConsentStore,
  openMarkStore,
  openSigningKeyStore,
  openUsageStore,
} from '../../src/storage/open.ts'
import { makeThirdParty } from '../consent/stores.ts'
import { describe, newDatabase, type Scope } from '../support/engines.ts'
import { loadInProcess } from '../support/load.ts'
import { smallBankLines } from '../support/small-bank.ts'
import { readRows } from './counts.ts'

/** Half an hour after midnight in Adelaide. */
const start = Temporal.Instant.from('2026-06-30T15:00:00Z')
const timeZone = 'Australia/Adelaide'
const toTime = (text: string) => Temporal.Instant.from(text).epochMilliseconds

async function open(scope: Scope, outages: readonly PlannedOutage[] = []) {
  const database = await newDatabase(scope)
  const settings = { database, timeZone }
  const consents = await openConsentStore(database)
  const signingKeys = await openSigningKeyStore(database)
  const marks = await openMarkStore(database)
  let now = start
  const clock = () => now
  const log = { warn: (...parts: unknown[]) => assert.fail(JSON.stringify(parts)) } as never
  const listOutages = () => outages
  const options = { listOutages, monotonicMs: () => now.epochMilliseconds }
  /** Processes of one platform. */
  const processes = [
    await openUsage(settings, { log }, clock, options),
    await openUsage(settings, { log }, clock, options),
  ] as const
  const sources = { consents, signingKeys, clock, listOutages }
  const history = createHistory(settings, processes[0], sources)
  scope.after(async () => {
    await history.close()
    for (const each of processes) await each.close()
    await consents.close()
    await signingKeys.close()
    await marks.close()
  })
  return {
    ...{ database, consents, signingKeys, marks },
    /** Sets the time, and counts calls then, in turn in each process. */
    async at(time: Temporal.Instant, ...calls: readonly Partial<CountedCall>[]) {
      now = time
      for (const [index, each] of calls.entries())
        processes[index % 2 === 0 ? 0 : 1].callCounts.count({ ...call, ...each })
      for (const { callCounts } of processes) await callCounts.write()
    },
    async read(query: HistoryQuery, time = now) {
      now = time
      const found = await history.read(query)
      assert.deepEqual(findProblems(UsageHistory, found, 10), [])
      return found
    },
  }
}

const call: CountedCall = {
  operation: publicOperations.products,
  status: 200,
  isCustomerPresent: false,
  durationMs: 100,
}

const operations = [
  publicOperations.products,
  infosecOperations.token,
  countedEndpoint('accounts'),
  countedEndpoint('billing'),
]
const answers = [
  { status: 200 },
  { status: 200, isCustomerPresent: true },
  { status: 404 },
  { status: 429, rejection: 'session_per_second' },
  { status: 499 },
  { status: 503 },
]

/** Calls of many kinds, at different times of the last month. */
function makeCalls(): { readonly time: Temporal.Instant; readonly call: CountedCall }[] {
  const secondsAgo = [0, 61, 300, 599, 1800, 3599, 7200, 50_000, 86_399, 100_000, 2_000_000]
  return secondsAgo.flatMap((seconds, index) =>
    answers.map((answer, kind) => ({
      time: start.subtract({ seconds }),
      call: {
        ...call,
        ...answer,
        operation: operations[(index + kind) % operations.length] ?? publicOperations.products,
        thirdPartyId: ['tp1', 'tp2', ''][(index * 2 + kind) % 3],
        durationMs: 20 + 37 * kind * index,
      },
    })),
  )
}

const rangeStarts: Readonly<Record<UsageRange, string>> = {
  '10m': '2026-06-30T14:50:00Z',
  '1h': '2026-06-30T14:00:00Z',
  '24h': '2026-06-29T14:30:00Z',
  '30d': '2026-05-31T14:30:00Z',
}

describe('the history of calls', () => {
  for (const range of usageRangeNames) {
    it(`of ${range} adds up the calls of all processes, by period, operation, third party and outcome`, async (t) => {
      const { at, read, consents } = await open(t)
      await consents.thirdParties.add(makeThirdParty('tp1', { name: 'Budget' }))
      const calls = makeCalls()
      const byTime = Map.groupBy(calls, ({ time }) => time.epochMilliseconds)
      for (const [time, together] of byTime) {
        await at(
          Temporal.Instant.fromEpochMilliseconds(time),
          ...together.map(({ call: each }) => each),
        )
      }
      const counted = calls.filter(
        ({ time }) => time.epochMilliseconds >= toTime(rangeStarts[range]),
      )
      const sum = (isCounted: (each: CountedCall) => boolean) =>
        counted.filter(({ call: each }) => isCounted(each)).length
      const expect = (isCounted: (each: CountedCall) => boolean) => ({
        calls: sum(isCounted),
        errors: sum((each) => isCounted(each) && each.status === 503),
        clientErrors: sum((each) => isCounted(each) && [404, 429].includes(each.status)),
        rejections: sum((each) => isCounted(each) && each.rejection !== undefined),
      })

      const found = await read({ range }, start)

      const { sessions, peak, latency: _, ...total } = found.total
      assert.deepEqual(
        total,
        expect(() => true),
      )
      assert.equal(
        sessions,
        sum(({ operation, status }) => operation.name === 'token' && status === 200),
      )
      assert.equal(peak, answers.length)
      assert.equal(found.start, rangeStarts[range])
      const pointSum = found.points.reduce((all, { calls: each }) => all + each, 0)
      assert.equal(pointSum, counted.length)
      for (const [index, point] of found.points.entries()) {
        const end = found.points[index + 1]?.start ?? '2026-07-01T00:00:00Z'
        const within = counted.filter(
          ({ time }) =>
            time.epochMilliseconds >= toTime(point.start) && time.epochMilliseconds < toTime(end),
        )
        assert.equal(point.calls, within.length, point.start)
        assert.equal(point.peak, within.length === 0 ? 0 : answers.length, point.start)
      }
      for (const { operation, latency: _, ...counts } of found.operations)
        assert.deepEqual(
          counts,
          expect((each) => each.operation.name === operation),
        )
      assert.equal(found.operations.length, 4)
      for (const { thirdParty, latency: _, ...counts } of found.thirdParties)
        assert.deepEqual(
          counts,
          expect((each) => each.thirdPartyId === (thirdParty?.id ?? '')),
        )
      assert.deepEqual(
        found.thirdParties.map(({ thirdParty }) => thirdParty?.name ?? thirdParty?.id).sort(),
        ['Budget', 'tp2', undefined],
      )
      assert.deepEqual(
        found.statuses.map(({ status, calls: each }) => [status, each]),
        [404, 429, 503].map((status) => [status, sum((each) => each.status === status)]),
      )
      assert.deepEqual(found.limits, [
        { limit: 'session_per_second', calls: sum((each) => each.rejection !== undefined) },
      ])
    })
  }

  it('has a bounded number of points, however far apart the calls are', async (t) => {
    const { at, read } = await open(t)
    await at(start.subtract({ hours: 24 * 300 }), call)
    await at(start, call)
    const counts: number[] = []

    for (const range of usageRangeNames) counts.push((await read({ range }, start)).points.length)

    assert.deepEqual(counts, [11, 61, 25, 31])
  })

  it('has the calls of one operation, of one third party, or of both', async (t) => {
    const { at, read } = await open(t)
    const accounts = countedEndpoint('accounts')
    await at(
      start,
      ...[call, { ...call, thirdPartyId: 'tp1' }, { operation: accounts, thirdPartyId: 'tp1' }],
      ...[{ operation: accounts, thirdPartyId: 'tp2' }, { operation: accounts }],
    )
    const count = async (query: Omit<HistoryQuery, 'range'>) => {
      const { total, points } = await read({ range: '1h', ...query })
      assert.equal(points.at(-1)?.calls, total.calls)
      assert.equal(total.peak, undefined)
      return total.calls
    }

    assert.equal(await count({ operation: 'accounts' }), 3)
    assert.equal(await count({ thirdPartyId: 'tp1' }), 2)
    assert.equal(await count({ operation: 'accounts', thirdPartyId: 'tp1' }), 1)
    assert.equal(await count({ operation: '__proto__', thirdPartyId: 'constructor' }), 0)
  })

  it('estimates percentiles of calls of several tiers, without those over a limit', async (t) => {
    const { at, read } = await open(t)
    const { highPriority, largePayload } = performanceTiers
    const fast = { operation: infosecOperations.token, durationMs: highPriority * 0.05 }
    const slow = { operation: countedEndpoint('billing'), durationMs: largePayload * 3 }
    const rejected = { ...slow, status: 429, rejection: 'provider' }
    await at(start, ...Array.from({ length: 96 }, () => fast), ...Array(4).fill(slow))
    await at(start, ...Array(500).fill(rejected))

    const { latency } = (await read({ range: '10m' })).total

    // Evenly distributed from 0 to 10 % of the response time of the tier; longer ones count as twice this time.
    assert.deepEqual(latency, {
      p50: Math.round((0.1 * 50 * 1e6) / 96) / 1e6,
      p95: Math.round((0.1 * 95 * 1e6) / 96) / 1e6,
      p99: 12,
    })
  })

  it('has no latency where there are no calls', async (t) => {
    const { read } = await open(t)

    const { total, points, marks, operations: listed } = await read({ range: '1h' })

    assert.equal(total.latency, undefined)
    assert.equal(total.calls, 0)
    assert.deepEqual([...new Set(points.map(({ latency }) => latency))], [undefined])
    assert.deepEqual(listed, [])
    assert.deepEqual(marks, [])
  })

  it('has the consent flows of the last week by how they ended, of all third parties or of one', async (t) => {
    const { read, consents } = await open(t)
    const add = async (id: string, thirdPartyId: string, ago: Temporal.DurationLike) =>
      consents.flows.add(id, thirdPartyId, {
        ...{ time: start.subtract(ago), step: 'request', outcome: 'succeeded' },
      })
    const append = (id: string, step: 'identify' | 'token' | 'page', isCancelled = false) =>
      consents.flows.append(id, {
        ...{ time: start.subtract({ minutes: 1 }), step },
        outcome: isCancelled ? 'cancelled' : 'succeeded',
      })
    await add('f1', 'tp1', { minutes: 30 })
    await append('f1', 'token')
    await add('f2', 'tp2', { minutes: 30 })
    await append('f2', 'identify')
    await add('f3', 'tp1', { minutes: 50 })
    await append('f3', 'page', true)
    await add('f4', 'tp1', { hours: 24 * 8 })
    await add('running', 'tp1', { minutes: 2 })

    const { consentFlows } = await read({ range: '30d' })
    const ofOne = await read({ range: '1h', thirdPartyId: 'tp2' })

    const toEntries = (ends: typeof consentFlows.ends) =>
      ends.map(({ end, flows }) => [end, flows]).sort()
    assert.deepEqual(toEntries(consentFlows.ends), [
      ['exchanged', 1],
      ['preAuthentication', 1],
      ['rejected', 1],
    ])
    assert.equal(consentFlows.since, start.subtract({ hours: 24 * 7 }).toString())
    assert.deepEqual(toEntries(ofOne.consentFlows.ends), [['preAuthentication', 1]])
  })
})

describe('the marks of the history', () => {
  const texts = (marks: readonly UsageMark[]) => marks.map(({ kind, text }) => `${kind}: ${text}`)

  it('are the starts of servers, loads and changes of keys, with their times', async (t) => {
    const { read, marks, signingKeys, database } = await open(t)
    const loaded = Temporal.Now.instant()
    const startOf = (minutes: number) => ({
      minute: loaded.subtract({ minutes }).epochMilliseconds,
      version: '1.2.3',
    })
    for (let process = 0; process < 3; process += 1)
      await marks.addStart({ role: 'platform', ...startOf(5) })
    await marks.addStart({ role: 'intake', ...startOf(5) })
    await marks.addStart({ role: 'provider', ...startOf(300) })
    const key = await makeSigningKey('ES256', loaded.subtract({ minutes: 20 }))
    await signingKeys.add(key)
    await signingKeys.retire(key.id, loaded.subtract({ minutes: 15 }))
    await loadInProcess(database, smallBankLines)
    await loadInProcess(database, smallBankLines)
    const now = Temporal.Now.instant()

    const found = (await read({ range: '1h' }, now)).marks

    assert.deepEqual(texts(found), [
      `keyAdded: Signing key added: ES256, ${key.id}`,
      `keyRetired: Signing key retired: ES256, ${key.id}`,
      'start: Started: intake 1.2.3, platform 1.2.3 (3 processes)',
      `load: Data loaded: ${smallBankLines.length} lines created`,
      `load: Data loaded: ${smallBankLines.length} lines unchanged`,
    ])
    assert.equal(toTime(found[1]?.time ?? ''), loaded.subtract({ minutes: 15 }).epochMilliseconds)
    assert.equal((await read({ range: '10m' }, now)).marks.length, 3)
    assert.match((await read({ range: '24h' }, now)).marks[0]?.text ?? '', /^Started: provider/)
  })

  it('are the minutes without a process or with mostly failures, and planned outages instead of these', async (t) => {
    const toNanoseconds = (minutes: number) =>
      BigInt(start.add({ minutes }).epochMilliseconds) * 1_000_000n
    const planned: PlannedOutage = {
      outage: {
        outageTime: start.add({ minutes: 10 }).toString(),
        duration: 'PT5M',
        explanation: 'Release 7',
      },
      start: toNanoseconds(10),
      end: toNanoseconds(15),
    }
    const { at, read, database } = await open(t, [planned])
    const store = await openUsageStore(database)
    t.after(() => store.close())
    const isDown = (minute: number) => minute >= 10 && minute < 18
    const minutes = Array.from({ length: 31 }, (_, minute) => minute)
      .filter((minute) => !isDown(minute))
      .map((minute) => start.add({ minutes: minute }).epochMilliseconds)
    const empty = { counts: [], seconds: [], peaks: [] }
    await store.add({ writer: randomUUID(), number: 1, time: 0, minutes, ...empty })
    await at(start.add({ minutes: 24 }), { status: 503 }, { status: 500 }, call)
    await at(start.add({ minutes: 26 }), { status: 503 }, call)
    const now = start.add({ minutes: 30, seconds: 30 })

    const found = (await read({ range: '1h' }, now)).marks
    const byHour = (await read({ range: '24h' }, now)).marks

    const formatted = found.map(({ kind, time, end, text }) => `${kind} ${time} ${end} ${text}`)
    const at0 = (minute: number) => start.add({ minutes: minute }).toString()
    assert.deepEqual(formatted, [
      `plannedOutage ${at0(10)} ${at0(15)} Planned outage: Release 7`,
      `outage ${at0(15)} ${at0(18)} Not available for 3 minutes`,
      `outage ${at0(24)} ${at0(25)} Not available for 1 minute`,
    ])
    assert.deepEqual(texts(byHour), [
      'outage: Not available for 4 minutes',
      'plannedOutage: Planned outage: Release 7',
    ])
  })

  it('are bounded: a database keeps the last starts and loads', async (t) => {
    const { marks, database } = await open(t)
    const upTo = (count: number, row: string) =>
      `with recursive numbers(number) as (select 0 union all select number + 1 from numbers where number < ${count - 1})
       select ${row} from numbers`
    await readRows(database, `insert into recent_start ${upTo(700, `number, 'intake', 1, '1'`)}`)
    await readRows(database, `insert into recent_load ${upTo(700, 'number, number, 0, 0, 0, 0')}`)

    await marks.addStart({ role: 'platform', minute: 700, version: '1' })
    await loadInProcess(database, smallBankLines)

    const range = { start: 0, end: Number.MAX_SAFE_INTEGER }
    const minutes = (await marks.listStarts(range)).map(({ minute }) => minute)
    assert.deepEqual([minutes.length, minutes[0], minutes.at(-1)], [500, 201, 700])
    const loads = (await marks.listLoads(range)).map(({ committed }) => committed)
    assert.deepEqual([loads.length, loads[0], loads.at(-2)], [500, 201, 699])
  })
})
