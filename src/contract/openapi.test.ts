import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import type { TSchema } from 'typebox'
import { anyOf } from '../../test/support/arbitrary.ts'
import {
  BankingAccount,
  BankingTransaction,
  buildOpenApiDocument,
  EnergyBillingTransaction,
  examples,
  ProductInput,
  ScheduledPayment,
  validator,
} from './index.ts'
import { scalars } from './scalars.ts'
import { asNode } from './schema.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is traversed by path, not by type
const document = buildOpenApiDocument('1.2.3') as any

describe('the OpenAPI document', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document))

    assert.deepEqual({ valid, errors }, { valid: true, errors: undefined })
  })

  it('passes the oas rules of Spectral', async () => {
    const spectral = new spectralCore.Spectral()
    spectral.setRuleset({ extends: [rulesets.oas as RulesetDefinition] })

    const found = await spectral.run(structuredClone(document))

    assert.deepEqual(
      found.map(({ code, path, message }) => [code, path.join('/'), message]),
      [],
    )
  })

  it('is plain JSON and has the given version', () => {
    assert.deepEqual(JSON.parse(JSON.stringify(document)), document)
    assert.equal(document.info.version, '1.2.3')
  })

  it('marks only B1 and E1 as deprecated, with the Deprecation header', () => {
    const marked = Object.values<
      Record<
        string,
        {
          deprecated?: boolean
          operationId: string
          responses: Record<string, { headers: object }>
        }
      >
    >(document.paths)
      .flatMap((item) => Object.values(item))
      .filter((operation) => operation.deprecated)

    assert.deepEqual(
      marked.map(({ operationId }) => operationId),
      ['listBankingAccounts', 'listEnergyAccounts'],
    )
    for (const { responses } of marked)
      assert.ok('Deprecation' in (responses['200']?.headers ?? {}))
  })

  it('declares the token that each operation requires', () => {
    const products = '/v1/data-provider/cdr/products'

    assert.deepEqual(document.paths['/auth/v1/customer/{customerId}'].get.security, [
      { platformToken: [] },
    ])
    assert.deepEqual(document.paths[products].post.security, [{ clientToken: ['products.write'] }])
    assert.deepEqual(document.paths[`${products}/{productID}`].get.security, [])
  })

  it('has an example for every request and response body', () => {
    const contents = JSON.stringify(document.paths).matchAll(
      /"application\/json":\{"schema":[^}]+\},"(\w+)"/g,
    )

    assert.deepEqual(
      new Set([...contents].map(([, next]) => next)),
      new Set(['example', 'examples']),
    )
  })
})

describe('the schemas of the document agree with the validator', () => {
  const formats = {
    'date-time': scalars.dateTime.test,
    date: scalars.date.test,
    duration: scalars.duration.test,
  }
  const ajv = new Ajv2020({
    strict: false,
    formats,
    schemas: [{ ...document, $id: 'doc' }],
  })
  const pairs = [
    BankingAccount,
    BankingTransaction,
    ScheduledPayment,
    EnergyBillingTransaction,
    ProductInput,
  ]

  for (const schema of pairs as TSchema[]) {
    const name = asNode(schema).name ?? ''
    const ours = validator(schema)
    const compiled = ajv.getSchema(`doc#/components/schemas/${name}`) as (value: unknown) => boolean

    it(`and accept every ${name}`, () => {
      fc.assert(
        fc.property(anyOf(schema), (value) => {
          assert.equal(ours.check(value), true)
          assert.equal(compiled(value), true)
        }),
      )
    })

    it(`and reject a ${name} with a field removed or replaced by another type`, () => {
      const [example] = examples[name] ?? []
      let rejected = 0
      for (const broken of brokenCopies(example)) {
        assert.equal(compiled(broken), ours.check(broken), JSON.stringify(ours.problems(broken)))
        rejected += ours.check(broken) ? 0 : 1
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
