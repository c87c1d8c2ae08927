import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { TSchema } from 'typebox'
import { anyOf } from '../../../test/support/arbitrary.ts'
import { compileDocument } from '../../../test/support/compile-document.ts'
import { propertyRuns } from '../../../test/support/properties.ts'
import { type Json, testDocument } from '../../../test/support/test-document.ts'
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

const provider: Json = buildOpenApiDocument('provider', '1.2.3')
const platform: Json = buildOpenApiDocument('platform', '1.2.3')
const intake: Json = buildOpenApiDocument('intake', '1.2.3')
const documents = { provider, platform, intake }
const ajv = {
  provider: compileDocument(provider),
  platform: compileDocument(platform),
  intake: compileDocument(intake),
}

for (const name of documentNames) testDocument(`the OpenAPI document of a ${name}`, documents[name])

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
