import assert from 'node:assert/strict'
import { it } from 'node:test'
import { purgeMax } from '../../src/consent/store.ts'
import { describe } from '../support/engines.ts'
import { after, makeArrangement, makeThirdParty, now, openStores } from './stores.ts'

const payload = '{"clientId":"tp"}'
const minute = { payload, expires: after(60) }

describe('artifacts of the OpenID provider', () => {
  it('are found by model and key, in every process', async (t) => {
    const [first, second] = await openStores(t)

    await first.artifacts.put('AccessToken', 'k', minute, now)

    assert.deepEqual(await second.artifacts.find('AccessToken', 'k', now), { payload })
    assert.equal(await second.artifacts.find('RefreshToken', 'k', now), undefined)
    assert.equal(await second.artifacts.find('AccessToken', 'other', now), undefined)
  })

  it('are replaced by an artifact with the same key', async (t) => {
    const [{ artifacts }] = await openStores(t)

    await artifacts.put('Session', 'k', { ...minute, uid: 'u1' }, now)
    await artifacts.put('Session', 'k', { payload: '{}', uid: 'u2', expires: after(90) }, now)

    assert.deepEqual(await artifacts.find('Session', 'k', after(80)), { payload: '{}' })
    assert.equal(await artifacts.findByUid('Session', 'u1', now), undefined)
    assert.deepEqual(await artifacts.findByUid('Session', 'u2', now), { payload: '{}' })
    assert.equal(await artifacts.findByUid('Interaction', 'u2', now), undefined)
  })

  it('are not found once they expire', async (t) => {
    const [{ artifacts }] = await openStores(t)
    await artifacts.put('Session', 'k', { ...minute, uid: 'u' }, now)

    assert.ok(await artifacts.find('Session', 'k', after(59.999)))
    assert.equal(await artifacts.find('Session', 'k', after(60)), undefined)
    assert.equal(await artifacts.findByUid('Session', 'u', after(60)), undefined)
    assert.equal(await artifacts.consume('Session', 'k', after(60)), false)
  })

  it('keep their expiry and their content when they are consumed', async (t) => {
    const [first, second] = await openStores(t)
    await first.artifacts.put('AuthorizationCode', 'k', minute, now)

    await first.artifacts.consume('AuthorizationCode', 'k', after(10))

    const found = await second.artifacts.find('AuthorizationCode', 'k', after(59))
    assert.deepEqual(found, { payload, consumed: after(10) })
    assert.equal(await second.artifacts.find('AuthorizationCode', 'k', after(60)), undefined)
  })

  it('stay consumed when they are saved again', async (t) => {
    const [{ artifacts }] = await openStores(t)
    await artifacts.put('RefreshToken', 'k', minute, now)
    await artifacts.consume('RefreshToken', 'k', now)

    await artifacts.put('RefreshToken', 'k', minute, now)

    assert.deepEqual(await artifacts.find('RefreshToken', 'k', now), { payload, consumed: now })
  })

  it('are consumed by one of many concurrent attempts', async (t) => {
    const stores = await openStores(t)
    await stores[0].artifacts.put('AuthorizationCode', 'k', minute, now)

    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        stores[index % 2 ? 1 : 0].artifacts.consume('AuthorizationCode', 'k', now),
      ),
    )

    assert.equal(outcomes.filter(Boolean).length, 1)
  })

  it('are added by one of many concurrent attempts, and again once they have expired', async (t) => {
    const stores = await openStores(t)

    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        stores[index % 2 ? 1 : 0].artifacts.add('ReplayDetection', 'k', minute, now),
      ),
    )

    assert.equal(outcomes.filter(Boolean).length, 1)
    const { artifacts } = stores[0]
    assert.equal(await artifacts.add('ReplayDetection', 'k', minute, after(59)), false)
    const later = { payload, expires: after(120) }
    assert.equal(await artifacts.add('ReplayDetection', 'k', later, after(60)), true)
  })

  it('are removed one by one', async (t) => {
    const [{ artifacts }] = await openStores(t)
    await artifacts.put('Interaction', 'k1', minute, now)
    await artifacts.put('Interaction', 'k2', minute, now)

    await artifacts.remove('Interaction', 'k1')

    assert.equal(await artifacts.find('Interaction', 'k1', now), undefined)
    assert.ok(await artifacts.find('Interaction', 'k2', now))
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

  it('are not found after their arrangement ends, even if they are saved later', async (t) => {
    const [first, second] = await openStores(t)
    await first.thirdParties.add(makeThirdParty('tp'))
    await first.arrangements.add(makeArrangement('g', { until: after(30) }))
    const token = { ...minute, grantId: 'g' }
    await first.artifacts.put('AccessToken', 'k', token, now)
    assert.ok(await second.artifacts.find('AccessToken', 'k', after(29)))
    assert.equal(await second.artifacts.find('AccessToken', 'k', after(30)), undefined)

    await first.arrangements.withdraw('g', 'customer', now)

    assert.equal(await second.artifacts.find('AccessToken', 'k', now), undefined)
    await first.artifacts.put('AccessToken', 'k', token, now)
    assert.equal(await second.artifacts.find('AccessToken', 'k', now), undefined)
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
