import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openCustomers, openProviderClient } from '../../src/platform/consent/customers.ts'
import { openDeliveries } from '../../src/platform/consent/outbox/deliveries.ts'
import { createReceipts } from '../../src/platform/consent/outbox/receipts.ts'
import { createMessagePost } from '../../src/platform/consent/post-message.ts'
import { describe, type Scope, shareOnEachEngine } from '../support/engines.ts'
import { until } from '../support/until.ts'
import { openPasscodeService } from './passcode-service.ts'
import { type ConsentPlatform, nextCustomer, openConsentPlatform } from './platform.ts'
import { makeArrangement, makeThirdParty } from './stores.ts'

const platformOnEachEngine = shareOnEachEngine(async (scope: Scope) => {
  const platform = await openConsentPlatform(scope)
  await platform.store.thirdParties.add(makeThirdParty('tp'))
  return platform
})

const now = () => Temporal.Instant.fromEpochMilliseconds(Date.now())
const inAnHour = () => now().add({ hours: 1 })

/** The deliveries of a process that sends receipts. */
async function deliver(
  scope: Scope,
  { store, signingKeys, provider }: ConsentPlatform,
  clock = now,
): ReturnType<typeof openPasscodeService> {
  const service = await openPasscodeService(scope)
  const { url } = service
  const shared = { subdomain: 'bank', signingKeys }
  const customers = openCustomers(openProviderClient({ ...shared, providerUrl: provider.address }))
  const post = createMessagePost({ ...shared, url })
  await store.outbox.setReceipts(true, now())
  const deliveries = openDeliveries({
    store,
    signingKeys,
    brandId: 'https://bank.example',
    clock,
    receipts: {
      url,
      prepare: createReceipts({ store, customers, post, brandName: 'Demo Bank', clock }),
    },
    onResult: () => {},
    onFailure: () => {},
    onError: (error) => assert.fail(error),
  })
  scope.after(async () => {
    await deliveries.close()
    await store.outbox.setReceipts(false, now())
  })
  return service
}

async function give({ store }: ConsentPlatform, customerId: string, id: string) {
  const from = now()
  const arrangement = makeArrangement(id, { customerId, from, until: inAnHour() })
  await store.arrangements.add(arrangement)
  return arrangement
}

const readMessages = async ({ store }: ConsentPlatform, id: string) =>
  (await store.outbox.listMessages([id])).get(id) ?? []

describe('a customer', () => {
  it('5CM1.02.07, 5CM2.00.07: gets a receipt of a consent, its amendment and its end', async (t) => {
    const platform = await platformOnEachEngine()
    const { arrangements } = platform.store
    const { posted } = await deliver(t, platform)
    const { id: customerId, email } = nextCustomer()
    const given = await give(platform, customerId, 'r1')
    const amended = { ...given, id: 'r1-amended', accountIds: ['a1'], until: inAnHour() }

    const count = (seen: number) => until(() => posted.length >= seen)
    await count(1)
    await arrangements.add(amended, { isAmendment: true })
    assert.ok(await arrangements.amend('r1', 'r1-amended', now()))
    await count(2)
    assert.ok(await arrangements.withdraw('r1', 'operator', now()))
    await count(3)

    const messages = await readMessages(platform, 'r1')
    const receipt = {
      name: `Customer ${customerId}`,
      phoneNumber: '+61400000000',
      email,
      purpose: 'receipt',
      consentId: 'r1',
      thirdParty: 'Example Budget',
      data: ['Account name, type and balance'],
      brandName: 'Demo Bank',
    }
    const last = { ...receipt, accountCount: 1, until: amended.until.toString() }
    assert.deepEqual(
      posted.map(({ body: { id, time, ...rest } }) => rest),
      [
        { ...receipt, event: 'given', accountCount: 2, until: given.until.toString() },
        { ...last, event: 'amended' },
        { ...last, event: 'ended', reason: 'operator' },
      ],
    )
    assert.deepEqual(
      posted.map(({ body }) => body['time']),
      messages.map(({ created }) => created.toString()),
    )
    assert.equal(new Set(posted.map(({ body }) => body['id'])).size, 3)
    assert.deepEqual(await readMessages(platform, 'r1-amended'), [])
  })

  it('gets a receipt of the agreed end', async (t) => {
    const platform = await platformOnEachEngine()
    const { posted } = await deliver(t, platform)
    const from = now().subtract({ hours: 2 })
    const { id: customerId } = nextCustomer()
    const fields = { customerId, from, until: from.add({ hours: 1 }) }
    await platform.store.arrangements.add(makeArrangement('r2', fields))

    assert.equal((await platform.store.arrangements.find('r2', now()))?.status, 'expired')

    await until(() => posted.length >= 2)
    const reasons = posted.map(({ body }) => [body['event'], body['reason']])
    assert.deepEqual(reasons.toSorted(), [
      ['ended', 'sharing_ended'],
      ['given', undefined],
    ])
  })

  it('gets none by default, and none that waits when receipts are switched off', async () => {
    const platform = await platformOnEachEngine()
    const { outbox } = platform.store
    const { id } = nextCustomer()
    await give(platform, id, 'r3')
    await outbox.setReceipts(true, now())
    await give(platform, id, 'r4')

    await outbox.setReceipts(false, now())

    assert.deepEqual(await readMessages(platform, 'r3'), [])
    const states = (await readMessages(platform, 'r4')).map(({ kind, state }) => [kind, state])
    assert.deepEqual(states, [['receipt_given', 'cancelled']])
  })
})

