import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ruleCases } from '../../test/support/rule-cases.ts'
import { bankingAccount } from './examples/banking.ts'
import { savingsProduct } from './examples/product.ts'
import { BankingAccount, formatProblem, ProductInput, validator } from './public.ts'
import { ProductFee } from './records/product-fees.ts'
import { readFieldRules } from './rules.ts'
import { asNode } from './schema.ts'

describe('the contract', () => {
  for (const [name, schema, value, sentences] of ruleCases) {
    const { check, problems } = validator(schema)

    it(`${sentences.length ? 'rejects' : 'accepts'} ${name}`, () => {
      assert.deepEqual(problems(value).map(formatProblem), sentences)
      assert.equal(check(value), sentences.length === 0)
    })
  }

  it('reports all errors of a record at once', () => {
    const fees = Array.from({ length: 60 }, () => ({ feeMethodUType: 'variable' }))

    assert.equal(validator(BankingAccount).problems({ ...bankingAccount, fees }).length, 60)
  })

  it('never includes the rejected value in an error', () => {
    const secret = 'anas-secret-value'
    const errors = [
      ...validator(BankingAccount).problems({
        accountId: 'a',
        displayName: [secret],
        users: secret,
        creationDate: secret,
      }),
      ...validator(ProductInput).problems({
        ...savingsProduct,
        product_category: secret,
        is_tailored: secret,
      }),
    ].map(formatProblem)

    assert.equal(errors.length, 5)
    assert.ok(!errors.join().includes(secret))
  })

  it('states which fields of a fee apply to its method and type, and their format', () => {
    const { rules = [] } = asNode(ProductFee)
    const read = (fields: Record<string, unknown>) =>
      ['fixed_amount', 'rate_based', 'additional_info', 'additional_value'].map((field) => {
        const { isRequired, isForbidden, scalar } = readFieldRules(rules, fields, field)
        return [isRequired && 'required', isForbidden && 'forbidden', scalar].find(Boolean)
      })

    assert.deepEqual(read({}), ['forbidden', 'forbidden', undefined, undefined])
    assert.deepEqual(read({ fee_method_u_type: 'rateBased', fee_type: 'PERIODIC' }), [
      'forbidden',
      'required',
      undefined,
      'duration',
    ])
    assert.deepEqual(read({ fee_method_u_type: 'fixedAmount', fee_type: 'OTHER' }), [
      'required',
      'forbidden',
      'required',
      undefined,
    ])
  })

  it('has rules only for fields and values of the record', () => {
    const unknown: string[] = []
    const seen = new Set<unknown>()
    const walk = (node: ReturnType<typeof asNode>) => {
      if (seen.has(node)) return
      seen.add(node)
      const old = node.name?.endsWith('V3')
      for (const { when, needs = [], forbids = [], format, atLeast } of node.rules ?? []) {
        const compared = [format, atLeast].flatMap((each) => each?.field ?? [])
        const named = [when.field, ...needs, ...forbids, ...compared]
        unknown.push(...named.filter((field) => !node.properties?.[field]))
        const list = node.properties?.[when.field]?.enum
        const values = 'is' in when ? when.is : 'not' in when ? when.not : []
        // Version-3 records share the rules of version 4, which has more values.
        if (list && !old) unknown.push(...values.filter((value) => !list.includes(value)))
      }
      for (const child of [...Object.values(node.properties ?? {}), ...(node.anyOf ?? [])])
        walk(child)
      if (node.items) walk(node.items)
    }
    for (const [, schema] of ruleCases) walk(asNode(schema))

    assert.deepEqual(unknown, [])
  })
})
