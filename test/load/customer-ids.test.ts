import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openProviderStore } from '../../src/storage/open.ts'
import { describe } from '../support/engines.ts'
import { openBank, splitLines } from './bank.ts'
import { put, removal } from './lines.ts'

function filterType(dump: string, type: string): string[] {
  return splitLines(dump).filter((dumped) => dumped.startsWith(`{"type":"${type}"`))
}

describe('a customer’s id', () => {
  const ana = { name: 'Ana Silva', email: 'ana@example.com' }
  const idError =
    /^1 × id: belonged to another person, with another e-mail and another name: an id cannot be reused \(at data-\d\.ndjson:\d\)\n1 error /

  it('remains valid for a customer with a new name or a new e-mail address', async (t) => {
    const bank = await openBank(t)
    const people = {
      renamed: { ...ana, name: 'Ana Jones' },
      moved: { ...ana, email: 'ana@example.org' },
      // The same address in capitals.
      capitals: { name: 'Ana Jones', email: 'ANA@Example.com' },
    }
    const ids = Object.keys(people)
    const before = ids.map((id) => put.customer(id, ana))
    await bank.fill(before)

    await bank.fill(Object.entries(people).map(([id, person]) => put.customer(id, person)))
    await bank.fill(ids.map((id) => removal('customer', { id })))
    await bank.fill(before)

    assert.deepEqual(splitLines(await bank.dump()), before.toSorted())
  })

  it('remains valid for a new name and the same domain in Punycode', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1', { ...ana, email: 'ana@bücher.example' })])
    const renamed = put.customer('c1', { name: 'Ana Jones', email: 'ana@xn--bcher-kva.example' })

    await bank.fill([renamed])

    assert.equal(await bank.dump(), `${renamed}\n`)
  })

  const another = put.customer('c1', { name: 'Bo Jones', email: 'bo@example.com' })

  it('is rejected for another person', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1', ana)])
    const before = await bank.dump()

    const { status, stderr } = await bank.load([put.customer('c2'), another])

    assert.match(stderr, idError)
    assert.equal(status, 1)
    assert.equal(await bank.dump(), before)
  })

  it('is rejected for another person in the same load', async (t) => {
    const bank = await openBank(t)

    const replaced = await bank.load([put.customer('c1', ana), another])
    const removed = await bank.load([
      put.customer('c1', ana),
      removal('customer', { id: 'c1' }),
      another,
    ])

    assert.deepEqual([replaced.status, removed.status], [1, 1])
    assert.match(removed.stderr, /^1 × id: belonged to another person.* \(at data-1\.ndjson:3\)$/m)
  })

  it('is rejected for another person after the customer is deleted', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1', ana)])
    await bank.fill([removal('customer', { id: 'c1' })])

    const { status, stderr } = await bank.load([another])

    assert.match(stderr, idError)
    assert.equal(status, 1)
  })

  const none = { ...ana, email: undefined }

  for (const [name, before, after] of [
    ['that has no address, with a new name', none, { ...none, name: 'Ana Jones' }],
    ['that adds an address', none, ana],
    ['that removes its address', ana, none],
  ] as const) {
    it(`remains valid for a customer ${name}, also after it is deleted`, async (t) => {
      const bank = await openBank(t)
      const changed = put.customer('c1', after)

      await bank.fill([put.customer('c1', before)])
      await bank.fill([changed])
      const direct = await bank.dump()
      await bank.fill([put.customer('c2', before)])
      await bank.fill([removal('customer', { id: 'c2' })])
      await bank.fill([put.customer('c2', after)])

      assert.equal(direct, `${changed}\n`)
      assert.deepEqual(splitLines(await bank.dump()), [changed, put.customer('c2', after)])
    })
  }

  for (const [name, before, after] of [
    ['added', none, { ...ana, name: 'Bo Jones' }],
    ['removed', ana, { ...none, name: 'Bo Jones' }],
  ] as const) {
    it(`is rejected for a new name with an address that is ${name}, also after it is deleted`, async (t) => {
      const bank = await openBank(t)
      await bank.fill([put.customer('c1', before)])

      const beside = await bank.load([put.customer('c1', after)])
      await bank.fill([removal('customer', { id: 'c1' })])
      const dump = await bank.dump()
      const later = await bank.load([put.customer('c1', after)])

      for (const { stderr } of [beside, later]) assert.match(stderr, idError)
      assert.equal(await bank.dump(), dump)
    })
  }

  it('is rejected for an address that is equal only after non-ASCII case folding', async (t) => {
    const bank = await openBank(t)
    const sharp = put.customer('c1', { ...ana, email: 'straße@example.com' })
    const double = put.customer('c1', { name: 'Bo Jones', email: 'strasse@example.com' })
    await bank.fill([sharp])

    const beside = await bank.load([double])
    await bank.fill([removal('customer', { id: 'c1' })])
    const after = await bank.load([double])

    for (const { stderr } of [beside, after]) assert.match(stderr, idError)
  })

  it('stays reserved after the customer is deleted, dumped and restored', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1', ana)])
    await bank.fill([removal('customer', { id: 'c1' })])
    const dump = await bank.dump()
    const restored = await openBank(t)
    await restored.fill(dump)

    const { status, stderr } = await restored.load([another])
    const dumpAfter = await restored.dump()
    await restored.fill([put.customer('c1', ana)])

    assert.match(stderr, idError)
    assert.equal(status, 1)
    assert.equal(dumpAfter, dump)
    assert.equal(await restored.dump(), `${put.customer('c1', ana)}\n`)
  })

  it('has its accounts again after the customer is deleted and added again', async (t) => {
    const bank = await openBank(t)
    const lines = [put.customer('c1', ana), put.customer('c2'), put.account('a1', ['c1', 'c2'])]
    const again = [removal('customer', { id: 'c1' }), put.customer('c1', ana)]

    for (const load of [lines, again, [...lines, ...again], [...lines, ...again]]) {
      await bank.fill(load)
      assert.deepEqual(splitLines(await bank.dump()), lines)
    }
  })

  it('is hidden in the holders while the customer is deleted', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1', ana), put.customer('c2'), put.account('a1', ['c1', 'c2'])])
    await bank.fill([removal('customer', { id: 'c1' })])
    const store = await openProviderStore(bank.database())
    t.after(() => store.close())

    assert.deepEqual(await store.readCustomer('c1'), { missing: 'customer' })
    assert.deepEqual(await store.listShareableAccounts('c1'), { missing: 'customer' })
    assert.equal('missing' in (await store.listShareableAccounts('c2')), false)
    const [account] = filterType(await bank.dump(), 'banking.account')
    assert.equal(JSON.parse(account ?? '').unresolved, true)
  })
})
