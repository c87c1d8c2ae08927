import { errorTable, type Operation } from '../../contract/index.ts'
import { shown } from '../compare.ts'
import { bearer, type CheckContext } from '../context.ts'
import { type Account, accountIdsOf, accountsOf, customersOf, shareableOf } from '../customers.ts'
import { type Check, endpoint, errorsSection } from '../definition.ts'
import {
  accountOf,
  listsOf,
  recordsOf,
  subjectOf,
  walk,
  walkAccounts,
  wholeQuery,
} from '../lists.ts'
import { fail, judgeEach, skip } from '../outcome.ts'
import { askFor, errorOf, isRefusal, statusText } from './errors.ts'

interface Foreign {
  readonly viewer: string
  readonly owner: string
  readonly account: Account
}

/** Accounts that one customer is offered and another is not, by pairs of customers. */
function foreignAccounts(world: CheckContext): Promise<readonly Foreign[]> {
  return world.once('foreign accounts', async () => {
    const customers = await customersOf(world)
    if (customers.length < 2) skip('it takes two customers: name another with --customer')
    const found: Foreign[] = []
    for (const viewer of customers) {
      const own = new Set(await offered(world, viewer))
      for (const owner of customers) {
        if (owner === viewer) continue
        const accounts = await accountsOf(world, owner)
        const strange = accounts.filter(({ id }) => !own.has(id))
        for (const kind of ['banking', 'energy'] as const) {
          const account = strange.find((each) => each.kind === kind)
          if (account) found.push({ viewer, owner, account })
        }
      }
    }
    return found.length > 0 ? found : skip('the customers share all of their accounts')
  })
}

/** What C2 offers, else what the other lists show. */
async function offered(world: CheckContext, customerId: string): Promise<readonly string[]> {
  const shareable = await shareableOf(world, customerId)
  return shareable ?? (await accountsOf(world, customerId)).map(({ id }) => id)
}

