import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import * as lines from '../support/lines.ts'
import { ask, getRecords } from '../support/operations.ts'
import { type Provider, sharedProvider } from '../support/provider.ts'

/** Times on the wall, around each moment at which a clock in these zones is put back or forward. */
const walls: Readonly<Record<string, readonly string[]>> = {
  plain: ['2025-01-15T07:59:59.999999999', '2025-01-15T08:00:00', '2025-01-15T08:00:00.000000001'],
  // In Sydney, three o'clock becomes two.
  back: [
    '2025-04-06T01:59:59.999999999',
    '2025-04-06T02:00:00',
    '2025-04-06T02:30:00',
    '2025-04-06T02:59:59.999999999',
    '2025-04-06T03:00:00',
  ],
  // In Sydney, two o'clock becomes three.
  forward: [
    '2025-10-05T01:59:59.999999999',
    '2025-10-05T02:00:00',
    '2025-10-05T02:30:00',
    '2025-10-05T02:59:59.999999999',
    '2025-10-05T03:00:00',
    '2025-10-05T03:30:00',
  ],
  // On Lord Howe the clock moves by half an hour.
  'back by half an hour': [
    '2025-04-06T01:29:59',
    '2025-04-06T01:30:00',
    '2025-04-06T01:59:59',
    '2025-04-06T02:00:00',
  ],
  // Samoa left out a whole day.
  'a day left out': ['2011-12-29T23:59:59', '2011-12-30T12:00:00', '2011-12-31T00:00:00'],
}

const provider = sharedProvider([
  lines.customer('ana'),
  ...Object.entries(walls).flatMap(([account, times]) => [
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

function timesOf(answer: Answer): string[] {
  assert.equal(answer.status, 200, answer.text)
  return getRecords('E4', answer)
    .map(({ executionDateTime }) => executionDateTime)
    .toReversed()
}

/** What lies in a window, oldest first. */
async function within(
  here: Provider,
  account: string,
  bounds: Readonly<Record<string, string>>,
): Promise<string[]> {
  const query = new URLSearchParams({ ...always, ...bounds }).toString()
  const one = await ask(here, 'E4', { accounts: [account], query })
  const many = await ask(here, 'E5', { accounts: [account], query })
  assert.deepEqual(many.body.data, one.body.data)
  return timesOf(one)
}

function from(account: string, first: number, last?: number): string[] {
  return (walls[account] ?? []).slice(first, last)
}

describe('a time without a zone', () => {
  it('is served as it was loaded, whatever the zone', async () => {
    for (const open of [provider, sydney, samoa]) {
      assert.deepEqual(await within(await open(), 'plain', {}), walls['plain'])
    }
  })

  it('is read in UTC where no zone is set', async () => {
    const here = await provider()
    const eight = '2025-01-15T08:00:00Z'

    assert.deepEqual(await within(here, 'plain', { 'newest-time': eight }), from('plain', 0, 2))
    assert.deepEqual(await within(here, 'plain', { 'oldest-time': eight }), from('plain', 1))
  })

  it('is read in the zone that is set', async () => {
    const here = await sydney()
    const eight = '2025-01-14T21:00:00Z'
    const same = '2025-01-15T08:00:00+11:00'

    assert.deepEqual(await within(here, 'plain', { 'newest-time': eight }), from('plain', 0, 2))
    assert.deepEqual(await within(here, 'plain', { 'newest-time': same }), from('plain', 0, 2))
    assert.deepEqual(await within(here, 'plain', { 'oldest-time': eight }), from('plain', 1))
  })

  it('is compared with now in the zone that is set', async (t) => {
    const here = await sydney()
    t.after(() => here.setClock('2025-07-01T00:00:00Z'))

    here.setClock('2025-01-14T21:00:00Z')
    const answer = await ask(here, 'E4', { accounts: ['plain'] })

    assert.deepEqual(timesOf(answer), from('plain', 0, 2))
  })
})

describe('a time in the hour that the clock goes through twice', () => {
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
    it(`is that of the first pass: ${atOrBefore} lie at or before ${bound}`, async () => {
      const times = await within(await sydney(), 'back', { 'newest-time': bound })

      assert.deepEqual(times, from('back', 0, atOrBefore))
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
    it(`is that of the first pass: ${before} lie before ${bound}`, async () => {
      const times = await within(await sydney(), 'back', { 'oldest-time': bound })

      assert.deepEqual(times, from('back', before))
    })
  }

  it('may be in half an hour', async () => {
    const here = await lordHowe()
    const account = 'back by half an hour'

    const first = await within(here, account, { 'newest-time': '2025-04-06T01:30:00+11:00' })
    const second = await within(here, account, { 'newest-time': '2025-04-06T01:30:00+10:30' })

    assert.deepEqual(first, from(account, 0, 2))
    assert.deepEqual(second, from(account, 0, 3))
  })
})

describe('a time that the clock leaves out', () => {
  it('is found in the window around it', async () => {
    assert.deepEqual(await within(await sydney(), 'forward', {}), walls['forward'])
    assert.deepEqual(await within(await samoa(), 'a day left out', {}), walls['a day left out'])
  })

  it('does not move the times around it', async () => {
    const here = await sydney()
    const before = { 'newest-time': '2025-10-05T01:59:59.999999999+10:00' }
    const behind = { 'oldest-time': '2025-10-05T03:00:00+11:00' }

    assert.equal((await within(here, 'forward', before))[0], walls['forward']?.[0])
    assert.ok(!(await within(here, 'forward', before)).includes('2025-10-05T03:00:00'))
    assert.ok((await within(here, 'forward', behind)).includes('2025-10-05T03:00:00'))
    assert.ok(!(await within(here, 'forward', behind)).includes(walls['forward']?.[0] ?? ''))
  })
})

describe('every time', () => {
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
    ['where Samoa left out a day', samoa, 'a day left out', '2011-12-30T10:00:00Z'],
    ['where no clock moves', provider, 'back', '2025-04-06T02:00:00Z'],
  ] as const) {
    it(`lies at or before a moment, or behind it: ${name}`, async () => {
      const here = await open()
      const turn = Temporal.Instant.from(moment)
      const nanosecond = { nanoseconds: 1 }

      for (const minutes of [-60, -30, 0, 30, 60]) {
        const around = turn.add({ minutes })
        for (const bound of [around.subtract(nanosecond), around, around.add(nanosecond)]) {
          const newest = { 'newest-time': bound.toString() }
          const oldest = { 'oldest-time': bound.add(nanosecond).toString() }

          const before = await within(here, account, newest)
          const behind = await within(here, account, oldest)

          assert.deepEqual([...before, ...behind].sort(), walls[account], bound.toString())
        }
      }
    })
  }
})
