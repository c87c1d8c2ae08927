import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  parseLocalTime,
  resolveDateWindow,
  resolveInstantWindow,
  resolveWallClockWindow,
} from './time-window.ts'

describe('a time window', () => {
  const now = Temporal.Instant.from('2026-03-31T13:30:00Z')

  for (const [name, query, oldest, newest, zone = 'UTC'] of [
    ['no bounds', {}, '2025-03-31T13:30:00Z', '2026-03-31T13:30:00Z'],
    [
      'no bounds where the clocks change at another date in each year',
      {},
      '2025-03-31T13:30:00Z',
      '2026-03-31T13:30:00Z',
      'Australia/Sydney',
    ],
    [
      'a newest on a leap day of its own offset',
      { newest: '2024-02-29T05:00:00+11:00' },
      '2023-02-27T18:00:00Z',
      '2024-02-29T05:00:00+11:00',
      'Australia/Sydney',
    ],
    [
      'a newest on a leap day in UTC that is none at its own offset',
      { newest: '2024-03-01T05:00:00.5+10:00' },
      '2023-02-28T19:00:00.5Z',
      '2024-03-01T05:00:00.5+10:00',
    ],
    [
      'a newest on a leap day west of UTC',
      { newest: '2024-02-29T20:00:00-05:00' },
      '2023-03-01T01:00:00Z',
      '2024-02-29T20:00:00-05:00',
    ],
    [
      'a newest on a leap day',
      { newest: '2024-02-29T00:00:00Z' },
      '2023-02-28T00:00:00Z',
      '2024-02-29T00:00:00Z',
    ],
    [
      'a newest with an offset',
      { newest: '2024-03-01T05:00:00+10:00' },
      '2023-02-28T19:00:00Z',
      '2024-03-01T05:00:00+10:00',
    ],
    [
      'only an oldest',
      { oldest: '2000-01-01T00:00:00Z' },
      '2000-01-01T00:00:00Z',
      '2026-03-31T13:30:00Z',
    ],
    [
      'reversed bounds',
      { oldest: '2026-01-01T00:00:00Z', newest: '2025-01-01T00:00:00Z' },
      '2026-01-01T00:00:00Z',
      '2025-01-01T00:00:00Z',
    ],
  ] as const) {
    it(`with ${name} is ${oldest} to ${newest}`, () => {
      const window = resolveInstantWindow(query, now, zone)

      assert.deepEqual(window, {
        oldest,
        newest,
        window: {
          oldest: Temporal.Instant.from(oldest).epochNanoseconds,
          newest: Temporal.Instant.from(newest).epochNanoseconds,
        },
      })
    })
  }

  it('without bounds starts at the same local time, twelve months before', () => {
    const zone = fc.constantFrom('UTC', 'Australia/Sydney', 'America/St_Johns', 'Asia/Kathmandu')
    const seconds = fc.integer({ min: 1_600_000_000, max: 1_900_000_000 })

    fc.assert(
      fc.property(zone, seconds, (timeZone, at) => {
        const now = Temporal.Instant.fromEpochMilliseconds(at * 1000)
        const { window } = resolveInstantWindow({}, now, timeZone)

        const start = now.toZonedDateTimeISO(timeZone).subtract({ months: 12 })
        assert.equal(window.oldest, start.epochNanoseconds, `${now} in ${timeZone}`)
      }),
      { numRuns: 2000 },
    )
  })

  for (const [zone, query, oldest, newest] of [
    ['UTC', {}, '2024-03-31', '2026-03-31'],
    ['Australia/Sydney', {}, '2024-04-01', '2026-04-01'],
    ['UTC', { newest: '2024-02-29' }, '2022-02-28', '2024-02-29'],
    ['UTC', { oldest: '1969-12-31' }, '1969-12-31', '2026-03-31'],
  ] as const) {
    it(`of dates in ${zone}, for ${JSON.stringify(query)}, is ${oldest} to ${newest}`, () => {
      const window = resolveDateWindow(query, now, zone)

      const day = (text: string) => BigInt(Date.parse(text) / 86_400_000)
      assert.deepEqual(window, {
        oldest,
        newest,
        window: { oldest: day(oldest), newest: day(newest) },
      })
    })
  }

  it('contains exactly the local times that are within it in the time zone', () => {
    const minute = 60_000_000_000n
    // Includes the daylight saving shift of half an hour on Lord Howe Island.
    const zone = fc.constantFrom(
      ...([
        'UTC',
        'Australia/Sydney',
        'Australia/Lord_Howe',
        'America/St_Johns',
        'Asia/Kathmandu',
      ] as const),
    )
    const change = fc.constantFrom(
      '2025-04-05T16:00:00Z',
      '2025-10-04T16:00:00Z',
      '2025-04-05T15:00:00Z',
      '2025-11-02T04:30:00Z',
      '2025-06-30T00:00:00Z',
    )
    const moment = fc
      .tuple(change, fc.bigInt({ min: -240n, max: 240n }), fc.constantFrom(-1n, 0n, 1n))
      .map(([time, minutes, more]) => {
        const instant = Temporal.Instant.from(time).epochNanoseconds + minutes * minute + more
        return Temporal.Instant.fromEpochNanoseconds(instant)
      })

    fc.assert(
      fc.property(zone, moment, moment, moment, (timeZone, at, oldest, newest) => {
        const local = at.toZonedDateTimeISO(timeZone).toPlainDateTime()
        const read = local.toZonedDateTime(timeZone, { disambiguation: 'earlier' }).toInstant()
        const { window } = resolveWallClockWindow(
          { oldest: oldest.toString(), newest: newest.toString() },
          now,
          timeZone,
        )

        const time = parseLocalTime(local.toString())
        const isInside = window.oldest <= time && time <= window.newest
        const expected =
          Temporal.Instant.compare(oldest, read) <= 0 && Temporal.Instant.compare(read, newest) <= 0
        assert.equal(isInside, expected, `${local} in ${timeZone}, from ${oldest} to ${newest}`)
      }),
      { numRuns: 5000 },
    )
  })
})
