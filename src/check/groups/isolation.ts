import { errorTable, type Operation } from '../../contract/index.ts'
import { formatKeys } from '../compare.ts'
import type { CheckContext } from '../context.ts'
import {
  type Account,
  findAccountIds,
  findAccounts,
  findCustomers,
  listShareable,
} from '../customers.ts'
import { type Check, endpoint, errorsSection } from '../definition.ts'
import { checkEach, fail, type Passed, skip } from '../outcome.ts'
import {
  buildUnboundedQuery,
  findListsByBody,
  findPagedLists,
  readAccountId,
  readRecords,
} from '../paged-list.ts'
import { readAccounts, readUnbounded, toSubject } from '../read-list.ts'
import { buildRequest, findOperationsByPath } from '../requests.ts'
import { expectRejection, formatStatus } from '../responses.ts'
import { sampleRefs } from '../sample-request.ts'
import { findSubject } from '../subjects.ts'

/** An account that the viewer must not see. */
interface Foreign {
  readonly viewer: string
  readonly owner: string
  readonly account: Account
}

async function requireTwoCustomers(context: CheckContext): Promise<readonly string[]> {
  const customers = await findCustomers(context)
  if (customers.length < 2) skip('two customers are needed: pass another one with --customer')
  return customers
}

/** For each pair of customers, accounts that one of them can share and the other cannot. */
function findForeignAccounts(context: CheckContext): Promise<readonly Foreign[]> {
  return context.once('foreign accounts', async () => {
    const customers = await requireTwoCustomers(context)
    const found: Foreign[] = []
    for (const viewer of customers) {
      const own = new Set(await listOwn(context, viewer))
      for (const owner of customers) {
        if (owner === viewer) continue
        const accounts = await findAccounts(context, owner)
        const foreign = accounts.filter(({ id }) => !own.has(id))
        for (const kind of ['banking', 'energy'] as const) {
          const account = foreign.find((each) => each.kind === kind)
          if (account) found.push({ viewer, owner, account })
        }
      }
    }
    return found.length > 0 ? found : skip('the customers have all of their accounts in common')
  })
}

/** The accounts that C2 lists, otherwise those of the other lists. */
async function listOwn(context: CheckContext, customerId: string): Promise<readonly string[]> {
  const shareable = await listShareable(context, customerId)
  return shareable ?? (await findAccounts(context, customerId)).map(({ id }) => id)
}

async function findForeignFor(
  context: CheckContext,
  { accountKinds = [] }: Operation,
): Promise<Foreign[]> {
  const found = (await findForeignAccounts(context)).filter(({ account }) =>
    accountKinds.includes(account.kind),
  )
  return found.length > 0
    ? found.slice(0, pairsMax)
    : skip('no customer has such an account that the other does not have')
}

const pairsMax = 4
const accountText = errorTable.account_in_query_not_found.message
const scoped = endpoint(
  'C',
  'Any data endpoint of the provider must have a path that begins with /customer/{customerId}, so that the platform fetches data for the customer who granted consent',
)
const inBody = errorsSection(
  '3',
  "Message 'Account in query not found': returned … when an account named in the request cannot be found",
)

/** Their responses do not depend on the time. */
const concurrentRefs: readonly string[] = sampleRefs
const concurrentRounds = 3
const concurrentEach = 6

/** Compares the responses to concurrent requests for two customers with those to single requests. */
async function checkConcurrent(
  context: CheckContext,
  operation: Operation,
  customers: readonly string[],
): Promise<void> {
  const single = new Map<string, string>()
  for (const customerId of customers) {
    const response = await context.request(operation, { params: { customerId } })
    if (!response.isSuccess) skip(`it returned ${formatStatus(response)}`)
    single.set(customerId, response.text)
  }
  if (new Set(single.values()).size < customers.length) skip('both customers get the same response')
  for (let round = 0; round < concurrentRounds; round += 1) {
    const customerIds = Array.from({ length: concurrentEach }, () => customers).flat()
    const responses = await Promise.all(
      customerIds.map(async (customerId) => {
        const params = { customerId }
        const headers = context.authorize(operation, params)
        return { customerId, response: await context.send(operation, { params }, headers, true) }
      }),
    )
    for (const { customerId, response } of responses) {
      if (!response.isSuccess || response.text === single.get(customerId)) continue
      const again = await context.request(operation, { params: { customerId } })
      if (again.text !== single.get(customerId)) skip('the data changed during the check')
      fail(
        `${operation.ref}: a concurrent request for customer ${customerId} returned other data than a single request`,
        { expected: 'the response to a single request', evidence: [response, again] },
      )
    }
  }
}

/** Requests accounts of other customers. */
function expectForeignRejected(
  context: CheckContext,
  operations: readonly Operation[],
  text?: string,
): Promise<Passed> {
  return checkEach(operations, async (operation) => {
    for (const { viewer, account } of await findForeignFor(context, operation)) {
      const input = buildRequest(operation, viewer, account.id)
      const subject = `a request of customer ${viewer} for account ${account.id} of another customer`
      expectRejection(operation.ref, subject, await context.request(operation, input), text)
    }
  })
}

