import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import * as lines from '../support/lines.ts'
import { ask, getRecords } from '../support/operations.ts'
import { type Provider, sharedProvider } from '../support/provider.ts'

/** Local times around the transitions of these time zones. */
const localTimes: Readonly<Record<string, readonly string[]>> = {
  plain: ['2025-01-15T07:59:59.999999999', '2025-01-15T08:00:00', '2025-01-15T08:00:00.000000001'],
  // In Sydney, the clock goes back from 3:00 to 2:00.
  back: [
    '2025-04-06T01:59:59.999999999',
    '2025-04-06T02:00:00',
    '2025-04-06T02:30:00',
    '2025-04-06T02:59:59.999999999',
    '2025-04-06T03:00:00',
  ],
  // In Sydney, the clock goes forward from 2:00 to 3:00.
  forward: [
    '2025-10-05T01:59:59.999999999',
    '2025-10-05T02:00:00',
    '2025-10-05T02:30:00',
    '2025-10-05T02:59:59.999999999',
    '2025-10-05T03:00:00',
    '2025-10-05T03:30:00',
  ],
  // On Lord Howe Island, the clock moves by half an hour.
  'back by half an hour': [
    '2025-04-06T01:29:59',
    '2025-04-06T01:30:00',
    '2025-04-06T01:59:59',
    '2025-04-06T02:00:00',
  ],
  // In the calendar of Sydney, the first is just outside of the twelve months before 5:00 on the leap day 2024.
  leap: ['2023-02-28T04:59:59.999999999', '2023-02-28T05:00:00', '2024-02-29T05:00:00'],
  // Samoa skipped a day.
  'a skipped day': ['2011-12-29T23:59:59', '2011-12-30T12:00:00', '2011-12-31T00:00:00'],
}

const provider = sharedProvider([
  lines.customer('ana'),
  ...Object.entries(localTimes).flatMap(([account, times]) => [
    lines.energyAccount(account, ['ana']),
    ...times.map((time) => lines.billing(account, time, time)),
  ]),
])

function inZone(timeZone: string) {
  return sharedProvider([], async () => ({ database: (await provider()).database, timeZone }))
}

const sydney = inZone('Australia/Sydney')
const lordHowe = inZone('Australia/Lord_Howe')
const samoa = inZone('Pacific/Apia')

const always = {
  'oldest-time': '2000-01-01T00:00:00Z',
  'newest-time': '2100-01-01T00:00:00Z',
}

function readTimes(answer: Answer): string[] {
  assert.equal(answer.status, 200, answer.text)
  return getRecords('E4', answer)
    .map(({ executionDateTime }) => executionDateTime)
    .toReversed()
}

/** The times within a window, oldest first. */
async function within(
  here: Provider,
  account: string,
  bounds: Readonly<Record<string, string>>,
): Promise<string[]> {
  const query = new URLSearchParams({ ...always, ...bounds }).toString()
  const one = await ask(here, 'E4', { accounts: [account], query })
  const many = await ask(here, 'E5', { accounts: [account], query })
  assert.deepEqual(many.body.data, one.body.data)
  return readTimes(one)
}

function slice(account: string, first: number, last?: number): string[] {
  return (localTimes[account] ?? []).slice(first, last)
}

describe('a local time', () => {
  it('is served as it was loaded, in every time zone', async () => {
    for (const open of [provider, sydney, samoa]) {
      assert.deepEqual(await within(await open(), 'plain', {}), localTimes['plain'])
    }
  })

  it('is in UTC by default', async () => {
    const here = await provider()
    const eight = '2025-01-15T08:00:00Z'

    assert.deepEqual(await within(here, 'plain', { 'newest-time': eight }), slice('plain', 0, 2))
    assert.deepEqual(await within(here, 'plain', { 'oldest-time': eight }), slice('plain', 1))
  })

  it('is in the configured time zone', async () => {
    const here = await sydney()
    const eight = '2025-01-14T21:00:00Z'
    const same = '2025-01-15T08:00:00+11:00'

    assert.deepEqual(await within(here, 'plain', { 'newest-time': eight }), slice('plain', 0, 2))
    assert.deepEqual(await within(here, 'plain', { 'newest-time': same }), slice('plain', 0, 2))
    assert.deepEqual(await within(here, 'plain', { 'oldest-time': eight }), slice('plain', 1))
  })

  it('is compared with now in the configured time zone', async (t) => {
    const here = await sydney()
    t.after(() => here.setClock('2025-07-01T00:00:00Z'))

    here.setClock('2025-01-14T21:00:00Z')
    const answer = await ask(here, 'E4', { accounts: ['plain'] })

    assert.deepEqual(readTimes(answer), slice('plain', 0, 2))
  })
})

