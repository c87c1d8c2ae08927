import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { energyAccount as example } from '../../src/contract/examples/energy.ts'
import { sharedWorld } from '../support/world.ts'
import * as lines from '../support/world-lines.ts'
import { accountsOf, ask, recordsOf } from '../support/world-operations.ts'

const { users, complexAccountType, ...detail } = example

const world = sharedWorld([
  lines.customer('ana'),
  lines.customer('ben'),
  lines.customer('cy'),
  lines.energyAccount(example.accountId, ['ana'], { ...example }),
  lines.energyAccount('plain', ['ana'], { creationDate: '2020-01-01T00:00:00Z' }),
  lines.energyAccount('joint', ['ana', 'ben'], {
    complexAccountType: 'JOINT',
    users,
    creationDate: '2022-01-01T00:00:00Z',
  }),
  lines.bankingAccount('bank', { ana: true }),
  // In an order that is neither that of creation nor that of ids.
  lines.energyAccount('unknown', ['cy']),
  lines.energyAccount('b', ['cy'], { creationDate: '2021-01-01T11:00:00+11:00' }),
  lines.energyAccount('late', ['cy'], { creationDate: '2022-01-01T00:00:00Z' }),
  lines.energyAccount('a', ['cy'], { creationDate: '2021-01-01T00:00:00Z' }),
  lines.energyAccount('z', ['cy'], { creationDate: '2020-12-31T23:59:59Z' }),
])

describe('E1, the energy accounts of a customer', () => {
  it('lists all of them, with their users and types', async () => {
    const answer = await ask(await world(), 'E1', {})

    assert.equal(answer.status, 200)
    assert.deepEqual(Object.keys(answer.body), ['data', 'links', 'meta'])
    assert.deepEqual(accountsOf('E1', answer), ['plain', example.accountId, 'joint'])
    assert.deepEqual(recordsOf('E1', answer)[1], example)
    assert.deepEqual(answer.body.meta, { totalRecords: 3, totalPages: 1 })
  })

  it('orders by creation and then by id, those of unknown creation last', async () => {
    const answer = await ask(await world(), 'E1', { customer: 'cy' })

    assert.deepEqual(accountsOf('E1', answer), ['z', 'a', 'b', 'late', 'unknown'])
  })

  it('shows a joint account to each of its holders, and no ownership', async () => {
    const answer = await ask(await world(), 'E1', { customer: 'ben' })

    assert.deepEqual(recordsOf('E1', answer), [
      {
        accountId: 'joint',
        users,
        complexAccountType: 'JOINT',
        creationDate: '2022-01-01T00:00:00Z',
      },
    ])
  })
})

describe('E2, energy accounts by id', () => {
  it('shows them with their plans, without users and type', async () => {
    assert.ok(complexAccountType)

    const answer = await ask(await world(), 'E2', { accounts: [example.accountId] })

    assert.equal(answer.status, 200)
    assert.deepEqual(recordsOf('E2', answer), [detail])
  })

  it('shows them in the order asked, whatever their creation', async () => {
    const answer = await ask(await world(), 'E2', {
      customer: 'cy',
      accounts: ['unknown', 'z', 'late', 'a'],
    })

    assert.deepEqual(accountsOf('E2', answer), ['unknown', 'z', 'late', 'a'])
  })

  it('shows a joint account to each of its holders', async () => {
    const here = await world()

    const first = await ask(here, 'E2', { accounts: ['joint'] })
    const second = await ask(here, 'E2', { customer: 'ben', accounts: ['joint'] })

    assert.equal(second.status, 200)
    assert.deepEqual(second.body, first.body)
    assert.doesNotMatch(second.text, /users|complexAccountType|isOwned/)
  })
})
