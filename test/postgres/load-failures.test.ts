import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createDatabase } from '../../src/storage/open.ts'
import { openBank } from '../load/bank.ts'
import { put } from '../load/lines.ts'
import { describeOn, runSql, shareOnEachEngine } from '../support/engines.ts'
import { makePostgres, type PostgresServer } from '../support/postgres.ts'
import { finish, runInProcess } from '../support/process.ts'

/** A server with few locks, where each role lacks a privilege. Shared, as it takes a second to start. */
const server = shareOnEachEngine(async (scope): Promise<PostgresServer> => {
  const server = await makePostgres({
    settings: { max_connections: '20', max_locks_per_transaction: '10', max_worker_processes: '0' },
  })
  scope.after(() => server.remove())
  await server.start()
  await createDatabase(server.url(), { partitions: 2 })
  await runSql(
    `create role no_temp login; create role reader login;
     revoke all on database postgres from public;
     grant connect on database postgres to no_temp, reader;
     grant temporary on database postgres to reader;
     grant select on all tables in schema public to reader, no_temp;
     revoke all on signing_key from reader; revoke all on contact from no_temp`,
    server.url(),
  )
  return server
})

describeOn('postgres', 'a load that the server cannot complete', () => {
  const urlOf = async (role: string) => (await server()).url().replace(/\/\/\w+@/, `//${role}@`)

  it('succeeds with thousands of products although the lock table is small', async (t) => {
    const bank = await openBank(t)
    const products = Array.from({ length: 1500 }, (_, index) => put.product(`p${index}`))
    bank.write('products.ndjson', products)
    const flags = ['--database', (await server()).url()]

    const { status, stderr } = await runInProcess(['load', bank.path('products.ndjson'), ...flags])

    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  })

  const grants = '(docs/postgres-roles.sql grants what each command needs)\n'
  for (const [name, role, args, message] of [
    [
      'a load whose role may not create temporary tables',
      'no_temp',
      ['load'],
      `the database role no_temp lacks a privilege: permission denied to create temporary tables in database "postgres" ${grants}`,
    ],
    [
      'a load whose role may only read',
      'reader',
      ['load'],
      `the database role reader lacks INSERT, UPDATE, DELETE on further_email: permission denied for table further_email ${grants}`,
    ],
    [
      'a dump whose role may not read a table',
      'no_temp',
      ['dump'],
      `the database role no_temp lacks SELECT, INSERT, UPDATE, DELETE on contact: permission denied for table contact ${grants}`,
    ],
    [
      'keys list whose role may not read the keys',
      'reader',
      ['keys', 'list'],
      `the database role reader lacks SELECT, INSERT, UPDATE, DELETE on signing_key: permission denied for table signing_key ${grants}`,
    ],
  ] as const) {
    it(`fails with one line that names the role and the missing privilege: ${name}`, async (t) => {
      const bank = await openBank(t)
      bank.write('lines.ndjson', [put.customer('c1')])
      const files = args[0] === 'load' ? [bank.path('lines.ndjson')] : []

      const run = await runInProcess([...args, ...files, '--database', await urlOf(role)])

      assert.deepEqual(run, { status: 1, stdout: '', stderr: message })
    })
  }

  it('ends its process, and reports the error of the server, and not a lost connection', async (t) => {
    const bank = await openBank(t)
    const address = (await server()).url()
    await runSql(
      `create function reject() returns trigger language plpgsql as
         $$ begin raise exception 'a secret' using errcode = '23514'; end $$;
       create trigger reject before insert on product for each row execute function reject()`,
      address,
    )
    t.after(() => runSql('drop function reject cascade', address).then(() => {}))
    bank.write('product.ndjson', [put.product('new')])

    const load = bank.start(['load', 'product.ndjson', '--database', address])
    const { status, stderr } = await finish(load)

    assert.equal(stderr, 'the database failed with 23514 (uncommitted changes were discarded)\n')
    assert.equal(status, 1)
  })
})
