import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { compileDocument } from './compile-document.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents are traversed by path, not by type
export type Json = Record<string, any>

/** Tests what every OpenAPI document has, version 1.2.3 of which is given. */
export function testDocument(title: string, document: Json): void {
  const ajv = compileDocument(document)
  const listed = Object.values<Json>(document['paths']).flatMap((item) =>
    Object.values<Json>(item).filter(({ operationId }) => operationId),
  )
  const schemas = Object.entries<Json>(document['components'].schemas)

  describe(title, () => {
    it('is a valid OpenAPI 3.1 document', async () => {
      const { valid, errors } = await new Validator().validate(structuredClone(document))

      assert.deepEqual({ valid, errors }, { valid: true, errors: undefined })
    })

    it('has only examples and defaults that are valid', () => {
      const found = listExamples(document)
      const wrong = found.filter(
        ({ pointer, value }) => !ajv.validate({ $ref: `document#${pointer}` }, value),
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
