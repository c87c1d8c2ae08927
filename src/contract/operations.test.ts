import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  errorTable,
  findPageRecords,
  listErrors,
  locateAccounts,
  type Operation,
  operations,
  providerOperations,
} from './index.ts'

/**
 * The tables of the interface, transcribed by hand, followed by the additional catalogue operations: reference, method,
 * path, the list in `data` of a paged response, query parameters. An operation that extends the interface needs no line:
 * it has the tests of all operations.
 */
const document = `
B1 GET /v1/banking/customer/{customerId}/accounts [accounts] : product-category open-status is-owned page page-size
B2 POST /v1/banking/customer/{customerId}/accounts/balances [balances] : page page-size product-category open-status is-owned
B3 GET /v1/banking/customer/{customerId}/accounts/{accountId}/transactions [transactions] : oldest-time newest-time min-amount max-amount text page page-size
B4 GET /v1/banking/customer/{customerId}/accounts/{accountId}/payments/scheduled [scheduledPayments] : page page-size
B5 POST /v1/banking/customer/{customerId}/accounts/direct-debits [directDebitAuthorisations] : product-category open-status is-owned page page-size
B6 POST /v1/banking/customer/{customerId}/payments/scheduled [scheduledPayments] : is-owned open-status page page-size
E1 GET /v1/energy/customer/{customerId}/accounts [accounts] : open-status page page-size
E2 POST /v1/energy/customer/{customerId}/accounts [accounts] : open-status page page-size
E3 POST /v1/energy/customer/{customerId}/accounts/invoices [invoices] : newest-date oldest-date page page-size
E4 GET /v1/energy/customer/{customerId}/accounts/{accountId}/billing [transactions] : oldest-time newest-time page page-size
E5 POST /v1/energy/customer/{customerId}/accounts/billing [transactions] : oldest-time newest-time page page-size
contact GET /fdx/v6/customer/{customerId}/accounts/{accountId}/contact :
C1 POST /auth/v1/customer/search :
C2 GET /auth/v1/customer/{customerId}/accounts :
C3 GET /auth/v1/customer/{customerId} :
C4 GET /customer/{customerId}/accounts/{id}/balances :
P1 POST /v1/data-provider/cdr/products :
P2 PUT /v1/data-provider/cdr/products/{productID} :
P3 GET /v1/data-provider/cdr/products/{productID} : version
P4 GET /v1/data-provider/cdr/products [products] : product-category brand effective updated-since page page-size
P5 DELETE /v1/data-provider/cdr/products/{productID} :
P6 GET /v1/data-provider/cdr/products/{productID}/history [history] : page page-size
T1 POST /v1/token :
T2 GET /.well-known/jwks.json :`

const lines = document.trim().split('\n')
const tableRefs = new Set(lines.map((line) => line.split(' ')[0] ?? ''))
const all = Object.values<Operation>(operations)
const byRef = new Map(all.map((operation) => [operation.ref, operation]))
const refsWhere = (test: (operation: Operation) => boolean) =>
  all.filter(test).map(({ ref }) => ref)
/** Of the operations in the tables. */
const knownWhere = (test: (operation: Operation) => boolean) =>
  refsWhere((operation) => tableRefs.has(operation.ref) && test(operation))

