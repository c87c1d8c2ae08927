import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isEffective } from './effective.ts'

const now = Temporal.Instant.from('2026-07-01T00:00:00Z')
const before = '2026-07-01T09:59:59.999999999+10:00'
const at = '2026-07-01T10:00:00+10:00'
const after = '2026-07-01T00:00:00.000000001Z'

describe('isEffective', () => {
  for (const [name, product, isCurrent, isFuture] of [
    ['without bounds', {}, true, false],
    ['from an earlier time', { effective_from: before }, true, false],
    ['from now', { effective_from: at }, true, false],
    ['from a later time', { effective_from: after }, false, true],
    ['until an earlier time', { effective_to: before }, false, false],
    ['until now', { effective_to: at }, false, false],
    ['until a later time', { effective_to: after }, true, false],
    ['between the two', { effective_from: before, effective_to: after }, true, false],
    ['from and until a later time', { effective_from: after, effective_to: after }, false, true],
  ] as const) {
    it(`finds a product ${name} ${isCurrent ? 'current' : isFuture ? 'future' : 'retired'}`, () => {
      assert.equal(isEffective(product, 'CURRENT', now), isCurrent)
      assert.equal(isEffective(product, 'FUTURE', now), isFuture)
      assert.equal(isEffective(product, 'ALL', now), true)
    })
  }
})
