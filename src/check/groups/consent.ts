import { isFields } from '../../contract/schema.ts'
import { differenceOf, repeatedIn, shown } from '../compare.ts'
import { type Check, endpoint } from '../definition.ts'
import { fail, judgeEach, skip } from '../finding.ts'
import { keyOf, walk, walkAccounts, wholeQuery, wholeWalk } from '../lists.ts'
import {
  accountIdsOf,
  accountsOf,
  customersByEmail,
  customersOf,
  kindOf,
  shareableOf,
} from '../people.ts'
import type { Answer } from '../wire.ts'
import type { World } from '../world.ts'
import { errorOf, isRefusal, statusText } from './errors.ts'
import { requireList } from './order.ts'

function requireOperation(world: World, ref: string) {
  return world.operation(ref) ?? skip(`${ref} is left out on purpose`)
}

async function searchOf(world: World, email: string): Promise<Answer> {
  const operation = requireOperation(world, 'C1')
  const answer = await world.ask(operation, { body: { email } })
  if (isRefusal(answer) && errorOf(answer) !== undefined && !email.includes('no-such')) {
    skip(
      `the interface does not show the body of C1, and {"email": …} was refused with ${answer.status}`,
    )
  }
  return answer
}

function matchesOf({ body }: Answer): Record<string, unknown>[] {
  return isFields(body) && Array.isArray(body['data']) ? body['data'].filter(isFields) : []
}

/** An address to search by: one that was given, else the one that C3 shows. */
async function emailOf(world: World): Promise<{ email: string; customerId?: string }> {
  const [email] = world.options.emails
  if (email !== undefined) return { email }
  const identity = world.operation('C3')
  for (const customerId of await customersOf(world)) {
    if (!identity) break
    const { body } = await world.ask(identity, { params: { customerId } })
    if (isFields(body) && typeof body['email'] === 'string')
      return { email: body['email'], customerId }
  }
  return skip('no e-mail address is known: name one with --email')
}

const search = endpoint(
  'C1',
  'find the customer associated with the session, looked up by the e-mail address given during authentication',
)
const list = endpoint('C2', 'list accounts available for sharing during consent')

export const consent: readonly Check[] = [
  {
    id: 'consent.search.found',
    title: 'C1 finds a customer by e-mail address',
    clause: search,
    profile: 'smoke',
    run: async (world) => {
      const { email, customerId } = await emailOf(world)
      const answer = await searchOf(world, email)
      const ids = matchesOf(answer).map(({ id }) => String(id))
      if (customerId === undefined ? ids.length > 0 : ids.includes(customerId))
        return { seen: `${ids.length} found` }
      return fail(
        `C1 found ${ids.length} customers${customerId === undefined ? '' : `, and not ${customerId}, whose address C3 shows`}`,
        {
          expected: 'the customer with that address',
          evidence: [answer],
        },
      )
    },
  },
  {
    id: 'consent.search.fields',
    title: 'C1 shows id, name and phoneNumber alone',
    clause: endpoint(
      'C1',
      'C1 returns only id, name and phoneNumber; the other identity fields were removed from the search result',
    ),
    profile: 'smoke',
    run: async (world) => {
      const { email } = await emailOf(world)
      const answer = await searchOf(world, email)
      const matches = matchesOf(answer)
      if (matches.length === 0) skip('nobody was found')
      const others = [...new Set(matches.flatMap(Object.keys))].filter(
        (name) => !['id', 'name', 'phoneNumber'].includes(name),
      )
      if (others.length === 0) return {}
      return fail(`C1 also shows ${others.join(', ')}`, {
        expected: 'id, name and phoneNumber',
        evidence: [answer],
      })
    },
  },
  {
    id: 'consent.search.exact',
    title: 'C1 finds nobody by a part or a pattern of an address',
    clause: search,
    profile: 'full',
    run: async (world) => {
      const { email } = await emailOf(world)
      await searchOf(world, email)
      const [name = '', host = ''] = email.split('@')
      for (const wrong of [
        `%@${host}`,
        `${name.slice(0, -1)}_@${host}`,
        `${name.slice(1)}@${host}`,
        `${name}@${host.slice(0, -1)}`,
      ]) {
        const ids = await customersByEmail(world, wrong)
        if (ids.length === 0) continue
        const answer = await searchOf(world, wrong)
        fail(`C1 found ${ids.length} customers by a part or a pattern of an address`, {
          expected: 'nobody',
          evidence: [answer],
        })
      }
      return {}
    },
  },
  {
    id: 'consent.search.unknown',
    title: 'What C1 says of an unknown address is seen',
    clause: endpoint('C1', 'response {data: array of {id, name, phoneNumber}}'),
    profile: 'full',
    run: async (world) => {
      const answer = await searchOf(world, 'no-such-customer@check.holdfast.invalid')
      const found = matchesOf(answer).length
      if (found > 0 || !(answer.isSuccess || isRefusal(answer))) {
        fail(
          `C1 answered ${statusText(answer)} with ${found} customers to an address that nobody has`,
          {
            expected: 'an empty list, or a refusal',
            evidence: [answer],
          },
        )
      }
      return {
        choice: {
          seen: answer.isSuccess ? 'an empty list' : `refused with ${answer.status}`,
          isOurs: answer.isSuccess,
          ours: 'an empty list',
          decision: '0024-consent-flow-answers',
          evidence: [answer],
        },
      }
    },
  },
  {
    id: 'consent.search.case',
    title: 'Whether C1 regards the case of an address is seen',
    clause: search,
    profile: 'full',
    run: async (world) => {
      const { email } = await emailOf(world)
      const plain = matchesOf(await searchOf(world, email)).length
      const upper = await searchOf(world, email.toUpperCase())
      if (plain === 0) skip('nobody was found')
      const isSame = matchesOf(upper).length === plain
      return {
        choice: {
          seen: isSame ? 'it does not count' : 'it counts',
          isOurs: isSame,
          ours: 'the case of an address does not count',
          decision: '0024-consent-flow-answers',
          evidence: [upper],
        },
      }
    },
  },
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
          decision: '0024-consent-flow-answers',
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
          const id = isFields(answer.body) ? answer.body['id'] : undefined
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
          const shownId = isFields(answer.body) ? answer.body['account_id'] : undefined
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
