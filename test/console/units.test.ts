import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fromPeriod, toPeriod } from '../../src/console/pages/catalogue/edit/units.ts'
import { fromLocal, toLocal } from '../../src/console/zoned-time.ts'

describe('durations of products', () => {
  it('have a number and a unit', () => {
    assert.deepEqual(toPeriod('P18M'), { count: '18', unit: 'M' })
    assert.equal(fromPeriod({ count: '18', unit: 'M' }), 'P18M')
    assert.equal(fromPeriod({ count: ' ', unit: 'M' }), undefined)
  })

  it('of another form are text', () => {
    for (const text of ['P1Y6M', 'PT24H', 'PT5M', 'PT0.5M', 'monthly']) {
      assert.equal(toPeriod(text), undefined)
    }
    assert.equal(fromPeriod({ count: 'p1y6m', unit: 'M' }), 'P1Y6M')
  })

  it('keep a number that is none, so that it is reported', () => {
    for (const count of ['one', 'D', '3 M', '0.5', '-1']) {
      const stored = fromPeriod({ count, unit: 'M' })
      assert.deepEqual(toPeriod(stored ?? ''), { count, unit: 'M' })
    }
  })
})

describe('times of products', () => {
  const zone = 'Australia/Sydney'

  for (const [local, time] of [
    ['2026-01-01T00:00:00', '2026-01-01T00:00:00+11:00'],
    ['2026-07-01T00:00:00', '2026-07-01T00:00:00+10:00'],
    // An hour that there is twice.
    ['2026-04-05T02:30:00', '2026-04-05T02:30:00+10:00'],
  ] as const) {
    it(`are ${time} for ${local} in the zone`, () => {
      assert.equal(fromLocal(zone, local), time)
      assert.equal(toLocal(zone, Date.parse(time)), local)
    })
  }

  it('that daylight saving skips are an hour later', () => {
    assert.equal(fromLocal(zone, '2026-10-04T02:30:00'), '2026-10-04T03:30:00+11:00')
  })

  it('in UTC have no offset, and keep milliseconds', () => {
    assert.equal(fromLocal('UTC', '2026-10-04T02:30'), '2026-10-04T02:30:00Z')
    assert.equal(toLocal('UTC', Date.parse('2026-01-01T00:00:00.250Z')), '2026-01-01T00:00:00.250')
  })
})
