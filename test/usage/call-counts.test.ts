import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openCalendar } from '../../src/platform/usage/calendar.ts'
import { type CountedCall, openCallCounts } from '../../src/platform/usage/call-counts.ts'
import { infosecOperations, publicOperations } from '../../src/platform/usage/operations.ts'
import type { UsageBatch, UsageStore } from '../../src/platform/usage/store.ts'
import { openUsageStore } from '../../src/storage/open.ts'
import { describe, describeOnce, newDatabase, type Scope } from '../support/engines.ts'
import { readRows } from './counts.ts'

const start = Temporal.Instant.from('2026-07-01T10:59:58Z')

async function open(scope: Scope, options: { timeZone?: string; countersMax?: number } = {}) {
  const database = await newDatabase(scope)
  let now = start
  const errors: Error[] = []
  const openProcess = async (around: (store: UsageStore) => UsageStore = (store) => store) => {
    const store = await openUsageStore(database)
    scope.after(() => store.close())
    const callCounts = openCallCounts({
      store: around(store),
      clock: () => now,
      purgeSeconds: () => now.epochMilliseconds / 1000,
      calendar: openCalendar(options.timeZone ?? 'UTC'),
      countersMax: options.countersMax,
      onError: (error) => errors.push(error),
    })
    scope.after(() => callCounts.close())
    return { callCounts, store }
  }
  return {
    errors,
    openProcess,
    pass(duration: Temporal.DurationLike) {
      now = now.add(duration)
    },
    read: (statement: string) => readRows(database, statement),
  }
}

const call = (rest: Partial<CountedCall> = {}): CountedCall => ({
  operation: publicOperations.products,
  status: 200,
  isCustomerPresent: false,
  durationMs: 10,
  ...rest,
})

const countsOf = (span: string) =>
  `select operation, status, third_party, sum(calls) from usage_count where span = '${span}'
   group by operation, status, third_party order by operation, status, third_party`

const totals = 'select span, sum(calls) from usage_count group by span order by span'

describe('the counts of calls', () => {
  it('are the sums of all processes, by minute, hour and day', async (scope) => {
    const { openProcess, read } = await open(scope)
    const processes = [await openProcess(), await openProcess()]

    for (const [index, { callCounts }] of processes.entries()) {
      callCounts.count(call())
      callCounts.count(call())
      callCounts.count(
        call({ operation: infosecOperations.token, status: 401, thirdPartyId: `t${index}` }),
      )
    }
    await Promise.all(processes.map(({ callCounts }) => callCounts.write()))
    processes[0]?.callCounts.count(call())
    await processes[0]?.callCounts.write()

    for (const span of ['minute', 'hour', 'day']) {
      assert.deepEqual(await read(countsOf(span)), [
        ['products', 200, '', 5],
        ['token', 401, 't0', 1],
        ['token', 401, 't1', 1],
      ])
    }
    const peaks = `select peak, peak_authenticated, peak_unauthenticated from usage_period where span = 'day'`
    assert.deepEqual(await read(peaks), [[7, 2, 5]])
  })

  it('have a histogram of latencies by the response time of the tier', async (scope) => {
    const { openProcess, read } = await open(scope)
    const { callCounts } = await openProcess()

    for (const durationMs of [150, 151, 375, 750, 1500, 1501, 3000, 3001]) {
      callCounts.count(call({ durationMs }))
    }
    await callCounts.write()

    const columns = 'calls, microseconds, within_10, within_25, within_50, within_100, within_200'
    assert.deepEqual(await read(`select ${columns} from usage_count where span = 'hour'`), [
      [8, 10_428_000, 1, 3, 4, 5, 7],
    ])
  })

  it('are added once, even if the answer of the database was lost', async (scope) => {
    const { openProcess, read, errors } = await open(scope)
    let isLost = true
    const { callCounts } = await openProcess((store) => ({
      ...store,
      async add(batch: UsageBatch) {
        await store.add(batch)
        if (isLost) throw new Error('connection lost')
      },
    }))

    callCounts.count(call())
    await callCounts.write()
    callCounts.count(call())
    await callCounts.write()
    isLost = false
    await callCounts.write()
    await callCounts.write()

    assert.deepEqual(await read(totals), [
      ['day', 2],
      ['hour', 2],
      ['minute', 2],
    ])
    assert.equal(errors.length, 1)
  })

  it('of an outage of the database are written after it, in the minutes of the calls', async (scope) => {
    const { openProcess, read, pass } = await open(scope)
    let isAway = true
    const { callCounts } = await openProcess((store) => ({
      ...store,
      async add(batch: UsageBatch) {
        if (isAway) throw new Error('away')
        await store.add(batch)
      },
    }))

    callCounts.count(call())
    await callCounts.write()
    pass({ minutes: 5 })
    callCounts.count(call())
    await callCounts.write()
    isAway = false
    await callCounts.close()

    const minutes = `select start, sum(calls) from usage_count where span = 'minute' group by start order by start`
    assert.deepEqual(await read(minutes), [
      [Date.parse('2026-07-01T10:59:00Z'), 1],
      [Date.parse('2026-07-01T11:04:00Z'), 1],
    ])
  })

  it('are deleted when they are older than their retention, and only then', async (scope) => {
    const { openProcess, read } = await open(scope)
    const { callCounts, store } = await openProcess()
    const spans = 'select distinct span from usage_count order by span'
    callCounts.count(call())
    await callCounts.write()
    const later = (hours: number) => start.add({ hours }).epochMilliseconds
    const readSpans = async () => (await read(spans)).flat()

    await store.purge(later(47))
    assert.deepEqual(await readSpans(), ['day', 'hour', 'minute'])
    await store.purge(later(49))
    assert.deepEqual(await readSpans(), ['day', 'hour'])
    await store.purge(later(101 * 24))
    assert.deepEqual(await readSpans(), ['day'])
    await store.purge(later(733 * 24))
    assert.deepEqual(await readSpans(), [])
  })
})

describeOnce('hours and days', () => {
  it('begin as they do in the time zone', async (scope) => {
    const { openProcess, read } = await open(scope, { timeZone: 'Australia/Adelaide' })
    const { callCounts } = await openProcess()
    callCounts.count(call())
    await callCounts.write()

    const starts = `select span, start from usage_count where span <> 'minute' order by span`
    assert.deepEqual(await read(starts), [
      ['day', Date.parse('2026-06-30T14:30:00Z')],
      ['hour', Date.parse('2026-07-01T10:30:00Z')],
    ])
  })
})

describeOnce('many kinds of calls', () => {
  it('are counted in a bounded memory, without their third parties', async (scope) => {
    const { openProcess, read, errors } = await open(scope, { countersMax: 5 })
    const { callCounts } = await openProcess()

    for (let index = 0; index < 20; index += 1) {
      callCounts.count(call({ operation: infosecOperations.token, thirdPartyId: `t${index}` }))
    }
    for (let status = 400; status < 420; status += 1) callCounts.count(call({ status }))
    await callCounts.write()

    const found = `select operation, third_party, count(*), sum(calls) from usage_count
      where span = 'minute' group by operation, third_party order by operation, third_party`
    assert.deepEqual(await read(found), [
      ['products', '', 4, 4],
      ['token', '', 1, 15],
      ...['t0', 't1', 't2', 't3', 't4'].map((id) => ['token', id, 1, 1]),
    ])
    assert.equal(errors.length, 1)
  })
})
