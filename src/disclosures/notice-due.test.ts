import assert from 'node:assert/strict'
import { it } from 'node:test'
import { findNoticeDue } from './notice-due.ts'

for (const [name, corrected, due] of [
  ['a Monday', '2026-11-16T00:00:00+11:00', '2026-11-23'],
  ['a Friday', '2026-11-20T23:59:59+11:00', '2026-11-27'],
  ['a Saturday', '2026-11-21T00:00:00+11:00', '2026-11-27'],
  ['a Sunday', '2026-11-22T12:00:00+11:00', '2026-11-27'],
  ['a Monday that is a Sunday in UTC', '2026-11-23T09:00:00+11:00', '2026-11-30'],
] as const) {
  it(`is five business days after ${name}`, () => {
    const found = findNoticeDue(Temporal.Instant.from(corrected), 'Australia/Sydney')
    assert.equal(found.toString(), due)
  })
}
