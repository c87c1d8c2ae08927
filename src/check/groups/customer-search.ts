import { isObject } from '../../contract/schema.ts'
import type { CheckContext } from '../context.ts'
import { findCustomers, searchByEmail } from '../customers.ts'
import { type Check, endpoint } from '../definition.ts'
import type { HttpResponse } from '../http-client.ts'
import { checkEach, fail, skip } from '../outcome.ts'
import { requireOperation, unknownEmail } from '../requests.ts'
import { formatStatus, isRejection, readError } from '../responses.ts'

async function search(context: CheckContext, email: string): Promise<HttpResponse> {
  const operation = requireOperation(context, 'C1')
  const response = await context.request(operation, { body: { email } })
  if (isRejection(response) && readError(response) !== undefined && email !== unknownEmail) {
    skip(
      `the interface does not define the body of C1, and {"email": …} was rejected with ${response.status}`,
    )
  }
  return response
}

function readMatches({ body }: HttpResponse): Record<string, unknown>[] {
  return isObject(body) && Array.isArray(body['data']) ? body['data'].filter(isObject) : []
}

/** An address to search for: one of the options, otherwise the one that C3 returns. */
async function findEmail(context: CheckContext): Promise<{ email: string; customerId?: string }> {
  const [email] = context.options.emails
  if (email !== undefined) return { email }
  const identity = context.operation('C3')
  for (const customerId of await findCustomers(context)) {
    if (!identity) break
    const { body } = await context.request(identity, { params: { customerId } })
    if (isObject(body) && typeof body['email'] === 'string')
      return { email: body['email'], customerId }
  }
  return skip('no e-mail address is known: pass one with --email')
}

const searchClause = endpoint(
  'C1',
  'find the customer associated with the session, looked up by the e-mail address given during authentication',
)
export const customerSearch: readonly Check[] = [
  {
    id: 'consent.search.found',
    title: 'C1 finds a customer by e-mail address',
    clause: searchClause,
    profile: 'smoke',
    run: async (context) => {
      const { email, customerId } = await findEmail(context)
      const response = await search(context, email)
      const ids = readMatches(response).map(({ id }) => String(id))
      if (customerId === undefined ? ids.length > 0 : ids.includes(customerId))
        return { seen: `${ids.length} found` }
      return fail(
        `C1 found ${ids.length} customers${customerId === undefined ? '' : `, but not ${customerId}, whose address C3 returns`}`,
        { expected: 'the customer with that address', evidence: [response] },
      )
    },
  },
  {
    id: 'consent.search.fields',
    title: 'C1 returns only id, name and phoneNumber',
    clause: endpoint(
      'C1',
      'C1 returns only id, name and phoneNumber; the other identity fields were removed from the search result',
    ),
    profile: 'smoke',
    run: async (context) => {
      const { email } = await findEmail(context)
      const response = await search(context, email)
      const matches = readMatches(response)
      if (matches.length === 0) skip('no customer was found')
      const others = [...new Set(matches.flatMap(Object.keys))].filter(
        (name) => !['id', 'name', 'phoneNumber'].includes(name),
      )
      if (others.length === 0) return {}
      return fail(`C1 also returns ${others.join(', ')}`, {
        expected: 'id, name and phoneNumber',
        evidence: [response],
      })
    },
  },
  {
    id: 'consent.search.exact',
    title: 'C1 finds no customer by a part or a pattern of an address',
    clause: searchClause,
    run: async (context) => {
      const { email } = await findEmail(context)
      await search(context, email)
      const [name = '', host = ''] = email.split('@')
      for (const wrong of [
        `%@${host}`,
        `${name.slice(0, -1)}_@${host}`,
        `${name.slice(1)}@${host}`,
        `${name}@${host.slice(0, -1)}`,
      ]) {
        const ids = await searchByEmail(context, wrong)
        if (ids.length === 0) continue
        const response = await search(context, wrong)
        fail(`C1 found ${ids.length} customers by a part or a pattern of an address`, {
          expected: 'no customer',
          evidence: [response],
        })
      }
      return {}
    },
  },
  {
    id: 'consent.search.unknown',
    title: 'The response of C1 to an unknown address is reported',
    clause: endpoint('C1', 'response {data: array of {id, name, phoneNumber}}'),
    choice: { ofHoldfast: 'an empty list', decision: '0024-consent-flow' },
    run: async (context) => {
      const response = await search(context, unknownEmail)
      const found = readMatches(response).length
      if (found > 0 || !(response.isSuccess || isRejection(response))) {
        fail(
          `C1 returned ${formatStatus(response)} with ${found} customers for an address that no customer has`,
          { expected: 'an empty list, or a rejection', evidence: [response] },
        )
      }
      return {
        seen: response.isSuccess ? 'an empty list' : `rejected with ${response.status}`,
        isHoldfastChoice: response.isSuccess,
        evidence: [response],
      }
    },
  },
  {
    id: 'consent.search.case',
    title: 'Whether C1 compares addresses case-sensitively is reported',
    clause: searchClause,
    choice: { ofHoldfast: 'case-insensitive', decision: '0024-consent-flow' },
    run: async (context) => {
      const { email } = await findEmail(context)
      const plain = readMatches(await search(context, email)).length
      // Only ASCII letters: ß would become SS, which is another address.
      const upperCase = email.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())
      const upper = await search(context, upperCase)
      if (plain === 0) skip('no customer was found')
      const isSame = readMatches(upper).length === plain
      return {
        seen: isSame ? 'case-insensitive' : 'case-sensitive',
        isHoldfastChoice: isSame,
        evidence: [upper],
      }
    },
  },
  {
    id: 'consent.search.empty',
    title: 'C1 returns no customer without an e-mail address',
    clause: searchClause,
    profile: 'smoke',
    hint: 'Reject a search without an address: a missing filter must not match every customer.',
    run: async (context) => {
      const operation = requireOperation(context, 'C1')
      const bodies = [
        {},
        { email: '' },
        { email: null },
        { email: ' ' },
        { email: '@' },
        { data: {} },
      ]
      const checkBody = async (body: object) => {
        const response = await context.request(operation, { body })
        const count = readMatches(response).length
        if (count === 0) return
        fail(`C1 returned ${count} customers for the body ${JSON.stringify(body)}`, {
          expected: 'an error, or an empty list',
          evidence: [response],
        })
      }
      return checkEach(bodies, checkBody, (body) => JSON.stringify(body))
    },
  },
]
