import { isObject } from '../../contract/schema.ts'
import { differenceOf, repeatedIn, shown } from '../compare.ts'
import { accountIdsOf, accountsOf, customersOf, kindOf, shareableOf } from '../customers.ts'
import { type Check, endpoint } from '../definition.ts'
import { keyOf, walk, walkAccounts, wholeQuery, wholeWalk } from '../lists.ts'
import { fail, judgeEach, skip } from '../outcome.ts'
import { requireOperation, statusText } from './errors.ts'
import { requireList } from './order.ts'

const list = endpoint('C2', 'list accounts available for sharing during consent')

export const consent: readonly Check[] = [
  {
    id: 'consent.accounts.once',
    title: 'C2 lists every account once',
    clause: list,
    profile: 'full',
    run: async (world) => {
      requireOperation(world, 'C2')
      return judgeEach(
        await customersOf(world),
        (id) => id,
        async (customerId) => {
          const ids = (await shareableOf(world, customerId)) ?? skip('C2 did not answer')
          const repeated = repeatedIn(ids)
          if (repeated.length > 0)
            fail(`C2 lists twice for customer ${customerId}: ${shown(repeated)}`, {
              expected: 'each account once',
            })
        },
      )
    },
  },
  {
    id: 'consent.accounts.usable',
    title: 'An account that C2 lists is known to the data endpoints',
    clause: endpoint(
      'C2',
      'the consent-flow account list, which unifies account listing across industries',
    ),
    profile: 'smoke',
    hint: 'The id of C2 is the accountId that the other endpoints are asked with.',
    run: async (world) => {
      requireOperation(world, 'C2')
      if (!world.operation('B2') || !world.operation('E2'))
        skip('the provider has not both B2 and E2')
      return judgeEach(
        await customersOf(world),
        (id) => id,
        async (customerId) => {
          const ids = (await shareableOf(world, customerId)) ?? skip('C2 did not answer')
          const known = (await accountsOf(world, customerId)).map(({ id }) => id)
          for (const id of ids.filter((each) => !known.includes(each)).slice(0, strangersMax)) {
            if ((await kindOf(world, customerId, id)) !== undefined) continue
            fail(
              `C2 lists account ${id} of customer ${customerId}, which no other endpoint knows`,
              {
                expected: 'ids that B1 or E1 lists, or B2 or E2 takes',
              },
            )
          }
        },
      )
    },
  },
  {
    id: 'consent.accounts.energy',
    title: 'E1 lists the accounts that C2 offers',
    clause: endpoint(
      'E1',
      'E1 lists all accounts available for sharing, to support account selection during authorisation; it is deprecated in favour of C2',
    ),
    profile: 'full',
    run: async (world) => {
      requireOperation(world, 'C2')
      requireOperation(world, 'E1')
      return judgeEach(
        await customersOf(world),
        (id) => id,
        async (customerId) => {
          const ids = (await shareableOf(world, customerId)) ?? skip('C2 did not answer')
          const listed = (await walkAccounts(world, 'E1', customerId)).map((record) =>
            String(record['accountId']),
          )
          if (listed.length === 0) skip('the customer has no energy account')
          const strange = listed.filter((id) => !ids.includes(id))
          if (strange.length > 0)
            fail(
              `E1 lists accounts of customer ${customerId} that C2 does not: ${shown(strange)}`,
              { expected: 'the same accounts' },
            )
        },
      )
    },
  },
  {
    id: 'consent.accounts.complete',
    title: 'C2 offers the accounts of both industries that B1 shows',
    clause: endpoint('C2', 'C2, which unifies account listing across industries'),
    profile: 'full',
    run: async (world) => {
      requireOperation(world, 'C2')
      requireOperation(world, 'B1')
      const missing: string[] = []
      const judged = await judgeEach(
        await customersOf(world),
        (id) => id,
        async (customerId) => {
          const ids = (await shareableOf(world, customerId)) ?? skip('C2 did not answer')
          for (const record of await walkAccounts(world, 'B1', customerId)) {
            if (!ids.includes(String(record['accountId'])))
              missing.push(String(record['accountId']))
          }
        },
      )
      return {
        ...judged,
        choice: {
          seen:
            missing.length === 0
              ? 'every account of B1 is offered'
              : `not offered: ${shown(missing)}`,
          isOurs: missing.length === 0,
          ours: 'every account is offered',
          decision: '0024-consent-flow',
        },
      }
    },
  },
  {
    id: 'consent.identity.id',
    title: 'C3 shows the customer that was asked for',
    clause: endpoint('C3', 'identity details for issuing identity tokens'),
    profile: 'smoke',
    run: async (world) => {
      const operation = requireOperation(world, 'C3')
      return judgeEach(
        await customersOf(world),
        (id) => id,
        async (customerId) => {
          const answer = await world.ask(operation, { params: { customerId } })
          if (!answer.isSuccess) skip(`C3 answered ${statusText(answer)}`)
          const id = isObject(answer.body) ? answer.body['id'] : undefined
          if (id !== customerId)
            fail(`C3 shows the id ${JSON.stringify(id)} for customer ${customerId}`, {
              expected: `the id ${customerId}`,
              evidence: [answer],
            })
        },
      )
    },
  },
  {
    id: 'consent.balance.account',
    title: 'C4 shows the account that was asked for',
    clause: endpoint('C4', 'response {account_id, available: number, current: number, currency}'),
    profile: 'full',
    run: async (world) => {
      const operation = requireOperation(world, 'C4')
      return judgeEach(
        await customersOf(world),
        (id) => id,
        async (customerId) => {
          const [id] = await accountIdsOf(world, customerId, 'banking')
          if (id === undefined) return skip('the customer has no bank account')
          const answer = await world.ask(operation, { params: { customerId, id } })
          if (!answer.isSuccess) skip(`C4 answered ${statusText(answer)}`)
          const shownId = isObject(answer.body) ? answer.body['account_id'] : undefined
          if (shownId !== id)
            fail(`C4 shows the account ${JSON.stringify(shownId)} where ${id} was asked for`, {
              expected: `account_id ${id}`,
              evidence: [answer],
            })
        },
      )
    },
  },
  {
    id: 'consent.billing.same',
    title: 'E5 shows of one account what E4 does',
    clause: endpoint('E5', 'POST …/accounts/billing: data.transactions; links; meta'),
    profile: 'full',
    run: async (world) => {
      const one = requireList(world, 'E4')
      const many = requireList(world, 'E5')
      const { subject, whole } = await wholeWalk(world, one, { wanted: 100 })
      const { customerId } = subject
      const accountId = subject.ask.params?.['accountId'] ?? ''
      const ask = { params: { customerId }, body: { data: { accountIds: [accountId] } } }
      const other = await walk(
        world,
        { list: many, customerId, ask, label: `E5 ${customerId} ${accountId}` },
        wholeQuery(world, many),
      )
      const difference = differenceOf(
        whole.records.map((record) => keyOf(one, record)),
        other.records.map((record) => keyOf(many, record)),
      )
      if (difference === undefined) return {}
      return fail(`E5 of account ${accountId} differs from E4: ${difference}`, {
        expected: 'the same billing transactions',
        evidence: other.answers.slice(0, 1),
      })
    },
  },
]

/** How many accounts that B1 and E1 do not list are asked for. */
const strangersMax = 5
