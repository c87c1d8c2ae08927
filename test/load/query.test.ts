import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createQueryRows } from '../../src/cli/load/query-rows.ts'
import { describeOn, describeOnce, listSessions, newDatabase, runSql } from '../support/engines.ts'
import { until } from '../support/until.ts'
import { openBank, splitLines } from './bank.ts'
import { put } from './lines.ts'

/** A database of another system: any PostgreSQL database. */
async function openCore(scope: Parameters<typeof newDatabase>[0], schema: string): Promise<string> {
  const url = await newDatabase(scope)
  await runSql(schema, url)
  return url
}

describeOn('postgres', 'holdfast load --query', () => {
  it('streams more rows than one fetch through a mapping function, in the order of the queries', async (t) => {
    const bank = await openBank(t)
    const core = await openCore(
      t,
      `create table core_customer (id int, name text);
       insert into core_customer select i, 'n' || i from generate_series(1, 1201) i`,
    )
    bank.write('customers.sql', '-- all of them\nselect id, name from core_customer order by id;\n')
    bank.write('accounts.sql', `select id, name from core_customer where id <= 2`)
    bank.write(
      'map.ts',
      `export default (row, { file, line }) =>
        file.endsWith('customers.sql')
          ? { type: 'customer', record: { id: 'c' + row.id, name: row.name + ' ' + line, email: 'a@example.com' } }
          : { type: 'banking.account', holders: [{ customerId: 'c' + row.id }], record: { accountId: 'a' + row.id } }`,
    )

    const { status, stdout, stderr } = await bank.loadFiles(
      [],
      ...['--from', core, '--map', bank.path('map.ts')],
      ...['--query', bank.path('customers.sql'), '--query', bank.path('accounts.sql')],
    )

    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    assert.match(stdout, /^1,203 lines loaded/)
    const names = splitLines(await bank.dump())
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === 'customer')
      .map(({ record }) => record.name)
    const expected = Array.from({ length: 1201 }, (_, index) => `n${index + 1} ${index + 1}`)
    assert.deepEqual(names.sort(), expected.sort())
  })

  it('passes values as PostgreSQL prints them, in ISO style and UTC, and booleans and JSON as values', async (t) => {
    const core = await openCore(t, 'select 1')
    const sql = `select 1.50::numeric as n, 9007199254740993::bigint as i, true as b, null::text as missing,
      timestamptz '2026-11-01 12:30:00.5+11' as t, date '2026-11-01' as d,
      interval '1 month' as v, '{"a":[1]}'::jsonb as j, '"x"'::json as s, array[1,2] as l, 0.1::float8 as f`
    const [source] = createQueryRows(core, [{ file: 'all.sql', sql }])
    const rows = []
    for await (const chunk of source?.read({ withRaw: true }) ?? []) rows.push(...chunk.rows)

    const values = {
      n: '1.50',
      i: '9007199254740993',
      b: true,
      missing: null,
      t: '2026-11-01 01:30:00.5+00',
      d: '2026-11-01',
      v: 'P1M',
      j: { a: [1] },
      s: 'x',
      l: '{1,2}',
      f: '0.1',
    }
    assert.deepEqual(rows, [{ line: 1, values, raw: Buffer.from(JSON.stringify(values)) }])
  })

  it('loads columns named after fields with --type, and locates errors by row', async (t) => {
    const bank = await openBank(t)
    const core = await openCore(t, 'select 1')
    await bank.fill([put.customer('c1'), put.account('a1', ['c1'])])
    bank.write(
      'transactions.sql',
      `select 'a1' as "accountId", 't' || i as "transactionId", 'POSTED' as status,
         case i when 2 then 'x' else '1.00' end as amount, true as "isDetailAvailable"
       from generate_series(1, 3) i order by i`,
    )
    const query = ['--from', core, '--query', bank.path('transactions.sql')]

    const wrong = await bank.loadFiles([], ...query, '--type', 'banking.balance')
    const { status, stderr } = await bank.loadFiles([], ...query, '--type', 'banking.transaction')

    assert.match(
      wrong.stderr,
      /^1 × transactionId: is not a field.* \(at rows of transactions\.sql:1\)/,
    )
    assert.equal(status, 1)
    assert.match(
      stderr,
      /^1 × amount: must be a decimal string \(at rows of transactions\.sql:2\)\n1 error /,
    )
  })

  it('reports an error of a query with its position, and without values', async (t) => {
    const bank = await openBank(t)
    const core = await openCore(t, `create table t (secret text); insert into t values ('4111')`)
    bank.write('map.ts', 'export default () => null')
    const cases: [string, string][] = [
      ['select secret,\n  nothing from t', 'query.sql:2:3: column "nothing" does not exist'],
      ['delete from t', 'query.sql:1:1: syntax error at or near "delete"'],
      [
        'select 1; select 2',
        'query.sql: cannot insert multiple commands into a prepared statement',
      ],
      ['select secret::date from t', 'query.sql: the query failed with SQLSTATE 22007'],
      ['select 1 as x, 2 as x', 'query.sql: two columns are named "x"'],
    ]
    for (const [sql, message] of cases) {
      bank.write('query.sql', sql)
      const flags = ['--from', core, '--query', bank.path('query.sql')]
      const { status, stderr } = await bank.loadFiles([], ...flags, '--map', bank.path('map.ts'))
      assert.deepEqual({ status, stderr }, { status: 1, stderr: `${message}\n` })
    }
  })

  it('cannot change the database', async (t) => {
    const bank = await openBank(t)
    const core = await openCore(t, 'create sequence s')
    bank.write('map.ts', 'export default () => null')
    bank.write('query.sql', `select nextval('s')`)

    const flags = ['--from', core, '--query', bank.path('query.sql')]
    const { status, stderr } = await bank.loadFiles([], ...flags, '--map', bank.path('map.ts'))

    const message = 'cannot execute nextval() in a read-only transaction'
    assert.deepEqual({ status, stderr }, { status: 1, stderr: `query.sql: ${message}\n` })
  })

  it('cancels a running query when the load is stopped', async (t) => {
    const core = await openCore(t, 'select 1')
    const [source] = createQueryRows(core, [{ file: 'q.sql', sql: 'select pg_sleep(600)' }])
    const stopping = new AbortController()
    const reading = (async () => {
      for await (const _chunk of source?.read({ signal: stopping.signal }) ?? []) assert.fail()
    })()
    const running = () => listSessions(core, `query like '%holdfast_rows' and state = 'active'`)
    await until(async () => (await running()).length > 0)

    stopping.abort()

    await assert.rejects(reading, { name: 'AbortError' })
    await until(async () => (await running()).length === 0)
  })

  it('reports a database that cannot be reached without its password', async (t) => {
    const bank = await openBank(t)
    bank.write('map.ts', 'export default () => null')
    bank.write('query.sql', 'select 1')
    const from = 'postgres://reader:secret@127.0.0.1:1/core'

    const { status, stderr } = await bank.loadFiles(
      [],
      ...['--from', from, '--query', bank.path('query.sql'), '--map', bank.path('map.ts')],
    )

    assert.equal(status, 1)
    assert.match(stderr, /^the database 127\.0\.0\.1:1\/core cannot be used: /)
    assert.doesNotMatch(stderr, /secret/)
  })
})

