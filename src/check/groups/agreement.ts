import { isObject } from '../../contract/schema.ts'
import { compareDecimals, differenceOf, isDecimal } from '../compare.ts'
import type { CheckContext } from '../context.ts'
import { accountIdsOf, customersOf } from '../customers.ts'
import { type Check, endpoint, resources } from '../definition.ts'
import { type Fields, listOf, recordsOf, walk, walkAccounts } from '../lists.ts'
import { fail, judgeEach, skip } from '../outcome.ts'
import { requireOperation, statusText } from './errors.ts'
import { requireList } from './order.ts'

/** The same record, asked for in two ways, must be the same. */
export const agreement: readonly Check[] = [
  {
    id: 'agreement.payments',
    title: 'B6 returns the scheduled payments of an account that B4 returns',
    clause: endpoint('B6', 'POST /v1/banking/customer/{customerId}/payments/scheduled'),
    profile: 'full',
    run: async (world) => {
      const one = requireList(world, 'B4')
      const many = requireList(world, 'B6')
      return ofEachAccount(world, 'banking', async (customerId, accountId) => {
        const single = await walk(world, {
          list: one,
          customerId,
          ask: { params: { customerId, accountId } },
          label: `B4 ${customerId} ${accountId}`,
        })
        const several = await walk(world, {
          list: many,
          customerId,
          ask: { params: { customerId }, body: { data: { accountIds: [accountId] } } },
          label: `B6 ${customerId} ${accountId}`,
        })
        const difference = differenceOf(texts(single.records), texts(several.records))
        if (difference === undefined) return
        fail(`B6 of account ${accountId} differs from B4: ${difference}`, {
          expected: 'the same scheduled payments',
          evidence: [...single.answers.slice(0, 1), ...several.answers.slice(0, 1)],
        })
      })
    },
  },
  {
    id: 'agreement.energy-accounts',
    title: 'E2 returns the accounts of E1, without users and complexAccountType',
    clause: resources('Energy account', 'complexAccountType, users: only in the GET list variant'),
    profile: 'full',
    run: async (world) => {
      const detail = requireOperation(world, 'E2')
      requireOperation(world, 'E1')
      return judgeEach(
        await customersOf(world),
        (id) => id,
        async (customerId) => {
          const listed = await walkAccounts(world, 'E1', customerId)
          if (listed.length === 0) skip('the customer has no energy account')
          for (const { users: _users, complexAccountType: _type, ...account } of listed) {
            const body = { data: { accountIds: [account['accountId']] } }
            const answer = await world.ask(detail, { params: { customerId }, body })
            if (!answer.isSuccess) skip(`E2 answered ${statusText(answer)}`)
            const list = listOf(detail)
            const [found] = list ? recordsOf(list, answer) : []
            if (found && textOf(found) === textOf(account)) continue
            fail(`E2 and E1 differ on account ${account['accountId']}`, {
              expected: 'the same fields with the same values',
              evidence: [answer],
            })
          }
        },
      )
    },
  },
  {
    id: 'agreement.balances',
    title: 'C4 returns the balance of an account that B2 returns',
    clause: endpoint('C4', 'response {account_id, available: number, current: number, currency}'),
    profile: 'full',
    run: async (world) => {
      const list = requireList(world, 'B2')
      const example = requireOperation(world, 'C4')
      return ofEachAccount(world, 'banking', async (customerId, accountId) => {
        const body = { data: { accountIds: [accountId] } }
        const answer = await world.ask(list.operation, { params: { customerId }, body })
        const [balance] = recordsOf(list, answer)
        const other = await world.ask(example, { params: { customerId, id: accountId } })
        if (!balance || !isObject(other.body)) return skip('one of them has no balance')
        const { current, available } = other.body
        if (
          isSame(balance['currentBalance'], current) &&
          isSame(balance['availableBalance'], available)
        )
          return
        return fail(`C4 and B2 differ on the balance of account ${accountId}`, {
          expected: 'the same amounts, as numbers in C4 and as strings in B2',
          evidence: [answer, other],
        })
      })
    },
  },
]

const accountsMax = 3

function ofEachAccount(
  world: CheckContext,
  kind: 'banking' | 'energy',
  judge: (customerId: string, accountId: string) => Promise<unknown>,
) {
  return customersOf(world).then((customers) =>
    judgeEach(
      customers,
      (id) => id,
      async (customerId) => {
        const ids = (await accountIdsOf(world, customerId, kind)).slice(0, accountsMax)
        if (ids.length === 0) skip(`the customer has no ${kind} account`)
        for (const accountId of ids) await judge(customerId, accountId)
      },
    ),
  )
}

/** A decimal string and a number that a JSON reader takes for the same amount. */
function isSame(decimal: unknown, amount: unknown): boolean {
  if (!isDecimal(decimal) || typeof amount !== 'number') return true
  return (
    Number(decimal) === amount ||
    (isDecimal(String(amount)) && compareDecimals(decimal, String(amount)) === 0)
  )
}

function texts(records: readonly Fields[]): string[] {
  return records.map(textOf)
}

/** The content, whatever the order of its members. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}
