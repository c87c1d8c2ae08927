import { errorTable } from '../../contract/index.ts'
import { requireCustomer } from '../customers.ts'
import { type Check, conventions } from '../definition.ts'
import type { HttpResponse } from '../http-client.ts'
import { checkEach, fail, skip } from '../outcome.ts'
import {
  findListsByBody,
  findPagedLists,
  hasParameter,
  type PagedList,
  readMembers,
} from '../paged-list.ts'
import { buildRequest, requireAccountFor, requireOperation, unknownId } from '../requests.ts'
import { expectRejection, formatStatus, isRejection, reportStatuses } from '../responses.ts'
import { findCandidates } from '../subjects.ts'

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
    ...rejectBodies('{"data":{"accountIds":[', '', 'null', '[]'),
  },
  {
    id: 'errors.body.data',
    title: 'A body without data or accountIds is rejected',
    clause: conventions('5', '{data: {accountIds: array of string}} (data required)'),
    ...rejectBodies(
      {},
      { data: {} },
      { accountIds: [] },
      { data: { accountIds: 'a1' } },
      { data: { accountIds: [{}] } },
    ),
  },
  {
    id: 'errors.body.repeated-member',
    title: 'Whether a body that names a member twice is accepted is reported',
    clause: conventions('5', '{data: {accountIds: array of string}} (data required)'),
    ...reportStatuses(
      errorTable.invalid_request.status,
      findListsByBody,
      async (context, { operation }) => {
        const customerId = await requireCustomer(context)
        const id = await requireAccountFor(context, operation, customerId)
        const data = `"data":{"accountIds":${JSON.stringify([id])}}`
        const body = `{${data},${data}}`
        const response = await context.request(operation, { params: { customerId }, body })
        const expected = 'a rejection, or the response for one of the two values'
        return expectSuccessOrRejection(operation.ref, 'a repeated member', response, expected)
      },
    ),
  },
  {
    id: 'errors.body.compressed',
    title: 'Whether a body with a content encoding is accepted is reported',
    clause: conventions('6', 'POST requests carry Content-Type: application/json'),
    ...reportStatuses(
      errorTable.compressed_body.status,
      findListsByBody,
      async (context, { operation }) => {
        const params = { customerId: await requireCustomer(context) }
        const input = { params, body: { data: { accountIds: [] } } }
        const headers = { ...context.authorize(operation, params), 'content-encoding': 'gzip' }
        const response = await context.send(operation, input, headers)
        const expected = 'a rejection, or the response without the encoding'
        return expectSuccessOrRejection(operation.ref, 'a content encoding', response, expected)
      },
    ),
  },
  {
    id: 'errors.body.empty-list',
    title: 'The response to an empty list of accounts is reported',
    clause: conventions('5', '{data: {accountIds: array of string}}'),
    ...reportStatuses(200, findListsByBody, async (context, list) => {
      const params = { customerId: await requireCustomer(context) }
      const input = { params, body: { data: { accountIds: [] } } }
      const response = await context.request(list.operation, input)
      if (isRejection(response) || isEmptyPage(list, response)) return [response]
      return fail(
        `${list.ref}: an empty list of accounts returned ${formatStatus(response)} with records`,
        { expected: 'an empty list, or a rejection', evidence: [response] },
      )
    }),
  },
  {
    id: 'errors.query.values',
    title: 'A filter value that does not exist returns no accounts',
    clause: conventions(
      '4',
      'open-status (enum ALL, CLOSED, OPEN); product-category (enum of the banking product categories); is-owned (boolean). Only accounts whose state matches the filters are returned',
    ),
    ...reportStatuses(errorTable.invalid_request.status, findPagedLists, async (context, list) => {
      const filters = ['open-status', 'product-category', 'is-owned'].filter((name) =>
        hasParameter(list, name),
      )
      if (filters.length === 0) skip('it has no such filter')
      const subjects = await findCandidates(context, list)
      const responses: HttpResponse[] = []
      for (const name of filters) {
        for (const { input } of subjects) {
          const query = { [name]: 'NO_SUCH_VALUE' }
          const response = await context.request(list.operation, { ...input, query })
          responses.push(response)
          if (isRejection(response) || isEmptyPage(list, response)) continue
          fail(`${list.ref}: ${name}=NO_SUCH_VALUE returned ${formatStatus(response)}`, {
            expected: 'a rejection, or no accounts',
            evidence: [response],
          })
        }
      }
      return responses
    }),
  },
  {
    id: 'errors.query.pages',
    title: 'Invalid pages and sizes cause no server error',
    clause: conventions('3', 'page (integer, requested page) and page-size (integer, default 25)'),
    ...reportInvalidQueries(
      'page=x',
      'page=0',
      'page-size=0',
      'page=-1',
      'page=1.5',
      'page-size=-1',
      'page-size=x',
      'page=99999999999999999999',
      'page-size=1000000',
    ),
  },
  {
    id: 'errors.query.times',
    title: 'Invalid bounds and amounts cause no server error',
    clause: conventions('7', 'Error bodies: see Errors'),
    ...reportInvalidQueries(
      'newest-time=yesterday',
      'newest-time=2025-02-30T00:00:00Z',
      'newest-time=2025-02-28T12:00:60Z',
      'oldest-time=0',
      'min-amount=x',
      'max-amount=1e3',
      'newest-date=2025-13-01',
      'newest-time=',
    ),
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
      const operation = requireOperation(context, 'contact')
      const longId = 'x'.repeat(257)
      for (const input of [
        buildRequest(operation, longId, unknownId),
        buildRequest(operation, await requireCustomer(context), longId),
      ]) {
        const response = await context.request(operation, input)
        expectRejection('contact', 'an id of 257 characters', response)
      }
      return {}
    },
  },
]

