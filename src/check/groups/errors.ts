import { errorTable, type Operation } from '../../contract/index.ts'
import { isFields } from '../../contract/schema.ts'
import { type Check, conventions, errorsSection } from '../definition.ts'
import { fail, judgeEach, type Passed, skip } from '../finding.ts'
import { listsOf } from '../lists.ts'
import { accountIdsOf, accountsOf, customersOf } from '../people.ts'
import type { Answer } from '../wire.ts'
import type { Ask, World } from '../world.ts'

export const unknownId = 'holdfast-check-no-such-id'

const customerText = errorTable.customer_not_found.message
const accountText = errorTable.account_in_query_not_found.message

export function errorOf({ body }: Answer): unknown {
  return isFields(body) ? body['error'] : undefined
}

export function statusText({ status }: Answer): string {
  return status === 0 ? 'nothing' : String(status)
}

/** A refusal that is the caller's fault: any status of 400 to 499 will do. */
export function isRefusal({ status }: Answer): boolean {
  return status >= 400 && status < 500
}

/** All that an operation asks for, of a customer and an account that may not exist. */
export function askFor(operation: Operation, customerId: string, accountId: string): Ask {
  return {
    params: { customerId, accountId, id: accountId },
    ...(operation.body &&
      operation.ref !== 'C1' && { body: { data: { accountIds: [accountId] } } }),
  }
}

/** Some account of the customer that the operation may be asked about. */
export async function accountFor(
  world: World,
  operation: Operation,
  customerId: string,
): Promise<string | undefined> {
  const accounts = await accountsOf(world, customerId)
  const wanted = operation.tag === 'energy' ? 'energy' : 'banking'
  const isEither = operation.tag === 'contact'
  return accounts.find(({ kind }) => isEither || kind === wanted)?.id
}

const customerScoped = ({ path }: Operation) => path.includes('{customerId}')

function expectRefusal(ref: string, what: string, answer: Answer, text?: string): void {
  const isRight = isRefusal(answer) && (text === undefined || errorOf(answer) === text)
  if (isRight) return
  fail(
    `${ref}: ${what} answered ${statusText(answer)} ${JSON.stringify(errorOf(answer)) ?? ''}`.trimEnd(),
    {
      expected:
        text === undefined
          ? 'a refusal, any status of 400 to 499'
          : `a status of 400 to 499 and {"error": "${text}"}`,
      evidence: [answer],
    },
  )
}

/** The statuses of refusals where the interface shows none. */
function statusChoice(judged: Passed, statuses: ReadonlySet<number>, ours: number): Passed {
  return {
    ...judged,
    choice: {
      seen: `status ${[...statuses].join(', ')}; ${judged.seen}`,
      isOurs: [...statuses].every((status) => status === ours),
      ours: `status ${ours}`,
      decision: '0001-http-statuses',
    },
  }
}

async function firstCustomer(world: World): Promise<string> {
  const [customerId] = await customersOf(world)
  return customerId ?? skip('there is no customer')
}

const unknownCustomer = errorsSection(
  '2',
  "Message 'Customer not found': returned by every customer-scoped endpoint in section A when the customerId is unknown",
)
const unknownAccount = errorsSection(
  '3',
  "Message 'Account in query not found': returned by the POST endpoints that take accountIds when an account named in the request cannot be found",
)
const elementClause = conventions(
  '5',
  "An element that names an unknown account produces the error 'Account in query not found'",
)

