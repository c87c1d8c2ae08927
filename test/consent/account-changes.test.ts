import assert from 'node:assert/strict'
import { it } from 'node:test'
import { accountChangesMax } from '../../src/contract/account-states.ts'
import type { AccountChange } from '../../src/platform/consent/account-changes.ts'
import { retentionDays } from '../../src/platform/consent/store.ts'
import { openConsentStore } from '../../src/storage/open.ts'
import { describe, describeOn, newDatabase, runSql } from '../support/engines.ts'
import { disclose } from './disclose.ts'
import { after, makeArrangement, now, openStores } from './stores.ts'

const refused = (accountId: string, seconds: number): AccountChange => ({
  accountId,
  time: after(seconds),
  state: 'restricted',
  reason: 'account_refused',
})
const served = (accountId: string, seconds: number): AccountChange => ({
  accountId,
  time: after(seconds),
  state: 'available',
  reason: 'served',
})
const closed = (accountId: string, seconds: number): AccountChange => ({
  accountId,
  time: after(seconds),
  state: 'closed',
  reason: 'closed',
})

describe('the state of an account in a consent', () => {
  it('is recorded when it changes, and not when it stays the same', async (t) => {
    const [{ arrangements }, other] = await openStores(t)
    await arrangements.add(makeArrangement('r1'))

    await arrangements.recordAccounts('r1', [served('a1', 1), served('a2', 1)], after(1))
    assert.deepEqual(await arrangements.listAccountChanges('r1'), [])
    await arrangements.recordAccounts('r1', [refused('a1', 2), served('a2', 2)], after(2))
    await arrangements.recordAccounts('r1', [refused('a1', 3)], after(3))
    await arrangements.recordAccounts('r1', [served('a1', 4), closed('a2', 4)], after(4))
    await arrangements.recordAccounts('r1', [served('a2', 5)], after(5))

    assert.deepEqual(await other.arrangements.listAccountChanges('r1'), [
      refused('a1', 2),
      served('a1', 4),
      closed('a2', 4),
    ])
  })

  it('is that of the latest observation, in whatever order they arrive', async (t) => {
    const [{ arrangements }] = await openStores(t)
    await arrangements.add(makeArrangement('r1'))

    await arrangements.recordAccounts('r1', [refused('a1', 5)], after(5))
    await arrangements.recordAccounts('r1', [served('a1', 4)], after(6))
    await arrangements.recordAccounts('r1', [closed('a1', 5)], after(6))

    assert.deepEqual(await arrangements.listAccountChanges('r1'), [refused('a1', 5)])
  })

  it('changes once when several processes see the same, and loses no change of another account', async (t) => {
    const stores = await openStores(t)
    const accountIds = Array.from({ length: 10 }, (_, index) => `a${index}`)
    await stores[0].arrangements.add(makeArrangement('r1', { accountIds }))

    await Promise.all(
      stores.flatMap(({ arrangements }, store) =>
        accountIds.flatMap((id, index) => [
          arrangements.recordAccounts('r1', [refused(id, index + 1 + store / 10)], after(20)),
          arrangements.recordAccounts(
            'r1',
            accountIds.map((each) => served(each, 30)),
            after(30),
          ),
        ]),
      ),
    )

    const changes = await stores[1].arrangements.listAccountChanges('r1')
    for (const id of accountIds) {
      const states = changes.filter((each) => each.accountId === id).map(({ state }) => state)
      assert.ok(states.length <= 2, states.join())
      assert.equal(new Set(states).size, states.length)
    }
    await stores[0].arrangements.recordAccounts('r1', [refused('a1', 40)], after(40))
    const last = (await stores[0].arrangements.listAccountChanges('r1')).at(-1)
    assert.deepEqual(last, refused('a1', 40))
  })

  it('is recorded while the consent is amended and withdrawn, without a deadlock', async (t) => {
    const stores = await openStores(t)
    const ids = Array.from({ length: 8 }, (_, index) => `r${index}`)
    for (const id of ids) {
      await stores[0].arrangements.add(makeArrangement(id))
      await stores[0].arrangements.add(makeArrangement(`${id}-new`))
    }

    await Promise.all(
      ids.flatMap((id, index) => [
        stores[0].arrangements.recordAccounts(id, [refused('a1', 1), refused('a2', 1)], after(1)),
        stores[1].arrangements.recordAccounts(`${id}-new`, [refused('a2', 2)], after(2)),
        stores[1].arrangements.amend(id, `${id}-new`, after(3)),
        stores[index % 2 ? 1 : 0].arrangements.withdraw(id, 'customer', after(4)),
        stores[1].arrangements.recordAccounts(id, [served('a2', 5)], after(5)),
      ]),
    )

    for (const id of ids) {
      const found = await stores[0].arrangements.find(id, after(6))
      assert.equal(found?.status, 'withdrawn')
    }
  })

  it('does not change after the consent has ended', async (t) => {
    const [{ arrangements }] = await openStores(t)
    await arrangements.add(makeArrangement('r1'))
    await arrangements.add(makeArrangement('r2', { until: after(60) }))
    await arrangements.withdraw('r1', 'customer', after(1))

    for (const id of ['r1', 'r2', 'unknown']) {
      await arrangements.recordAccounts(id, [refused('a1', 90)], after(90))
      assert.deepEqual(await arrangements.listAccountChanges(id), [])
    }
  })

  it(`has at most ${accountChangesMax} changes, the last ones`, async (t) => {
    const [{ arrangements }] = await openStores(t)
    await arrangements.add(makeArrangement('r1'))
    await arrangements.recordAccounts('r1', [closed('a2', 1)], after(1))
    const count = accountChangesMax + 5

    for (let index = 0; index < count; index += 1) {
      const change = index % 2 ? served('a1', index) : refused('a1', index)
      await arrangements.recordAccounts('r1', [change], after(index))
    }

    const changes = await arrangements.listAccountChanges('r1')
    const times = changes.filter(({ accountId }) => accountId === 'a1').map(({ time }) => time)
    assert.equal(times.length, accountChangesMax)
    assert.deepEqual(times.at(-1), after(count - 1))
    assert.ok(changes.some(({ accountId }) => accountId === 'a2'))
  })

  it('keeps ids of every kind, also those that every object has', async (t) => {
    const [{ arrangements }] = await openStores(t)
    const accountIds = ['__proto__', 'constructor', 'ä "1', "o'a"]
    await arrangements.add(makeArrangement('r1', { accountIds }))

    const observed = accountIds.map((id) => refused(id, 1))
    await arrangements.recordAccounts('r1', observed, after(1))

    const recorded = await arrangements.listAccountChanges('r1')
    assert.deepEqual(new Set(recorded.map(({ accountId }) => accountId)), new Set(accountIds))
  })

  it('stays with the consent when it is amended, with what was seen of added accounts', async (t) => {
    const [{ arrangements }] = await openStores(t)
    await arrangements.add(makeArrangement('r1', { accountIds: ['a1'] }))
    await arrangements.add(makeArrangement('r2', { accountIds: ['a1', 'a2'], from: after(5) }))
    await arrangements.recordAccounts('r1', [refused('a1', 2)], after(2))
    await arrangements.recordAccounts('r2', [closed('a1', 1), closed('a2', 6)], after(6))

    await arrangements.amend('r1', 'r2', after(10))

    assert.deepEqual(await arrangements.listAccountChanges('r1'), [
      refused('a1', 2),
      closed('a2', 6),
    ])
    assert.deepEqual(await arrangements.listAccountChanges('r2'), [])
  })
})

