import assert from 'node:assert/strict'
import { it } from 'node:test'
import { makeSigningKey } from '../../src/auth/signing.ts'
import { toPrivateJwk } from '../../src/auth/signing-key-store.ts'
import { createClient } from '../../src/client/client.ts'
import type { HttpApp } from '../../src/http/app.ts'
import { openCustomerAccounts } from '../../src/platform/consent/account-details.ts'
import {
  openCustomers,
  ProviderUnavailable,
  SharingRefused,
} from '../../src/platform/consent/customers.ts'
import { changeAnswers } from '../support/change-answers.ts'
import { describe, describeOnce, type Scope, shareOnEachEngine } from '../support/engines.ts'
import { bankingAccount, customer, energyAccount, restriction } from '../support/lines.ts'
import type { Line } from '../support/load.ts'
import { patientMs } from '../support/patience.ts'
import { openProvider } from '../support/provider.ts'

const holders = [
  { id: 1, isAccountHolder: true },
  { id: 2, isAccountHolder: true },
]

const lines = [
  customer('c1'),
  customer('c2'),
  customer('none'),
  bankingAccount(
    'a1',
    { c1: true },
    {
      displayName: 'Everyday',
      productName: 'Smart Access',
      productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS',
      maskedNumber: 'xxxx xxxx 1234',
      creationDate: '2020-01-01T00:00:00Z',
    },
  ),
  bankingAccount(
    'a2',
    { c1: true, c2: false },
    {
      displayName: 'Everyday',
      productName: 'Smart Access',
      productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS',
      maskedNumber: '1234 5678 9012',
      openStatus: 'CLOSED',
      accountOwnership: 'TWO_PARTY',
      creationDate: '2021-01-01T00:00:00Z',
      users: holders,
    },
  ),
  energyAccount('e1', ['c1'], {
    displayName: 'Home power',
    accountNumber: 'EN-1000234',
    complexAccountType: 'ORGANISATION',
    creationDate: '2022-01-01T00:00:00Z',
    users: [{ id: 'u1', isAccountHolder: true }],
    plans: [
      { planOverview: { displayName: 'Flat rate' }, planDetail: { fuelType: 'ELECTRICITY' } },
    ],
  }),
]

async function open(scope: Scope, loaded: readonly Line[], prepare?: (app: HttpApp) => void) {
  const provider = await openProvider(scope, loaded, { ...(prepare && { prepare }) })
  const client = createClient({
    providerUrl: provider.address,
    subdomain: 'bank',
    key: toPrivateJwk(await makeSigningKey('ES256', Temporal.Now.instant())),
    timeoutMs: patientMs,
    retriesMax: 0,
  })
  const connect = async () => client
  return openCustomerAccounts(connect, openCustomers(connect, patientMs), patientMs)
}

/** C2 does not list the account. */
function hide(accountId: string) {
  return (app: HttpApp) => {
    changeAnswers(app, ({ routeOptions }, { statusCode }, body) => {
      if (routeOptions.config.operation?.ref !== 'C2' || statusCode !== 200) return body
      const { accounts } = JSON.parse(body)
      const listed = accounts.filter(({ id }: { id: string }) => id !== accountId)
      return JSON.stringify({ accounts: listed })
    })
  }
}

describe('the accounts of a customer', () => {
  const shared = shareOnEachEngine((scope) => open(scope, lines, hide('a2')))

  it('have the number, product, state and creation of B1 and E1, also where C2 does not list them', async () => {
    const read = await shared()

    const { accounts, isComplete } = await read('c1')

    assert.ok(isComplete)
    assert.deepEqual(
      accounts.map(({ id, name, displayName, kind, number, isOpen, isShareable, created }) => [
        id,
        name,
        displayName,
        kind,
        number,
        isOpen,
        isShareable,
        created?.toString(),
      ]),
      [
        [
          'a1',
          'Smart Access',
          'Everyday',
          'banking',
          'xxxx xxxx 1234',
          true,
          true,
          '2020-01-01T00:00:00Z',
        ],
        [
          'e1',
          'Flat rate',
          'Home power',
          'energy',
          'EN-1000234',
          true,
          true,
          '2022-01-01T00:00:00Z',
        ],
        [
          'a2',
          'Smart Access',
          'Everyday',
          'banking',
          'xxxx xxxx 9012',
          false,
          false,
          '2021-01-01T00:00:00Z',
        ],
      ],
    )
  })

  it('say whether several people or an organisation hold them', async () => {
    const read = await shared()

    const { accounts } = await read('c1')

    const found = accounts.map(({ id, isJoint, isOrganisation }) => [id, isJoint, isOrganisation])
    assert.deepEqual(found, [
      ['a1', false, false],
      ['e1', false, true],
      ['a2', true, false],
    ])
  })

  it('are none for a customer without accounts', async () => {
    const read = await shared()

    assert.deepEqual(await read('none'), { accounts: [], isComplete: true })
  })

  it('cannot be read for an unknown customer', async () => {
    const read = await shared()

    await assert.rejects(read('unknown'), ProviderUnavailable)
  })
})