async function foreignFor(world: CheckContext, { tag }: Operation): Promise<Foreign[]> {
  const wanted =
    tag === 'energy' ? ['energy'] : tag === 'contact' ? ['banking', 'energy'] : ['banking']
  const found = (await foreignAccounts(world)).filter(({ account }) =>
    wanted.includes(account.kind),
  )
  return found.length > 0 ? found.slice(0, pairsMax) : skip('no customer has such an account alone')
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

/** Operations that need a customer alone and whose answers do not depend on the time. */
const concurrentRefs = ['C2', 'C3', 'B1', 'E1']
const concurrentRounds = 3
const concurrentEach = 6

/** Asks for two customers by turns, all at once, and compares with what each gets alone. */
async function judgeConcurrent(
  world: CheckContext,
  operation: Operation,
  customers: readonly string[],
): Promise<void> {
  const alone = new Map<string, string>()
  for (const customerId of customers) {
    const answer = await world.ask(operation, { params: { customerId } })
    if (!answer.isSuccess) skip(`it answered ${statusText(answer)}`)
    alone.set(customerId, answer.text)
  }
  if (new Set(alone.values()).size < customers.length) skip('both customers get the same answer')
  for (let round = 0; round < concurrentRounds; round += 1) {
    const turns = Array.from({ length: concurrentEach }, () => customers).flat()
    const answers = await Promise.all(
      turns.map(async (customerId) => {
        const params = { customerId }
        const headers = bearer(world.token(world.resource(operation, params)))
        return { customerId, answer: await world.send(operation, { params }, headers, true) }
      }),
    )
    for (const { customerId, answer } of answers) {
      if (!answer.isSuccess || answer.text === alone.get(customerId)) continue
      const again = await world.ask(operation, { params: { customerId } })
      if (again.text !== alone.get(customerId)) skip('the data changed meanwhile')
      fail(
        `${operation.ref}: among concurrent requests, one for customer ${customerId} got other data than alone`,
        {
          expected: 'the answer that the customer gets alone',
          evidence: [answer, again],
        },
      )
    }
  }
}

export const isolation: readonly Check[] = [
  {
    id: 'isolation.path',
    title: 'No path shows one customer an account of another',
    clause: scoped,
    profile: 'smoke',
    hint: 'Look the account up under the customer of the path, not by its id alone.',
    run: (world) => {
      const operations = world.operations.filter(({ path }) => /\{(accountId|id)\}/.test(path))
      return judgeEach(
        operations,
        ({ ref }) => ref,
        async (operation) => {
          for (const { viewer, account } of await foreignFor(world, operation)) {
            const answer = await world.ask(operation, askFor(operation, viewer, account.id))
            if (isRefusal(answer)) continue
            fail(
              `${operation.ref}: customer ${viewer} asked for account ${account.id} of another and got ${statusText(answer)}`,
              {
                expected: 'a refusal, as for an account that does not exist',
                evidence: [answer],
              },
            )
          }
        },
      )
    },
  },
  {
    id: 'isolation.body',
    title: 'No body shows one customer an account of another',
    clause: inBody,
    profile: 'smoke',
    run: (world) => {
      const lists = listsOf(world).filter(({ of }) => of === 'accounts')
      return judgeEach(
        lists,
        ({ ref }) => ref,
        async ({ operation }) => {
          for (const { viewer, account } of await foreignFor(world, operation)) {
            const answer = await world.ask(operation, askFor(operation, viewer, account.id))
            if (isRefusal(answer) && errorOf(answer) === accountText) continue
            fail(
              `${operation.ref}: customer ${viewer} named account ${account.id} of another and got ${statusText(answer)} ${JSON.stringify(errorOf(answer)) ?? ''}`,
              {
                expected: `a status of 400 to 499 and {"error": "${accountText}"}`,
                evidence: [answer],
              },
            )
          }
        },
      )
    },
  },
  {
    id: 'isolation.body.mixed',
    title: 'An account of another is not shown among one’s own',
    clause: inBody,
    profile: 'full',
    run: (world) => {
      const lists = listsOf(world).filter(({ of }) => of === 'accounts')
      return judgeEach(
        lists,
        ({ ref }) => ref,
        async (list) => {
          for (const { viewer, account } of await foreignFor(world, list.operation)) {
            const own = (await accountIdsOf(world, viewer, list.kind)).slice(0, 2)
            const body = { data: { accountIds: [...own, account.id] } }
            const answer = await world.ask(list.operation, { params: { customerId: viewer }, body })
            if (isRefusal(answer) && errorOf(answer) === accountText) continue
            const leaked = recordsOf(list, answer).some(
              (record) => accountOf(list, record) === account.id,
            )
            fail(
              `${list.ref}: customer ${viewer} named account ${account.id} of another behind their own and got ${statusText(answer)}${leaked ? ' with its records' : ''}`,
              {
                expected: `a status of 400 to 499 and {"error": "${accountText}"}`,
                evidence: [answer],
              },
            )
          }
        },
      )
    },
  },
  {
    id: 'isolation.records',
    title: 'A list holds records of the accounts it was asked for, and of no others',
    clause: scoped,
    profile: 'smoke',
    run: (world) =>
      judgeEach(
        listsOf(world),
        ({ ref }) => ref,
        async (list) => {
          if (list.of === 'customer') skip('it is not asked for by account')
          const subject = await subjectOf(world, list)
          const { records, answers } = await walk(world, subject, wholeQuery(world, list))
          const asked =
            list.of === 'account'
              ? [subject.ask.params?.['accountId']]
              : (subject.ask.body as { data: { accountIds: string[] } }).data.accountIds
          const strange = records
            .map((record) => String(accountOf(list, record)))
            .filter((id) => !asked.includes(id))
          if (strange.length === 0) return
          fail(
            `${list.ref}: ${strange.length} records are of accounts that were not asked for: ${shown([...new Set(strange)])}`,
            {
              expected: 'records of the accounts of the request',
              evidence: answers.slice(0, 1),
            },
          )
        },
      ),
  },
  {
    id: 'isolation.subset',
    title: 'A list of some accounts holds nothing of the others',
    clause: endpoint('E2', 'E2 fetches details of specific accounts that the user authorised'),
    profile: 'full',
    run: (world) =>
      judgeEach(
        listsOf(world),
        ({ ref }) => ref,
        async (list) => {
          if (list.of !== 'accounts') skip('it takes no accounts')
          for (const customerId of await customersOf(world)) {
            const ids = await accountIdsOf(world, customerId, list.kind)
            const [one] = ids
            if (ids.length < 2 || one === undefined) continue
            const ask = {
              params: { customerId },
              body: { data: { accountIds: [one] } },
              query: wholeQuery(world, list),
            }
            const answer = await world.ask(list.operation, ask)
            const strange = recordsOf(list, answer).filter(
              (record) => accountOf(list, record) !== one,
            )
            if (strange.length === 0) return
            fail(
              `${list.ref}: asked for account ${one} alone, it shows ${strange.length} records of others`,
              {
                expected: 'records of the one account',
                evidence: [answer],
              },
            )
          }
        },
      ),
  },
  {
    id: 'isolation.concurrent',
    title: 'Concurrent requests for two customers get the data of their own customer',
    clause: scoped,
    profile: 'smoke',
    hint: 'Keep nothing of a request outside of it: a shared variable is overwritten by the next request.',
    run: async (world) => {
      const [first, second] = await customersOf(world)
      if (first === undefined || second === undefined) {
        return skip('it takes two customers: name another with --customer')
      }
      const operations = world.operations.filter(({ ref }) => concurrentRefs.includes(ref))
      return judgeEach(
        operations,
        ({ ref }) => ref,
        (operation) => judgeConcurrent(world, operation, [first, second]),
      )
    },
  },
  {
    id: 'isolation.lists',
    title: 'No list shows a customer an account that is offered to another alone',
    clause: scoped,
    profile: 'full',
    run: async (world) => {
      const customers = await customersOf(world)
      if (customers.length < 2) skip('it takes two customers: name another with --customer')
      return judgeEach(
        ['B1', 'E1'] as const,
        (ref) => ref,
        async (ref) => {
          if (!world.operation(ref)) skip('it is left out on purpose')
          for (const viewer of customers) {
            const own = (await shareableOf(world, viewer)) ?? skip('there is no C2 to compare with')
            for (const owner of customers) {
              const theirs = (await shareableOf(world, owner)) ?? []
              const seen = (await walkAccounts(world, ref, viewer)).map((record) =>
                String(record['accountId']),
              )
              const strange = seen.filter((id) => !own.includes(id) && theirs.includes(id))
              if (strange.length === 0) continue
              fail(
                `${ref} shows customer ${viewer} the account ${strange[0]}, which C2 offers to ${owner} and not to ${viewer}`,
                {
                  expected: 'accounts of the customer of the path',
                },
              )
            }
          }
        },
      )
    },
  },
]
