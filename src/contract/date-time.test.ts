import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { epochNanoseconds, plainEpochSeconds } from './date-time.ts'
import { scalars } from './scalars.ts'

/** The format of the interface, without the calendar. */
const format =
  /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:([0-5]\d|60)(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/

function parseWithTemporal(text: string): bigint | undefined {
  try {
    return Temporal.Instant.from(text).epochNanoseconds
  } catch {
    return undefined
  }
}

/** Temporal reads second 60 of any minute as second 59. */
function isPossibleSecond(text: string): boolean {
  const utc = text.includes(':60') ? Temporal.Instant.from(text).toString() : 'T23:59:59'
  return utc.includes('T23:59:59')
}

function assertAgrees(text: string): void {
  const expected = parseWithTemporal(text)

  const isValid = format.test(text) && expected !== undefined && isPossibleSecond(text)
  assert.equal(scalars.dateTime.test(text), isValid, text)
  if (expected === undefined) assert.throws(() => epochNanoseconds(text), RangeError, text)
  else assert.equal(epochNanoseconds(text), expected, text)
}

const years = ['0000', '0099', '0100', '1600', '1677', '1900', '2000', '2023', '2024', '9999']
const zones = ['Z', 'z', '+00:00', '-00:00', '+11:00', '-23:59', '+23:59', '+24:00', '+09:60', '']

describe('parsing a date-time', () => {
  it('agrees with Temporal on every day of a month, valid or not', () => {
    for (const year of years) {
      for (let month = 0; month <= 13; month += 1) {
        for (let day = 0; day <= 32; day += 1) {
          const two = (value: number) => String(value).padStart(2, '0')
          assertAgrees(`${year}-${two(month)}-${two(day)}T12:34:56${zones[day % zones.length]}`)
        }
      }
    }
  })

  it('agrees with Temporal on every kind of clock time and zone', () => {
    const clocks = [
      '00:00:00',
      '23:59:59',
      '23:59:60',
      '24:00:00',
      '09:60:00',
      '09:30:00.5',
      '9:30',
    ]
    for (const clock of clocks) {
      for (const zone of zones) {
        for (const separator of ['T', 't', ' '])
          assertAgrees(`2024-02-29${separator}${clock}${zone}`)
      }
    }
  })

  it('agrees with Temporal when any one character is replaced', () => {
    for (const text of ['2026-03-01T09:30:00Z', '2026-03-01T09:30:00+11:00']) {
      for (let at = 0; at < text.length; at += 1) {
        for (const character of '059/:-+.TZtz \u0663') {
          assertAgrees(text.slice(0, at) + character + text.slice(at + 1))
        }
      }
    }
  })

  it('does not use Temporal for the common formats', () => {
    assert.equal(plainEpochSeconds('1970-01-02T00:00:01Z'), 86_401)
    assert.equal(plainEpochSeconds('1970-01-02T11:00:00+11:00'), 86_400)
    assert.equal(plainEpochSeconds('1969-12-31T23:00:00-01:00'), 0)
  })
})
