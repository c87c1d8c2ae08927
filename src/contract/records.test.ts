import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TSchema } from 'typebox'
import { assertEach, type NamedCase } from '../../test/support/assert-each.ts'
import { examples } from './examples/index.ts'
import { buildExample } from './openapi/example.ts'
import { errorBodies } from './operations/shared-parameters.ts'
import { describeExpected } from './problems.ts'
import { type Operation, operations, validator } from './public.ts'
import { BankingAccountV3 } from './records/banking-account.ts'
import { recordTypes } from './records/index.ts'
import { asNode, isObject, type Node } from './schema.ts'

/** Every named schema of the contract, at any depth. */
const named = new Map<string, Node>()
for (const operation of Object.values<Operation>(operations)) {
  const { body, events, form, response } = operation
  for (const schema of [body, events, form, response]) if (schema) collect(asNode(schema))
}
for (const schema of [
  ...Object.values(recordTypes),
  ...Object.values(errorBodies),
  BankingAccountV3,
]) {
  collect(asNode(schema))
}

function collect(node: Node): void {
  if (node.name) named.set(node.name, node)
  for (const child of [...Object.values(node.properties ?? {}), ...(node.anyOf ?? [])]) {
    collect(child)
  }
  if (node.items) collect(node.items)
}

/** Values of every JSON type: a field must reject those that its type does not allow. */
const kinds: Record<string, unknown> = {
  'a word': 'no-such-value\u0007',
  'an empty string': '',
  'a number': 1.5,
  'a negative number': -1,
  true: true,
  null: null,
  'a list': [],
  'a list of null': [null],
  'an object': {},
  'an object with a field': { surprise: 1 },
}

/** Whether an object may have any field. */
function isOpen({ additionalProperties, properties = {} }: Node): boolean {
  return additionalProperties !== false && Object.keys(properties).length === 0
}

/** Whether a schema accepts one of those values, decided without the validator. */
function accepts(node: Node, value: unknown): boolean {
  if (node.anyOf) return node.anyOf.some((branch) => accepts(branch, value))
  if (node.items) return Array.isArray(value) && value.length === 0 && !node.minItems
  if (node.scalar || node.enum) return false
  switch (node.type) {
    case 'object':
      if (isOpen(node)) return isObject(value)
      return JSON.stringify(value) === '{}' && (node.required ?? []).length === 0
    case 'string':
      return typeof value === 'string' && value.length >= (node.minLength ?? 0)
    case 'number':
      return typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    default:
      return false
  }
}

type Problems = ReturnType<typeof validator>['problems']

/** The problems of one field, without those of other fields. */
function fieldProblems(problems: Problems, field: string, value: unknown) {
  return problems({ [field]: value }).filter(
    ({ path, reason }) =>
      (path === field || path.startsWith(`${field}[`) || path.startsWith(`${field}.`)) &&
      !reason.startsWith('must be absent'),
  )
}

function* casesOf(name: string, node: Node): Generator<NamedCase> {
  const { check, problems } = validator(node as unknown as TSchema)

  for (const [field, type] of Object.entries(node.properties ?? {})) {
    for (const [kind, value] of Object.entries(kinds)) {
      if (accepts(type, value)) continue
      yield [
        `rejects ${kind} as ${field} and reports the path`,
        () => {
          assert.equal(check({ [field]: value }), false)
          assert.notDeepEqual(fieldProblems(problems, field, value), [])
        },
      ]
    }
  }

  if (node.additionalProperties === false) {
    yield [
      'rejects an unknown field and reports its name',
      () => {
        assert.equal(check({ surprise: 1 }), false)
        assert.ok(
          problems({ surprise: 1 }).some(
            ({ path, reason }) => path === 'surprise' && reason === 'is not a field of this record',
          ),
        )
      },
    ]
  }

  for (const field of node.required ?? []) {
    yield [
      `requires ${field}`,
      () => {
        const { [field]: _, ...rest } = (buildExample(node) ?? {}) as Record<string, unknown>
        assert.ok(
          problems(rest).some(({ path, reason }) => path === field && reason === 'is required'),
        )
      },
    ]
  }

  for (const value of [null, [], 'x', 1]) {
    yield [
      `rejects ${JSON.stringify(value)} instead of an object`,
      () => assert.deepEqual(problems(value), [{ path: '', reason: 'must be an object' }]),
    ]
  }

  for (const [index, example] of (examples[name] ?? []).entries()) {
    yield [`accepts its example ${index + 1}`, () => assert.deepEqual(problems(example), [])]
  }
}

describe('a record', () => {
  for (const [name, node] of named) {
    it(`${name} accepts its examples and rejects invalid fields by path`, () =>
      assertEach(casesOf(name, node)))
  }
})

describe('an example', () => {
  it('exists for every record that can be loaded', () => {
    const missing = Object.values(recordTypes).filter(
      (schema) => !examples[asNode(schema).name ?? ''],
    )

    assert.deepEqual(missing, [])
  })

  it('has the name of a schema', () => {
    assert.deepEqual(
      Object.keys(examples).filter((name) => !named.has(name)),
      [],
    )
  })
})

describe('the expected value of a field', () => {
  for (const [text, node] of [
    ['true or false', { type: 'boolean' }],
    ['a number', { type: 'number' }],
    [
      'a whole number from 0 to 2^53 - 1',
      { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    ],
    ['a whole number from 1', { type: 'integer', minimum: 1 }],
    ['a list of at least 1 element', { type: 'array', items: {}, minItems: 1 }],
    ['a list of 0 to 1000 elements', { type: 'array', items: {}, maxItems: 1000 }],
    ['a string of 0 to 5 characters', { type: 'string', maxLength: 5 }],
    ['one of A, B', { enum: ['A', 'B'] }],
    ['a decimal string', { type: 'string', scalar: 'decimal' }],
    ['an object or a list', { anyOf: [{ type: 'object' }, { type: 'array', items: {} }] }],
  ] as const) {
    it(`is described as "${text}"`, () => assert.equal(describeExpected(node as Node), text))
  }
})
