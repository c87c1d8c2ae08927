import { compareDecimals } from '../../contract/decimal.ts'
import { isObject } from '../../contract/schema.ts'
import { describeDifference, formatKeys, isDecimal } from '../compare.ts'
import type { CheckContext } from '../context.ts'
import { findAccountIds, findAccounts, findCustomers, forEachCustomer } from '../customers.ts'
import { type Check, endpoint, extension, resources } from '../definition.ts'
import { checkEach, fail, skip } from '../outcome.ts'
import {
  type Fields,
  type PagedList,
  readMembers,
  readRecords,
  requireList,
} from '../paged-list.ts'
import { readAccounts, readList, requirePage, toSubject } from '../read-list.ts'
import { buildRequest, describeAbsence, requireOperation } from '../requests.ts'
import { formatStatus } from '../responses.ts'

/** Two operations that return the same record must return it with the same content. */
export const agreement: readonly Check[] = [
  {
    id: 'agreement.payments',
    title: 'B6 returns the scheduled payments of an account that B4 returns',
    clause: endpoint('B6', 'POST /v1/banking/customer/{customerId}/payments/scheduled'),
    run: forEachBankAccount(async (context, customerId, accountId) => {
      const [one, many] = [requireList(context, 'B4'), requireList(context, 'B6')]
      const single = await readList(context, toSubject(one, customerId, accountId))
      const several = await readList(context, toSubject(many, customerId, accountId))
      const difference = describeDifference(
        single.records.map(toCanonical),
        several.records.map(toCanonical),
      )
      if (difference === undefined) return
      fail(`B6 of account ${accountId} differs from B4: ${difference}`, {
        expected: 'the same scheduled payments',
        evidence: [...single.responses.slice(0, 1), ...several.responses.slice(0, 1)],
      })
    }),
  },
  {
    id: 'agreement.energy-accounts',
    title: 'E2 returns the accounts of E1, without users and complexAccountType',
    clause: resources('Energy account', 'complexAccountType, users: only in the GET list variant'),
    run: forEachCustomer(async (context, customerId) => {
      const list = requireList(context, 'E2')
      requireOperation(context, 'E1')
      const listed = await readAccounts(context, 'E1', customerId)
      if (listed.length === 0) skip('the customer has no energy account')
      for (const { users: _users, complexAccountType: _type, ...account } of listed) {
        const accountId = String(account['accountId'])
        const { response, record: found } = await readOne(context, list, customerId, accountId)
        const different = findDifferent(account, found ?? {})
        if (different.length === 0) continue
        fail(`E2 and E1 differ on account ${accountId} in ${formatKeys(different)}`, {
          expected: 'the same fields with the same values',
          evidence: [response],
        })
      }
    }),
  },
  {
    id: 'agreement.accounts',
    title: 'BX1 and EX1 return an account as B1 and E2 do',
    clause: extension(
      'BX1, EX1',
      'the record that B1 returns to the same customer … the record that E2 returns to the same customer',
    ),
    hint: 'isOwned depends on the customer of the request.',
    run: (context) =>
      checkEach(['BX1', 'EX1'], async (ref) => {
        const single = context.operation(ref) ?? skip(describeAbsence(context, ref))
        const views = (await listAccountViews(context)).filter(({ kind }) =>
          single.accountKinds?.includes(kind),
        )
        if (views.length === 0) skip('no customer has an account for it')
        const byCustomer = Map.groupBy(views, ({ customerId }) => customerId)
        const chosen = [...byCustomer.values()].flatMap((each) => each.slice(0, viewsMax))
        for (const { customerId, id, kind, record } of chosen) {
          const response = await context.request(single, buildRequest(single, customerId, id))
          const listed = kind === 'banking' ? record : await readDetail(context, customerId, id)
          const list = kind === 'banking' ? 'B1' : 'E2'
          const found = readMembers(response.body, 'data')
          const different = findDifferent(listed ?? { ...found, accountId: id }, found)
          if (response.isSuccess && different.length === 0) continue
          const difference = response.isSuccess
            ? `differs from ${listed ? list : 'the requested one'} in ${formatKeys(different)}`
            : `returned ${formatStatus(response)}`
          fail(`${ref}: account ${id} of customer ${customerId} ${difference}`, {
            expected: `the record of ${list} in data`,
            evidence: [response],
          })
        }
      }),
  },
  {
    id: 'agreement.users',
    title: 'An account of several customers lists at least as many users',
    clause: resources(
      'Banking account',
      'users: must list all related users (joint holders, secondary users, nominated representatives) when the account is joint or an organisation account',
    ),
    run: async (context) => {
      const listed = (await listAccountViews(context)).filter(({ record }) => record)
      const shared = [...Map.groupBy(listed, ({ kind, id }) => `${kind} account ${id}`)].filter(
        ([, group]) => group.length > 1,
      )
      if (shared.length === 0) skip('B1 and E1 list no account of two of the customers')
      return checkEach(shared, async ([name, group]) => {
        const countUsers = ({ record: { users } = {} }: (typeof group)[number]) =>
          Array.isArray(users) ? users.length : 0
        const wrong = group.find((view) => countUsers(view) < group.length)
        if (!wrong) return
        const list = requireOperation(context, wrong.kind === 'banking' ? 'B1' : 'E1')
        const { customerId } = wrong
        fail(
          `${list.ref}: the ${name} of ${group.length} customers has ${countUsers(wrong)} users`,
          {
            expected: 'all related users of the account',
            evidence: [await context.request(list, { params: { customerId } })],
          },
        )
      })
    },
  },
  {
    id: 'agreement.balances',
    title: 'C4 returns the balance of an account that B2 returns',
    clause: endpoint('C4', 'response {account_id, available: number, current: number, currency}'),
    run: forEachBankAccount(async (context, customerId, accountId) => {
      const list = requireList(context, 'B2')
      const example = requireOperation(context, 'C4')
      const { response, record: balance } = await readOne(context, list, customerId, accountId)
      const other = await context.request(example, { params: { customerId, id: accountId } })
      if (!balance || !isObject(other.body)) return skip('one of them returns no balance')
      const { current, available } = other.body
      const isSame =
        isSameAmount(balance['currentBalance'], current) &&
        isSameAmount(balance['availableBalance'], available)
      if (isSame) return
      fail(`C4 and B2 differ on the balance of account ${accountId}`, {
        expected: 'the same amounts, as numbers in C4 and as strings in B2',
        evidence: [response, other],
      })
    }),
  },
]

