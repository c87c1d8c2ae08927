import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatDate, formatDateTime, formatTime } from './layout.ts'

const brand = { name: 'Bank', stylesheet: '', icon: '', timeZone: 'Australia/Sydney' }

describe('times on the pages', () => {
  for (const [season, time, shown] of [
    ['summer', '2027-01-15T14:05:09Z', '16 January 2027, 1:05 am (Australia/Sydney)'],
    ['winter', '2027-07-15T14:05:09Z', '16 July 2027, 12:05 am (Australia/Sydney)'],
  ] as const) {
    it(`name the time zone and follow it in ${season}`, () => {
      const { html } = formatDateTime(Temporal.Instant.from(time), brand)

      assert.equal(html, `<time datetime="${time}">${shown}</time>`)
    })
  }

  it('have seconds where a code ends, and the date of the zone', () => {
    const time = Temporal.Instant.from('2027-07-15T14:05:09Z')

    assert.match(formatTime(time, brand).html, />12:05:09 am \(Australia\/Sydney\)</)
    assert.equal(formatDate(time, brand), '16 July 2027')
  })
})
