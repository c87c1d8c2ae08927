import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import * as TypeBox from 'typebox'
import { Type } from './type.ts'

type Builders = typeof Type

const isEven = (value: number) => value % 2 === 0
const isText = (text: string) => text !== ''

const schemas: Readonly<Record<string, (builders: Builders) => object>> = {
  'a list': ({ Array: list, String: text }) => list(text(), { minItems: 1, description: 'Names' }),
  'a flag': ({ Boolean: flag }) => flag({ default: false }),
  'one of several values': ({ Enum }) => Enum(['OPEN', 'CLOSED'], { description: 'A status' }),
  'a whole number': ({ Integer }) => Integer({ minimum: 0, maximum: 9 }),
  'a number': ({ Number: number }) => number(),
  'an object with required and optional fields': ({ Object: object, Optional, String: text }) =>
    object({ id: text(), name: Optional(text()) }, { additionalProperties: false, name: 'Party' }),
  'an object without a required field': ({ Object: object, Optional, String: text }) =>
    object({ name: Optional(text()) }),
  'an object without fields': ({ Object: object }) => object({}),
  'an optional object': ({ Object: object, Optional, String: text }) =>
    Optional(object({ id: text() })),
  'a refined string': ({ Refine, String: text }) => Refine(text({ scalar: 'id' }), isText),
  'a number with two refinements, which is optional': ({ Number: number, Optional, Refine }) =>
    Optional(Refine(Refine(number(), isEven), isEven)),
  'one of two types': ({ Union, String: text, Number: number }) => Union([text(), number()]),
  'any value': ({ Unknown }) => Unknown({ description: 'Anything' }),
}

for (const [name, build] of Object.entries(schemas)) {
  test(`${name} has the schema that TypeBox builds`, () => {
    assert.equal(describe(build(Type)), describe(build(TypeBox)))
  })
}

test('a refinement of a string does not change the string', () => {
  const text = Type.String()
  Type.Refine(text, isText)
  Type.Optional(text)
  assert.equal(describe(text), describe(TypeBox.String()))
})

/** With the properties that are not enumerable, in order. The names of functions do not matter. */
function describe(schema: object): string {
  const text = inspect(schema, { showHidden: true, depth: 9 })
  return text.replaceAll(/\[Function.*?\}/gs, 'function')
}
