import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { purgeMax } from '../../src/platform/consent/store.ts'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { after, makeArrangement, makeThirdParty, now, openStores } from './stores.ts'

const payload = '{"clientId":"tp"}'
const minute = { payload, expires: after(60) }

const storesOnEachEngine = shareOnEachEngine(openStores)

describe('artifacts of the OpenID provider', () => {
  it('are found by model and key, in every process', async () => {
    const key = randomUUID()
    const [first, second] = await storesOnEachEngine()

    await first.artifacts.put('AccessToken', key, minute, now)

    assert.deepEqual(await second.artifacts.find('AccessToken', key, now), { payload })
    assert.equal(await second.artifacts.find('RefreshToken', key, now), undefined)
    assert.equal(await second.artifacts.find('AccessToken', 'other', now), undefined)
  })

  it('are replaced by an artifact with the same key', async () => {
    const key = randomUUID()
    const [{ artifacts }] = await storesOnEachEngine()

    await artifacts.put('Session', key, { ...minute, uid: `${key}1` }, now)
    await artifacts.put('Session', key, { payload: '{}', uid: `${key}2`, expires: after(90) }, now)

    assert.deepEqual(await artifacts.find('Session', key, after(80)), { payload: '{}' })
    assert.equal(await artifacts.findByUid('Session', `${key}1`, now), undefined)
    assert.deepEqual(await artifacts.findByUid('Session', `${key}2`, now), { payload: '{}' })
    assert.equal(await artifacts.findByUid('Interaction', `${key}2`, now), undefined)
  })

  it('are not found once they expire', async () => {
    const key = randomUUID()
    const [{ artifacts }] = await storesOnEachEngine()
    await artifacts.put('Session', key, { ...minute, uid: key }, now)

    assert.ok(await artifacts.find('Session', key, after(59.999)))
    assert.equal(await artifacts.find('Session', key, after(60)), undefined)
    assert.equal(await artifacts.findByUid('Session', key, after(60)), undefined)
    assert.equal(await artifacts.consume('Session', key, after(60)), false)
  })

  it('keep their expiry and their content when they are consumed', async () => {
    const key = randomUUID()
    const [first, second] = await storesOnEachEngine()
    await first.artifacts.put('AuthorizationCode', key, minute, now)

    await first.artifacts.consume('AuthorizationCode', key, after(10))

    const found = await second.artifacts.find('AuthorizationCode', key, after(59))
    assert.deepEqual(found, { payload, consumed: after(10) })
    assert.equal(await second.artifacts.find('AuthorizationCode', key, after(60)), undefined)
  })

  it('stay consumed when they are saved again', async () => {
    const key = randomUUID()
    const [{ artifacts }] = await storesOnEachEngine()
    await artifacts.put('RefreshToken', key, minute, now)
    await artifacts.consume('RefreshToken', key, now)

    await artifacts.put('RefreshToken', key, minute, now)

    assert.deepEqual(await artifacts.find('RefreshToken', key, now), { payload, consumed: now })
  })

  it('are consumed by one of many concurrent attempts', async () => {
    const key = randomUUID()
    const stores = await storesOnEachEngine()
    await stores[0].artifacts.put('AuthorizationCode', key, minute, now)

    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        stores[index % 2 ? 1 : 0].artifacts.consume('AuthorizationCode', key, now),
      ),
    )

    assert.equal(outcomes.filter(Boolean).length, 1)
  })

  it('are added by one of many concurrent attempts, and again once they have expired', async () => {
    const key = randomUUID()
    const stores = await storesOnEachEngine()

    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        stores[index % 2 ? 1 : 0].artifacts.add('ReplayDetection', key, minute, now),
      ),
    )

    assert.equal(outcomes.filter(Boolean).length, 1)
    const { artifacts } = stores[0]
    assert.equal(await artifacts.add('ReplayDetection', key, minute, after(59)), false)
    const later = { payload, expires: after(120) }
    assert.equal(await artifacts.add('ReplayDetection', key, later, after(60)), true)
  })

  it('are removed one by one', async () => {
    const key = randomUUID()
    const [{ artifacts }] = await storesOnEachEngine()
    await artifacts.put('Interaction', `${key}1`, minute, now)
    await artifacts.put('Interaction', `${key}2`, minute, now)

    await artifacts.remove('Interaction', `${key}1`)

    assert.equal(await artifacts.find('Interaction', `${key}1`, now), undefined)
    assert.ok(await artifacts.find('Interaction', `${key}2`, now))
  })

  it('of a grant are all removed with it, whatever their model', async (t) => {
    const [{ artifacts, arrangements, thirdParties }] = await openStores(t)
    await thirdParties.add(makeThirdParty('tp'))
    for (const id of ['g1', 'g2']) await arrangements.add(makeArrangement(id))
    const models = ['AccessToken', 'RefreshToken', 'AuthorizationCode']
    for (const model of [...models, 'Grant']) {
      await artifacts.put(model, 'k1', { ...minute, grantId: 'g1' }, now)
      await artifacts.put(model, 'k2', { ...minute, grantId: 'g2' }, now)
    }

    await artifacts.removeByGrant('g1', 'Grant')

    for (const model of models) {
      assert.equal(await artifacts.find(model, 'k1', now), undefined, model)
      assert.ok(await artifacts.find(model, 'k2', now), model)
    }
    assert.ok(await artifacts.find('Grant', 'k1', now))
  })

  it('are not found after their arrangement ends, even if they are saved later', async () => {
    const key = randomUUID()
    const [first, second] = await storesOnEachEngine()
    await first.thirdParties.add(makeThirdParty('tp'))
    await first.arrangements.add(makeArrangement('g', { until: after(30) }))
    const token = { ...minute, grantId: 'g' }
    await first.artifacts.put('AccessToken', key, token, now)
    assert.ok(await second.artifacts.find('AccessToken', key, after(29)))
    assert.equal(await second.artifacts.find('AccessToken', key, after(30)), undefined)

    await first.arrangements.withdraw('g', 'customer', now)

    assert.equal(await second.artifacts.find('AccessToken', key, now), undefined)
    await first.artifacts.put('AccessToken', key, token, now)
    assert.equal(await second.artifacts.find('AccessToken', key, now), undefined)
  })

  it('are purged after they expire, a bounded number with each addition', async (t) => {
    const [{ artifacts }] = await openStores(t)
    const expired = Array.from({ length: purgeMax + 1 }, (_, index) => `k${index}`)
    for (const key of expired) await artifacts.put('Session', key, minute, now)
    // A time before the expiry shows whether a row still exists.
    const count = async () =>
      (await Promise.all(expired.map((key) => artifacts.find('Session', key, now)))).filter(Boolean)
        .length

    await artifacts.put('Session', 'new1', { payload, expires: after(999) }, after(60))
    assert.equal(await count(), 1)
    await artifacts.put('Session', 'new2', { payload, expires: after(999) }, after(60))
    assert.equal(await count(), 0)
  })
})
