import { errorTable } from '../../contract/index.ts'
import { isObject } from '../../contract/schema.ts'
import { bearer, type CheckContext } from '../context.ts'
import { findAccountIds, findCustomers, requireCustomer } from '../customers.ts'
import { type Check, conventions } from '../definition.ts'
import type { HttpResponse } from '../http-client.ts'
import { checkEach, fail, type Passed, skip } from '../outcome.ts'
import { findListsByBody, findPagedLists } from '../paged-list.ts'
import { buildRequest, findAccountFor, unknownId } from '../requests.ts'
import { checkStatuses, expectRejection, formatStatus, isRejection } from '../responses.ts'

/** The number of cases for each list. The first list gets all cases. */
const casesMax = 4

export const inputs: readonly Check[] = [
  {
    id: 'errors.body.malformed',
    title: 'A body that is not JSON is rejected',
    clause: conventions(
      '5',
      'POST endpoints that take a list of accounts use the request body {data: {accountIds: array of string}} (data required)',
    ),
    run: (context) => checkRejectedBodies(context, ['{"data":{"accountIds":[', '', 'null', '[]']),
  },
  {
    id: 'errors.body.data',
    title: 'A body without data or accountIds is rejected',
    clause: conventions('5', '{data: {accountIds: array of string}} (data required)'),
    run: (context) =>
      checkRejectedBodies(context, [
        {},
        { data: {} },
        { accountIds: [] },
        { data: { accountIds: 'a1' } },
        { data: { accountIds: [{}] } },
      ]),
  },
  {
    id: 'errors.body.repeated-member',
    title: 'Whether a body that names a member twice is accepted is reported',
    clause: conventions('5', '{data: {accountIds: array of string}} (data required)'),
    run: async (context) => {
      const customerId = await requireCustomer(context)
      return checkStatuses(
        findListsByBody(context),
        errorTable.invalid_request.status,
        async ({ operation, kind }, statuses) => {
          const [id = skip('the customer has no such account')] = await findAccountIds(
            context,
            customerId,
            kind,
          )
          const data = `"data":{"accountIds":${JSON.stringify([id])}}`
          const body = `{${data},${data}}`
          const response = await context.request(operation, { params: { customerId }, body })
          statuses.add(response.status)
          const expected = 'a rejection, or the response for one of the two values'
          expectSuccessOrRejection(operation.ref, 'a repeated member', response, expected)
        },
      )
    },
  },
  {
    id: 'errors.body.compressed',
    title: 'Whether a body with a content encoding is accepted is reported',
    clause: conventions('6', 'POST requests carry Content-Type: application/json'),
    run: async (context) => {
      const customerId = await requireCustomer(context)
      return checkStatuses(
        findListsByBody(context),
        errorTable.compressed_body.status,
        async ({ operation }, statuses) => {
          const input = { params: { customerId }, body: { data: { accountIds: [] } } }
          const token = context.token(context.resource(operation, input.params))
          const headers = { ...bearer(token), 'content-encoding': 'gzip' }
          const response = await context.send(operation, input, headers)
          statuses.add(response.status)
          const expected = 'a rejection, or the response without the encoding'
          expectSuccessOrRejection(operation.ref, 'a content encoding', response, expected)
        },
      )
    },
  },
  {
    id: 'errors.body.empty-list',
    title: 'The response to an empty list of accounts is reported',
    clause: conventions('5', '{data: {accountIds: array of string}}'),
    run: async (context) => {
      const customerId = await requireCustomer(context)
      return checkStatuses(
        findListsByBody(context),
        200,
        async ({ operation, field }, statuses) => {
          const response = await context.request(operation, {
            params: { customerId },
            body: { data: { accountIds: [] } },
          })
          statuses.add(response.status)
          if (isRejection(response) || isEmptyPage(response, field)) return
          fail(
            `${operation.ref}: an empty list of accounts returned ${formatStatus(response)} with records`,
            { expected: 'an empty list, or a rejection', evidence: [response] },
          )
        },
      )
    },
  },
  {
    id: 'errors.query.values',
    title: 'A filter value that does not exist returns no accounts',
    clause: conventions(
      '4',
      'open-status (enum ALL, CLOSED, OPEN); product-category (enum of the banking product categories); is-owned (boolean). Only accounts whose state matches the filters are returned',
    ),
    run: async (context) => {
      const customers = await findCustomers(context)
      return checkStatuses(
        findPagedLists(context),
        errorTable.invalid_request.status,
        async ({ operation, field, kind }, statuses) => {
          const filters = ['open-status', 'product-category', 'is-owned'].filter(
            (name) => name in (operation.query.properties as object),
          )
          if (filters.length === 0) skip('it has no such filter')
          for (const name of filters) {
            for (const customerId of customers) {
              const accountIds = await findAccountIds(context, customerId, kind)
              if (accountIds.length === 0) continue
              const body = operation.body ? { body: { data: { accountIds } } } : {}
              const response = await context.request(operation, {
                params: { customerId },
                query: { [name]: 'NO_SUCH_VALUE' },
                ...body,
              })
              statuses.add(response.status)
              if (isRejection(response) || isEmptyPage(response, field)) continue
              fail(`${operation.ref}: ${name}=NO_SUCH_VALUE returned ${formatStatus(response)}`, {
                expected: 'a rejection, or no accounts',
                evidence: [response],
              })
            }
          }
        },
      )
    },
  },
  {
    id: 'errors.query.pages',
    title: 'Invalid pages and sizes cause no server error',
    clause: conventions('3', 'page (integer, requested page) and page-size (integer, default 25)'),
    run: (context) =>
      checkInvalidQueries(context, [
        'page=x',
        'page=0',
        'page-size=0',
        'page=-1',
        'page=1.5',
        'page-size=-1',
        'page-size=x',
        'page=99999999999999999999',
        'page-size=1000000',
      ]),
  },
  {
    id: 'errors.query.times',
    title: 'Invalid bounds and amounts cause no server error',
    clause: conventions('7', 'Error bodies: see Errors'),
    run: (context) =>
      checkInvalidQueries(context, [
        'newest-time=yesterday',
        'newest-time=2025-02-30T00:00:00Z',
        'newest-time=2025-02-28T12:00:60Z',
        'oldest-time=0',
        'min-amount=x',
        'max-amount=1e3',
        'newest-date=2025-13-01',
        'newest-time=',
      ]),
  },
  {
    id: 'errors.contact.long-ids',
    title: 'The contact endpoint rejects ids of more than 256 characters',
    clause: {
      section: 'Limits',
      reference: 'contact',
      quote: 'customerId and accountId maximum length: 256 characters',
    },
    run: async (context) => {
      const operation = context.operation('contact')
      if (!operation) return skip('the contact endpoint is left out intentionally')
      const customerId = await requireCustomer(context)
      for (const [customer, account] of [
        ['x'.repeat(257), unknownId],
        [customerId, 'x'.repeat(257)],
      ] as const) {
        expectRejection(
          'contact',
          'an id of 257 characters',
          await context.request(operation, buildRequest(operation, customer, account)),
        )
      }
      return {}
    },
  },
]

