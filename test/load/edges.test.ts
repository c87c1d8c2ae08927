import assert from 'node:assert/strict'
import { it } from 'node:test'
import { energyUsage } from '../../src/contract/examples/energy.ts'
import { openProviderStore } from '../../src/storage/open.ts'
import { describe } from '../support/engines.ts'
import { linesOf, openBank } from './bank.ts'
import { line, put, removal } from './lines.ts'

/** The last time that a database can hold, on the wall clock. */
const lastTime = '2262-04-11T23:47:16.854775807'
const lastNanosecond = 2n ** 63n - 1n

describe('a list of several accounts', () => {
  it('has every entry at the last time that can be stored', async (t) => {
    const bank = await openBank(t)
    const homes = ['e1', 'e2']
    // So deep into the list that its place is searched for by time.
    const entries = Array.from({ length: 1600 }, (_, index) => `b${index}`)
    await bank.fill([
      put.customer('c1'),
      ...homes.map((id) => put.energyAccount(id, ['c1'])),
      ...homes.flatMap((id) =>
        entries.map((key) => put.billing(id, key, { executionDateTime: lastTime })),
      ),
    ])
    const store = await openProviderStore(bank.database())
    t.after(() => store.close())

    const found = await store.listEntriesOfAccounts({
      customerId: 'c1',
      accountIds: homes,
      filters: { openStatus: 'ALL' },
      list: 'billing',
      window: { oldest: 0n, newest: lastNanosecond },
      page: 3,
      pageSize: 1000,
    })

    assert.ok('items' in found)
    assert.equal(found.total, 3200)
    const records = found.items.map((item) => Buffer.from(item as string).toString())
    assert.equal(JSON.parse(`[${records.join()}]`).length, 1000)
  })
})

describe('a product that was loaded without a time', () => {
  it('keeps the time of its load when it is dumped and loaded elsewhere', async (t) => {
    const bank = await openBank(t)
    const { last_updated: _time, ...record } = JSON.parse(put.product('p1')).record
    await bank.fill([line('product', record)])
    const dump = await bank.dump()
    const restored = await openBank(t)

    await restored.fill(dump)
    const again = await bank.load(dump)

    assert.match(dump, /^\{"type":"product".*,"last_updated":"\d{4}-[^"]+Z"\}\}\n$/)
    assert.equal(await restored.dump(), dump)
    assert.equal(again.status, 0)
    assert.equal(await bank.dump(), dump)
  })
})

describe('records that have their content for a key', () => {
  const { accountId: _id, ...usage } = energyUsage
  const people = [put.customer('c1'), put.energyAccount('e1', ['c1'])]
  const billing = (record: object) => line('energy.billing', record)

  it('are two where their fields come in another order', async (t) => {
    const bank = await openBank(t)
    const one = billing({ accountId: 'e1', ...usage })
    const other = billing({ ...usage, accountId: 'e1' })

    await bank.fill([...people, one, other])
    const both = linesOf(await bank.dump()).length - people.length
    await bank.fill([
      removal('energy.billing', { accountId: 'e1', record: JSON.parse(one).record }),
    ])

    assert.equal(both, 2)
    assert.deepEqual(linesOf(await bank.dump()), [...people, other])
  })

  it('are one where only blanks and the spelling of characters differ', async (t) => {
    const bank = await openBank(t)
    const one = billing({ accountId: 'e1', ...usage })
    const spaced = one.replace('"record":{', '"record": { ').replace('"e1"', '"\\u00651"')

    await bank.fill([...people, one, spaced])

    assert.equal(linesOf(await bank.dump()).length, people.length + 1)
  })
})

describe('a customer who is put and deleted in one load', () => {
  const person = (name: string) => put.customer('c1', { name, email: `${name}@example.com` })
  const gone = removal('customer', { id: 'c1' })

  it('is the one that a later load is compared with', async (t) => {
    const bank = await openBank(t)
    const renamed = put.customer('c1', { name: 'Ana', email: 'bo@example.com' })
    const moved = put.customer('c1', { name: 'Bo', email: 'bo@example.com' })

    await bank.fill([person('Ana'), gone])
    await bank.fill([renamed, gone])
    const first = await bank.load([person('Cy')])
    const second = await bank.load([moved])

    assert.deepEqual([first.status, second.status], [1, 0])
    assert.match(first.stderr, /^data-2\.ndjson:1: id: was another person’s/)
    assert.deepEqual(linesOf(await bank.dump()), [moved])
  })
})
