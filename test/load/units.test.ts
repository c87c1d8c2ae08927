import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc, { type Arbitrary } from 'fast-check'
import {
  parseLocalTime,
  resolveDateWindow,
  resolveInstantWindow,
  resolveWallClockWindow,
} from '../../src/provider/time-window.ts'
import { amountKey } from '../../src/storage/amount-key.ts'
import { findRepeatedMember, parseMembers, removeMembers } from '../../src/text/json-text.ts'

describe('the key of an amount', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0159'), minLength: 1, maxLength: 32 })
  const decimal = fc
    .tuple(fc.boolean(), digits, fc.option(digits))
    .map(([minus, whole, part]) => `${minus ? '-' : ''}${whole}${part === null ? '' : `.${part}`}`)

  /** The value in units of the 32nd place, which is as far as an amount goes. */
  function exact(text: string): bigint {
    const [whole = '', part = ''] = text.replace('-', '').split('.')
    const value = BigInt(whole + part.padEnd(32, '0'))
    return text.startsWith('-') ? -value : value
  }

  function order(a: string, b: string): number {
    return Math.sign(Buffer.compare(Buffer.from(amountKey(a)), Buffer.from(amountKey(b))))
  }

  it('sorts byte by byte as the exact decimals do', () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const difference = exact(a) - exact(b)
        assert.equal(order(a, b), difference === 0n ? 0 : difference < 0n ? -1 : 1)
      }),
      { numRuns: 5000 },
    )
  })

  it('is the same for the same amount, however many zeros it is written with', () => {
    fc.assert(
      fc.property(decimal, fc.nat({ max: 5 }), (text, zeros) => {
        const padding = '0'.repeat(zeros)
        const before = text.replace(/\d/, (digit) => padding + digit)
        const behind = text.includes('.') ? text + padding : `${text}.0${padding}`

        assert.equal(amountKey(before), amountKey(text))
        assert.equal(amountKey(behind), amountKey(text))
      }),
    )
  })

  const ladder =
    '-100 -99.99 -10 -9.5 -9.05 -9 -1 -0.55 -0.5 -0.05 0 0.05 0.5 0.55 1 9 9.05 10 99.99 100'
  it(`sorts ${ladder}`, () => {
    const amounts = ladder.split(' ')

    for (const [low, high] of amounts.slice(1).map((each, index) => [amounts[index], each])) {
      assert.equal(order(low ?? '', high ?? ''), -1, `${low} is less than ${high}`)
    }
    assert.equal(amountKey('-0.00'), amountKey('0'))
  })
})

/** JSON with the members of objects as a list, so that one may be there twice. */
type Tree =
  | { members: [string, Tree][] }
  | { elements: Tree[] }
  | { leaf: string | number | boolean | null }

/** None has a backslash: once it has seen one, V8 14.6 takes a name that begins with an escape for it. */
const names: readonly string[] = [...'ab":{},é 🦉', '', '__proto__', 'isOwned']
const name = fc.constantFrom(...names)

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc
      .oneof(
        name,
        fc.string(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
      )
      .map((leaf) => ({ leaf })),
    fc.array(tie('tree'), { maxLength: 4 }).map((elements) => ({ elements })),
    fc.array(fc.tuple(name, tie('tree')), { maxLength: 4 }).map((members) => ({ members })),
  ),
})) as { tree: Arbitrary<Tree> }

const objectTree = fc.array(fc.tuple(name, tree), { maxLength: 5 }).map((members) => ({ members }))

/** Writes a tree with blanks and escapes that the seed decides on. */
function written(tree: Tree, seed: number): string {
  let state = seed
  const chance = (of: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 8) % of
  }
  const blank = () => ['', '', '', ' ', '\t', '\r\n', '  \n'][chance(7)] ?? ''
  const escaped = (text: string) =>
    `"${[
      ...JSON.stringify(text)
        .slice(1, -1)
        .matchAll(/\\u....|\\.|[^\\]/g),
    ]
      .map(([each]) => (each.length > 1 || chance(4) > 0 ? each : unicode(each)))
      .join('')}"`
  const put = (node: Tree): string => {
    if ('leaf' in node)
      return typeof node.leaf === 'string' ? escaped(node.leaf) : numeral(node.leaf)
    if ('elements' in node) return `[${joined(node.elements.map(put))}]`
    return `{${joined(node.members.map(([each, value]) => `${escaped(each)}${blank()}:${blank()}${put(value)}`))}}`
  }
  const numeral = (leaf: number | boolean | null) => {
    const text = JSON.stringify(leaf)
    return typeof leaf === 'number' && !/[.e]/.test(text) && chance(2) ? `${text}.0E+0` : text
  }
  const joined = (parts: readonly string[]) =>
    parts.length === 0 ? blank() : parts.map((part) => `${blank()}${part}${blank()}`).join(',')
  return `${blank()}${put(tree)}${blank()}`
}

