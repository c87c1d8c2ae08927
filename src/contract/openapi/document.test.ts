import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import fc from 'fast-check'
import type { TSchema } from 'typebox'
import { anyOf } from '../../../test/support/arbitrary.ts'
import { compileDocument } from '../../../test/support/compile-document.ts'
import { propertyRuns } from '../../../test/support/properties.ts'
import { values } from '../enumerations.ts'
import {
  BankingAccount,
  BankingTransaction,
  buildOpenApiDocument,
  documentNames,
  EnergyBillingTransaction,
  examples,
  normalizer,
  operations,
  ProductInput,
  ScheduledPayment,
  validator,
} from '../public.ts'
import { asNode } from '../schema.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents are traversed by path, not by type
type Json = Record<string, any>

const provider: Json = buildOpenApiDocument('provider', '1.2.3')
const platform: Json = buildOpenApiDocument('platform', '1.2.3')
const intake: Json = buildOpenApiDocument('intake', '1.2.3')
const documents = { provider, platform, intake }
const ajv = {
  provider: compileDocument(provider),
  platform: compileDocument(platform),
  intake: compileDocument(intake),
}

for (const name of documentNames) {
  const document = documents[name]
  const listed = Object.values<Json>(document['paths']).flatMap((item) =>
    Object.values<Json>(item).filter(({ operationId }) => operationId),
  )
  const schemas = Object.entries<Json>(document['components'].schemas)

  describe(`the OpenAPI document of a ${name}`, () => {
    it('is a valid OpenAPI 3.1 document', async () => {
      const { valid, errors } = await new Validator().validate(structuredClone(document))

      assert.deepEqual({ valid, errors }, { valid: true, errors: undefined })
    })

    it('has only examples and defaults that are valid', () => {
      const found = listExamples(document)
      const wrong = found.filter(
        ({ pointer, value }) => !ajv[name].validate({ $ref: `document#${pointer}` }, value),
      )

      assert.ok(found.length > listed.length)
      assert.deepEqual(wrong, [])
    })

    it('is plain JSON and has the given version', () => {
      assert.deepEqual(JSON.parse(JSON.stringify(document)), document)
      assert.equal(document['info'].version, '1.2.3')
    })

    it('describes every schema and operation in sentences without interface references', () => {
      const described = [
        ...schemas,
        ...listed.map((operation) => [operation['operationId'], operation] as const),
        ...listed.flatMap(({ operationId, responses }) =>
          Object.entries<Json>(responses).map(
            ([status, response]) => [`${operationId} ${status}`, response] as const,
          ),
        ),
      ]
      const wrong = described.filter(
        ([, { description = '' }]) =>
          !/^[A-Z].*\.$/s.test(description) || /\b[BCEFPT][1-9]\b/.test(description),
      )

      assert.deepEqual(
        wrong.map(([where, { description }]) => `${where}: ${description}`),
        [],
      )
    })

    it('describes every parameter and gives an example', () => {
      const wrong = listed.flatMap(({ operationId, parameters }) =>
        parameters
          .filter(({ description, example }: Json) => !description || example === undefined)
          .map((parameter: Json) => `${operationId} ${parameter['name']}`),
      )

      assert.deepEqual(wrong, [])
    })

    it('describes every header of a response', () => {
      const refs = listed.flatMap(({ responses }) =>
        Object.values<Json>(responses).flatMap(({ headers }) =>
          Object.values<Json>(headers).map(({ $ref }) => $ref),
        ),
      )

      assert.deepEqual(
        new Set(refs),
        new Set(
          Object.keys(document['components'].headers).map((each) => `#/components/headers/${each}`),
        ),
      )
      for (const header of Object.values<Json>(document['components'].headers)) {
        assert.match(header['description'], /\.$/)
        assert.notEqual(header['example'], undefined)
      }
    })

    it('has an example for every request and response body', () => {
      const bodies = listed.flatMap(({ requestBody, responses }) =>
        [requestBody, ...Object.values<Json>(responses)].flatMap((each) =>
          Object.values<Json>(each?.content ?? {}),
        ),
      )

      assert.ok(bodies.length > listed.length)
      assert.ok(bodies.every((body) => 'example' in body || 'examples' in body))
    })

    it('types every field, so that client generators know its type', () => {
      const untyped = schemas.flatMap(([where, schema]) => findUntyped(schema, where))

      assert.deepEqual(untyped, [])
    })

    it('names every value list, and formats every integer', () => {
      const found = [...walk(listed, 'paths'), ...schemas.flatMap(walkFields)]

      assert.deepEqual(
        found.filter(([, each]) => Array.isArray(each['enum'])).map(([where]) => where),
        [],
      )
      assert.deepEqual(
        found
          .filter(([, each]) => each['type'] === 'integer' && !/^int(32|64)$/.test(each['format']))
          .map(([where]) => where),
        [],
      )
    })

    it('has server URLs that are complete once the variables are replaced', () => {
      const servers = [
        document['servers'],
        ...Object.values<Json>(document['paths']).map((item) => item['servers'] ?? []),
      ].flat()

      for (const { url, variables } of servers) {
        const complete = url.replaceAll(/\{(\w+)\}/g, (_: string, variable: string) => {
          return variables[variable].default
        })
        assert.match(new URL(complete).origin, /^http:\/\/127\.0\.0\.1:808[012]$/)
      }
    })
  })
}

