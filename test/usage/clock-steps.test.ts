import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { UsageRange } from '../../src/contract/index.ts'
import { readMetrics } from '../../src/platform/admin/metrics.ts'
import { publicOperations } from '../../src/platform/usage/operations.ts'
import { createHistory } from '../../src/server/open-history.ts'
import { openUsage } from '../../src/server/open-usage.ts'
import { openConsentStore, openSigningKeyStore } from '../../src/storage/open.ts'
import { describe, newDatabase, type Scope } from '../support/engines.ts'

const start = Temporal.Instant.from('2026-07-01T09:00:00Z')

/** A platform whose clock a test sets, while its monotonic clock runs. */
async function open(scope: Scope) {
  const settings = { database: await newDatabase(scope) }
  const consents = await openConsentStore(settings.database)
  const signingKeys = await openSigningKeyStore(settings.database)
  let [passedMs, aheadMs] = [0, 0]
  const clock = () => start.add({ milliseconds: passedMs + aheadMs })
  const log = { warn: (...parts: unknown[]) => assert.fail(JSON.stringify(parts)) } as never
  const openProcess = async () => {
    const usage = await openUsage(settings, { log }, clock, { monotonicMs: () => passedMs })
    scope.after(() => usage.close())
    return usage
  }
  let usage = await openProcess()
  const history = createHistory(settings, usage, { consents, signingKeys, clock })
  scope.after(async () => {
    await history.close()
    await consents.close()
    await signingKeys.close()
  })
  return {
    /** The clock of the machine is ahead of the true time by so many hours. */
    set(hours: number) {
      aheadMs = hours * 3_600_000
    },
    async restart() {
      usage = await openProcess()
    },
    stop(hours: number) {
      passedMs += hours * 3_600_000
    },
    /** A call in each of so many minutes. */
    async run(minutes: number) {
      for (let minute = 0; minute < minutes; minute += 1) {
        const call = { status: 200, isCustomerPresent: false, durationMs: 1 }
        usage.callCounts.count({ ...call, operation: publicOperations.products })
        if (minute % 5 === 0) await usage.callCounts.write()
        if (minute % 30 === 0) await usage.updateAvailability()
        passedMs += 60_000
      }
      await usage.callCounts.write()
      await usage.updateAvailability()
    },
    async read(range: UsageRange) {
      const { points, total, marks } = await history.read({ range })
      return {
        calls: total.calls,
        points: points.filter(({ calls }) => calls > 0).map((point) => point.calls),
        outages: marks.filter(({ kind }) => kind === 'outage').map(({ text }) => text),
      }
    },
    async readAvailability() {
      const { authorisations, flows } = consents
      const { store, calendar } = usage
      const options = { usage: store, authorisations, flows, calendar, clock }
      // biome-ignore lint/suspicious/noExplicitAny: the schema of the standards describes it
      const metrics: any = await readMetrics(options, 5, 'CURRENT')
      return metrics.availability.aggregate.currentMonth
    },
  }
}

const hour = 60

describe('a clock that is set wrong for some minutes', () => {
  for (const [name, hours] of [
    ['three years ahead', 3 * 366 * 24],
    ['some hours ahead', 5],
    ['some hours behind', -5],
    ['years behind', -3 * 366 * 24],
  ] as const) {
    it(`to ${name} neither removes nor misdates counts, nor changes the availability`, async (t) => {
      const { set, run, read, readAvailability } = await open(t)
      await run(hour)

      set(hours)
      await run(9)
      set(0)
      await run(hour - 9)

      assert.deepEqual(await read('24h'), { calls: 120, points: [60, 60], outages: [] })
      assert.equal(await readAvailability(), '1.0000')
    })
  }

  it('at a start removes no counts', async (t) => {
    const { set, run, read, restart } = await open(t)
    await run(50)
    set(50)
    await restart()
    await run(9)

    set(0)

    assert.equal((await read('1h')).calls, 50)
  })
})

describe('a clock that is wrong for hours', () => {
  it('stops no counts of the availability after it is corrected', async (t) => {
    const { set, run, read, readAvailability } = await open(t)
    await run(hour)
    set(30)
    await run(hour)

    set(0)
    await run(2 * hour)

    // Ten until the step was believed, and as many until its correction was.
    assert.deepEqual((await read('24h')).outages, ['Not available for 60 minutes'])
    assert.equal(await readAvailability(), (1 - 60 / 240).toFixed(4))
  })
})

describe('an outage of days', () => {
  it('does not change the availability before it', async (t) => {
    const { run, stop, readAvailability } = await open(t)
    await run(hour)
    stop(99)
    await run(hour)

    assert.equal(await readAvailability(), (2 / 101).toFixed(4))
  })
})
