import { errorTable } from '../../contract/index.ts'
import { isObject } from '../../contract/schema.ts'
import type { CheckContext } from '../context.ts'
import { accountIdsOf, customersOf } from '../customers.ts'
import { type Check, conventions } from '../definition.ts'
import { listsOf } from '../lists.ts'
import { fail, judgeEach, type Passed, skip } from '../outcome.ts'
import {
  accountFor,
  askFor,
  expectRefusal,
  firstCustomer,
  isRefusal,
  listsInBody,
  statusChoice,
  statusText,
  unknownId,
} from './errors.ts'

/** How much of it is tried on every list; one list gets it all. */
const repeatsMax = 3

export const inputs: readonly Check[] = [
  {
    id: 'errors.body.malformed',
    title: 'A body that is not JSON is refused',
    clause: conventions(
      '5',
      'POST endpoints that take a list of accounts use the request body {data: {accountIds: array of string}} (data required)',
    ),
    profile: 'full',
    run: (world) => refusedBodies(world, ['{"data":{"accountIds":[', '', 'null', '[]']),
  },
  {
    id: 'errors.body.data',
    title: 'A body without data or accountIds is refused',
    clause: conventions('5', '{data: {accountIds: array of string}} (data required)'),
    profile: 'full',
    run: (world) =>
      refusedBodies(world, [
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
    profile: 'full',
    run: async (world) => {
      const customerId = await firstCustomer(world)
      const statuses = new Set<number>()
      const judged = await judgeEach(
        listsInBody(world),
        ({ ref }) => ref,
        async ({ operation, kind }) => {
          const [id = skip('the customer has no such account')] = await accountIdsOf(
            world,
            customerId,
            kind,
          )
          const data = `"data":{"accountIds":${JSON.stringify([id])}}`
          const body = `{${data},${data}}`
          const answer = await world.ask(operation, { params: { customerId }, body })
          statuses.add(answer.status)
          if (answer.isSuccess || isRefusal(answer)) return
          fail(`${operation.ref}: a repeated member answered ${statusText(answer)}`, {
            expected: 'a rejection, or the answer to one of the two values',
            evidence: [answer],
          })
        },
      )
      return statusChoice(judged, statuses, errorTable.invalid_request.status)
    },
  },
  {
    id: 'errors.body.empty-list',
    title: 'What an empty list of accounts means is seen',
    clause: conventions('5', '{data: {accountIds: array of string}}'),
    profile: 'full',
    run: async (world) => {
      const customerId = await firstCustomer(world)
      const statuses = new Set<number>()
      const judged = await judgeEach(
        listsInBody(world),
        ({ ref }) => ref,
        async ({ operation, field }) => {
          const answer = await world.ask(operation, {
            params: { customerId },
            body: { data: { accountIds: [] } },
          })
          statuses.add(answer.status)
          const data =
            isObject(answer.body) && isObject(answer.body['data']) ? answer.body['data'] : {}
          const records = data[field]
          if (
            isRefusal(answer) ||
            (answer.isSuccess && Array.isArray(records) && records.length === 0)
          )
            return
          fail(
            `${operation.ref}: an empty list of accounts answered ${statusText(answer)} with records`,
            {
              expected: 'an empty list, or a refusal',
              evidence: [answer],
            },
          )
        },
      )
      return statusChoice(judged, statuses, 200)
    },
  },
  {
    id: 'errors.query.values',
    title: 'A filter value that no account can have shows no account',
    clause: conventions(
      '4',
      'open-status (enum ALL, CLOSED, OPEN); product-category (enum of the banking product categories); is-owned (boolean). Only accounts whose state matches the filters are returned',
    ),
    profile: 'full',
    run: async (world) => {
      const statuses = new Set<number>()
      const customers = await customersOf(world)
      const judged = await judgeEach(
        listsOf(world),
        ({ ref }) => ref,
        async ({ operation, field, kind }) => {
          const filters = ['open-status', 'product-category', 'is-owned'].filter(
            (name) => name in (operation.query.properties as object),
          )
          if (filters.length === 0) skip('it has no such filter')
          for (const name of filters) {
            for (const customerId of customers) {
              const accountIds = await accountIdsOf(world, customerId, kind)
              if (accountIds.length === 0) continue
              const body = operation.body ? { body: { data: { accountIds } } } : {}
              const answer = await world.ask(operation, {
                params: { customerId },
                query: { [name]: 'NO_SUCH_VALUE' },
                ...body,
              })
              statuses.add(answer.status)
              const data =
                isObject(answer.body) && isObject(answer.body['data']) ? answer.body['data'] : {}
              const records = data[field]
              if (
                isRefusal(answer) ||
                (answer.isSuccess && Array.isArray(records) && records.length === 0)
              )
                continue
              fail(`${operation.ref}: ${name}=NO_SUCH_VALUE answered ${statusText(answer)}`, {
                expected: 'a refusal, or no accounts',
                evidence: [answer],
              })
            }
          }
        },
      )
      return statusChoice(judged, statuses, errorTable.invalid_request.status)
    },
  },
  {
    id: 'errors.query.pages',
    title: 'Pages and sizes that make no sense are no reason to fail',
    clause: conventions('3', 'page (integer, requested page) and page-size (integer, default 25)'),
    profile: 'full',
    run: (world) =>
      oddQueries(world, [
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
    title: 'Bounds and amounts that make no sense are no reason to fail',
    clause: conventions('7', 'Error bodies: see Errors'),
    profile: 'full',
    run: (world) =>
      oddQueries(world, [
        'newest-time=yesterday',
        'newest-time=2025-02-30T00:00:00Z',
        'oldest-time=0',
        'min-amount=x',
        'max-amount=1e3',
        'newest-date=2025-13-01',
        'newest-time=',
      ]),
  },
  {
    id: 'errors.contact.long-ids',
    title: 'The contact endpoint refuses ids that are longer than 256 characters',
    clause: {
      section: 'Limits',
      reference: 'contact',
      quote: 'customerId and accountId maximum length: 256 characters',
    },
    profile: 'full',
    run: async (world) => {
      const operation = world.operation('contact')
      if (!operation) return skip('the contact endpoint is left out on purpose')
      const customerId = await firstCustomer(world)
      for (const [customer, account] of [
        ['x'.repeat(257), unknownId],
        [customerId, 'x'.repeat(257)],
      ] as const) {
        expectRefusal(
          'contact',
          'an id of 257 characters',
          await world.ask(operation, askFor(operation, customer, account)),
        )
      }
      return {}
    },
  },
]

async function refusedBodies(world: CheckContext, bodies: readonly unknown[]): Promise<Passed> {
  const customerId = await firstCustomer(world)
  const statuses = new Set<number>()
  const lists = listsInBody(world)
  const judged = await judgeEach(
    lists,
    ({ ref }) => ref,
    async ({ operation, ref }) => {
      for (const body of ref === lists[0]?.ref ? bodies : bodies.slice(0, repeatsMax)) {
        const answer = await world.ask(operation, { params: { customerId }, body })
        statuses.add(answer.status)
        const text = typeof body === 'string' ? body : JSON.stringify(body)
        expectRefusal(operation.ref, `the body ${text || 'of no bytes'}`, answer)
      }
    },
  )
  return statusChoice(judged, statuses, errorTable.invalid_request.status)
}

/** The interface does not say what becomes of them: any answer that is not a failure of the server will do. */
async function oddQueries(world: CheckContext, queries: readonly string[]): Promise<Passed> {
  const customerId = await firstCustomer(world)
  const seen = new Set<string>()
  let isRefused = true
  const lists = listsOf(world)
  const judged = await judgeEach(
    lists,
    ({ ref }) => ref,
    async ({ operation, ref }) => {
      const accountId =
        (await accountFor(world, operation, customerId)) ?? skip('the customer has no such account')
      const known = queries.filter(
        (query) => (query.split('=')[0] ?? '') in (operation.query.properties as object),
      )
      if (known.length === 0) skip('it has no such parameter')
      for (const query of ref === lists[0]?.ref ? known : known.slice(0, repeatsMax)) {
        const answer = await world.ask(operation, {
          ...askFor(operation, customerId, accountId),
          query,
        })
        if (!answer.isSuccess && !isRefusal(answer)) {
          fail(`${operation.ref}: ${query} answered ${statusText(answer)}`, {
            expected: 'a refusal, or an answer as if it had not been given',
            evidence: [answer],
          })
        }
        isRefused &&= isRefusal(answer)
        seen.add(`${query} ${statusText(answer)}`)
      }
    },
  )
  return {
    ...judged,
    choice: {
      seen: [...seen].join(', '),
      isOurs: isRefused,
      ours: 'status 400',
      decision: '0001-http-statuses',
    },
  }
}
