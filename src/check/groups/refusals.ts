import { errorTable, locateAccounts, type Operation, refusalHeader } from '../../contract/index.ts'
import { formatKeys } from '../compare.ts'
import type { CheckContext } from '../context.ts'
import { findCustomers, listShareable, requireCustomer } from '../customers.ts'
import { type Check, refusal } from '../definition.ts'
import type { HttpResponse } from '../http-client.ts'
import { checkEach, fail, type Passed, skip } from '../outcome.ts'
import { readAccounts } from '../read-list.ts'
import { buildRequest, unknownId } from '../requests.ts'
import {
  type AccountOption,
  expectRefusal,
  expectUnmarked,
  findOperationsFor,
  findRestricted,
  forbidden,
  forEachRestricted,
  listNamedAccounts,
  requireNamed,
} from '../restricted.ts'
import { findSample } from '../sample-request.ts'

const notFound = errorTable.account_not_found.status
const notFoundInBody = errorTable.account_in_query_not_found.status

const isCustomerScoped = ({ path }: Operation) => path.includes('{customerId}')

const statusHint =
  'The header distinguishes a refusal from an unknown account, and the status 403 the prevention of harm.'
const sameBody = refusal(
  'body',
  'The body of a refusal is that of the same request for an unknown customer or account, also with 403',
)

/** The rules of a refusal. The tester cannot restrict anything, so the operator names what is restricted. */
export const refusals: readonly Check[] = [
  {
    id: 'refusals.blocked',
    title: 'A blocked account is refused with 404 in a path and 422 in a body',
    clause: refusal('blocked', '404 for an ID in the path, 422 for one in the body'),
    hint: statusHint,
    run: (context) =>
      checkAccount(context, 'blockedAccount', (operation) =>
        locateAccounts(operation) === 'path' ? notFound : notFoundInBody,
      ),
  },
  {
    id: 'refusals.harm',
    title: 'An account is refused with 403 to prevent harm',
    clause: refusal('harm', 'the customer, or a person who uses the account, could come to harm'),
    hint: statusHint,
    run: (context) => checkAccount(context, 'protectedAccount', () => forbidden),
  },
  {
    id: 'refusals.harm.precedence',
    title: 'A blocked account and one that is refused to prevent harm are refused with 403',
    clause: refusal('order', 'Of several restricted accounts in a body, harm takes precedence.'),
    async run(context) {
      const blocked = await findRestricted(context, 'blockedAccount')
      const harmed = await findRestricted(context, 'protectedAccount')
      const { customerId, kind } = blocked
      if (customerId !== harmed.customerId || kind !== harmed.kind)
        skip('the two accounts are not of the same customer and kind')
      const accountIds = [blocked.accountId, harmed.accountId]
      const input = { params: { customerId }, body: { data: { accountIds } } }
      return checkEach(findOperationsFor(context, blocked, ['body']), async (operation) => {
        const response = await context.request(operation, input)
        expectRefusal(operation.ref, 'a request for both', response, [forbidden])
      })
    },
  },
  {
    id: 'refusals.customer',
    title: 'Every operation that names a restricted customer refuses with the same status',
    clause: refusal(
      'customers',
      'Every operation that names a customer in its path refuses for a restricted customer, C2 and C3 included.',
    ),
    async run(context) {
      const customerId = requireNamed(context, 'restrictedCustomer')
      const statuses = new Set<number>()
      const passed = await checkEach(
        context.operations.filter(isCustomerScoped),
        async (operation) => {
          const input = buildRequest(operation, customerId, unknownId)
          const response = await context.request(operation, input)
          expectRefusal(operation.ref, 'the customer', response, [notFound, forbidden])
          statuses.add(response.status)
        },
      )
      if (statuses.size === 1) return passed
      return fail(`the restricted customer is refused with ${[...statuses].join(' and ')}`, {
        expected: `${forbidden} to prevent harm, otherwise ${notFound}`,
      })
    },
  },
  {
    id: 'refusals.body.account',
    title: 'The body of a refusal is that for an unknown account',
    clause: sameBody,
    hint: 'Use one text for both: it must not say why, or that the account exists.',
    run: (context) => compareAccounts(context, expectSameBody),
  },
  {
    id: 'refusals.body.customer',
    title: 'The body of a refusal is that for an unknown customer',
    clause: sameBody,
    hint: 'Use one text for both: it must not say why, or that the customer exists.',
    async run(context) {
      const customerId = requireNamed(context, 'restrictedCustomer')
      return checkEach(context.operations.filter(isCustomerScoped), async (operation) => {
        const [refused, unknown] = await Promise.all(
          [customerId, unknownId].map((id) =>
            context.request(operation, buildRequest(operation, id, unknownId)),
          ),
        )
        if (refused && unknown) expectSameBody(refused, unknown)
      })
    },
  },
  {
    id: 'refusals.reason',
    title: 'No header of a refusal says why',
    clause: refusal('body', 'It never says why. The header alone distinguishes them'),
    run: (context) =>
      compareAccounts(context, (refused, unknown) => {
        const { ref } = refused.operation
        const added = Object.keys(refused.headers).filter(
          (name) => name !== refusalHeader && !Object.hasOwn(unknown.headers, name),
        )
        if (added.length === 0) return
        fail(`${ref}: a refusal also has the header ${formatKeys(added)}`, {
          expected: `the headers of the response to an unknown account, and ${refusalHeader}`,
          evidence: [refused, unknown],
        })
      }),
  },
  {
    id: 'refusals.others',
    title: 'No other response is marked as a refusal',
    clause: refusal('body', 'no other response has it'),
    async run(context) {
      const { operation, input } = await findSample(context)
      expectUnmarked(operation.ref, 'a valid request', await context.request(operation, input))
      const customerId = await requireCustomer(context)
      return checkEach(context.operations.filter(isCustomerScoped), async (each) => {
        const isOfAccounts = locateAccounts(each) !== undefined
        const unknown = buildRequest(each, isOfAccounts ? customerId : unknownId, unknownId)
        expectUnmarked(each.ref, 'an unknown id', await context.request(each, unknown))
      })
    },
  },
  {
    id: 'refusals.order',
    title:
      'A restricted account is not refused for an unknown customer, or with an unknown account',
    clause: refusal(
      'order',
      'The first of these applies: an unknown customer, a restricted customer, an unknown account, a restricted account.',
    ),
    run: (context) =>
      forEachRestricted(context, (restricted) => {
        const { customerId, accountId } = restricted
        return checkEach(findOperationsFor(context, restricted, ['body']), async (operation) => {
          for (const [params, accountIds] of [
            [{ customerId }, [accountId, unknownId]],
            [{ customerId: unknownId }, [accountId]],
          ] as const) {
            const input = { params, body: { data: { accountIds } } }
            const response = await context.request(operation, input)
            expectUnmarked(operation.ref, 'a restricted account and an unknown id', response)
          }
        })
      }),
  },
  {
    id: 'refusals.isolation',
    title: 'An account that another customer has is unknown, also if it is restricted',
    clause: refusal(
      'order',
      'An account that the customer does not hold is unknown, whatever its restriction',
    ),
    run: (context) =>
      forEachRestricted(context, async (restricted) => {
        const { customerId, accountId } = restricted
        const other = (await findCustomers(context)).find((id) => id !== customerId)
        if (other === undefined)
          return skip('two customers are needed: pass another one with --customer')
        return checkEach(findOperationsFor(context, restricted), async (operation) => {
          const input = buildRequest(operation, other, accountId)
          const response = await context.request(operation, input)
          expectUnmarked(operation.ref, `account ${accountId} of another customer`, response)
        })
      }),
  },
  {
    id: 'refusals.filters',
    title: 'A restricted account is refused, whatever the filters select',
    clause: refusal(
      'filters',
      'A call that names a restricted account is refused, even if its filters would leave the account out',
    ),
    run: (context) =>
      forEachRestricted(context, (restricted) => {
        const { customerId, accountId } = restricted
        const filtered = findOperationsFor(context, restricted, ['body']).filter(({ query }) =>
          Object.hasOwn(query.properties, 'open-status'),
        )
        return checkEach(filtered, async (operation) => {
          const input = buildRequest(operation, customerId, accountId)
          for (const status of ['OPEN', 'CLOSED']) {
            const query = { 'open-status': status }
            const response = await context.request(operation, { ...input, query })
            const subject = `the account with open-status=${status}`
            expectRefusal(operation.ref, subject, response, [notFoundInBody, forbidden])
          }
        })
      }),
  },
  {
    id: 'refusals.lists',
    title: 'C2, B1 and E1 leave restricted accounts out',
    clause: refusal('lists', 'C2, B1 and E1 leave restricted accounts out'),
    hint: 'An account that cannot be shared must not be offered for consent.',
    run: (context) =>
      checkEach(['C2', 'B1', 'E1'] as const, async (ref) => {
        if (!context.operation(ref)) skip('it is left out intentionally')
        const restricted = listNamedAccounts(context)
        for (const customerId of await findCustomers(context)) {
          const listed =
            ref === 'C2'
              ? ((await listShareable(context, customerId)) ?? [])
              : (await readAccounts(context, ref, customerId)).map((each) => each['accountId'])
          const found = restricted.filter((id) => listed.includes(id))
          if (found.length === 0) continue
          fail(`${ref} lists the restricted account ${formatKeys(found)}`, {
            expected: 'only accounts that are shared',
          })
        }
      }),
  },
]

