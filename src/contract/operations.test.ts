import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { errorTable, listErrors, type Operation, operations } from './index.ts'

/** The tables of the interface, transcribed by hand, followed by the additional catalogue operations. */
const document = `
B1 GET /v1/banking/customer/{customerId}/accounts : product-category open-status is-owned page page-size
B2 POST /v1/banking/customer/{customerId}/accounts/balances : page page-size product-category open-status is-owned
B3 GET /v1/banking/customer/{customerId}/accounts/{accountId}/transactions : oldest-time newest-time min-amount max-amount text page page-size
B4 GET /v1/banking/customer/{customerId}/accounts/{accountId}/payments/scheduled : page page-size
B5 POST /v1/banking/customer/{customerId}/accounts/direct-debits : product-category open-status is-owned page page-size
B6 POST /v1/banking/customer/{customerId}/payments/scheduled : is-owned open-status page page-size
E1 GET /v1/energy/customer/{customerId}/accounts : open-status page page-size
E2 POST /v1/energy/customer/{customerId}/accounts : open-status page page-size
E3 POST /v1/energy/customer/{customerId}/accounts/invoices : newest-date oldest-date page page-size
E4 GET /v1/energy/customer/{customerId}/accounts/{accountId}/billing : oldest-time newest-time page page-size
E5 POST /v1/energy/customer/{customerId}/accounts/billing : oldest-time newest-time page page-size
contact GET /fdx/v6/customer/{customerId}/accounts/{accountId}/contact :
C1 POST /auth/v1/customer/search :
C2 GET /auth/v1/customer/{customerId}/accounts :
C3 GET /auth/v1/customer/{customerId} :
C4 GET /customer/{customerId}/accounts/{id}/balances :
P1 POST /v1/data-provider/cdr/products :
P2 PUT /v1/data-provider/cdr/products/{productID} :
P3 GET /v1/data-provider/cdr/products/{productID} : version
P4 GET /v1/data-provider/cdr/products : product-category brand effective updated-since page page-size
P5 DELETE /v1/data-provider/cdr/products/{productID} :
P6 GET /v1/data-provider/cdr/products/{productID}/history : page page-size
T1 POST /v1/token :
T2 GET /.well-known/jwks.json :`

const lines = document.trim().split('\n')
const all = Object.values<Operation>(operations)
const byRef = new Map(all.map((operation) => [operation.ref, operation]))
const refsWhere = (test: (operation: Operation) => boolean) =>
  all.filter(test).map(({ ref }) => ref)

describe('the operations', () => {
  for (const line of lines) {
    const [ref = '', method, path, , ...query] = line.split(' ')

    it(`define ${ref} as the interface does`, () => {
      const operation = byRef.get(ref)

      assert.equal(operation?.method, method)
      assert.equal(operation?.path, path)
      assert.deepEqual(Object.keys(operation?.query.properties ?? {}), query.filter(Boolean))
    })
    it(`define every path parameter of ${ref}`, () => {
      const names = [...(path ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name)

      assert.deepEqual(Object.keys(byRef.get(ref)?.params.properties ?? {}), names)
    })
  }

  it('are exactly those of the interface', () => {
    assert.deepEqual(
      all.map(({ ref }) => ref).sort(),
      lines.map((line) => line.split(' ')[0]).sort(),
    )
  })

  it('deprecate B1 and E1 in favour of C2', () => {
    assert.deepEqual(
      refsWhere(({ deprecated }) => deprecated?.successor === 'C2'),
      ['B1', 'E1'],
    )
  })

  it('require the platform’s token in sections A and C, a client’s token to change products, and none to read them', () => {
    assert.deepEqual(
      refsWhere(({ protection }) => protection === 'none'),
      ['P3', 'P4', 'T1', 'T2'],
    )
    assert.deepEqual(
      refsWhere(({ scope }) => scope === 'products.write'),
      ['P1', 'P2', 'P5'],
    )
    assert.deepEqual(
      refsWhere(({ scope }) => scope === 'products.read'),
      ['P6'],
    )
    assert.deepEqual(
      refsWhere(({ protection }) => protection === 'clientToken'),
      ['P1', 'P2', 'P5', 'P6'],
    )
  })

  it('place contact under the resource URL and the catalogue under the platform URL', () => {
    assert.deepEqual(
      refsWhere(({ base }) => base === 'resource'),
      ['contact'],
    )
    assert.deepEqual(
      refsWhere(({ base }) => base === 'platform'),
      ['P1', 'P2', 'P3', 'P4', 'P5', 'P6', 'T1', 'T2'],
    )
  })

  it('return account_in_query_not_found only if they take account ids in the body', () => {
    assert.deepEqual(
      refsWhere((operation) => listErrors(operation).includes('account_in_query_not_found')).sort(),
      ['B2', 'B5', 'B6', 'E2', 'E3', 'E5'],
    )
  })

  it('return customer_not_found if and only if the path has a customer', () => {
    assert.deepEqual(
      refsWhere((operation) => listErrors(operation).includes('customer_not_found')),
      refsWhere(({ path }) => path.includes('{customerId}')),
    )
  })

  it('default to page 1 with 25 records, at most 1000, or 100 without a token', () => {
    for (const { query, protection } of all.filter(({ query }) => 'page' in query.properties)) {
      assert.deepEqual(
        { ...query.properties['page'] },
        {
          type: 'integer',
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          default: 1,
          description: 'The page number, from 1.',
        },
      )
      assert.partialDeepStrictEqual(query.properties['page-size'], {
        minimum: 1,
        maximum: protection === 'none' ? 100 : 1000,
        default: 25,
      })
    }
  })
})

describe('the errors', () => {
  for (const [code, status, message] of [
    ['unauthorized', 401, 'Unauthorized'],
    ['customer_not_found', 404, 'Customer not found'],
    ['account_not_found', 404, 'Account not found'],
    ['account_in_query_not_found', 422, 'Account in query not found'],
    ['product_not_found', 404, 'Product not found'],
    ['wrong_credentials', 401, 'Unauthorized'],
    ['oauth_invalid_client', 401, 'invalid_client'],
    ['oauth_unsupported_grant', 400, 'unsupported_grant_type'],
    ['oauth_invalid_scope', 400, 'invalid_scope'],
    ['oauth_invalid_request', 400, 'invalid_request'],
    ['unavailable', 503, 'Service unavailable'],
    ['too_many_requests', 429, 'Too many requests'],
    ['internal', 500, 'Internal error'],
  ] as const) {
    it(`define ${code} as ${status} "${message}"`, () => {
      assert.partialDeepStrictEqual(errorTable[code], { status, message })
    })
  }

  for (const [code, status] of [
    ['invalid_request', 400],
    ['route_not_found', 404],
    ['method_not_allowed', 405],
    ['insufficient_scope', 403],
    ['precondition_failed', 412],
    ['idempotency_key_reused', 422],
    ['body_too_large', 413],
    ['unsupported_media_type', 415],
  ] as const) {
    it(`define ${code} as ${status}`, () => assert.equal(errorTable[code].status, status))
  }
})