function isEmptyPage({ field }: PagedList, { isSuccess, body }: HttpResponse): boolean {
  const records = readMembers(body, 'data')[field]
  return isSuccess && Array.isArray(records) && records.length === 0
}

function rejectBodies(...bodies: readonly unknown[]): Pick<Check, 'choice' | 'run'> {
  const { status } = errorTable.invalid_request
  return reportStatuses(status, findListsByBody, async (context, { operation, ref }) => {
    const params = { customerId: await requireCustomer(context) }
    const responses: HttpResponse[] = []
    for (const body of chooseCases(findListsByBody(context), ref, bodies)) {
      const response = await context.request(operation, { params, body })
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      expectRejection(ref, `the body ${text || '(empty)'}`, response)
      responses.push(response)
    }
    return responses
  })
}

function chooseCases<Case>([first]: readonly PagedList[], ref: string, cases: readonly Case[]) {
  return ref === first?.ref ? cases : cases.slice(0, casesMax)
}

/** For a request whose response the interface does not define. Returns the response. */
function expectSuccessOrRejection(
  ref: string,
  subject: string,
  response: HttpResponse,
  expected: string,
): [HttpResponse] {
  if (response.isSuccess || isRejection(response)) return [response]
  return fail(`${ref}: ${subject} returned ${formatStatus(response)}`, {
    expected,
    evidence: [response],
  })
}

function reportInvalidQueries(...queries: readonly string[]): Pick<Check, 'choice' | 'run'> {
  return {
    choice: { ofHoldfast: 'status 400', decision: '0001-http-statuses' },
    run: async (context) => {
      const customerId = await requireCustomer(context)
      const seen = new Set<string>()
      let areAllRejected = true
      const lists = findPagedLists(context)
      await checkEach(lists, async (list) => {
        const { operation, ref } = list
        const accountId = await requireAccountFor(context, operation, customerId)
        const known = queries.filter((query) => hasParameter(list, query.split('=')[0] ?? ''))
        if (known.length === 0) skip('it has no such parameter')
        for (const query of chooseCases(lists, ref, known)) {
          const input = { ...buildRequest(operation, customerId, accountId), query }
          const response = await context.request(operation, input)
          const expected = 'a rejection, or the response without the parameter'
          expectSuccessOrRejection(ref, query, response, expected)
          areAllRejected &&= isRejection(response)
          seen.add(`${query} ${formatStatus(response)}`)
        }
      })
      return { seen: [...seen].join(', '), isHoldfastChoice: areAllRejected }
    },
  }
}