function unicode(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Names that some object in the tree has twice. */
function twice(node: Tree): string[] {
  if ('leaf' in node) return []
  if ('elements' in node) return node.elements.flatMap(twice)
  const names = node.members.map(([each]) => each)
  return [
    ...names.filter((each, index) => names.indexOf(each) < index),
    ...node.members.flatMap(([, value]) => twice(value)),
  ]
}

describe('JSON as text', () => {
  const seed = fc.nat()
  const unique = objectTree.filter((each) => twice(each).length === 0)

  it('has the members that a parser finds, each where it says', () => {
    fc.assert(
      fc.property(unique, seed, (object, seed) => {
        const text = written(object, seed)
        const members = parseMembers(text)

        assert.deepEqual(
          members.map((each) => each.name),
          object.members.map(([each]) => each),
        )
        const parsed = new Map(Object.entries(JSON.parse(text) as object))
        for (const { name, start, valueStart, end } of members) {
          assert.deepEqual(JSON.parse(text.slice(valueStart, end)), parsed.get(name))
          assert.deepEqual(Object.entries(JSON.parse(`{${text.slice(start, end)}}`))[0]?.[0], name)
          assert.equal(text.slice(valueStart, end).trim(), text.slice(valueStart, end))
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('is without some members what a parser has without them', () => {
    fc.assert(
      fc.property(unique, seed, fc.array(name), (object, seed, names) => {
        const text = written(object, seed)

        const left = Object.entries(JSON.parse(removeMembers(text, names)))

        const expected = Object.entries(JSON.parse(text)).filter(([each]) => !names.includes(each))
        assert.deepEqual(left, expected)
      }),
      { numRuns: 1000 },
    )
  })

  it('has a member twice exactly where some object has, at any depth', () => {
    fc.assert(
      fc.property(objectTree, seed, (object, seed) => {
        const found = findRepeatedMember(written(object, seed))

        if (found === undefined) assert.deepEqual(twice(object), [])
        else assert.ok(twice(object).includes(found))
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a window of time', () => {
  const now = Temporal.Instant.from('2026-03-31T13:30:00Z')

  for (const [name, given, oldest, newest] of [
    ['neither bound', {}, '2025-03-31T13:30:00Z', '2026-03-31T13:30:00Z'],
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
      'bounds the wrong way round',
      { oldest: '2026-01-01T00:00:00Z', newest: '2025-01-01T00:00:00Z' },
      '2026-01-01T00:00:00Z',
      '2025-01-01T00:00:00Z',
    ],
  ] as const) {
    it(`with ${name} is ${oldest} to ${newest}`, () => {
      const window = resolveInstantWindow(given, now)

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

  for (const [zone, given, oldest, newest] of [
    ['UTC', {}, '2024-03-31', '2026-03-31'],
    ['Australia/Sydney', {}, '2024-04-01', '2026-04-01'],
    ['UTC', { newest: '2024-02-29' }, '2022-02-28', '2024-02-29'],
    ['UTC', { oldest: '1969-12-31' }, '1969-12-31', '2026-03-31'],
  ] as const) {
    it(`of dates in ${zone}, given ${JSON.stringify(given)}, is ${oldest} to ${newest}`, () => {
      const window = resolveDateWindow(given, now, zone)

      const day = (text: string) => BigInt(Date.parse(text) / 86_400_000)
      assert.deepEqual(window, {
        oldest,
        newest,
        window: { oldest: day(oldest), newest: day(newest) },
      })
    })
  }

  it('holds the wall-clock times that lie in it when they are read in the zone', () => {
    const minute = 60_000_000_000n
    /** Around changes of the clock, and the half hour of Lord Howe. */
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
        const should =
          Temporal.Instant.compare(oldest, read) <= 0 && Temporal.Instant.compare(read, newest) <= 0
        assert.equal(isInside, should, `${local} in ${timeZone}, from ${oldest} to ${newest}`)
      }),
      { numRuns: 5000 },
    )
  })
})