function isEmptyPage({ isSuccess, body }: HttpResponse, field: string): boolean {
  const data = isObject(body) && isObject(body['data']) ? body['data'] : {}
  const records = data[field]
  return isSuccess && Array.isArray(records) && records.length === 0
}

async function checkRejectedBodies(
  context: CheckContext,
  bodies: readonly unknown[],
): Promise<Passed> {
  const customerId = await requireCustomer(context)
  const lists = findListsByBody(context)
  return checkStatuses(
    lists,
    errorTable.invalid_request.status,
    async ({ operation, ref }, statuses) => {
      for (const body of ref === lists[0]?.ref ? bodies : bodies.slice(0, casesMax)) {
        const response = await context.request(operation, { params: { customerId }, body })
        statuses.add(response.status)
        const text = typeof body === 'string' ? body : JSON.stringify(body)
        expectRejection(operation.ref, `the body ${text || '(empty)'}`, response)
      }
    },
  )
}

/** For a request whose response the interface does not define. */
function expectSuccessOrRejection(
  ref: string,
  subject: string,
  response: HttpResponse,
  expected: string,
): void {
  if (response.isSuccess || isRejection(response)) return
  fail(`${ref}: ${subject} returned ${formatStatus(response)}`, { expected, evidence: [response] })
}

async function checkInvalidQueries(
  context: CheckContext,
  queries: readonly string[],
): Promise<Passed> {
  const customerId = await requireCustomer(context)
  const seen = new Set<string>()
  let areAllRejected = true
  const lists = findPagedLists(context)
  const passed = await checkEach(lists, async ({ operation, ref }) => {
    const accountId =
      (await findAccountFor(context, operation, customerId)) ??
      skip('the customer has no such account')
    const known = queries.filter(
      (query) => (query.split('=')[0] ?? '') in (operation.query.properties as object),
    )
    if (known.length === 0) skip('it has no such parameter')
    for (const query of ref === lists[0]?.ref ? known : known.slice(0, casesMax)) {
      const response = await context.request(operation, {
        ...buildRequest(operation, customerId, accountId),
        query,
      })
      const expected = 'a rejection, or the response without the parameter'
      expectSuccessOrRejection(operation.ref, query, response, expected)
      areAllRejected &&= isRejection(response)
      seen.add(`${query} ${formatStatus(response)}`)
    }
  })
  return {
    ...passed,
    choice: {
      seen: [...seen].join(', '),
      isOurs: areAllRejected,
      ours: 'status 400',
      decision: '0001-http-statuses',
    },
  }
}
