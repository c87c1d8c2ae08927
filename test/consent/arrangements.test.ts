import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { retentionDays, withdrawnMax } from '../../src/platform/consent/store.ts'
import { openConsentStore } from '../../src/storage/open.ts'
import { currentEngine, describe, newDatabase, runSql } from '../support/engines.ts'
import { after, makeArrangement, makeThirdParty, now, openStores } from './stores.ts'

/** Inserts active arrangements of one third party, faster than one by one. Two of three have the same time. */
async function insertArrangements(database: string, count: number): Promise<void> {
  const numbers =
    currentEngine() === 'postgres'
      ? `select i from generate_series(1, ${count}) i`
      : `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n`
  const sql = `insert into arrangement
    (id, third_party, customer, accounts, scopes, starts, ends, status, updated)
    select 'r' || i, 'tp', 'c' || i, '[]', 'x', 0, ${after(60).epochMilliseconds}, 'active', i / 3
    from (${numbers}) numbers`
  if (currentEngine() === 'postgres') return void (await runSql(sql, database))
  const file = new DatabaseSync(database.slice('sqlite:'.length))
  file.exec(sql)
  file.close()
}

describe('an arrangement', () => {
  it('is stored as it was agreed, and is active', async (t) => {
    const [first, second] = await openStores(t)
    const arrangement = makeArrangement('r1', { customerId: 'c\u0001"1', accountIds: ['a 1', 'ä'] })

    await first.arrangements.add(arrangement)

    assert.deepEqual(await second.arrangements.find('r1', now), {
      ...arrangement,
      status: 'active',
      updated: now,
    })
    assert.deepEqual(await second.arrangements.listChanges('r1'), [
      { time: now, status: 'active', reason: 'customer' },
    ])
    assert.equal(await second.arrangements.find('r2', now), undefined)
  })

  it('is stored once if it is added again', async (t) => {
    const [{ arrangements }] = await openStores(t)
    await arrangements.add(makeArrangement('r1'))
    await arrangements.withdraw('r1', 'customer', after(1))

    await arrangements.add(makeArrangement('r1', { accountIds: ['other'] }))

    const found = await arrangements.find('r1', after(2))
    assert.deepEqual([found?.status, found?.accountIds], ['withdrawn', ['a1', 'a2']])
    assert.equal((await arrangements.listChanges('r1')).length, 2)
  })

  it('5CM2.00.09: is withdrawn once, with its time and reason', async (t) => {
    const stores = await openStores(t)
    await stores[0].arrangements.add(makeArrangement('r1'))

    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        stores[index % 2 ? 1 : 0].arrangements.withdraw('r1', 'operator', after(5)),
      ),
    )

    assert.equal(outcomes.filter(Boolean).length, 1)
    const { arrangements } = stores[1]
    assert.equal((await arrangements.find('r1', after(5)))?.status, 'withdrawn')
    assert.equal(await arrangements.withdraw('r2', 'operator', now), false)
    assert.deepEqual(await arrangements.listChanges('r1'), [
      { time: now, status: 'active', reason: 'customer' },
      { time: after(5), status: 'withdrawn', reason: 'operator' },
    ])
  })

  it('expires at its end, and cannot be withdrawn afterwards', async (t) => {
    const [{ arrangements }] = await openStores(t)
    await arrangements.add(makeArrangement('r1', { until: after(60) }))

    assert.equal((await arrangements.find('r1', after(59)))?.status, 'active')
    assert.equal((await arrangements.find('r1', after(60)))?.status, 'expired')
    assert.equal(await arrangements.withdraw('r1', 'customer', after(60)), false)
  })

  it('is recorded as expired by the next list, search or addition', async (t) => {
    const [{ arrangements }] = await openStores(t)
    for (const [name, work] of Object.entries({
      list: () => arrangements.list({ limit: 10 }, after(90)),
      find: () => arrangements.find('find', after(90)),
      add: () => arrangements.add(makeArrangement('other', { from: after(90) })),
    })) {
      await arrangements.add(makeArrangement(name, { until: after(60) }))

      await work()

      assert.deepEqual((await arrangements.listChanges(name)).at(-1), {
        time: after(60),
        status: 'expired',
        reason: 'sharing_ended',
      })
      // Since then it is among the changes.
      const listed = await arrangements.list({ updatedAfter: after(89), limit: 10 }, after(90))
      assert.ok(listed.some(({ id, status }) => id === name && status === 'expired'))
    }
  })

  it('ends with its third party', async (t) => {
    const [{ arrangements, thirdParties, artifacts }] = await openStores(t)
    await thirdParties.add(makeThirdParty('tp'))
    await arrangements.add(makeArrangement('r1'))
    await arrangements.add(makeArrangement('r2', { thirdPartyId: 'other' }))
    const token = { payload: '{}', grantId: 'r1', expires: after(60) }
    await artifacts.put('AccessToken', 'k', token, now)

    assert.equal(await thirdParties.remove('tp', after(1)), true)

    assert.equal(await thirdParties.remove('tp', after(1)), false)
    assert.equal((await arrangements.find('r1', after(1)))?.status, 'withdrawn')
    assert.equal((await arrangements.find('r2', after(1)))?.status, 'active')
    assert.equal((await arrangements.listChanges('r1')).at(-1)?.reason, 'third_party_removed')
    assert.equal(await artifacts.find('AccessToken', 'k', now), undefined)
  })

  it('ends with its third party even if they are more than one transaction can end', async (t) => {
    const database = await newDatabase(t)
    const store = await openConsentStore(database)
    t.after(() => store.close())
    const { arrangements, thirdParties } = store
    await thirdParties.add(makeThirdParty('tp'))
    const count = 2 * withdrawnMax + 1
    await insertArrangements(database, count)

    assert.equal(await thirdParties.remove('tp', after(1)), true)

    const all = await arrangements.list({ thirdPartyId: 'tp', limit: count }, after(1))
    assert.deepEqual(new Set(all.map(({ status }) => status)), new Set(['withdrawn']))
    assert.equal(all.length, count)
  })

  it('is withdrawn when an interrupted removal of its third party is repeated', async (t) => {
    const [{ arrangements, thirdParties, artifacts }] = await openStores(t)
    await arrangements.add(makeArrangement('r1'))
    const token = { payload: '{}', grantId: 'r1', expires: after(60) }
    await artifacts.put('AccessToken', 'k', token, now)
    // The interrupted removal ended it.
    assert.equal(await artifacts.find('AccessToken', 'k', now), undefined)

    assert.equal(await thirdParties.remove('tp', after(1)), true)

    assert.equal((await arrangements.find('r1', after(1)))?.status, 'withdrawn')
    assert.equal(await thirdParties.remove('tp', after(1)), false)
  })

  it('is removed with its messages when its retention period is over', async (t) => {
    const [{ arrangements, outbox, thirdParties }] = await openStores(t)
    await thirdParties.add(makeThirdParty('tp', { recipientBaseUri: 'https://budget.example' }))
    await arrangements.add(makeArrangement('r1'))
    await arrangements.add(makeArrangement('r2', { until: after(1e10) }))
    await arrangements.withdraw('r1', 'customer', now)
    assert.equal((await outbox.listMessages(['r1'])).size, 1)
    const later = now.add({ hours: retentionDays * 24 })

    await arrangements.add(makeArrangement('r3', { from: later, until: later.add({ hours: 1 }) }))

    assert.equal(await arrangements.find('r1', later), undefined)
    assert.deepEqual(await arrangements.listChanges('r1'), [])
    assert.equal((await outbox.listMessages(['r1'])).size, 0)
    assert.equal((await arrangements.find('r2', later))?.status, 'active')
  })
})