describe('a receipt', () => {
  it('is repeated, and does not affect the consent', async (t) => {
    const platform = await platformOnEachEngine()
    const { setStatus } = await deliver(t, platform)
    setStatus(503)

    await give(platform, nextCustomer().id, 'r5')

    await until(async () => (await readMessages(platform, 'r5')).some(({ error }) => error))
    const [{ state, attempts, error } = assert.fail()] = await readMessages(platform, 'r5')
    assert.deepEqual([state, attempts, error], ['waiting', 1, 'status 503'])
    assert.equal((await platform.store.arrangements.find('r5', now()))?.status, 'active')
  })

  it('waits for a provider that does not respond', async (t) => {
    const platform = await platformOnEachEngine()
    const { posted } = await deliver(t, platform)
    platform.setProviderAway(true)
    t.after(() => platform.setProviderAway(false))

    await give(platform, nextCustomer().id, 'r6')

    await until(async () => (await readMessages(platform, 'r6')).some(({ error }) => error))
    const [{ state, error } = assert.fail()] = await readMessages(platform, 'r6')
    assert.deepEqual([state, error], ['waiting', 'data provider unavailable'])
    assert.equal(posted.length, 0)
  })

  it('is not delayed by those of customers whose data the provider refuses to share', async (t) => {
    const platform = await platformOnEachEngine()
    const refused = ['r8', 'r9', 'r10', 'r11', 'r12']
    await platform.store.outbox.setReceipts(true, now())
    for (const id of refused) {
      const { id: customerId } = nextCustomer()
      await platform.restrictions.set({ customerId }, 'blocked')
      await give(platform, customerId, id)
    }
    await give(platform, nextCustomer().id, 'r13')
    const time = now()

    // No pause ends.
    const { posted } = await deliver(t, platform, () => time)

    await until(() => posted.length > 0)
    await until(async () => {
      const found = await Promise.all(refused.map((id) => readMessages(platform, id)))
      return found.every(([message]) => message?.error === 'data provider refuses')
    })
    assert.deepEqual(
      posted.map(({ body }) => body['consentId']),
      ['r13'],
    )
  })

  it('is cancelled if the customer no longer exists', async (t) => {
    const platform = await platformOnEachEngine()
    await deliver(t, platform)

    await give(platform, 'unknown', 'r7')

    await until(async () => (await readMessages(platform, 'r7'))[0]?.state === 'cancelled')
  })
})
