import { isObject } from '../../contract/schema.ts'
import type { CheckContext } from '../context.ts'
import { customersByEmail, customersOf } from '../customers.ts'
import { type Check, endpoint } from '../definition.ts'
import type { Answer } from '../http-client.ts'
import { fail, judgeEach, skip } from '../outcome.ts'
import { errorOf, isRefusal, requireOperation, statusText } from './errors.ts'

async function searchOf(world: CheckContext, email: string): Promise<Answer> {
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
  return isObject(body) && Array.isArray(body['data']) ? body['data'].filter(isObject) : []
}

/** An address to search by: one that was given, else the one that C3 shows. */
async function emailOf(world: CheckContext): Promise<{ email: string; customerId?: string }> {
  const [email] = world.options.emails
  if (email !== undefined) return { email }
  const identity = world.operation('C3')
  for (const customerId of await customersOf(world)) {
    if (!identity) break
    const { body } = await world.ask(identity, { params: { customerId } })
    if (isObject(body) && typeof body['email'] === 'string')
      return { email: body['email'], customerId }
  }
  return skip('no e-mail address is known: name one with --email')
}

const search = endpoint(
  'C1',
  'find the customer associated with the session, looked up by the e-mail address given during authentication',
)
export const customerSearch: readonly Check[] = [
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
          decision: '0024-consent-flow',
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
      // Letters beyond ASCII have no one other case: ß would become SS, which is another address.
      const upperCase = email.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())
      const upper = await searchOf(world, upperCase)
      if (plain === 0) skip('nobody was found')
      const isSame = matchesOf(upper).length === plain
      return {
        choice: {
          seen: isSame ? 'it does not count' : 'it counts',
          isOurs: isSame,
          ours: 'the case of an address does not count',
          decision: '0024-consent-flow',
          evidence: [upper],
        },
      }
    },
  },
  {
    id: 'consent.search.empty',
    title: 'C1 returns no customer where no e-mail address is given',
    clause: search,
    profile: 'smoke',
    hint: 'Reject a search without an address: a missing filter must not match every customer.',
    run: async (world) => {
      const operation = requireOperation(world, 'C1')
      const bodies = [
        {},
        { email: '' },
        { email: null },
        { email: ' ' },
        { email: '@' },
        { data: {} },
      ]
      return judgeEach(bodies, JSON.stringify, async (body) => {
        const answer = await world.ask(operation, { body })
        const count = matchesOf(answer).length
        if (count === 0) return
        fail(`C1 returned ${count} customers for the body ${JSON.stringify(body)}`, {
          expected: 'an error, or an empty list',
          evidence: [answer],
        })
      })
    },
  },
]
