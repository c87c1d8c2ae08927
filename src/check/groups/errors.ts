import { errorTable, type Operation } from '../../contract/index.ts'
import { isObject } from '../../contract/schema.ts'
import type { Ask, CheckContext } from '../context.ts'
import { accountIdsOf, accountsOf, customersOf } from '../customers.ts'
import { type Check, conventions, errorsSection } from '../definition.ts'
import type { Answer } from '../http-client.ts'
import { listsOf } from '../lists.ts'
import { fail, judgeEach, type Passed, skip } from '../outcome.ts'

export const unknownId = 'holdfast-check-no-such-id'

const customerText = errorTable.customer_not_found.message
const accountText = errorTable.account_in_query_not_found.message

export function errorOf({ body }: Answer): unknown {
  return isObject(body) ? body['error'] : undefined
}

export function statusText({ status }: Answer): string {
  return status === 0 ? 'nothing' : String(status)
}

/** A refusal that is the caller's fault: any status of 400 to 499 will do. */
export function isRefusal({ status }: Answer): boolean {
  return status >= 400 && status < 500
}

export function requireOperation(world: CheckContext, ref: string): Operation {
  return world.operation(ref) ?? skip(`${ref} is left out on purpose`)
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
  world: CheckContext,
  operation: Operation,
  customerId: string,
): Promise<string | undefined> {
  const accounts = await accountsOf(world, customerId)
  const wanted = operation.tag === 'energy' ? 'energy' : 'banking'
  const isEither = operation.tag === 'contact'
  return accounts.find(({ kind }) => isEither || kind === wanted)?.id
}

const customerScoped = ({ path }: Operation) => path.includes('{customerId}')

export function expectRefusal(ref: string, what: string, answer: Answer, text?: string): void {
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
export function statusChoice(judged: Passed, statuses: ReadonlySet<number>, ours: number): Passed {
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

export async function firstCustomer(world: CheckContext): Promise<string> {
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
    id: 'errors.customer.unknown-with-account',
    title: 'An unknown customer is not found, also with an account that exists',
    clause: unknownCustomer,
    profile: 'smoke',
    hint: 'Look the customer up first: an account id alone must not lead to data.',
    run: async (world) => {
      const customerId = await firstCustomer(world)
      const withAccount = world.operations.filter(
        (operation) =>
          operation.tag !== 'consent' && (operation.body || /\{accountId\}/.test(operation.path)),
      )
      return judgeEach(
        withAccount,
        ({ ref }) => ref,
        async (operation) => {
          const accountId =
            (await accountFor(world, operation, customerId)) ?? skip('no such account is known')
          const answer = await world.ask(operation, askFor(operation, unknownId, accountId))
          expectRefusal(operation.ref, 'an unknown customer', answer, customerText)
        },
      )
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
    id: 'errors.body',
    title: 'Every refusal of the run has the body {error: string}',
    clause: errorsSection('1', 'Error body: a JSON object {error: string}'),
    profile: 'smoke',
    run: async (world) => {
      const operation = world.operation('C2') ?? world.operations.find(customerScoped)
      if (operation) {
        // One with a token and one without: the two are often answered by different hands.
        const ask = askFor(operation, unknownId, unknownId)
        await world.ask(operation, ask)
        await world.send(operation, ask, {})
      }
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

export function listsInBody(world: CheckContext) {
  return listsOf(world).filter(({ of }) => of === 'accounts')
}

function inPath(world: CheckContext): Operation[] {
  return world.operations.filter(({ path }) => /\{(accountId|id)\}/.test(path))
}
