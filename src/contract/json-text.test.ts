import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc, { type Arbitrary } from 'fast-check'
import { findRepeatedMember, parseMembers, removeMembers } from './json-text.ts'

/** JSON with object members as a list, so that a name can be repeated. */
type Tree =
  | { members: [string, Tree][] }
  | { elements: Tree[] }
  | { leaf: string | number | boolean | null }

/** None contains a backslash: V8 14.6 may then confuse it with a name that starts with an escape. */
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

/** Formats a tree with whitespace and escapes that depend on the seed. */
function format(tree: Tree, seed: number): string {
  let state = seed
  const random = (count: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 8) % count
  }
  const whitespace = () => ['', '', '', ' ', '\t', '\r\n', '  \n'][random(7)] ?? ''
  const escaped = (text: string) =>
    `"${[
      ...JSON.stringify(text)
        .slice(1, -1)
        .matchAll(/\\u....|\\.|[^\\]/g),
    ]
      .map(([each]) => (each.length > 1 || random(4) > 0 ? each : unicode(each)))
      .join('')}"`
  const put = (node: Tree): string => {
    if ('leaf' in node)
      return typeof node.leaf === 'string' ? escaped(node.leaf) : numeral(node.leaf)
    if ('elements' in node) return `[${joined(node.elements.map(put))}]`
    return `{${joined(node.members.map(([each, value]) => `${escaped(each)}${whitespace()}:${whitespace()}${put(value)}`))}}`
  }
  const numeral = (leaf: number | boolean | null) => {
    const text = JSON.stringify(leaf)
    return typeof leaf === 'number' && !/[.e]/.test(text) && random(2) ? `${text}.0E+0` : text
  }
  const joined = (parts: readonly string[]) =>
    parts.length === 0
      ? whitespace()
      : parts.map((part) => `${whitespace()}${part}${whitespace()}`).join(',')
  return `${whitespace()}${put(tree)}${whitespace()}`
}

function unicode(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Names that are repeated within an object. */
function findRepeated(node: Tree): string[] {
  if ('leaf' in node) return []
  if ('elements' in node) return node.elements.flatMap(findRepeated)
  const names = node.members.map(([each]) => each)
  return [
    ...names.filter((each, index) => names.indexOf(each) < index),
    ...node.members.flatMap(([, value]) => findRepeated(value)),
  ]
}

describe('JSON text', () => {
  const seed = fc.nat()
  const unique = objectTree.filter((each) => findRepeated(each).length === 0)

  it('is split into the same members as by JSON.parse, at the right offsets', () => {
    fc.assert(
      fc.property(unique, seed, (object, seed) => {
        const text = format(object, seed)
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

  it('has the expected members after some are removed', () => {
    fc.assert(
      fc.property(unique, seed, fc.array(name), (object, seed, names) => {
        const text = format(object, seed)

        const left = Object.entries(JSON.parse(removeMembers(text, names)))

        const expected = Object.entries(JSON.parse(text)).filter(([each]) => !names.includes(each))
        assert.deepEqual(left, expected)
      }),
      { numRuns: 1000 },
    )
  })

  it('has its repeated members found at any depth', () => {
    fc.assert(
      fc.property(objectTree, seed, (object, seed) => {
        const found = findRepeatedMember(format(object, seed))

        if (found === undefined) assert.deepEqual(findRepeated(object), [])
        else assert.ok(findRepeated(object).includes(found))
      }),
      { numRuns: 2000 },
    )
  })
})
