import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { openProviderApp } from '../../src/http/provider-app.ts'
import { openProviderStore } from '../../src/storage/open.ts'
import { describe } from '../support/engines.ts'
import { dumpDatabase } from '../support/load.ts'
import { linesOf, openBank, shuffled } from './bank.ts'
import { put, timeless } from './lines.ts'
import { accounts, entriesOf, History, loads, opening, take } from './model.ts'

/** Everything that B3 shows of an account, walked by its links. */
async function listed(database: string, accountId: string): Promise<unknown[]> {
  const store = await openProviderStore(database)
  const app = openProviderApp({
    context: { store, timeZone: 'UTC', accountVersion: 4 },
    clock: () => Temporal.Instant.from('2200-01-01T00:00:00Z'),
    guard: async () => ({ recorded: Promise.resolve() }),
  })
  const path = `/v1/banking/customer/c1/accounts/${accountId}/transactions`
  const seen: unknown[] = []
  let query: string | undefined = 'oldest-time=1900-01-01T00:00:00Z&page-size=7'
  while (query !== undefined) {
    const answer: { statusCode: number; body: string } = await app.inject(`${path}?${query}`)
    assert.equal(answer.statusCode, 200, answer.body)
    const { data, links, meta } = JSON.parse(answer.body)
    seen.push(...data.transactions)
    query = links.next
    if (query === undefined) assert.equal(seen.length, meta.totalRecords)
  }
  await app.close()
  await store.close()
  return seen
}

describe('transactions that come in order', () => {
  it('stand there once, where the last line about them puts them', async (t) => {
    const minute = (at: number) =>
      Temporal.Instant.from('2024-01-01T00:00:00Z').add({ minutes: at }).toString()
    const line = (id: number, at: number) =>
      put.transaction(id % 3 === 0 ? 'a2' : 'a1', `t${id}`, { postingDateTime: minute(at) })
    // Every 50th line is about a transaction of which there was a line before, and gives it a later time.
    const about = Array.from({ length: 500 }, (_, at) => (at % 50 === 49 ? at - (at % 7) - 1 : at))
    const bank = await openBank(t)
    const lastOnly = await openBank(t)

    await bank.fill([...opening, ...about.map(line)])
    const last = about.flatMap((id, at) => (about.lastIndexOf(id) === at ? [line(id, at)] : []))
    await lastOnly.fill([...opening, ...last])

    assert.equal(last.length, 490)
    assert.equal(await bank.dump(), await lastOnly.dump())
  })
})

describe('transactions that come late', () => {
  it('stand where they would if all had come at once, in order', async (t) => {
    const days = Array.from({ length: 120 }, (_, day) => day)
    const sorted = days.map((day) => {
      const time = Temporal.Instant.from('2024-01-01T00:00:00Z').add({ hours: 24 * (day >> 1) })
      return put.transaction('a1', `t${day}`, { postingDateTime: time.toString() })
    })
    const atOnce = await openBank(t)
    await atOnce.fill([...opening, ...sorted])
    const late = await openBank(t)
    const parts = shuffled(sorted, 5)

    await late.fill([...opening, ...parts.slice(0, 40)])
    await late.fill(parts.slice(40, 41))
    await late.fill(parts.slice(41, 110))
    await late.fill(parts.slice(100))

    assert.equal(await late.dump(), await atOnce.dump())
    const pages = await listed(late.database(), 'a1')
    assert.equal(pages.length, 120)
    assert.deepEqual(pages, await listed(atOnce.database(), 'a1'))
    const times = pages.map((each) => (each as { postingDateTime: string }).postingDateTime)
    assert.deepEqual(times, times.toSorted().reverse())
  })

  it('stand there also when committed in batches', async (t) => {
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
      await listed(inBatches.database(), 'a1'),
      await listed(atOnce.database(), 'a1'),
    )
  })

  it('are before those of the load when they have a time, and among them by id when not', async (t) => {
    const bank = await openBank(t)

    await bank.fill([...opening, timeless('a1', 't2'), timeless('a1', 't1')])
    await bank.fill([timeless('a1', 't3'), put.transaction('a1', 't0')])

    const ids = (await listed(bank.database(), 'a1')).map(
      (each) => (each as { transactionId: string }).transactionId,
    )
    assert.deepEqual(ids, ['t3', 't1', 't2', 't0'])
  })

  it('keep every list true through any loads of any lines', async (t) => {
    const bank = await openBank(t)

    await fc.assert(
      fc.asyncProperty(loads, async (steps) => {
        const database = await bank.another()
        const history = new History()
        await take(database, opening, '2026-01-01T00:00:00Z')

        for (const [index, load] of steps.entries()) {
          const loadTime = `2026-02-0${index + 1}T00:00:00Z`
          const lines = load.map(({ text }) => text)
          assert.deepEqual(await take(database, lines, loadTime), [])
          history.startLoad()
          for (const { apply } of load) apply(history, loadTime)

          for (const account of accounts) {
            assert.deepEqual(await entriesOf(database, account), history.dump(account))
          }
        }
        for (const account of accounts) {
          const newestFirst = history.transactions(account).reverse()
          assert.deepEqual(await listed(database, account), newestFirst)
        }
      }),
      { numRuns: 20 },
    )
  })

  it('are in batches what they are at once, wherever their accounts come', async (t) => {
    const bank = await openBank(t)

    await fc.assert(
      fc.asyncProperty(
        loads,
        fc.nat(),
        fc.integer({ min: 1, max: 12 }),
        async (steps, at, batch) => {
          const [atOnce, inBatches] = [await bank.another(), await bank.another()]
          // Payments that change accounts while these are not there yet are told apart in batch.test.ts.
          const lines = steps
            .flat()
            .flatMap(({ text }) => text.split('\n'))
            .filter((text) => !text.includes('scheduledPayment'))
          const mixed = lines.toSpliced(at % (lines.length + 1), 0, ...opening)
          const loadTime = '2026-02-01T00:00:00Z'

          assert.deepEqual(await take(atOnce, mixed, loadTime), [])
          assert.deepEqual(await take(inBatches, mixed, loadTime, { batch }), [])

          assert.deepEqual(
            linesOf(await dumpDatabase(inBatches)),
            linesOf(await dumpDatabase(atOnce)),
          )
        },
      ),
      { numRuns: 20 },
    )
  })
})