describeOnce('the accounts of a customer', () => {
  for (const [name, answer] of [
    ['fail', (status: (code: number) => void) => status(500)],
    ['do not answer', () => {}],
  ] as const) {
    it(`have no details while B1 and E1 ${name}`, async (scope) => {
      const read = await open(scope, lines, (app) => {
        app.addHook('onRequest', async ({ routeOptions }, reply) => {
          if (!['B1', 'E1'].includes(routeOptions.config.operation?.ref ?? '')) return
          reply.hijack()
          answer((code) => reply.raw.writeHead(code).end())
        })
      })

      const { accounts, isComplete } = await read('c1', { detailsMs: 100 })

      assert.ok(!isComplete)
      assert.deepEqual(
        accounts.map(({ id, name, number, isOpen, kind }) => [id, name, number, isOpen, kind]),
        [
          ['a1', 'Smart Access', undefined, undefined, 'banking'],
          ['a2', 'Smart Access', undefined, undefined, 'banking'],
          ['e1', 'Flat rate', undefined, undefined, 'energy'],
        ],
      )
    })
  }

  it('are those of C2 if the provider has no such lists', async (scope) => {
    const read = await open(scope, lines, (app) => {
      app.addHook('onRequest', async ({ routeOptions }, reply) => {
        if (!['B1', 'E1'].includes(routeOptions.config.operation?.ref ?? '')) return
        reply.status(404).send('{}')
      })
    })

    const { accounts, isComplete } = await read('c1')

    assert.ok(isComplete)
    assert.equal(accounts.length, 3)
  })

  it('are refused for a restricted customer', async (scope) => {
    const read = await open(scope, [...lines, restriction({ customerId: 'c1' }, 'blocked')])

    await assert.rejects(read('c1'), SharingRefused)
  })

  it('are read in pages of 1000', async (scope) => {
    const queries: string[] = []
    const many = Array.from({ length: 1001 }, (_, index) =>
      bankingAccount(`m${index}`, { c1: true }, { maskedNumber: `xxxx${1000 + index}` }),
    )
    const read = await open(scope, [customer('c1'), ...many], (app) => {
      app.addHook('onRequest', async ({ routeOptions, query }) => {
        const { page, 'page-size': size } = query as Record<string, string>
        if (routeOptions.config.operation?.ref === 'B1') queries.push(`${page ?? 1} ${size}`)
      })
    })

    const { accounts, isComplete } = await read('c1')

    assert.ok(isComplete)
    assert.equal(new Set(accounts.map(({ number }) => number)).size, 1001)
    assert.deepEqual(queries, ['1 1000', '2 1000'])
  })

  it('survive records whose fields are of another type', async (scope) => {
    const odd = {
      accountId: 'a1',
      maskedNumber: 7,
      creationDate: 'yesterday',
      users: 'two',
      productName: ' ',
      plans: {},
    }
    const read = await open(scope, lines, (app) => {
      changeAnswers(app, ({ routeOptions }, { statusCode }, body) => {
        const { ref = '' } = routeOptions.config.operation ?? {}
        if (!['B1', 'E1'].includes(ref) || statusCode !== 200) return body
        return JSON.stringify({ data: { accounts: [odd] }, links: {}, meta: {} })
      })
    })

    const { accounts } = await read('c1')

    const [first] = accounts
    assert.equal(first?.name, 'Smart Access')
    assert.equal(first?.number, undefined)
    assert.equal(first?.created, undefined)
  })
})