/** The only record of a list for one account. */
async function readOne(
  context: CheckContext,
  list: PagedList,
  customerId: string,
  accountId: string,
) {
  const response = await requirePage(context, toSubject(list, customerId, accountId), {})
  const [record] = readRecords(list, response)
  return { response, record }
}

/** Undefined if the provider leaves E2 out. */
async function readDetail(context: CheckContext, customerId: string, accountId: string) {
  if (!context.operation('E2')) return undefined
  return (await readOne(context, requireList(context, 'E2'), customerId, accountId)).record
}

/** The accounts of every customer, each with the record that B1 or E1 lists for that customer, if they list it. */
async function listAccountViews(context: CheckContext) {
  const customers = await findCustomers(context)
  const lists = await Promise.all(
    customers.map(async (customerId) =>
      (await findAccounts(context, customerId)).map((account) => ({ customerId, ...account })),
    ),
  )
  return lists.flat()
}

/** Limits the number of accounts of a customer that are requested one by one. */
const accountsMax = 3
const viewsMax = 10

/** Runs a check on a few bank accounts of every customer. */
function forEachBankAccount(
  check: (context: CheckContext, customerId: string, accountId: string) => Promise<void>,
): Check['run'] {
  return forEachCustomer(async (context, customerId) => {
    const ids = (await findAccountIds(context, customerId, 'banking')).slice(0, accountsMax)
    if (ids.length === 0) skip('the customer has no bank account')
    for (const accountId of ids) await check(context, customerId, accountId)
  })
}

/** Whether a decimal string and a JSON number are the same amount. */
function isSameAmount(decimal: unknown, amount: unknown): boolean {
  if (!isDecimal(decimal) || typeof amount !== 'number') return true
  return (
    Number(decimal) === amount ||
    (isDecimal(String(amount)) && compareDecimals(decimal, String(amount)) === 0)
  )
}

/** The names of the members that two records do not have in common. */
function findDifferent(one: Fields, other: Fields): string[] {
  const [left, right] = [one, other].map((record) => new Map(Object.entries(record)))
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (name) => toCanonical(left?.get(name)) !== toCanonical(right?.get(name)),
  )
}

/** Equal for objects with the same members in any order. */
function toCanonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}
