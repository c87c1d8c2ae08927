import assert from 'node:assert/strict'
import { it } from 'node:test'
import { foldCase } from '../../src/contract/case-folding.ts'
import { energyUsage } from '../../src/contract/examples/energy.ts'
import { openCatalogueStore, openProviderStore } from '../../src/storage/open.ts'
import { describe } from '../support/engines.ts'
import { openBank, splitLines } from './bank.ts'
import { line, put, removal } from './lines.ts'

/** The latest time that can be stored, as local time. */
const lastTime = '2262-04-11T23:47:16.854775807'
const lastNanosecond = 2n ** 63n - 1n

describe('a list of several accounts', () => {
  it('includes entries with the latest time that can be stored', async (t) => {
    const bank = await openBank(t)
    const accountIds = ['e1', 'e2']
    // Enough entries that a page is located by time.
    const entries = Array.from({ length: 1600 }, (_, index) => `b${index}`)
    await bank.fill([
      put.customer('c1'),
      ...accountIds.map((id) => put.energyAccount(id, ['c1'])),
      ...accountIds.flatMap((id) =>
        entries.map((key) => put.billing(id, key, { executionDateTime: lastTime })),
      ),
    ])
    const store = await openProviderStore(bank.database())
    t.after(() => store.close())

    const found = await store.listEntriesOfAccounts({
      customerId: 'c1',
      accountIds,
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

describe('a product loaded without last_updated', () => {
  it('keeps the time of its load when it is dumped and restored', async (t) => {
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

describe('records identified by their content', () => {
  const { accountId: _id, ...usage } = energyUsage
  const baseLines = [put.customer('c1'), put.energyAccount('e1', ['c1'])]
  const billing = (record: object) => line('energy.billing', record)

  it('differ if the order of their fields differs', async (t) => {
    const bank = await openBank(t)
    const one = billing({ accountId: 'e1', ...usage })
    const other = billing({ ...usage, accountId: 'e1' })

    await bank.fill([...baseLines, one, other])
    const both = splitLines(await bank.dump()).length - baseLines.length
    await bank.fill([
      removal('energy.billing', { accountId: 'e1', record: JSON.parse(one).record }),
    ])

    assert.equal(both, 2)
    assert.deepEqual(splitLines(await bank.dump()), [...baseLines, other])
  })

  it('are equal if only whitespace and escapes differ', async (t) => {
    const bank = await openBank(t)
    const one = billing({ accountId: 'e1', ...usage })
    const reformatted = one.replace('"record":{', '"record": { ').replace('"e1"', '"\\u00651"')

    await bank.fill([...baseLines, one, reformatted])

    assert.equal(splitLines(await bank.dump()).length, baseLines.length + 1)
  })
})

describe('a customer added and deleted in one load', () => {
  const person = (name: string) => put.customer('c1', { name, email: `${name}@example.com` })
  const deletion = removal('customer', { id: 'c1' })

  it('reserves the id in later loads', async (t) => {
    const bank = await openBank(t)
    const renamed = put.customer('c1', { name: 'Ana', email: 'bo@example.com' })
    const moved = put.customer('c1', { name: 'Bo', email: 'bo@example.com' })

    await bank.fill([person('Ana'), deletion])
    await bank.fill([renamed, deletion])
    const first = await bank.load([person('Cy')])
    const second = await bank.load([moved])

    assert.deepEqual([first.status, second.status], [1, 0])
    assert.match(first.stderr, /^1 × id: belonged to another person.* \(at data-2\.ndjson:1\)$/m)
    assert.deepEqual(splitLines(await bank.dump()), [moved])
  })
})

describe('a product whose texts contain lone surrogates', () => {
  it('is loaded, and found by the rest of its name', async (t) => {
    const bank = await openBank(t)
    const lone = put.product('p1', { name: 'Saver \ud800', brand: 'Bank \udc00' })

    await bank.fill([lone])

    assert.equal(JSON.parse(await bank.dump()).record.name, 'Saver \ud800')
    const store = await openCatalogueStore(bank.database())
    t.after(() => store.close())
    const { items } = await store.listSummaries({
      text: foldCase('saver'),
      id: undefined,
      category: undefined,
      brand: undefined,
      state: undefined,
      sort: 'name',
      now: 0,
      page: 1,
      pageSize: 10,
    })
    assert.deepEqual(
      items.map(({ brand }) => brand),
      ['Bank \ufffd'],
    )
  })
})