describe('the default window of local times', () => {
  it('starts twelve months before newest-time, in the calendar of its offset', async () => {
    const here = await sydney()

    for (const ref of ['E4', 'E5'] as const) {
      const query = 'newest-time=2024-02-29T05:00:00%2B11:00'
      const answer = await ask(here, ref, { accounts: ['leap'], query })

      assert.deepEqual(readTimes(answer), slice('leap', 1))
      assert.match(answer.body.links.first, /&oldest-time=2023-02-27T18%3A00%3A00Z&/)
    }
  })
})

describe('a local time in a repeated hour', () => {
  for (const [bound, atOrBefore] of [
    ['2025-04-06T01:59:59.999999999+11:00', 1],
    ['2025-04-06T02:00:00+11:00', 2],
    ['2025-04-06T02:30:00+11:00', 3],
    ['2025-04-06T02:59:59.999999999+11:00', 4],
    ['2025-04-06T02:00:00+10:00', 4],
    ['2025-04-06T02:30:00+10:00', 4],
    ['2025-04-06T02:59:59.999999999+10:00', 4],
    ['2025-04-06T03:00:00+10:00', 5],
  ] as const) {
    it(`is its first occurrence: ${atOrBefore} are at or before ${bound}`, async () => {
      const times = await within(await sydney(), 'back', { 'newest-time': bound })

      assert.deepEqual(times, slice('back', 0, atOrBefore))
    })
  }

  for (const [bound, before] of [
    ['2025-04-06T02:00:00+11:00', 1],
    ['2025-04-06T02:30:00+11:00', 2],
    ['2025-04-06T02:59:59.999999999+11:00', 3],
    ['2025-04-06T02:00:00+10:00', 4],
    ['2025-04-06T02:30:00+10:00', 4],
    ['2025-04-06T03:00:00+10:00', 4],
    ['2025-04-06T03:00:00.000000001+10:00', 5],
  ] as const) {
    it(`is its first occurrence: ${before} are before ${bound}`, async () => {
      const times = await within(await sydney(), 'back', { 'oldest-time': bound })

      assert.deepEqual(times, slice('back', before))
    })
  }

  it('may be in a repeated half hour', async () => {
    const here = await lordHowe()
    const account = 'back by half an hour'

    const first = await within(here, account, { 'newest-time': '2025-04-06T01:30:00+11:00' })
    const second = await within(here, account, { 'newest-time': '2025-04-06T01:30:00+10:30' })

    assert.deepEqual(first, slice(account, 0, 2))
    assert.deepEqual(second, slice(account, 0, 3))
  })
})

describe('a local time that the clock skips', () => {
  it('is found in the window around it', async () => {
    assert.deepEqual(await within(await sydney(), 'forward', {}), localTimes['forward'])
    assert.deepEqual(await within(await samoa(), 'a skipped day', {}), localTimes['a skipped day'])
  })

  it('does not affect the times around it', async () => {
    const here = await sydney()
    const before = { 'newest-time': '2025-10-05T01:59:59.999999999+10:00' }
    const after = { 'oldest-time': '2025-10-05T03:00:00+11:00' }

    assert.equal((await within(here, 'forward', before))[0], localTimes['forward']?.[0])
    assert.ok(!(await within(here, 'forward', before)).includes('2025-10-05T03:00:00'))
    assert.ok((await within(here, 'forward', after)).includes('2025-10-05T03:00:00'))
    assert.ok(!(await within(here, 'forward', after)).includes(localTimes['forward']?.[0] ?? ''))
  })
})

describe('every local time', () => {
  for (const [name, open, account, moment] of [
    ['where the clock of Sydney goes back', sydney, 'back', '2025-04-05T16:00:00Z'],
    ['where the clock of Sydney goes forward', sydney, 'forward', '2025-10-04T16:00:00Z'],
    [
      'where the clock of Lord Howe goes back',
      lordHowe,
      'back by half an hour',
      '2025-04-05T15:00:00Z',
    ],
    ['where the clock of Lord Howe goes forward', lordHowe, 'forward', '2025-10-04T15:30:00Z'],
    ['where Samoa skipped a day', samoa, 'a skipped day', '2011-12-30T10:00:00Z'],
    ['where no clock moves', provider, 'back', '2025-04-06T02:00:00Z'],
  ] as const) {
    it(`is either at or before an instant, or after it: ${name}`, async () => {
      const here = await open()
      const transition = Temporal.Instant.from(moment)
      const nanosecond = { nanoseconds: 1 }

      for (const minutes of [-60, -30, 0, 30, 60]) {
        const around = transition.add({ minutes })
        for (const bound of [around.subtract(nanosecond), around, around.add(nanosecond)]) {
          const newest = { 'newest-time': bound.toString() }
          const oldest = { 'oldest-time': bound.add(nanosecond).toString() }

          const before = await within(here, account, newest)
          const after = await within(here, account, oldest)

          assert.deepEqual([...before, ...after].sort(), localTimes[account], bound.toString())
        }
      }
    })
  }
})
