import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { versionWith } from '../../src/storage/migrations.ts'
import { createDatabase, openProviderStore } from '../../src/storage/open.ts'
import { migrations } from '../../src/storage/postgres/driver/schema.ts'
import { migrations as sqliteMigrations } from '../../src/storage/sqlite/driver/schema.ts'
import { openDatabaseFile } from '../support/database-file.ts'
import {
  bareDatabase,
  createScope,
  currentEngine,
  describeOn,
  describeOnce,
  engines,
  listSessions,
  runSql,
} from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runInProcess, start } from '../support/process.ts'
import { until } from '../support/until.ts'
import { migrateWith } from './migrate-with.ts'

const migration = 'create table added (number integer); insert into added values (1);'

const program = fileURLToPath(new URL('migrate-with.ts', import.meta.url))

const tables = ['customer', 'account', 'holder', 'entry']
  .map((name) => `create table ${name} (number bigint);`)
  .join(' ')

const earlierBuild = {
  sqlite: `${tables} pragma user_version = 18`,
  postgres: `${tables} create table schema_version (version integer, partitions integer, layout text);
    insert into schema_version values (21, 16, 'partitions')`,
}

const foreign = {
  sqlite: {
    'with other tables': 'create table note (text text); pragma user_version = 100',
    'with an application id': `${tables} pragma application_id = 7`,
  },
  postgres: {
    'with a table of the same name': 'create table entry (text text)',
    'with its own schema_version': `create table schema_version (version text);
      insert into schema_version values ('1.2')`,
  },
} as const

const commands = [
  [
    'serve',
    'provider',
    ...'--port 0 --provider-url https://bank.example --subdomain bank --jwks-url http://127.0.0.1:1/'.split(
      ' ',
    ),
  ],
  ['serve', 'platform', '--port', '0'],
  ['serve', 'intake', '--port', '0'],
  ['dump'],
  ['feeds'],
  ['keys', 'list'],
  ['keys', 'list', '--create'],
  ['client', 'list'],
  ['consent', 'list'],
  ['products', 'list'],
]

/** The digest of the migrations of each version. Before the first release, a change of the first one raises `firstVersion`. */
const digests: Readonly<Record<number, string>> = {
  113: '93e444ff94452dcd',
}

describeOnce('the migrations', () => {
  it('change only with the version, so that a database without the change is recognised', () => {
    const layouts = ['partitions', 'citus'] as const
    const hash = createHash('sha256').update(sqliteMigrations.join())
    for (const migration of migrations) {
      for (const layout of layouts) hash.update(migration({ layout, partitions: 2 }))
    }

    assert.equal(hash.digest('hex').slice(0, 16), digests[versionWith(migrations)])
  })
})

/** Runs statements, and returns the rows of a single one. */
async function execute(database: string, sql: string): Promise<unknown[][]> {
  if (currentEngine() === 'postgres') return runSql(sql, database)
  const file = openDatabaseFile(database)
  try {
    if (!sql.startsWith('select')) {
      file.exec(sql)
      return []
    }
    return file
      .prepare(sql)
      .all()
      .map((row) => Object.values(row))
  } finally {
    file.close()
  }
}

/** The tables, and the version if there is one. */
async function describeSchema(database: string): Promise<unknown> {
  if (currentEngine() === 'sqlite') {
    const version =
      'select user_version, application_id from pragma_user_version, pragma_application_id'
    const tables = 'select sql from sqlite_schema order by name'
    return [await execute(database, version), await execute(database, tables)]
  }
  const columns = await runSql(
    `select relname, attname from pg_attribute join pg_class c on c.oid = attrelid
     where relnamespace = 'public'::regnamespace and attnum > 0 order by 1, 2`,
    database,
  )
  const hasVersion = columns.some(([table]) => table === 'schema_version')
  return [columns, hasVersion && (await runSql('select * from schema_version', database))]
}

/** Starts a migration that does not end, and kills its process in the middle. */
async function killInMiddle(t: TestContext, database: string): Promise<void> {
  const scope = createScope(t)
  const startWith = (statement: string) =>
    start(scope, [process.execPath, program, database, migration + statement])
  if (currentEngine() === 'sqlite') {
    const child = startWith(
      'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n',
    )
    await until(() => isLocked(database))
    child.kill('SIGKILL')
    await once(child, 'exit')
    return
  }
  const blocker = new pg.Client({ connectionString: database })
  await blocker.connect()
  try {
    await blocker.query('select pg_advisory_lock(1)')
    const child = startWith('select pg_advisory_lock(1)')
    await until(async () => (await listSessions(database, `wait_event = 'advisory'`)).length > 0)
    child.kill('SIGKILL')
    await once(child, 'exit')
  } finally {
    await blocker.end()
  }
}