describe('the OpenAPI documents', () => {
  it('together have every operation, and only the token request twice', () => {
    const ids = Object.values(documents).flatMap((document) =>
      Object.values<Json>(document['paths']).flatMap((item) =>
        Object.values<Json>(item).flatMap(({ operationId = [] }) => operationId),
      ),
    )

    assert.deepEqual(ids.sort(), [...Object.keys(operations), 'issueToken'].sort())
  })

  it('mark only the single accounts as extensions of the interface', () => {
    const marked = Object.values(documents)
      .flatMap(({ paths }) => Object.values<Json>(paths))
      .flatMap((item) => Object.values<Json>(item))
      .filter((operation) => operation['x-extension'])

    assert.deepEqual(
      marked.map(({ operationId }) => operationId),
      ['getBankingAccount', 'getEnergyAccount'],
    )
    for (const { description } of marked) assert.match(description, /a provider may leave it out/)
  })

  it('mark only the lists of accounts as deprecated, and name the operation to use instead', () => {
    const marked = Object.values<Json>(provider['paths'])
      .flatMap((item) => Object.values<Json>(item))
      .filter((operation) => operation['deprecated'])

    assert.deepEqual(
      marked.map(({ operationId }) => operationId),
      ['listBankingAccounts', 'listEnergyAccounts'],
    )
    for (const { description, responses } of marked) {
      assert.match(description, /use `listShareableAccounts` instead/)
      assert.ok('Deprecation' in responses['200'].headers)
    }
  })

  it('declare the token that each operation requires', () => {
    const products = '/v1/data-provider/cdr/products'

    assert.deepEqual(provider['paths']['/auth/v1/customer/{customerId}'].get.security, [
      { platformToken: [] },
    ])
    assert.deepEqual(platform['paths'][products].post.security, [
      { clientToken: ['products.write'] },
    ])
    assert.deepEqual(platform['paths'][`${products}/{productID}`].get.security, [])
    assert.deepEqual(intake['paths']['/v1/feeds'].get.security, [{ clientToken: ['data.write'] }])
  })

  it('list only the scopes of their own operations', () => {
    const listScopes = ({ components }: Json) =>
      Object.keys(components.securitySchemes.clientToken.flows.clientCredentials.scopes)

    assert.deepEqual(listScopes(platform), [
      'products.read',
      'products.write',
      'data.read',
      'consent.read',
      'consent.write',
      'operations.read',
      'operations.write',
    ])
    assert.deepEqual(listScopes(intake), ['data.write'])
  })

  it('describe a batch as text, and the members of its errors', () => {
    const { put } = intake['paths']['/v1/feeds/{feed}/batches/{number}']

    assert.deepEqual(put.requestBody.content['application/x-ndjson'].schema, { type: 'string' })
    for (const [status, name] of [
      ['409', 'BatchConflictBody'],
      ['422', 'InvalidLinesBody'],
      ['400', 'ErrorBody'],
    ] as const) {
      assert.deepEqual(put.responses[status].content['application/json'].schema, {
        $ref: `#/components/schemas/${name}`,
      })
    }
  })

  it('have aliases with their type in requests, and none in responses', () => {
    const { ProductRateTier, ProductRateTierInput, ProductInput } = platform['components'].schemas

    assert.equal(ProductRateTier.properties.unitOfMeasure, undefined)
    assert.deepEqual(ProductRateTierInput.properties.unitOfMeasure, {
      $ref: '#/components/schemas/UnitOfMeasure',
      description: 'An alias of `unit_of_measure`.',
      deprecated: true,
    })
    assert.equal(ProductInput.properties.product_id.type, 'string')
    assert.doesNotMatch(JSON.stringify(provider), /An alias of|Accepted and ignored/)
  })

  it('name value lists unambiguously: no two lists have the same values', () => {
    const lists = Object.values(values).map((list) => list.join())

    assert.equal(new Set(lists).size, lists.length)
  })

  it('describe the empty contact with the status RESTRICTED', () => {
    const path = '/fdx/v6/customer/{customerId}/accounts/{accountId}/contact'
    const { description } = provider['paths'][path].get.responses['200']

    assert.match(description, /an empty body if the status of the account is RESTRICTED/)
  })
})

