import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import {
  backupDatabase,
  createDatabase,
  openReplayStore,
  replaceReplayFile,
} from '../../src/storage/open.ts'
import { defineFunctions } from '../../src/storage/sqlite/driver/migration-functions.ts'
import { migrations } from '../../src/storage/sqlite/driver/migrations.ts'
import { describeOn } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { run } from '../support/process.ts'

const clock = () => Temporal.Instant.fromEpochMilliseconds(0)
const storage = new URL('../../src/storage/open.ts', import.meta.url).href

/** How many migrations the version before had. */
const earlierSteps = 7

/** The tables of a replay file as the earlier version wrote them: one token in the index and one in a batch. */
const earlierTables = `
  create table identity (only integer primary key check (only = 1), id text not null) strict;
  insert into identity values (1, 'the-file');
  create table claim (
    token_id text primary key, kept_until integer not null
  ) strict, without rowid;
  insert into claim values ('indexed', 1000);
  create table batch (number integer primary key, claims text not null) strict;
  insert into batch values (7, '["batched", 1000]');
  create table replay_purge (
    id integer primary key check (id = 1), purged_until integer not null
  ) strict;
  insert into replay_purge values (1, 10);`

interface EarlierDatabase {
  readonly database: string
  /** The replay file under its earlier and its present name. */
  readonly earlier: string
  readonly replay: string
}

/** A database that the version before served, with its replay file. */
async function earlierDatabase(
  t: TestContext,
  { isRecorded = true } = {},
): Promise<EarlierDatabase> {
  const path = join(await temporaryFolder(t), 'bank.db')
  const data = new DatabaseSync(path)
  defineFunctions(data)
  for (const step of migrations.slice(0, earlierSteps)) step(data)
  if (isRecorded) data.exec("insert into replay_file values (1, 'the-file')")
  data.exec(`pragma user_version = ${earlierSteps}`)
  data.close()
  const file = new DatabaseSync(`${path}-claims`)
  file.exec(`pragma journal_mode = wal; ${earlierTables}`)
  file.close()
  return { database: `sqlite:${path}`, earlier: `${path}-claims`, replay: `${path}-replay` }
}

/** Opens the replay store, and checks that it knows the tokens that were used, and only those. */
async function assertTokensKnown(database: string, used = ['indexed', 'batched']): Promise<void> {
  const store = await openReplayStore(database, clock)
  try {
    for (const token of used) assert.equal(await store.recordUse(token, 1000), 'used before')
    assert.equal(await store.recordUse('expired', 10), 'purged')
    assert.equal(await store.recordUse(`new ${used.length}`, 1000), 'first use')
  } finally {
    await store.close()
  }
}