export const isolation: readonly Check[] = [
  {
    id: 'isolation.path',
    title: 'No operation with an account in its path returns an account of another customer',
    clause: scoped,
    profile: 'smoke',
    hint: 'Look the account up under the customer of the path, not by its id alone.',
    run: (context) => expectForeignRejected(context, findOperationsByPath(context)),
  },
  {
    id: 'isolation.body',
    title: 'No operation with accounts in its body returns an account of another customer',
    clause: inBody,
    profile: 'smoke',
    run: (context) => {
      const operations = findListsByBody(context).map(({ operation }) => operation)
      return expectForeignRejected(context, operations, accountText)
    },
  },
  {
    id: 'isolation.body.mixed',
    title: 'An account of another customer is rejected among own accounts',
    clause: inBody,
    run: (context) =>
      checkEach(findListsByBody(context), async ({ operation, kind }) => {
        for (const { viewer, account } of await findForeignFor(context, operation)) {
          const own = (await findAccountIds(context, viewer, kind)).slice(0, 2)
          const body = { data: { accountIds: [...own, account.id] } }
          const params = { customerId: viewer }
          const response = await context.request(operation, { params, body })
          const subject = `a request of customer ${viewer} for own accounts and account ${account.id} of another customer`
          expectRejection(operation.ref, subject, response, accountText)
        }
      }),
  },
  {
    id: 'isolation.records',
    title: 'A list has only records of the requested accounts',
    clause: scoped,
    profile: 'smoke',
    run: (context) =>
      checkEach(findPagedLists(context), async (list) => {
        if (list.parent === 'customer') skip('its request names no account')
        const subject = await findSubject(context, list)
        const { records, responses } = await readUnbounded(context, subject)
        const requested =
          list.parent === 'account'
            ? [subject.input.params?.['accountId']]
            : (subject.input.body as { data: { accountIds: string[] } }).data.accountIds
        const foreign = records
          .map((record) => String(readAccountId(list, record)))
          .filter((id) => !requested.includes(id))
        if (foreign.length === 0) return
        fail(
          `${list.ref}: ${foreign.length} records belong to accounts that were not requested: ${formatKeys([...new Set(foreign)])}`,
          { expected: 'records of the requested accounts', evidence: responses.slice(0, 1) },
        )
      }),
  },
  {
    id: 'isolation.subset',
    title: 'A request for one account returns no records of the others',
    clause: endpoint('E2', 'E2 fetches details of specific accounts that the user authorised'),
    run: (context) =>
      checkEach(findListsByBody(context), async (list) => {
        for (const customerId of await findCustomers(context)) {
          const [one, other] = await findAccountIds(context, customerId, list.kind)
          if (one === undefined || other === undefined) continue
          const { input } = toSubject(list, customerId, one)
          const query = buildUnboundedQuery(context, list)
          const response = await context.request(list.operation, { ...input, query })
          const foreign = readRecords(list, response).filter(
            (record) => readAccountId(list, record) !== one,
          )
          if (foreign.length === 0) return
          fail(
            `${list.ref}: a request for account ${one} returned ${foreign.length} records of other accounts`,
            { expected: 'records of that account only', evidence: [response] },
          )
        }
      }),
  },
  {
    id: 'isolation.concurrent',
    title: 'Concurrent requests for two customers return the data of the right customer',
    clause: scoped,
    profile: 'smoke',
    hint: 'Do not store data of a request in a shared variable: the next request overwrites it.',
    run: async (context) => {
      const customers = (await requireTwoCustomers(context)).slice(0, 2)
      const operations = context.operations.filter(({ ref }) => concurrentRefs.includes(ref))
      return checkEach(operations, (operation) => checkConcurrent(context, operation, customers))
    },
  },
  {
    id: 'isolation.lists',
    title: 'No account list has an account that only another customer can share',
    clause: scoped,
    run: async (context) => {
      const customers = await requireTwoCustomers(context)
      return checkEach(['B1', 'E1'] as const, async (ref) => {
        if (!context.operation(ref)) skip('it is left out intentionally')
        for (const viewer of customers) {
          const own = (await listShareable(context, viewer)) ?? skip('C2 is left out, or failed')
          for (const owner of customers) {
            const theirs = (await listShareable(context, owner)) ?? []
            const listed = (await readAccounts(context, ref, viewer)).map((record) =>
              String(record['accountId']),
            )
            const foreign = listed.filter((id) => !own.includes(id) && theirs.includes(id))
            if (foreign.length === 0) continue
            fail(
              `${ref} lists account ${foreign[0]} for customer ${viewer}, which C2 lists for ${owner} and not for ${viewer}`,
              { expected: 'accounts of the customer in the path' },
            )
          }
        }
      })
    },
  },
]