describe('the schemas of the document agree with the validator', () => {
  const pairs = [
    [BankingAccount, 'provider'],
    [BankingTransaction, 'provider'],
    [ScheduledPayment, 'provider'],
    [EnergyBillingTransaction, 'provider'],
    [ProductInput, 'platform'],
  ] as const

  for (const [schema, document] of pairs as readonly (readonly [TSchema, keyof typeof ajv])[]) {
    const name = asNode(schema).name ?? ''
    const ours = validator(schema)
    // Only requests are normalised before they are validated.
    const normalize = document === 'platform' ? normalizer(schema) : (value: unknown) => value
    const compiled = ajv[document].getSchema(`document#/components/schemas/${name}`) as (
      value: unknown,
    ) => boolean

    it(`and accept every ${name}`, () => {
      fc.assert(
        fc.property(anyOf(schema), (value) => {
          assert.equal(ours.check(value), true)
          assert.equal(compiled(value), true)
        }),
        propertyRuns(40),
      )
    })

    it(`and reject a ${name} with a field removed or replaced by another type`, () => {
      const [example] = examples[name] ?? []
      let rejected = 0
      for (const broken of brokenCopies(example)) {
        const problems = ours.problems(normalize(broken))
        assert.equal(compiled(broken), problems.length === 0, JSON.stringify(problems))
        rejected += problems.length === 0 ? 0 : 1
      }
      assert.ok(rejected > 10)
    })
  }
})

/** Copies of a value, each with one field at any depth removed or replaced. */
function* brokenCopies(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    const fields = value as Record<string, unknown>
    for (const other of [undefined, null, 7, 'OTHER', {}, []]) {
      const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
      if (other === undefined && !Array.isArray(value)) delete copy[key]
      else copy[key] = other ?? null
      yield copy
    }
    for (const inner of brokenCopies(fields[key])) {
      yield Array.isArray(value) ? value.with(Number(key), inner) : { ...value, [key]: inner }
    }
  }
}

interface Example {
  /** The JSON pointer to its schema. */
  readonly pointer: string
  readonly value: unknown
}

/** The examples of bodies, parameters and headers, and the examples and defaults in schemas. */
function listExamples(value: unknown, pointer = ''): Example[] {
  if (typeof value !== 'object' || value === null) return []
  const { example, examples, ...others } = value as Json
  const isSchema = ['type', '$ref'].some((name) => typeof others[name] === 'string')
  const values = [
    example,
    ...(Array.isArray(examples) ? examples : Object.values<Json>(examples ?? {}).map(readValue)),
    isSchema ? others['default'] : undefined,
  ]
  return [
    ...values
      .filter((each) => each !== undefined)
      .map((each) => ({ pointer: 'schema' in value ? `${pointer}/schema` : pointer, value: each })),
    ...Object.entries(others).flatMap(([key, inner]) =>
      listExamples(inner, `${pointer}/${toPointerSegment(key)}`),
    ),
  ]
}

const readValue = (example: Json) => example['value']

const toPointerSegment = (key: string) =>
  encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))

/** The fields without a type, a reference or alternatives that have one. */
function findUntyped(schema: Json, where: string): string[] {
  if (schema['anyOf']) {
    return schema['anyOf'].flatMap((each: Json, index: number) =>
      findUntyped(each, `${where}/${index}`),
    )
  }
  if (!schema['$ref'] && !schema['type']) return [where]
  return [
    ...Object.entries<Json>(schema['properties'] ?? {}),
    ...(schema['items'] ? [['items', schema['items']] as const] : []),
  ].flatMap(([field, each]) => findUntyped(each, `${where}/${field}`))
}

/** The fields of a component. Its own value list and its conditions are not fields. */
function walkFields([name, schema]: readonly [string, Json]): [string, Json][] {
  const { enum: _enum, if: _if, then: _then, ...rest } = schema
  return walk(rest, name)
}

/** Every object in a value, with its path. */
function walk(value: unknown, where: string): [string, Json][] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([key, each]) => walk(each, `${where}/${key}`))
  return Array.isArray(value) ? inner : [[where, value], ...inner]
}
