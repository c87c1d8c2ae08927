import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openExpiry } from './retention.ts'

const start = Temporal.Instant.from('2032-07-01T00:00:00Z')
const hourMs = 3_600_000

/** A wall clock that a test sets, and a monotonic one. Both run, an hour between two calls. */
function openClocks() {
  let [monotonicMs, offsetMs] = [5_000_000, 0]
  const clock = () => start.add({ milliseconds: monotonicMs + offsetMs })
  const readExpiry = openExpiry(clock, 6, { monotonicMs: () => monotonicMs })
  return {
    set(years: number) {
      offsetMs = years * 366 * 24 * hourMs
    },
    readYear() {
      monotonicMs += hourMs
      return readExpiry().toZonedDateTimeISO('UTC').year
    },
  }
}

describe('the expiry of records', () => {
  it('is some years ago', () => {
    const { readYear } = openClocks()

    assert.deepEqual([readYear(), readYear()], [2026, 2026])
  })

  it('follows a clock that is set ahead only if it stays ahead', () => {
    const { set, readYear } = openClocks()
    readYear()

    set(3)
    const ahead = readYear()
    set(0)
    const corrected = readYear()
    set(3)

    assert.deepEqual([ahead, corrected], [2026, 2026])
    assert.deepEqual([readYear(), readYear()], [2026, 2029])
  })

  it('follows a clock that is set back at once', () => {
    const { set, readYear } = openClocks()
    readYear()

    set(-3)

    assert.equal(readYear(), 2023)
  })
})