describeOn('sqlite', 'the replay file of an earlier version', () => {
  it('is renamed at the first start, and its used tokens stay used', async (t) => {
    const { database, earlier, replay } = await earlierDatabase(t)

    await assertTokensKnown(database)
    assert.deepEqual([existsSync(earlier), existsSync(replay)], [false, true])
    await assertTokensKnown(database, ['indexed', 'batched', 'new 2'])
  })

  it('is renamed with the records that only its write-ahead log has', async (t) => {
    const { database, earlier } = await earlierDatabase(t)
    const writer = new DatabaseSync(earlier)
    writer.exec(`insert into batch values (8, '["logged", 1000]')`)
    // As a crash leaves them: the last connection of a process that closes it deletes the log.
    for (const suffix of ['', '-wal']) copyFileSync(earlier + suffix, `${earlier}.crashed${suffix}`)
    writer.close()
    for (const suffix of ['', '-wal']) renameSync(`${earlier}.crashed${suffix}`, earlier + suffix)
    assert.ok(statSync(`${earlier}-wal`).size > 0)

    await assertTokensKnown(database, ['indexed', 'batched', 'logged'])
    const names = readdirSync(dirname(earlier)).sort()
    assert.deepEqual(names, ['bank.db', 'bank.db-replay'])
  })

  it('is used after a crash between its renaming and that of its tables', async (t) => {
    const { database, earlier, replay } = await earlierDatabase(t)
    renameSync(earlier, replay)

    await assertTokensKnown(database)
  })

  it('is renamed for a database that has not recorded it', async (t) => {
    const { database } = await earlierDatabase(t, { isRecorded: false })

    await assertTokensKnown(database)
  })

  it('is kept by --new-replay-file', async (t) => {
    const { database } = await earlierDatabase(t)
    await replaceReplayFile(database)

    await assertTokensKnown(database)
  })

  it('is not renamed while a process of the earlier version has it open', async (t) => {
    const { database, earlier, replay } = await earlierDatabase(t)
    const other = new DatabaseSync(earlier)
    other.prepare('select * from batch').all()

    await assert.rejects(openReplayStore(database, clock), {
      name: 'DatabaseError',
      message: `the replay file ${earlier} is in use by another process of an older version; stop it first`,
    })
    assert.deepEqual([existsSync(earlier), existsSync(replay)], [true, false])

    other.close()
    await assertTokensKnown(database)
  })

  it('is rejected beside a file with the present name, and neither is changed', async (t) => {
    const { database, earlier, replay } = await earlierDatabase(t)
    for (const existing of [replay, `${replay}-wal`]) {
      writeFileSync(existing, 'other')
      const rejection = {
        name: 'DatabaseError',
        message: new RegExp(`^${existing} and ${earlier} both exist, .* move the other`),
      }
      await assert.rejects(openReplayStore(database, clock), rejection)
      await assert.rejects(replaceReplayFile(database), rejection)
      const target = `${earlier}.copy`
      await assert.rejects(backupDatabase(database, target, { force: false }), rejection)
      assert.equal(statSync(existing).size, 'other'.length)
      renameSync(existing, `${earlier}.moved`)
    }

    await assertTokensKnown(database)
  })

  it('is renamed by one of several processes that start at once', async (t) => {
    const { database, replay } = await earlierDatabase(t)
    const script = `import { openReplayStore } from '${storage}'
      const store = await openReplayStore(process.argv[1], () => Temporal.Now.instant())
      console.log(await store.recordUse('indexed', 4e9), await store.recordUse('raced', 4e9))
      await store.close()`
    const outputs = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const command = [process.execPath, '--input-type=module', '--eval', script, database]
        const { stdout, stderr } = await run(command)
        return stdout + stderr
      }),
    )

    assert.deepEqual(outputs.sort(), [
      'used before first use\n',
      ...Array.from({ length: 3 }, () => 'used before used before\n'),
    ])
    assert.ok(existsSync(replay))
  })

  it('keeps earlier versions from opening the database once it is renamed', async (t) => {
    const { database } = await earlierDatabase(t)
    await assertTokensKnown(database)

    const file = new DatabaseSync(database.slice('sqlite:'.length))
    t.after(() => file.close())
    assert.equal(file.prepare('pragma user_version').get()?.['user_version'], migrations.length)
    assert.ok(migrations.length > earlierSteps)
  })

  it('is part of a backup, which opens, and replaces that of an earlier backup', async (t) => {
    const { database, earlier } = await earlierDatabase(t)
    const target = join(await temporaryFolder(t), 'copy.db')
    for (const suffix of ['', '-claims']) writeFileSync(target + suffix, 'earlier backup')
    await assert.rejects(backupDatabase(database, target, { force: false }), /copy\.db exists: /)

    const written = await backupDatabase(database, target, { force: true })

    assert.deepEqual(written, [target, `${target}-replay`])
    assert.deepEqual(readdirSync(dirname(target)).sort(), ['copy.db', 'copy.db-replay'])
    assert.ok(existsSync(earlier), 'the backup changes nothing')
    await assertTokensKnown(`sqlite:${target}`)
  })

  it('is found for a database that is created anew', async (t) => {
    const { database, earlier } = await earlierDatabase(t)
    const path = database.slice('sqlite:'.length)
    renameSync(path, `${path}.old`)
    await createDatabase(database)

    await assertTokensKnown(database)
    assert.equal(existsSync(earlier), false)
  })
})
