import { errorTable, locateAccounts, type Operation } from '../../contract/index.ts'
import type { CheckContext } from '../context.ts'
import { findAccountIds, findCustomers, requireCustomer } from '../customers.ts'
import { type Check, conventions, errorsSection } from '../definition.ts'
import { checkEach, fail, skip } from '../outcome.ts'
import { findListsByBody } from '../paged-list.ts'
import { buildRequest, findOperationsByPath, requireAccountFor, unknownId } from '../requests.ts'
import { expectRejection, reportStatuses } from '../responses.ts'

const customerText = errorTable.customer_not_found.message
const accountText = errorTable.account_in_query_not_found.message

const isCustomerScoped = ({ path }: Operation) => path.includes('{customerId}')

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
    title: 'An unknown customer is reported as not found',
    clause: unknownCustomer,
    profile: 'smoke',
    ...checkUnknown('customer_not_found', customerText, ({ operations }) =>
      operations.filter((each) => each.tag !== 'consent' && isCustomerScoped(each)),
    ),
  },
  {
    id: 'errors.customer.unknown-with-account',
    title: 'An unknown customer is reported as not found, even with an existing account',
    clause: unknownCustomer,
    profile: 'smoke',
    hint: 'Look up the customer first: an account id alone must not give access to data.',
    run: async (context) => {
      const customerId = await requireCustomer(context)
      const withAccount = context.operations.filter(
        (operation) => operation.tag !== 'consent' && locateAccounts(operation) !== undefined,
      )
      return checkEach(withAccount, async (operation) => {
        const accountId = await requireAccountFor(context, operation, customerId)
        const input = buildRequest(operation, unknownId, accountId)
        const response = await context.request(operation, input)
        expectRejection(operation.ref, 'an unknown customer', response, customerText)
      })
    },
  },
  {
    id: 'errors.customer.unknown-in-consent',
    title: 'The consent flow rejects an unknown customer',
    clause: errorsSection('1', 'Error body: a JSON object {error: string}'),
    ...checkUnknown('customer_not_found', undefined, ({ operations }) =>
      operations.filter((each) => each.tag === 'consent' && isCustomerScoped(each)),
    ),
  },
  {
    id: 'errors.customer.odd',
    title: 'A customerId with special characters is reported as unknown',
    clause: unknownCustomer,
    hint: 'Never insert an id into SQL, a path or a pattern as text.',
    run: async (context) => {
      const operation = context.operations.find(
        (each) => each.ref === 'B2' || each.ref === 'E2' || each.ref === 'B1',
      )
      if (!operation) return skip('the provider has none of B1, B2 and E2')
      const ids = ["' or '1'='1", '%', '*', '..%2f', 'é漢', 'a b', '"', 'x'.repeat(256)]
      return checkEach(
        ids,
        async (id) => {
          const response = await context.request(operation, buildRequest(operation, id, unknownId))
          const subject = `the customerId ${JSON.stringify(id.slice(0, 40))}`
          expectRejection(operation.ref, subject, response)
        },
        (id) => JSON.stringify(id.slice(0, 12)),
      )
    },
  },
  {
    id: 'errors.accounts.unknown',
    title: 'An unknown account in a body is reported as not found',
    clause: unknownAccount,
    profile: 'smoke',
    ...checkUnknown('account_in_query_not_found', accountText, (context) =>
      findListsByBody(context).map(({ operation }) => operation),
    ),
  },
  {
    id: 'errors.accounts.mixed',
    title: 'One unknown account among known ones is reported as not found',
    clause: elementClause,
    run: async (context) => {
      const customers = await findCustomers(context)
      return checkEach(findListsByBody(context), async ({ operation, kind }) => {
        for (const customerId of customers) {
          const known = await findAccountIds(context, customerId, kind)
          if (known.length === 0) continue
          const body = { data: { accountIds: [...known.slice(0, 2), unknownId] } }
          const response = await context.request(operation, { params: { customerId }, body })
          const subject = 'an unknown account after known ones'
          return expectRejection(operation.ref, subject, response, accountText)
        }
        skip('no customer has such an account')
      })
    },
  },
  {
    id: 'errors.account.unknown',
    title: 'An unknown account in a path is rejected',
    clause: errorsSection('1', 'Error body: a JSON object {error: string}'),
    profile: 'smoke',
    ...checkUnknown('account_not_found', undefined, findOperationsByPath),
  },
  {
    id: 'errors.body',
    title: 'Every rejection of the run has the body {error: string}',
    clause: errorsSection('1', 'Error body: a JSON object {error: string}'),
    profile: 'smoke',
    run: async (context) => {
      const operation = context.operation('C2') ?? context.operations.find(isCustomerScoped)
      if (operation) {
        // With a token and without one: different components often produce these responses.
        const input = buildRequest(operation, unknownId, unknownId)
        await context.request(operation, input)
        await context.send(operation, input, {})
      }
      const { wrongErrors } = context.audit
      const [first] = wrongErrors
      if (!first) return { seen: `${context.audit.errorCount()} rejections were checked` }
      return fail(
        `${wrongErrors.length} rejections have another body, from ${[...new Set(wrongErrors.map(({ operation: { ref } }) => ref))].join(', ')}`,
        { expected: 'a JSON object with the string error', evidence: wrongErrors.slice(0, 3) },
      )
    },
  },
]

/** Requests an unknown customer, or an unknown account of a known customer. */
function checkUnknown(
  error: 'customer_not_found' | 'account_not_found' | 'account_in_query_not_found',
  text: string | undefined,
  findOperations: (context: CheckContext) => readonly Operation[],
): Pick<Check, 'choice' | 'run'> {
  const unknown = error === 'customer_not_found' ? 'customer' : 'account'
  return reportStatuses(errorTable[error].status, findOperations, async (context, operation) => {
    const customerId = unknown === 'customer' ? unknownId : await requireCustomer(context)
    const input = buildRequest(operation, customerId, unknownId)
    const response = await context.request(operation, input)
    expectRejection(operation.ref, `an unknown ${unknown}`, response, text)
    return [response]
  })
}