function isLocked(database: string): boolean {
  const file = new DatabaseSync(database.slice('sqlite:'.length), { timeout: 0 })
  try {
    file.exec('begin immediate; rollback')
    return false
  } catch {
    return true
  } finally {
    file.close()
  }
}

for (const engine of engines) {
  describeOn(engine, 'a migration', () => {
    it('is applied once by processes that start at the same time, to a new database and to an existing one', async (t) => {
      const [created, existing] = [
        await bareDatabase(createScope(t)),
        await bareDatabase(createScope(t)),
      ]
      await createDatabase(existing, { partitions: 2 })

      const scope = createScope(t)
      const children = [created, existing, created, existing, created, existing].map((database) =>
        start(scope, [process.execPath, program, database, migration]),
      )
      const exits = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]))

      assert.deepEqual(exits, [0, 0, 0, 0, 0, 0])
      assert.deepEqual(await execute(created, 'select number from added'), [[1]])
      assert.deepEqual(await describeSchema(created), await describeSchema(existing))
    })

    it('that fails leaves the database as it was, and is applied by the next start', async (t) => {
      const database = await bareDatabase(createScope(t))
      await createDatabase(database, { partitions: 2 })
      const before = await describeSchema(database)

      await assert.rejects(migrateWith(database, `${migration} select * from missing`))
      assert.deepEqual(await describeSchema(database), before)
      await migrateWith(database, migration)

      assert.deepEqual(await execute(database, 'select number from added'), [[1]])
    })

    it('whose process is killed is applied by the next start', async (t) => {
      const database = await bareDatabase(createScope(t))
      await createDatabase(database, { partitions: 2 })

      await killInMiddle(t, database)
      await migrateWith(database, migration)

      assert.deepEqual(await execute(database, 'select number from added'), [[1]])
    })

    it('of a newer version keeps this one from using the database, which stays unchanged', async (t) => {
      const database = await bareDatabase(createScope(t))
      await migrateWith(database, migration)
      const before = await describeSchema(database)

      await rejectsEveryUse(database, /^the database was created by a newer version of Holdfast: /)

      assert.deepEqual(await describeSchema(database), before)
    })
  })

  describeOn(engine, 'a database of an earlier build', () => {
    it('is rejected by every command with a sentence about what to do, and stays unchanged', async (t) => {
      const database = await bareDatabase(createScope(t))
      await execute(database, earlierBuild[engine])
      if (engine === 'sqlite') chmodSync(database.slice('sqlite:'.length), 0o600)
      const folder = await temporaryFolder(t)
      const lines = join(folder, 'lines.ndjson')
      writeFileSync(lines, '')
      const others = [
        ['load', lines],
        ...(engine === 'sqlite' ? [['backup', join(folder, 'copy.db')]] : []),
      ]
      const before = await describeSchema(database)
      const message =
        'the database was created by an earlier build of Holdfast: dump it with that build, and load the dump into a new database with this one\n'

      for (const command of [...commands, ...others]) {
        const { status, stderr } = await runInProcess([...command, '--database', database])
        assert.deepEqual([status, stderr], [1, message], command.join(' '))
      }
      await rejectsEveryUse(database, /^the database was created by an earlier build/)

      assert.deepEqual(await describeSchema(database), before)
    })
  })

  describeOn(engine, 'a database of the build before the last change of the schema', () => {
    it('is rejected, and stays unchanged', async (t) => {
      const database = await bareDatabase(createScope(t))
      await createDatabase(database)
      const version = versionWith(migrations) - 1
      await execute(
        database,
        engine === 'sqlite'
          ? `pragma user_version = ${version}`
          : `update schema_version set version = ${version}`,
      )
      const before = await describeSchema(database)

      await rejectsEveryUse(database, /^the database was created by an earlier build/)

      assert.deepEqual(await describeSchema(database), before)
    })
  })

  describeOn(engine, 'a database of another program', () => {
    for (const [name, sql] of Object.entries(foreign[engine])) {
      it(`is rejected and stays unchanged: ${name}`, async (t) => {
        const database = await bareDatabase(createScope(t))
        await execute(database, sql)
        const before = await describeSchema(database)

        await assert.rejects(createDatabase(database), /of another program: choose another/)

        assert.deepEqual(await describeSchema(database), before)
      })
    }
  })
}

async function rejectsEveryUse(database: string, message: RegExp): Promise<void> {
  for (const use of [createDatabase, openProviderStore]) {
    await assert.rejects(use(database), { name: 'DatabaseError', message })
  }
}
