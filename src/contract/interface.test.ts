import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { TSchema } from 'typebox'
import { assertEach, type NamedCase } from '../../test/support/assert-each.ts'
import * as contract from './public.ts'
import { asNode, type Node } from './schema.ts'

/**
 * The fields of the interface, and those of the standards that the contract adds, transcribed by hand independently of the
 * contract: it must have every field with that type, and accept every value.
 */
const schemas: Readonly<Record<string, unknown>> = { ...contract }
const ofInterface = readSections('interface-fields.txt')
const ofStandards = readSections('standard-fields.txt')

function readSections(file: string): [record: string, lines: string[]][] {
  const text = readFileSync(new URL(`../../test/support/${file}`, import.meta.url), 'utf8')
  return text
    .split('\n[')
    .slice(1)
    .map((section) => {
      const [name = '', ...lines] = section.trim().split('\n')
      return [name.replace(']', ''), lines]
    })
}

/** The schemas at a dotted path, through lists and unions. */
function at(node: Node, path: readonly string[]): Node[] {
  if (node.items) return at(node.items, path)
  if (node.anyOf) return node.anyOf.flatMap((branch) => at(branch, path))
  const [field, ...rest] = path
  if (field === undefined) return [node]
  const next = node.properties?.[field]
  return next ? at(next, rest) : []
}

function* casesOf(schema: Node, lines: readonly string[]): Generator<NamedCase> {
  for (const line of lines) {
    const [path = '', kind = '', ...seen] = line.split(' ')
    const scalars = at(schema, path.split('.'))

    yield [
      `has ${path} as ${kind}`,
      () => assert.ok(scalars.some((scalar) => (scalar.enum ? 'string' : scalar.type) === kind)),
    ]
    for (const value of seen) {
      yield [
        `accepts ${value} as ${path}`,
        () =>
          assert.ok(
            scalars.some((scalar) => contract.validator(scalar as unknown as TSchema).check(value)),
          ),
      ]
    }
  }
}

describe('the contract', () => {
  for (const [record, lines] of ofInterface) {
    it(`has every field of ${record} and accepts every listed value`, () =>
      assertEach(casesOf(asNode(schemas[record] as TSchema), lines)))
  }

  for (const [record, lines] of ofStandards) {
    it(`has the fields of ${record} that it takes from the standards`, () =>
      assertEach(casesOf(asNode(schemas[record] as TSchema), lines)))
  }
})