describeOnce('the flags of a load from a query', () => {
  it('are complete, and exclude files', async (t) => {
    const bank = await openBank(t)
    bank.write('query.sql', 'select 1')
    bank.write('data.ndjson', [put.customer('c1')])
    const from = ['--from', 'postgres://reader@localhost/core']
    const query = ['--query', bank.path('query.sql')]
    const type = ['--type', 'customer']
    const cases: [string[], string[], string][] = [
      [[], from, '--from needs --query'],
      [[], [...from, ...query], '--query needs --type or --map'],
      [
        [],
        [...query, ...type],
        '--query needs --from or HOLDFAST_LOAD_FROM, the database to query',
      ],
      [['data.ndjson'], [...from, ...query, ...type], '--query and files exclude each other'],
      [
        [],
        ['--from', 'mysql://x/y', ...query, ...type],
        '--from must be postgres://USER@HOST/NAME',
      ],
      [[], [...from, '--query', bank.path('no.sql'), ...type], 'no.sql: file not found'],
      [[], [], 'name the files to load, or - for standard input'],
    ]
    for (const [files, flags, message] of cases) {
      const { status, stderr } = await bank.loadFiles(files, ...flags)
      assert.deepEqual([status, splitLines(stderr)[0]], [2, message])
    }
  })
})
