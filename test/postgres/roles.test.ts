import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { makeSigningKey } from '../../src/auth/signing.ts'
import {
  dumpProvider,
  openClaimStore,
  openProviderStore,
  openSigningKeyStore,
} from '../../src/storage/open.ts'
import { asOwner, describeOn } from '../support/engines.ts'
import { makePostgres } from '../support/postgres.ts'
import { loadInProcess } from '../support/world.ts'

const script = readFileSync(new URL('../../docs/postgres-roles.sql', import.meta.url), 'utf8')
const customer = { id: 'c1', name: 'Ana', email: 'a@example.com' }

describeOn('postgres', 'the roles of docs/postgres-roles.sql', () => {
  it('can each do their work, and not that of another', async (t) => {
    const server = await makePostgres()
    t.after(() => server.remove())
    await server.start()
    const as = (role: string) => server.url().replace(/\/\/\w+@/, `//holdfast_${role}@`)
    const now = Temporal.Now.instant()
    const lines = [
      { type: 'customer', record: customer },
      { type: 'banking.account', holders: [{ customerId: 'c1' }], record: { accountId: 'a1' } },
    ]

    await asOwner(script, server.url())
    await assert.rejects(openProviderStore(as('serve')), { name: 'DatabaseError' })
    await (await openSigningKeyStore(as('owner'))).close()
    for (const _ of ['first', 'again']) await asOwner(script, server.url())

    await loadInProcess(as('load'), lines, now.toString())
    assert.equal((await Array.fromAsync(dumpProvider(as('load')))).length, 2)
    const store = await openProviderStore(as('serve'))
    const claims = await openClaimStore(as('serve'), () => now)
    assert.equal(await store.readCustomer('c1'), JSON.stringify(customer))
    assert.equal(await claims.claim('id', 1), true)
    await claims.close()
    await store.close()
    const keys = await openSigningKeyStore(as('platform'))
    const key = await makeSigningKey('ES256', now)
    await keys.add(key)
    assert.equal(await keys.retire(key.id, now), true)
    await keys.close()

    for (const [role, sql] of [
      ['serve', 'select from signing_key'],
      ['serve', `update customer set record = ''`],
      ['serve', 'create table public.x ()'],
      ['load', 'select from claim'],
      ['load', 'select from signing_key'],
      ['load', 'update schema_version set version = 9'],
      ['load', 'create table public.x ()'],
      ['platform', 'select from customer'],
      ['platform', 'select from claim'],
    ] as const) {
      await assert.rejects(asOwner(sql, as(role)), { code: '42501' }, `${role}: ${sql}`)
    }
  })
})