describe('the operations', () => {
  for (const line of lines) {
    const [, ref = '', method, path, list, query = ''] =
      /^(\S+) (\S+) (\S+)(?: \[(\w+)\])? :(.*)$/.exec(line) ?? []

    it(`define ${ref} as the interface does`, () => {
      const operation = byRef.get(ref) ?? assert.fail(`${ref} is missing`)

      assert.equal(operation.method, method)
      assert.equal(operation.path, path)
      assert.equal(findPageRecords(operation.response)?.field, list)
      assert.deepEqual(Object.keys(operation.query.properties), query.split(' ').filter(Boolean))
    })
  }

  it('have unique references, and unique methods and paths', () => {
    assert.equal(new Set(all.map(({ ref }) => ref)).size, all.length)
    assert.equal(new Set(all.map(({ method, path }) => `${method} ${path}`)).size, all.length)
  })

  it('define every path parameter', () => {
    for (const { ref, path, params } of all) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)

      assert.deepEqual(Object.keys(params.properties), names, ref)
    }
  })

  it('accept page and page-size exactly where the response is a page', () => {
    assert.deepEqual(
      refsWhere(({ query }) => 'page' in query.properties && 'page-size' in query.properties),
      refsWhere(({ response }) => findPageRecords(response) !== undefined),
    )
  })

  it('state the kinds of the accounts that a request names', () => {
    assert.deepEqual(
      refsWhere((each) => locateAccounts(each) !== undefined && !each.accountKinds?.length),
      [],
    )
  })

  it('mark those of a provider that the interface does not have as extensions, and no others', () => {
    const ofProvider = Object.values<Operation>(providerOperations)

    assert.deepEqual(
      refsWhere(({ isExtension }) => isExtension === true),
      ofProvider.map(({ ref }) => ref).filter((ref) => !tableRefs.has(ref)),
    )
  })

  it('deprecate B1 and E1 in favour of C2', () => {
    assert.deepEqual(
      knownWhere(({ deprecated }) => deprecated !== undefined),
      ['B1', 'E1'],
    )
  })

  it('require the platform’s token in sections A and C', () => {
    for (const { ref, protection } of Object.values<Operation>(providerOperations)) {
      assert.equal(protection, 'platformToken', ref)
    }
  })

  it('require a client’s token to change products, and none to read them', () => {
    assert.deepEqual(
      knownWhere(({ protection }) => protection === 'none'),
      ['P3', 'P4', 'T1', 'T2'],
    )
    assert.deepEqual(
      knownWhere(({ scope }) => scope === 'products.write'),
      ['P1', 'P2', 'P5'],
    )
    assert.deepEqual(
      knownWhere(({ scope }) => scope === 'products.read'),
      ['P6'],
    )
    assert.deepEqual(
      refsWhere(({ protection }) => protection === 'clientToken'),
      refsWhere(({ scope }) => scope !== undefined),
    )
  })

  it('require the scope data.write for feeds, and nowhere else', () => {
    assert.deepEqual(
      refsWhere(({ scope }) => scope === 'data.write'),
      refsWhere(({ tag }) => tag === 'intake'),
    )
  })

  it('require a scope of consents for consents, and nowhere else', () => {
    assert.deepEqual(
      refsWhere(({ scope }) => scope?.startsWith('consent.') === true),
      refsWhere(({ tag }) => tag === 'consents'),
    )
  })

  it('place contact under the resource URL and the catalogue under the platform URL', () => {
    assert.deepEqual(
      knownWhere(({ base }) => base === 'resource'),
      ['contact'],
    )
    assert.deepEqual(
      refsWhere(({ base }) => base === 'platform'),
      refsWhere(({ tag }) =>
        ['catalogue', 'access', 'consents', 'monitoring', 'explorer'].includes(tag),
      ),
    )
  })

  it('return account_in_query_not_found for accounts in the body, account_not_found for one in the path', () => {
    assert.deepEqual(
      refsWhere((operation) => listErrors(operation).includes('account_in_query_not_found')),
      refsWhere((operation) => locateAccounts(operation) === 'body'),
    )
    assert.deepEqual(
      refsWhere((operation) => listErrors(operation).includes('account_not_found')),
      refsWhere((operation) => locateAccounts(operation) === 'path'),
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
    ['feed_not_found', 404, 'Feed not found'],
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
    ['compressed_body', 415],
    ['not_ndjson', 415],
    ['unsupported_encoding', 415],
    ['batch_conflict', 409],
    ['invalid_lines', 422],
  ] as const) {
    it(`define ${code} as ${status}`, () => assert.equal(errorTable[code].status, status))
  }
})
