import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeSigningKey } from '../../auth/signing.ts'
import { toPrivateJwk } from '../../auth/signing-key-store.ts'
import { createClient } from '../../client/client.ts'
import { refusalHeader } from '../../contract/refusals.ts'
import { openCustomerAccounts } from './account-details.ts'
import { openCustomers, ProviderUnavailable } from './customers.ts'

const key = toPrivateJwk(await makeSigningKey('ES256', Temporal.Now.instant()))
const markup = { html: '<b>', toString: 1 }
const odd = [null, 7, 'text', {}, markup]
const badIds = ['', 7, markup, 'a\0b', '..', 'a\\b', 'x'.repeat(257)].map((id) => ({
  id,
  name: 'Name',
}))

/** What is read of a provider that gives these answers, by the end of the path. */
function readFrom(answers: Readonly<Record<string, unknown>>) {
  const client = createClient({
    providerUrl: 'https://provider.example',
    subdomain: 'bank',
    key,
    retriesMax: 0,
    fetch: async (input) => {
      const path = new URL(String(input)).pathname
      const [, answer] = Object.entries(answers).find(([end]) => path.endsWith(end)) ?? []
      if (answer instanceof Response) return answer
      return answer === undefined ? new Response('{}', { status: 404 }) : Response.json(answer)
    },
  })
  const connect = async () => client
  const customers = openCustomers(connect)
  return { ...customers, readAccounts: openCustomerAccounts(connect, customers) }
}

describe('customers that the provider finds', () => {
  it('have an id and a name: others are not found, like an unknown address', async () => {
    const valid = { id: '__proto__', name: 'Ana', phoneNumber: '+61400000006' }
    const data = [
      ...odd,
      ...badIds,
      { ...valid, name: markup },
      valid,
      { ...valid, phoneNumber: 7 },
    ]
    const { search } = readFrom({ search: { data } })

    const found = await search('ana@example.com')

    assert.deepEqual(found, [valid, { id: valid.id, name: 'Ana' }])
  })
})

describe('a customer that the provider refuses to find', () => {
  it('is not found, like an unknown address', async () => {
    const refusal = Response.json({}, { status: 403, headers: { [refusalHeader]: 'true' } })
    const { search } = readFrom({ search: refusal })

    assert.deepEqual(await search('ana@example.com'), [])
  })
})

describe('accounts that the provider lists', () => {
  it('have an id and texts: others are left out', async () => {
    const account = { id: 'constructor', name: 'Savings', displayName: 'Mine', type: 'constructor' }
    const details = [...badIds.map(({ id }) => id), account.id].map((accountId) => {
      return { accountId, accountNumber: markup, productCategory: markup, productName: markup }
    })
    const { readAccounts } = readFrom({
      '/auth/v1/customer/c1/accounts': {
        accounts: [...odd, ...badIds, { ...account, type: markup, displayName: markup }, account],
      },
      '/v1/banking/customer/c1/accounts': { data: { accounts: details }, links: {}, meta: {} },
    })

    const { accounts } = await readAccounts('c1')

    assert.deepEqual(
      accounts.map(({ id, name, displayName, number }) => [id, name, displayName, number]),
      [
        ['constructor', 'Savings', undefined, undefined],
        ['constructor', 'Savings', 'Mine', undefined],
      ],
    )
  })

  it('are a list, or the provider counts as unavailable', async () => {
    const { listAccounts } = readFrom({ '/auth/v1/customer/c1/accounts': { accounts: { a: 1 } } })

    await assert.rejects(listAccounts('c1'), new ProviderUnavailable('the answer is not a list'))
  })
})
