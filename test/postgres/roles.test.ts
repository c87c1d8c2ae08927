import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it, type TestContext } from 'node:test'
import pg from 'pg'
import { hashSecret, makeSecret } from '../../src/auth/secrets.ts'
import { makeSigningKey } from '../../src/auth/signing.ts'
import { countNames } from '../../src/contract/index.ts'
import { toProductContent } from '../../src/platform/catalogue/product.ts'
import { noProgress } from '../../src/platform/check-runs/store.ts'
import {
  createDatabase,
  dumpProvider,
  openCatalogueStore,
  openCheckRunStore,
  openClientStore,
  openConsentStore,
  openDatabaseProbe,
  openFeedStore,
  openFeedWriter,
  openProviderRecords,
  openProviderStore,
  openReplayStore,
  openSigningKeyStore,
  openStatusStore,
  openUsageStore,
} from '../../src/storage/open.ts'
import { disclose } from '../consent/disclose.ts'
import { makeArrangement, makeThirdParty } from '../consent/stores.ts'
import { put } from '../load/lines.ts'
import { openDeployment } from '../support/deployment.ts'
import {
  createScope,
  describeOn,
  describeOnCitus,
  newDatabase,
  runSql,
} from '../support/engines.ts'
import { send } from '../support/http.ts'
import { loadInProcess } from '../support/load.ts'
import { requestToken } from '../support/platform.ts'
import { makePostgres, type PostgresServer } from '../support/postgres.ts'
import { rights } from './role-rights.ts'

const script = readFileSync(new URL('../../docs/postgres-roles.sql', import.meta.url), 'utf8')
const savings = {
  brand: 'B',
  description: 'D',
  is_tailored: false,
  name: 'N',
  product_category: 'TERM_DEPOSITS',
} as const
const customer = { id: 'c1', name: 'Ana', email: 'a@example.com' }

async function openServer(t: TestContext): Promise<PostgresServer> {
  const server = await makePostgres()
  t.after(() => server.remove())
  await server.start()
  return server
}

function asHoldfastOwner(server: PostgresServer): string {
  return server.url().replace(/\/\/\w+@/, '//holdfast_owner@')
}