describe('the list of arrangements', () => {
  it('is in order of the last change, and selects by customer, third party and time', async (t) => {
    const [{ arrangements }] = await openStores(t)
    const add = (id: string, seconds: number, customerId: string, thirdPartyId: string) =>
      arrangements.add(makeArrangement(id, { from: after(seconds), customerId, thirdPartyId }))
    await add('r1', 0, 'c1', 'tp1')
    await add('r2', 1, 'c2', 'tp1')
    await add('r3', 2, 'c1', 'tp2')
    await add('r4', 2, 'c2', 'tp2')
    await arrangements.withdraw('r1', 'customer', after(3))
    const ids = async (query: Omit<Parameters<typeof arrangements.list>[0], 'limit'>) =>
      (await arrangements.list({ ...query, limit: 10 }, after(4))).map(({ id }) => id)

    assert.deepEqual(await ids({}), ['r2', 'r3', 'r4', 'r1'])
    assert.deepEqual(await ids({ customerId: 'c1' }), ['r3', 'r1'])
    assert.deepEqual(await ids({ thirdPartyId: 'tp2' }), ['r3', 'r4'])
    assert.deepEqual(await ids({ thirdPartyId: 'tp2', customerId: 'c2' }), ['r4'])
    assert.deepEqual(await ids({ updatedAfter: after(1) }), ['r3', 'r4', 'r1'])
    assert.deepEqual(await ids({ customerId: 'c9' }), [])
  })

  it('leaves out those that are active, and the terms before an amendment, if it is asked to', async (t) => {
    const [{ arrangements }] = await openStores(t)
    for (const id of ['r1', 'r2', 'r3']) await arrangements.add(makeArrangement(id))
    await arrangements.withdraw('r1', 'customer', after(1))
    await arrangements.add(makeArrangement('agreed', { from: after(2) }), { isAmendment: true })
    assert.equal(await arrangements.amend('r2', 'agreed', after(3)), true)
    const ids = async (query: Omit<Parameters<typeof arrangements.list>[0], 'limit'>) =>
      (await arrangements.list({ customerId: 'c1', ...query, limit: 10 }, after(4))).map(
        ({ id }) => id,
      )

    assert.deepEqual(await ids({ isEnded: true }), ['r1', 'agreed'])
    assert.deepEqual(await ids({ isEnded: true, isPresent: true }), ['r1'])
    assert.deepEqual(await ids({ status: 'active', isPresent: true, isNewestFirst: true }), [
      'r2',
      'r3',
    ])
  })

  it('is read page by page', async (t) => {
    const [{ arrangements }] = await openStores(t)
    for (const id of ['r1', 'r2', 'r3', 'r4', 'r5']) await arrangements.add(makeArrangement(id))

    const first = await arrangements.list({ limit: 2 }, now)
    const second = await arrangements.list({ limit: 2, after: first.at(-1) }, now)
    const third = await arrangements.list({ limit: 2, after: second.at(-1) }, now)

    const pages = [first, second, third].map((page) => page.map(({ id }) => id))
    assert.deepEqual(pages, [['r1', 'r2'], ['r3', 'r4'], ['r5']])
  })
})

describe('a third party', () => {
  it('is stored with its keys or the URL of its keys', async (t) => {
    const [{ thirdParties }] = await openStores(t)
    const first = makeThirdParty('tp1', { name: 'Ünïcode "Budget"', profile: 'cds' })
    const keys = { jwksUrl: 'https://budget.example/jwks' }
    const second = makeThirdParty('tp2', { keys, created: after(1) })

    await thirdParties.add(second)
    await thirdParties.add(first)

    assert.deepEqual(await thirdParties.find('tp1'), first)
    assert.deepEqual(await thirdParties.list(), [first, second])
    assert.equal(await thirdParties.find('tp3'), undefined)
  })
})
