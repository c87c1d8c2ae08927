import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { build } from 'esbuild'
import fc from 'fast-check'
import { anyOf } from '../../test/support/arbitrary.ts'
import { propertyRuns } from '../../test/support/properties.ts'
import { findProblems, type Operation, operations, ProductInput, validator } from './public.ts'
import { asNode, isObject, type Node } from './schema.ts'

/** Replaces, removes or adds one value at a random place. */
interface Mutation {
  readonly place: number
  readonly kind: 'replace' | 'remove' | 'add'
  readonly value: unknown
}

const mutation = fc.record<Mutation>({
  place: fc.nat({ max: 10_000 }),
  kind: fc.constantFrom('replace', 'remove', 'add'),
  value: fc.oneof(
    fc.constantFrom('', ' ', 'OTHER', '1.5', '-1', 'P1M', 'P', 'PT', '2026-02-30T00:00:00Z'),
    fc.constantFrom('fixedAmount', 'rateBased', 'variable', '9999-12-31T23:59:59.123Z'),
    fc.jsonValue({ maxDepth: 2 }),
  ),
})

function mutate(product: object, { place, kind, value }: Mutation): object {
  const copy = structuredClone(product)
  const places = listPlaces(copy)
  const [container, name] = places[place % places.length] ?? [copy, 'name']
  const fields = container as Record<string, unknown>
  if (kind === 'add') fields[Array.isArray(container) ? container.length : 'surprise'] = value
  else if (kind === 'replace') fields[name] = value
  else if (Array.isArray(container)) container.splice(Number(name), 1)
  else delete fields[name]
  return copy
}

function listPlaces(value: unknown): [object, string][] {
  if (!Array.isArray(value) && !isObject(value)) return []
  return Object.entries(value).flatMap(([name, content]): [object, string][] => [
    [value, name],
    ...listPlaces(content),
  ])
}

const bodies = new Map(
  Object.values(operations as Record<string, Operation>).flatMap(({ body }) =>
    body ? [[asNode(body).name ?? '', body]] : [],
  ),
)

describe('the errors of a request body', () => {
  for (const [name, schema] of bodies) {
    it(`are found in ${name} exactly if the compiled validator rejects it`, () => {
      const { check } = validator(schema)
      fc.assert(
        fc.property(anyOf(schema), fc.array(mutation, { maxLength: 3 }), (valid, mutations) => {
          const body = mutations.reduce<object>(mutate, valid as object)
          assert.equal(findProblems(schema, body).length === 0, check(body), JSON.stringify(body))
        }),
        propertyRuns(100),
      )
    })
  }

  it('can be found, because the schemas have no other keywords', () => {
    assert.ok(bodies.size > 5)
    for (const schema of bodies.values()) requireKnownKeywords(asNode(schema))
  })
})

const keywords = [
  ...['type', 'properties', 'required', 'additionalProperties', 'rules', 'items', 'anyOf', 'enum'],
  ...['scalar', 'minItems', 'maxItems', 'minLength', 'maxLength', 'minimum', 'maximum'],
]
const annotations = [
  ...['name', 'description', 'fieldDescription', 'default', 'acceptsNumber'],
  ...['aliases', 'ignores', 'ignoresWhenPresent'],
]

function requireKnownKeywords(node: Node): void {
  const unknown = Object.keys(node).filter((name) => ![...keywords, ...annotations].includes(name))
  assert.deepEqual(unknown, [], JSON.stringify(node))
  assert.ok(!('~refine' in node) || node.scalar || node.rules, JSON.stringify(node))
  const { properties = {}, items, anyOf = [] } = node
  for (const part of [...Object.values(properties), ...anyOf]) requireKnownKeywords(part)
  if (items) requireKnownKeywords(items)
}

describe('the errors of a product', () => {
  const { check, problems } = validator(ProductInput)

  it('are found without compiled code exactly if the compiled validator rejects it', () => {
    const found = { valid: 0, invalid: 0 }
    fc.assert(
      fc.property(anyOf(ProductInput), fc.array(mutation, { maxLength: 4 }), (valid, mutations) => {
        const product = mutations.reduce<object>(mutate, valid)
        const inBrowser = findProblems(ProductInput, product)

        assert.equal(inBrowser.length === 0, check(product), JSON.stringify(product))
        assert.deepEqual(inBrowser, problems(product))
        found[inBrowser.length === 0 ? 'valid' : 'invalid'] += 1
      }),
      propertyRuns(400),
    )
    assert.ok(found.valid > 80 && found.invalid > 80, JSON.stringify(found))
  })

  it('are found up to a limit', () => {
    assert.equal(findProblems(ProductInput, {}).length, 5)
    assert.deepEqual(findProblems(ProductInput, {}, 2), findProblems(ProductInput, {}).slice(0, 2))
  })

  it('need nothing of TypeBox in a browser', async () => {
    const { metafile, outputFiles } = await build({
      stdin: {
        contents: `export { findProblems } from './problems.ts'
          export { ProductInput } from './records/product.ts'`,
        resolveDir: import.meta.dirname,
      },
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
      metafile: true,
    })

    const packages = Object.keys(metafile.inputs).filter((path) => path.includes('node_modules'))
    assert.deepEqual(packages, [])
    assert.doesNotMatch(outputFiles[0]?.text ?? '', /new Function|\beval\(/)
  })

  it('include no valid time or duration in a browser without Temporal', () => {
    const product = {
      ...{ brand: 'B', description: '', is_tailored: false, name: 'N' },
      product_category: 'TERM_DEPOSITS',
      effective_from: '2026-01-01T00:00:00.5Z',
      effective_to: '2026-01-01T00:00:00.25+00:00',
      fees: [{ fee_cap_period: 'P1M' }, { fee_cap_period: 'monthly' }],
    }
    const { Temporal } = globalThis
    Reflect.deleteProperty(globalThis, 'Temporal')
    try {
      assert.deepEqual(findProblems(ProductInput, product), [
        { path: 'fees[1].fee_cap_period', reason: 'must be an ISO 8601 duration' },
        { path: 'effective_to', reason: 'must not be before effective_from' },
      ])
    } finally {
      globalThis.Temporal = Temporal
    }
  })
})