describeOn('postgres', 'the roles of docs/postgres-roles.sql', () => {
  it('have privileges on every table by name, except on tables for the owner alone', async (t) => {
    const server = await openServer(t)
    await runSql(script, server.url())
    await createDatabase(asHoldfastOwner(server))
    await runSql('create table later (secret text)', asHoldfastOwner(server))
    // The grants of an earlier version of the script.
    await runSql(
      'grant all on all tables in schema public to holdfast_load, holdfast_serve, public',
      server.url(),
    )
    await runSql(script, server.url())

    const ungranted = await runSql(
      `select c.relname from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')
          and not exists (
            select from aclexplode(c.relacl) as acl
            where acl.grantee in (
              'holdfast_load'::regrole, 'holdfast_serve'::regrole, 'holdfast_platform'::regrole,
              'holdfast_intake'::regrole))
          and not c.relispartition
        order by 1`,
      server.url(),
    )
    const grantedToPublic = await runSql(
      `select relname from pg_class, aclexplode(relacl) as acl
        where relnamespace = 'public'::regnamespace and acl.grantee = 0`,
      server.url(),
    )

    // An identity column needs no privilege of its own.
    assert.deepEqual(ungranted.flat(), [
      'check_run_sequence_seq',
      'correction_number_seq',
      'customer_number_seq',
      'later',
    ])
    assert.deepEqual(grantedToPublic, [])
    for (const role of ['load', 'serve', 'platform', 'intake']) {
      const url = server.url().replace(/\/\/\w+@/, `//holdfast_${role}@`)
      await assert.rejects(runSql('select from later', url), { code: '42501' }, role)
    }
  })

  it('allow each process its own work, and not that of another', async (t) => {
    const server = await openServer(t)
    const as = (role: string) => server.url().replace(/\/\/\w+@/, `//holdfast_${role}@`)
    const now = Temporal.Now.instant()
    const account = { type: 'banking.account', correction: true, holders: [{ customerId: 'c1' }] }
    const lines = [
      { type: 'customer', record: customer },
      { ...account, record: { accountId: 'a1' } },
      { type: 'product', record: { product_id: 'p1', ...savings } },
    ]

    await runSql(script, server.url())
    await assert.rejects(openProviderStore(as('serve')), { name: 'DatabaseError' })
    await createDatabase(asHoldfastOwner(server))
    for (const _ of ['first', 'again']) await runSql(script, server.url())

    await loadInProcess(as('load'), lines, now.toString())
    const corrected = { ...account, record: { accountId: 'a1', nickname: 'Savings' } }
    await loadInProcess(as('load'), [corrected], now.toString())
    assert.equal((await Array.fromAsync(dumpProvider(as('load')))).length, 3)
    const feeds = await openFeedWriter(as('load'), { clock: () => now })
    const batch = { feed: 'core', number: 1, digest: 'd', lines: 0, items: [] }
    assert.partialDeepStrictEqual(await feeds.commit([batch]), [{ result: { lines: 0 } }])
    await feeds.close()
    const feedStore = await openFeedStore(as('load'))
    assert.equal(await feedStore.remove('core'), true)
    await feedStore.close()
    const store = await openProviderStore(as('serve'))
    const replay = await openReplayStore(as('serve'), () => now)
    assert.equal(await store.readCustomer('c1'), JSON.stringify(customer))
    assert.equal(await replay.recordUse('id', 1), 'first use')
    await replay.close()
    const mayPurge = "select has_table_privilege('holdfast_serve', 'replay_purge', 'update')"
    assert.deepEqual(await runSql(mayPurge, server.url()), [[true]])
    await store.close()
    const key = await makeSigningKey('ES256', now)
    const records = await openProviderRecords(as('serve'))
    await records.store.test()
    await records.signingKeys.add(key)
    assert.equal(await records.signingKeys.retire(key.id, now), true)
    await records.close()
    const keys = await openSigningKeyStore(as('platform'))
    await keys.add(key)
    assert.equal(await keys.retire(key.id, now), true)
    await keys.close()
    const clients = await openClientStore(as('platform'))
    const client = { id: 'x', name: 'x', scopes: ['products.write'] as const, created: now }
    await clients.add(client, 'hash')
    await clients.addToken('digest', { client, scopes: client.scopes, expires: now }, 'hash', now)
    await clients.close()
    const core = { id: 'core', secret: makeSecret() }
    const registered = { ...client, ...core, scopes: ['data.write', 'products.write'] as const }
    const administration = await openClientStore(as('platform'))
    await administration.add(registered, hashSecret(core.secret))
    await administration.close()
    const { openIntake } = await openDeployment(t, as('intake'))
    const intake = await openIntake()
    const sent = await send(intake.port, '/v1/feeds/core/batches/1', {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${await requestToken(intake.port, core)}`,
        'content-type': 'application/x-ndjson',
      },
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    })
    assert.deepEqual([sent.status, sent.body.lines], [200, 3], sent.text)
    assert.equal((await send(intake.port, '/health/ready')).status, 200)
    await intake.close()
    const consent = await openConsentStore(as('platform'))
    assert.equal((await consent.readSecret('cookies')).length, 32)
    await consent.thirdParties.add(makeThirdParty('tp'))
    await consent.arrangements.add(
      makeArrangement('r1', { from: now, until: now.add({ hours: 1 }) }),
    )
    const artifact = { payload: '{}', grantId: 'r1', expires: now.add({ hours: 1 }) }
    await consent.artifacts.put('AccessToken', 'k', artifact, now)
    await consent.passcodes.issue('k', { candidates: [], expires: now }, now, now)
    assert.equal(await consent.limits.take('k', { capacity: 1, refillMs: 1 }, now), true)
    assert.equal((await consent.arrangements.list({ limit: 1 }, now)).length, 1)
    await disclose(consent, 'r1', 'openid', now)
    await consent.disclosureRecords.test()
    const blocks = await consent.disclosureRecords.list({ limit: 1 })
    assert.equal(blocks.length, 1)
    await consent.disclosureRecords.remove(blocks)
    const { corrections, close: closeCorrections } = await openConsentStore(as('load'))
    assert.equal((await corrections.list({ limit: 10 })).length, 2)
    await closeCorrections()
    assert.equal((await consent.corrections.list({ limit: 10 })).length, 2)
    await consent.corrections.remove(Temporal.Now.instant().add({ hours: 1 }))
    assert.deepEqual(await consent.corrections.list({ limit: 10 }), [])
    const step = { time: now, step: 'request', outcome: 'succeeded' } as const
    await consent.flows.add('f1', 'tp', step)
    await consent.flows.append('f1', step)
    assert.equal((await consent.flows.list({ limit: 1 }, now)).length, 1)
    assert.equal(await consent.thirdParties.remove('tp', now), true)
    await consent.close()
    const usage = await openUsageStore(as('platform'))
    const second = { second: 0, authenticated: 1, unauthenticated: 0 }
    const minutes = { writer: 'w', number: 1, time: 0, minutes: [0], counts: [], peaks: [] }
    await usage.add({ ...minutes, seconds: [second] })
    await usage.purge(now.epochMilliseconds)
    await usage.close()
    const checks = await openCheckRunStore(as('platform'))
    const run = {
      id: 'k',
      profile: 'full',
      groups: undefined,
      startedBy: 'x',
      startedAt: 1,
    } as const
    assert.equal(await checks.start(run, 0), undefined)
    assert.equal(await checks.update('k', noProgress, 2), true)
    await checks.close()
    const catalogue = await openCatalogueStore(as('platform'))
    const change = { by: client, clock: () => now }
    assert.equal((await catalogue.read('p1'))?.version, 1)
    await catalogue.create(
      { id: 'p2', ...toProductContent(savings), idempotency: { key: 'k', digest: 'd' } },
      change,
    )
    assert.partialDeepStrictEqual(await catalogue.remove('p1', change), { version: 2 })
    const draft = { tag: 't', content: toProductContent(savings), ...change }
    await catalogue.saveDraft('p2', draft)
    assert.equal((await catalogue.listDrafts(1, 1)).total, 1)
    const published = await catalogue.publishDraft('p2', change, undefined)
    assert.partialDeepStrictEqual(published, { version: 2 })
    const summaries = await catalogue.listSummaries({
      text: undefined,
      id: 'p2',
      category: undefined,
      brand: undefined,
      state: undefined,
      sort: 'updated',
      now: now.epochMilliseconds,
      page: 1,
      pageSize: 9,
    })
    assert.equal(summaries.total, 1)
    await catalogue.close()
    const status = await openStatusStore(as('platform'))
    assert.deepEqual(await Promise.all(countNames.map((name) => status.count(name, now))), [
      1,
      0,
      0,
      undefined,
      undefined,
    ])
    assert.partialDeepStrictEqual(await status.read(), {
      feeds: [{ name: 'core' }],
      lastLoad: { changed: 1 },
    })
    await status.close()
  })

  it('refuse every statement on a table that the work of the role does not need', async (t) => {
    const server = await openServer(t)
    const as = (role: string) => server.url().replace(/\/\/\w+@/, `//holdfast_${role}@`)
    await runSql(script, server.url())
    await createDatabase(asHoldfastOwner(server))
    await runSql(script, server.url())
    const tables = await runSql(
      `select c.relname, (
          select quote_ident(attname) from pg_attribute a
          where a.attrelid = c.oid and attnum > 0 and attidentity = '' order by attnum limit 1)
        from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        order by 1`,
      server.url(),
    )

    for (const [role, needed] of Object.entries(rights)) {
      const client = new pg.Client({ connectionString: as(role) })
      await client.connect()
      const allowed: Record<string, string> = {}
      for (const [table = '', column] of tables) {
        const permitted: string[] = []
        // The privileges are checked also if a statement is only explained.
        for (const sql of [
          `explain select from ${table}`,
          `explain insert into ${table} default values`,
          `explain update ${table} set ${column} = null`,
          `explain delete from ${table}`,
          `truncate ${table}`,
        ]) {
          const failure = await client.query(sql).catch((error) => error.code)
          if (failure !== '42501') permitted.push(sql.replace('explain ', '').split(' ')[0] ?? '')
        }
        if (permitted.length > 0) allowed[table] = permitted.join(' ')
      }
      await client.end()
      assert.deepEqual(allowed, needed, role)
    }
    for (const role of ['load', 'serve', 'platform', 'intake']) {
      const refused = { code: '42501' }
      await assert.rejects(runSql('create table public.x ()', as(role)), refused, role)
    }
  })

  it('let the intake issue tokens for its own operations alone', async (t) => {
    const server = await openServer(t)
    const as = (role: string) => server.url().replace(/\/\/\w+@/, `//holdfast_${role}@`)
    await runSql(script, server.url())
    await createDatabase(asHoldfastOwner(server))
    await runSql(script, server.url())
    const now = Date.now()
    const insert = (digest: string, scopes: string, expires: number) =>
      `insert into api_token values ('${digest}', 'admin', '${scopes}', ${expires}, 'hash')`
    await runSql(insert('admin', 'consent.write', now + 900_000), as('platform'))

    for (const scopes of ['consent.write', 'data.write operations.write', 'data.write ', '*']) {
      await assert.rejects(runSql(insert('x', scopes, now + 900_000), as('intake')), {
        code: '42501',
      })
    }
    const forever = insert('x', 'data.write', now + 86_400_000)
    await assert.rejects(runSql(forever, as('intake')), { code: '42501' })
    await runSql(insert('own', 'data.write products.write', now + 900_000), as('intake'))
    await runSql(insert('old', 'data.write', now - 900_000), as('intake'))
    await runSql('delete from api_token', as('intake'))

    const left = await runSql('select digest from api_token order by 1', as('platform'))
    assert.deepEqual(left.flat(), ['admin', 'own'])
  })
})

describeOnCitus('the roles of docs/postgres-roles.sql', () => {
  it('load, commit feeds, dump and serve on the workers, and test their connections', async (t) => {
    const scope = createScope(t)
    const database = await newDatabase(scope)
    const as = (role: string) => database.replace(/\/\/\w+@/, `//holdfast_${role}@`)
    await runSql(script, database)
    const ids = Array.from({ length: 8 }, (_, index) => `a${index}`)

    await loadInProcess(as('load'), [
      put.customer('c1'),
      ...ids.flatMap((id) => [put.account(id, ['c1']), put.transaction(id, 't1')]),
    ])
    const core = { id: 'core', secret: makeSecret() }
    const created = Temporal.Now.instant()
    const clients = await openClientStore(as('platform'))
    await clients.add(
      { id: core.id, name: 'core', scopes: ['data.write'], created },
      hashSecret(core.secret),
    )
    await clients.close()
    const intake = await (await openDeployment(scope, as('intake'))).openIntake()
    // Before the other transactions, which get new positions.
    const earlier = { postingDateTime: '2020-01-01T00:00:00Z' }
    const sent = await send(intake.port, '/v1/feeds/core/batches/1', {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${await requestToken(intake.port, core)}`,
        'content-type': 'application/x-ndjson',
      },
      body: ids.map((id) => put.transaction(id, 't2', earlier)).join('\n'),
    })
    assert.equal(sent.status, 200, sent.text)
    assert.equal((await Array.fromAsync(dumpProvider(as('load')))).length, 25)

    const store = await openProviderStore(as('serve'))
    for (const accountId of ids) {
      const page = await store.listEntries({
        customerId: 'c1',
        accountId,
        list: 'transaction',
        page: 1,
        pageSize: 9,
      })
      assert.partialDeepStrictEqual(page, { total: 2 })
    }
    await store.close()
    for (const role of ['serve', 'intake']) {
      const probe = await openDatabaseProbe(as(role), role === 'serve' ? 'read' : 'write')
      await probe.test()
      assert.ok((await probe.listDataNodes()).every(({ isUp }) => isUp))
      await probe.close()
    }
    const forbidden = { code: '42501' }
    await assert.rejects(runSql('delete from entry_state', as('serve')), forbidden)
    await assert.rejects(runSql('select from merge_line', as('serve')), forbidden)
  })
})
