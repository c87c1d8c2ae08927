import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { openPutIds } from './put-ids.ts'
import type { Item } from './writer.ts'

const customer = (id: string) => ({ type: 'customer', id }) as Item
const removed = (id: string) => ({ type: 'removal', of: 'customer', id }) as Item

describe('the accounts and customers that lines put', () => {
  it('are those of a set, for any order of lines', () => {
    const change = fc.record({ id: fc.nat(3000).map(String), isRemoved: fc.boolean() })
    fc.assert(
      fc.property(fc.array(change, { minLength: 1000, maxLength: 4000 }), (changes) => {
        const ids = openPutIds()
        const expected = new Set<string>()
        for (const { id, isRemoved } of changes) {
          ids.add(isRemoved ? removed(id) : customer(id))
          if (isRemoved) expected.delete(id)
          else expected.add(id)
        }

        for (let id = 0; id <= 3000; id += 1) {
          const found = ids.has({ type: 'customer', id: String(id) })
          assert.equal(found, expected.has(String(id)))
        }
      }),
      { numRuns: 20 },
    )
  })

  it('include those of rejected lines, by kind', () => {
    const ids = openPutIds()
    ids.addRejected('{"type":"banking.account","record":{"accountId":"a1"}}')
    ids.addRejected('{"type":"customer","record":{"id":"c1","name":7}}')
    for (const text of [
      '{',
      '[]',
      '{"type":"customer"}',
      '{"type":"customer","record":{"id":1}}',
    ]) {
      ids.addRejected(text)
    }

    assert.ok(ids.has({ type: 'account', id: 'a1' }))
    assert.ok(ids.has({ type: 'account', kind: 'banking', id: 'a1' }))
    assert.ok(!ids.has({ type: 'account', kind: 'energy', id: 'a1' }))
    assert.ok(!ids.has({ type: 'customer', id: 'a1' }))
    assert.ok(ids.has({ type: 'customer', id: 'c1' }))
  })

  it('are incomplete if there are too many', () => {
    const ids = openPutIds(2)
    for (const id of ['c1', 'c2', 'c2']) ids.add(customer(id))
    const before = ids.isIncomplete()
    ids.add(customer('c3'))

    assert.deepEqual([before, ids.isIncomplete()], [false, true])
    assert.ok(ids.has({ type: 'customer', id: 'c1' }))
  })
})
