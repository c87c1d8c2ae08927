import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Settlement } from '../../src/platform/consent/outbox/store.ts'
import { describe } from '../support/engines.ts'
import { openBackOffice } from './back-office.ts'
import { disclose } from './disclose.ts'
import type { ConsentPlatform } from './platform.ts'
import { after, makeArrangement } from './stores.ts'

describe('a consent whose third party is informed of its end', () => {
  it('has what became of the message to its third party', async (t) => {
    const { call, run, platform } = await openBackOffice(t)
    const { outbox } = platform.store
    const [first, second] = ['status 503', 'ECONNREFUSED'] as const
    const attempt = async (seconds: number, settlement: Settlement) => {
      const lease = { id: `l${seconds}`, ends: after(seconds + 60) }
      const [message] = await outbox.claim('tp', 1, lease, after(seconds))
      assert.ok(message)
      await outbox.settle(message, settlement, after(seconds + 1))
      return (await call('/r1')).body.messages
    }
    const message = { kind: 'revocation', created: '2026-07-01T00:00:03Z' }

    const waiting = await attempt(10, { state: 'waiting', due: after(20), error: first })
    const shown = await run('show', 'r1')
    const givenUp = await attempt(20, { state: 'given_up', due: after(50), error: second })

    assert.deepEqual(waiting, [
      {
        ...message,
        state: 'waiting',
        attempts: 1,
        nextAttempt: '2026-07-01T00:00:20Z',
        lastFailure: first,
      },
    ])
    assert.match(
      shown.stdout,
      /^messages {5}2026-07-01T00:00:03Z {2}revocation waiting, next attempt 2026-07-01T00:00:20Z, attempts: 1, last failure: status 503\n$/m,
    )
    assert.deepEqual(givenUp, [
      {
        ...message,
        state: 'given_up',
        attempts: 2,
        settled: '2026-07-01T00:00:21Z',
        lastFailure: second,
      },
    ])
    assert.match(
      (await run('show', 'r1')).stdout,
      /revocation given up at 2026-07-01T00:00:21Z, attempts: 2, last failure: ECONNREFUSED\n$/,
    )
    assert.deepEqual(JSON.parse((await run('show', 'r1', '--json')).stdout).messages, givenUp)
  })
})

/** A consent that was amended after an account of it was refused. Its accounts are a2 and a3 then. */
async function addAmended({ store }: ConsentPlatform, id: string): Promise<void> {
  const { arrangements } = store
  const year = Temporal.Now.instant().add({ hours: 24 * 365 })
  const scopes = ['bank:transactions:read']
  await arrangements.add(makeArrangement(id, { until: year }))
  const refused = { state: 'restricted', reason: 'account_refused' } as const
  const observed = [{ accountId: 'a2', time: after(5), ...refused }]
  await arrangements.recordAccounts(id, observed, after(5))
  const next = { accountIds: ['a2', 'a3'], scopes, from: after(10), until: year }
  await arrangements.add(makeArrangement(`${id}-earlier`, next))
  await arrangements.amend(id, `${id}-earlier`, after(11))
  await disclose(store, id, 'bank:transactions:read', after(12))
}

describe('a consent that was amended', () => {
  it('has the state of each account with its reason, what changed and what was disclosed', async (t) => {
    const { call, platform } = await openBackOffice(t)
    await addAmended(platform, 'm1')

    const { body } = await call('/m1')

    assert.deepEqual(body.accounts, [
      {
        accountId: 'a2',
        state: 'restricted',
        reason: 'account_refused',
        since: '2026-07-01T00:00:05Z',
      },
      { accountId: 'a3', state: 'available', reason: 'chosen', since: '2026-07-01T00:00:10Z' },
      { accountId: 'a1', state: 'removed', reason: 'amended', since: '2026-07-01T00:00:11Z' },
    ])
    assert.deepEqual(body.accountChanges, [
      {
        time: '2026-07-01T00:00:05Z',
        accountId: 'a2',
        state: 'restricted',
        reason: 'account_refused',
      },
    ])
    const [amendment] = body.amendments
    assert.deepEqual(amendment, {
      time: '2026-07-01T00:00:11Z',
      addedAccountIds: ['a3'],
      removedAccountIds: ['a1'],
      addedScopes: ['bank:transactions:read'],
      removedScopes: ['bank:accounts.basic:read'],
      earlierUntil: amendment.earlierUntil,
      until: body.until,
    })
    const read = '2026-07-01T00:00:12Z'
    assert.deepEqual(body.disclosures, [
      { scope: 'bank:transactions:read', first: read, last: read },
    ])
    const earlier = (await call('/m1-earlier')).body
    assert.deepEqual([earlier.versionOf, earlier.status], ['m1', 'withdrawn'])
    assert.deepEqual(earlier.accountIds, ['a1', 'a2'])
  })

  it('is shown with the same on the command line', async (t) => {
    const { run, platform } = await openBackOffice(t)
    await addAmended(platform, 'm2')

    const { stdout } = await run('show', 'm2')

    assert.match(
      stdout,
      /a2 {2}restricted since 2026-07-01T00:00:05Z \(account_refused\)\n {13}a3 {2}available .*\n {13}a1 {2}removed since 2026-07-01T00:00:11Z \(amended\)\n/,
    )
    assert.match(
      stdout,
      /changes {6}\S+ {2}active \(customer\)\n {13}\S+ {2}account a2 restricted \(account_refused\)\n {13}2026-07-01T00:00:11Z {2}amended: \+a3 \+bank:transactions:read -a1 -bank:accounts.basic:read until /,
    )
    assert.match(stdout, /^disclosed {4}\S+ to \S+ {2}bank:transactions:read\n$/m)
    const json = JSON.parse((await run('show', 'm2', '--json')).stdout)
    assert.equal(json.accounts.length, 3)
  })
})
