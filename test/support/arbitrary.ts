import fc, { type Arbitrary } from 'fast-check'
import type { Static, TSchema } from 'typebox'
import { findViolations, type Rule } from '../../src/contract/rules.ts'
import type { ScalarName } from '../../src/contract/scalars.ts'
import { asNode, type Node } from '../../src/contract/schema.ts'
import { anyCharacter } from './any-character.ts'

type Fields = Record<string, unknown>

/** Valid values of a schema of the contract, including its rules. */
export function anyOf<T extends TSchema>(schema: T): Arbitrary<Static<T>> {
  return toArbitrary(asNode(schema), false) as Arbitrary<Static<T>>
}

/** Valid values with as many fields as the rules permit, and without empty lists. */
export function anyFullOf<T extends TSchema>(schema: T): Arbitrary<Static<T>> {
  return toArbitrary(asNode(schema), true) as Arbitrary<Static<T>>
}

const day = fc.integer({ min: 0, max: 40_000 }).map((days) => new Date(days * 86_400_000))
const date = day.map((value) => value.toISOString().slice(0, 10))
const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), fc.integer({ min: 0, max: 4 }))
  .map(([whole, places]) => (places ? `${whole}.${'5'.repeat(places)}` : `${whole}`))

/** Mostly letters and signs of ASCII, and any others. */
const textCharacter = fc.oneof(
  { weight: 9, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: anyCharacter },
)

/** Parts of URLs. The function `webUrl` of fast-check makes a table of a million characters first, which takes seconds. */
const urlPart = fc.string({
  unit: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(..."azAZ09-._~!$&'()*+,;=:@") },
    { weight: 1, arbitrary: anyCharacter.map(encodeURIComponent) },
  ),
  maxLength: 8,
})
const webUrl = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    fc.webAuthority(),
    fc.array(urlPart, { maxLength: 3 }),
    fc.option(urlPart, { nil: undefined }),
    fc.option(urlPart, { nil: undefined }),
  )
  .map(([scheme, authority, segments, query, fragment]) => {
    const path = segments.map((segment) => `/${segment}`).join('')
    const end = fragment === undefined ? '' : `#${fragment}`
    return `${scheme}://${authority}${path}${query === undefined ? '' : `?${query}`}${end}`
  })

const scalarArbitraries: Record<ScalarName, Arbitrary<string>> = {
  id: fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme-ascii' }),
  feedName: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
  uuid: fc.uuid(),
  decimal,
  wholeNumber: fc.nat().map(String),
  dateTime: day.map((value) => value.toISOString()),
  localDateTime: day.map((value) => value.toISOString().slice(0, 19)),
  date,
  dateOrDateTime: date,
  seasonStart: fc.constantFrom('07-01', '2024-02-29'),
  duration: fc.constantFrom('P1D', 'P1M', 'P3M', 'P7Y', 'PT30M'),
  email: fc.emailAddress(),
  webUri: webUrl,
}

function toArbitrary(node: Node, isFull: boolean): Arbitrary<unknown> {
  if (node.scalar) return scalarArbitraries[node.scalar]
  if (node.enum) return fc.constantFrom(...node.enum)
  if (node.anyOf) return fc.oneof(...node.anyOf.map((branch) => toArbitrary(branch, isFull)))
  if (node.items) {
    const [minLength, maxLength] = isFull ? [1, 2] : [node.minItems ?? 0, 3]
    return fc.array(toArbitrary(node.items, isFull), { minLength, maxLength })
  }
  switch (node.type) {
    case 'object':
      return objectArbitrary(node, isFull)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.nat()
    case 'number':
      return fc.integer().map((hundredths) => hundredths / 100)
    default:
      return fc.string({ unit: textCharacter, minLength: node.minLength ?? 0, maxLength: 20 })
  }
}

/**
 * Optional fields are present at random. Fields that violate a rule are repaired one by one from the full
 * record: filtering would reject almost every value of the records with many rules.
 */
function objectArbitrary(
  { properties = {}, required = [], rules = [] }: Node,
  isFull: boolean,
): Arbitrary<unknown> {
  const names = Object.keys(properties)
  const whole = fc.record(
    Object.fromEntries(
      Object.entries(properties).map(([field, type]) => [field, toArbitrary(type, isFull)]),
    ),
    { noNullPrototype: true },
  )
  const isIncluded = fc.tuple(
    ...names.map((name) => (isFull || required.includes(name) ? fc.constant(true) : fc.boolean())),
  )

  return fc
    .tuple(whole, isIncluded)
    .map(([fields, mask]) => {
      const included = Object.fromEntries(
        Object.entries(fields).filter(([field]) => mask[names.indexOf(field)]),
      )
      return repairFields(rules, included, fields)
    })
    .filter((value) => rules.every((rule) => findViolations(rule, value).length === 0))
}

function repairFields(rules: readonly Rule[], kept: Fields, whole: Fields): Fields {
  for (const rule of [...rules, ...rules]) {
    for (const { path, reason } of findViolations(rule, kept)) {
      if (reason.startsWith('is required')) kept[path] = whole[path]
      else delete kept[path]
    }
  }
  return kept
}
