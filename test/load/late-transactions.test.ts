import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openProviderApp, respondFromStore } from '../../src/http/provider-app.ts'
import { openProviderStore } from '../../src/storage/open.ts'
import { describe } from '../support/engines.ts'
import { openBank, shuffle } from './bank.ts'
import { put, undated } from './lines.ts'

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

const opening = [put.customer('c1'), put.account('a1', ['c1']), put.account('a2', ['c1'])]

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
})
