import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  fromPercent,
  fromPeriod,
  toPercent,
  toPeriod,
} from '../../src/console/pages/catalogue/edit/units.ts'
import { fromLocal, toLocal } from '../../src/console/zoned-time.ts'

describe('rates of products', () => {
  for (const [entered, stored] of [
    ['4.5', '0.045'],
    ['4.50', '0.0450'],
    ['0.05', '0.0005'],
    ['100', '1.00'],
    ['450', '4.50'],
    ['-1.25', '-0.0125'],
    ['0', '0.00'],
  ] as const) {
    it(`are entered as ${entered} % and stored as ${stored}`, () => {
      assert.equal(fromPercent(entered), stored)
      assert.equal(toPercent(stored), entered)
    })
  }

  it('keep a text that is not a number, so that it is reported', () => {
    for (const text of ['4,25', 'four', '4.', '', '1e5', '.5']) {
      assert.equal(fromPercent(text), text)
      assert.equal(toPercent(text), text)
    }
    assert.equal(fromPercent('4.5 %'), '0.045')
  })
})

describe('durations of products', () => {
  it('have a number and a unit', () => {
    assert.deepEqual(toPeriod('P18M'), { count: '18', unit: 'M' })
    assert.equal(fromPeriod({ count: '18', unit: 'M' }), 'P18M')
    assert.equal(fromPeriod({ count: ' ', unit: 'M' }), undefined)
  })

  it('of several units are text', () => {
    for (const text of ['P1Y6M', 'PT24H', 'monthly']) assert.equal(toPeriod(text), undefined)
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