describeOn('postgres', 'the states of thousands of accounts', () => {
  it('are recorded in one statement: as many statements would exceed the time of a transaction', async (t) => {
    const database = await newDatabase(t)
    const { arrangements, close } = await openConsentStore(database)
    t.after(close)
    await runSql(
      `create table statement (rows bigint);
       create function count_rows() returns trigger language plpgsql as $$
         begin insert into statement select count(*) from added; return null; end $$;
       create trigger count_rows after insert on account_change referencing new table as added
         for each statement execute function count_rows();`,
      database,
    )
    const accountIds = Array.from({ length: 2000 }, (_, index) => `a${index}`)
    await arrangements.add(makeArrangement('r1', { accountIds }))

    const observed = accountIds.map((id) => refused(id, 1))
    await arrangements.recordAccounts('r1', observed, after(1))

    assert.deepEqual(await runSql('select rows from statement', database), [['2000']])
    assert.equal((await arrangements.listAccountChanges('r1')).length, 2000)
  })
})

describe('the history of a consent', () => {
  it('has the terms before each amendment', async (t) => {
    const [{ arrangements }, other] = await openStores(t)
    const transactions = { scopes: ['bank:transactions:read'], from: after(10) }
    const customer = { scopes: ['common:customer.basic:read'], from: after(20) }
    await arrangements.add(makeArrangement('r1'))
    await arrangements.add(makeArrangement('r2', transactions))
    assert.equal(await arrangements.amend('r1', 'r2', after(11)), true)
    await arrangements.add(makeArrangement('r3', { ...customer, accountIds: ['a1'] }))
    assert.equal(await arrangements.amend('r1', 'r3', after(21)), true)

    const version = { status: 'withdrawn', versionOf: 'r1' } as const
    assert.deepEqual(await other.arrangements.listVersions('r1'), [
      { ...makeArrangement('r2'), ...version, updated: after(11) },
      { ...makeArrangement('r3', transactions), ...version, updated: after(21) },
    ])
    const present = await arrangements.find('r1', after(22))
    assert.deepEqual([present?.accountIds, present?.versionOf], [['a1'], undefined])
    assert.deepEqual(await arrangements.listVersions('r2'), [])
  })

  it('has when data was first and last disclosed', async (t) => {
    const [store, other] = await openStores(t)
    const { disclosures } = store
    await disclose(store, 'r1', 'bank:transactions:read', after(5))
    await disclose(other, 'r1', 'bank:transactions:read', after(9))
    await disclose(store, 'r1', 'bank:transactions:read', after(7))
    await disclose(store, 'r1', 'bank:accounts.basic:read', after(8))

    assert.deepEqual(await other.disclosures.list('r1'), [
      { scope: 'bank:accounts.basic:read', first: after(8), last: after(8) },
      { scope: 'bank:transactions:read', first: after(5), last: after(9) },
    ])
    assert.deepEqual(await disclosures.list('r2'), [])
  })

  it('has the last disclosure of each of the consents', async (t) => {
    const [store] = await openStores(t)
    const { arrangements, disclosures } = store
    for (const id of ['r1', 'r2', 'r3']) await arrangements.add(makeArrangement(id))
    await arrangements.add(makeArrangement('other', { customerId: 'c2' }))
    for (const id of ['r1', 'r2', 'other']) {
      await disclose(store, id, 'bank:accounts.basic:read', after(5))
    }
    await disclose(store, 'r1', 'bank:transactions:read', after(9))
    await disclose(store, 'r1', 'email', after(7))

    const last = await disclosures.listLast(['r1', 'r2', 'r3'])

    assert.deepEqual(
      [...last].sort().map(([id, { scope, last: time }]) => [id, scope, time]),
      [
        ['r1', 'bank:transactions:read', after(9)],
        ['r2', 'bank:accounts.basic:read', after(5)],
      ],
    )
  })

  it('is purged with the consent', async (t) => {
    const [store] = await openStores(t)
    const { arrangements, disclosures } = store
    await arrangements.add(makeArrangement('r1'))
    await arrangements.recordAccounts('r1', [refused('a1', 1)], after(1))
    await disclose(store, 'r1', 'bank:transactions:read', after(1))
    await arrangements.withdraw('r1', 'customer', now)
    const later = now.add({ hours: retentionDays * 24 })

    await arrangements.add(makeArrangement('r2', { from: later, until: later.add({ hours: 1 }) }))

    assert.deepEqual(await arrangements.listAccountChanges('r1'), [])
    assert.deepEqual(await disclosures.list('r1'), [])
  })
})
