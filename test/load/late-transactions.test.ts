import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { openProviderApp, respondFromStore } from '../../src/http/provider-app.ts'
import { openProviderStore } from '../../src/storage/open.ts'
import { currentEngine, describe } from '../support/engines.ts'
import { dumpDatabase } from '../support/load.ts'
import { propertyRuns } from '../support/properties.ts'
import { openBank, shuffle, splitLines } from './bank.ts'
import { put, undated } from './lines.ts'
import { accounts, dumpEntries, History, loadLines, loads, opening } from './model.ts'

/** Reads all pages of B3 for an account. */
async function listTransactions(database: string, accountId: string): Promise<unknown[]> {
  const store = await openProviderStore(database)
  const clock = () => Temporal.Instant.from('2200-01-01T00:00:00Z')
  const app = openProviderApp({
    version: '0.0.0',
    responders: respondFromStore({ store, timeZone: 'UTC', accountVersion: 4 }, clock),
    verifyToken: async () => ({ recorded: Promise.resolve() }),
  })
  const path = `/v1/banking/customer/c1/accounts/${accountId}/transactions`
  const found: unknown[] = []
  let query: string | undefined = 'oldest-time=1900-01-01T00:00:00Z&page-size=7'
  while (query !== undefined) {
    const response: { statusCode: number; body: string } = await app.inject(`${path}?${query}`)
    assert.equal(response.statusCode, 200, response.body)
    const { data, links, meta } = JSON.parse(response.body)
    found.push(...data.transactions)
    query = links.next
    if (query === undefined) assert.equal(found.length, meta.totalRecords)
  }
  await app.close()
  await store.close()
  return found
}

/** A load costs ten times as much on PostgreSQL. */
const runs = { sqlite: 10, postgres: 2 }

describe('transactions in order of time', () => {
  it('are stored once, at the position of their last line', async (t) => {
    const minute = (at: number) =>
      Temporal.Instant.from('2024-01-01T00:00:00Z').add({ minutes: at }).toString()
    const line = (id: number, at: number) =>
      put.transaction(id % 3 === 0 ? 'a2' : 'a1', `t${id}`, { postingDateTime: minute(at) })
    // Every 50th line repeats an earlier transaction with a later time.
    const ids = Array.from({ length: 500 }, (_, at) => (at % 50 === 49 ? at - (at % 7) - 1 : at))
    const bank = await openBank(t)
    const lastOnly = await openBank(t)

    await bank.fill([...opening, ...ids.map(line)])
    const last = ids.flatMap((id, at) => (ids.lastIndexOf(id) === at ? [line(id, at)] : []))
    await lastOnly.fill([...opening, ...last])

    assert.equal(last.length, 490)
    assert.equal(await bank.dump(), await lastOnly.dump())
  })
})

describe('late transactions', () => {
  it('are sorted as if all had been loaded at once', async (t) => {
    const days = Array.from({ length: 120 }, (_, day) => day)
    const sorted = days.map((day) => {
      const time = Temporal.Instant.from('2024-01-01T00:00:00Z').add({ hours: 24 * (day >> 1) })
      return put.transaction('a1', `t${day}`, { postingDateTime: time.toString() })
    })
    const atOnce = await openBank(t)
    await atOnce.fill([...opening, ...sorted])
    const late = await openBank(t)
    const parts = shuffle(sorted, 5)

    await late.fill([...opening, ...parts.slice(0, 40)])
    await late.fill(parts.slice(40, 41))
    await late.fill(parts.slice(41, 110))
    await late.fill(parts.slice(100))

    assert.equal(await late.dump(), await atOnce.dump())
    const pages = await listTransactions(late.database(), 'a1')
    assert.equal(pages.length, 120)
    assert.deepEqual(pages, await listTransactions(atOnce.database(), 'a1'))
    const times = pages.map((each) => (each as { postingDateTime: string }).postingDateTime)
    assert.deepEqual(times, times.toSorted().reverse())
  })

  it('are sorted when they are committed in batches', async (t) => {
    const lines = [
      ...opening,
      ...Array.from({ length: 50 }, (_, index) =>
        put.transaction('a1', `t${index}`, {
          postingDateTime: `2025-03-${10 + ((index * 7) % 19)}T09:30:00Z`,
        }),
      ),
    ]
    const atOnce = await openBank(t)
    const inBatches = await openBank(t)

    await atOnce.fill(lines)
    await inBatches.fill(lines, '--batch', '3')

    assert.equal(await inBatches.dump(), await atOnce.dump())
    assert.deepEqual(
      await listTransactions(inBatches.database(), 'a1'),
      await listTransactions(atOnce.database(), 'a1'),
    )
  })

  it('precede transactions without a time, which are sorted by id within a load', async (t) => {
    const bank = await openBank(t)

    await bank.fill([...opening, undated('a1', 't2'), undated('a1', 't1')])
    await bank.fill([undated('a1', 't3'), put.transaction('a1', 't0')])

    const ids = (await listTransactions(bank.database(), 'a1')).map(
      (each) => (each as { transactionId: string }).transactionId,
    )
    assert.deepEqual(ids, ['t3', 't1', 't2', 't0'])
  })

  it('leave every list correct after any sequence of loads', async (t) => {
    const bank = await openBank(t)

    await fc.assert(
      fc.asyncProperty(loads, async (steps) => {
        const database = await bank.another()
        const history = new History()
        await loadLines(database, opening, '2026-01-01T00:00:00Z')

        for (const [index, load] of steps.entries()) {
          const loadTime = `2026-02-0${index + 1}T00:00:00Z`
          const lines = load.map(({ text }) => text)
          assert.deepEqual(await loadLines(database, lines, loadTime), [])
          history.startLoad()
          for (const { apply } of load) apply(history, loadTime)

          const dumped = await dumpEntries(database)
          for (const account of accounts) {
            assert.deepEqual(dumped.get(account), history.dump(account))
          }
        }
        for (const account of accounts) {
          const newestFirst = history.transactions(account).reverse()
          assert.deepEqual(await listTransactions(database, account), newestFirst)
        }
      }),
      propertyRuns(runs[currentEngine()]),
    )
  })

  it('have the same result in batches as at once, wherever their accounts are', async (t) => {
    const bank = await openBank(t)

    await fc.assert(
      fc.asyncProperty(
        loads,
        fc.nat(),
        fc.integer({ min: 1, max: 12 }),
        async (steps, at, batch) => {
          const [atOnce, inBatches] = [await bank.another(), await bank.another()]
          const lines = steps.flat().flatMap(({ text }) => text.split('\n'))
          const mixed = lines.toSpliced(at % (lines.length + 1), 0, ...opening)
          const loadTime = '2026-02-01T00:00:00Z'

          assert.deepEqual(await loadLines(atOnce, mixed, loadTime), [])
          assert.deepEqual(await loadLines(inBatches, mixed, loadTime, { batch }), [])

          assert.deepEqual(
            splitLines(await dumpDatabase(inBatches)),
            splitLines(await dumpDatabase(atOnce)),
          )
        },
      ),
      propertyRuns(runs[currentEngine()]),
    )
  })
})