export const errors: readonly Check[] = [
  {
    id: 'errors.customer.unknown',
    title: 'An unknown customer is said to be not found',
    clause: unknownCustomer,
    profile: 'smoke',
    run: async (world) => {
      const statuses = new Set<number>()
      const inA = world.operations.filter(
        (operation) => operation.tag !== 'consent' && customerScoped(operation),
      )
      const judged = await judgeEach(
        inA,
        ({ ref }) => ref,
        async (operation) => {
          const answer = await world.ask(operation, askFor(operation, unknownId, unknownId))
          statuses.add(answer.status)
          expectRefusal(operation.ref, 'an unknown customer', answer, customerText)
        },
      )
      return statusChoice(judged, statuses, errorTable.customer_not_found.status)
    },
  },
  {
    id: 'errors.customer.unknown-in-consent',
    title: 'The consent flow refuses an unknown customer',
    clause: errorsSection('1', 'Error body: a JSON object {error: string}'),
    profile: 'full',
    run: async (world) => {
      const statuses = new Set<number>()
      const inC = world.operations.filter(
        (operation) => operation.tag === 'consent' && customerScoped(operation),
      )
      const judged = await judgeEach(
        inC,
        ({ ref }) => ref,
        async (operation) => {
          const answer = await world.ask(operation, askFor(operation, unknownId, unknownId))
          statuses.add(answer.status)
          expectRefusal(operation.ref, 'an unknown customer', answer)
        },
      )
      return statusChoice(judged, statuses, errorTable.customer_not_found.status)
    },
  },
  {
    id: 'errors.customer.odd',
    title: 'An odd customerId is an unknown one',
    clause: unknownCustomer,
    profile: 'full',
    hint: 'Never put an id into SQL, a path or a pattern as text.',
    run: async (world) => {
      const operation = world.operations.find(
        (each) => each.ref === 'B2' || each.ref === 'E2' || each.ref === 'B1',
      )
      if (!operation) return skip('there is no operation to try it on')
      const odd = ["' or '1'='1", '%', '*', '..%2f', 'é漢', 'a b', '"', 'x'.repeat(256)]
      return judgeEach(
        odd,
        (id) => JSON.stringify(id.slice(0, 12)),
        async (id) => {
          const answer = await world.ask(operation, askFor(operation, id, unknownId))
          expectRefusal(operation.ref, `the customerId ${JSON.stringify(id.slice(0, 40))}`, answer)
        },
      )
    },
  },
  {
    id: 'errors.accounts.unknown',
    title: 'An unknown account in a body is said to be not found',
    clause: unknownAccount,
    profile: 'smoke',
    run: async (world) => {
      const customerId = await firstCustomer(world)
      const statuses = new Set<number>()
      const judged = await judgeEach(
        listsInBody(world),
        ({ ref }) => ref,
        async ({ operation }) => {
          const answer = await world.ask(operation, askFor(operation, customerId, unknownId))
          statuses.add(answer.status)
          expectRefusal(operation.ref, 'an unknown account', answer, accountText)
        },
      )
      return statusChoice(judged, statuses, errorTable.account_in_query_not_found.status)
    },
  },
  {
    id: 'errors.accounts.mixed',
    title: 'One unknown account among known ones is enough',
    clause: elementClause,
    profile: 'full',
    run: async (world) => {
      const customers = await customersOf(world)
      return judgeEach(
        listsInBody(world),
        ({ ref }) => ref,
        async ({ operation, kind }) => {
          for (const customerId of customers) {
            const known = await accountIdsOf(world, customerId, kind)
            if (known.length === 0) continue
            const body = { data: { accountIds: [...known.slice(0, 2), unknownId] } }
            const answer = await world.ask(operation, { params: { customerId }, body })
            expectRefusal(
              operation.ref,
              'an unknown account behind known ones',
              answer,
              accountText,
            )
            return
          }
          skip('no customer has such an account')
        },
      )
    },
  },
  {
    id: 'errors.account.unknown',
    title: 'An unknown account in a path is refused',
    clause: errorsSection('1', 'Error body: a JSON object {error: string}'),
    profile: 'smoke',
    run: async (world) => {
      const customerId = await firstCustomer(world)
      const statuses = new Set<number>()
      const judged = await judgeEach(
        inPath(world),
        ({ ref }) => ref,
        async (operation) => {
          const answer = await world.ask(operation, askFor(operation, customerId, unknownId))
          statuses.add(answer.status)
          expectRefusal(operation.ref, 'an unknown account', answer)
        },
      )
      return statusChoice(judged, statuses, errorTable.account_not_found.status)
    },
  },
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
            isFields(answer.body) && isFields(answer.body['data']) ? answer.body['data'] : {}
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
                isFields(answer.body) && isFields(answer.body['data']) ? answer.body['data'] : {}
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
        'page=0',
        'page=-1',
        'page=x',
        'page=1.5',
        'page-size=0',
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
  {
    id: 'errors.body',
    title: 'Every refusal of the run has the body {error: string}',
    clause: errorsSection('1', 'Error body: a JSON object {error: string}'),
    profile: 'smoke',
    run: async (world) => {
      const operation = world.operation('C2') ?? world.operations.find(customerScoped)
      if (operation) await world.ask(operation, askFor(operation, unknownId, unknownId))
      const { wrongErrors } = world.audit
      const [first] = wrongErrors
      if (!first) return { seen: `${world.audit.errorCount()} refusals were read` }
      return fail(
        `${wrongErrors.length} refusals have another body, of ${[...new Set(wrongErrors.map(({ operation: { ref } }) => ref))].join(', ')}`,
        {
          expected: 'a JSON object with error, a string',
          evidence: wrongErrors.slice(0, 3),
        },
      )
    },
  },
]

function listsInBody(world: World) {
  return listsOf(world).filter(({ of }) => of === 'accounts')
}

function inPath(world: World): Operation[] {
  return world.operations.filter(({ path }) => /\{(accountId|id)\}/.test(path))
}

async function refusedBodies(world: World, bodies: readonly unknown[]): Promise<Passed> {
  const customerId = await firstCustomer(world)
  const statuses = new Set<number>()
  const judged = await judgeEach(
    listsInBody(world),
    ({ ref }) => ref,
    async ({ operation }) => {
      for (const body of bodies) {
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
async function oddQueries(world: World, queries: readonly string[]): Promise<Passed> {
  const customerId = await firstCustomer(world)
  const seen = new Set<string>()
  let isRefused = true
  const judged = await judgeEach(
    listsOf(world),
    ({ ref }) => ref,
    async ({ operation }) => {
      const accountId =
        (await accountFor(world, operation, customerId)) ?? skip('the customer has no such account')
      const known = queries.filter(
        (query) => (query.split('=')[0] ?? '') in (operation.query.properties as object),
      )
      if (known.length === 0) skip('it has no such parameter')
      for (const query of known) {
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
        if (answer.isSuccess && query !== 'newest-time=') isRefused = isRefused && false
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