/** Requests a restricted account from every operation that names one. */
async function checkAccount(
  context: CheckContext,
  option: AccountOption,
  statusOf: (operation: Operation) => number,
): Promise<Passed> {
  const restricted = await findRestricted(context, option)
  return checkEach(findOperationsFor(context, restricted), async (operation) => {
    const input = buildRequest(operation, restricted.customerId, restricted.accountId)
    const response = await context.request(operation, input)
    expectRefusal(operation.ref, 'the account', response, [statusOf(operation)])
  })
}

/** Compares refusals of the restricted accounts with the responses to an unknown account. */
function compareAccounts(
  context: CheckContext,
  compare: (refused: HttpResponse, unknown: HttpResponse) => void,
): Promise<Passed> {
  return forEachRestricted(context, (restricted) =>
    checkEach(findOperationsFor(context, restricted), async (operation) => {
      const [refused, unknown] = await Promise.all(
        [restricted.accountId, unknownId].map((id) =>
          context.request(operation, buildRequest(operation, restricted.customerId, id)),
        ),
      )
      if (refused && unknown) compare(refused, unknown)
    }),
  )
}

function expectSameBody(refused: HttpResponse, unknown: HttpResponse): void {
  if (refused.text === unknown.text) return
  fail(`${refused.operation.ref}: the body of a refusal differs from that for an unknown id`, {
    expected: unknown.text,
    evidence: [refused, unknown],
  })
}
