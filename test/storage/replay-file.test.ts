import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import { createPrivateFile } from '../../src/storage/sqlite/driver/files.ts'
import { openTokenUses, type TokenUses } from '../../src/storage/sqlite/replay/token-uses.ts'
import { temporaryFolder } from '../support/folder.ts'

const far = 1_000_000

async function newFile(t: TestContext): Promise<string> {
  const path = join(await temporaryFolder(t), 'bank.db-replay')
  createPrivateFile(path)
  return path
}

function usesOf(tokenIds: readonly string[], keptUntil = far) {
  return tokenIds.map((tokenId) => ({ tokenId, keptUntil }))
}

/** For each use, whether it is the first of its token. */
function areFirst(file: TokenUses, group: ReturnType<typeof usesOf>): boolean[] {
  return file.record(group).outcomes.map((outcome) => outcome === 'first use')
}

function countRows(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true })
  const row = database.prepare('select count(*) as count from token_use').get()
  database.close()
  return Number(row?.['count'])
}

describe('a replay file', () => {
  it('reports for each use of a group whether it is the first', async (t) => {
    const file = openTokenUses(await newFile(t))
    assert.deepEqual(areFirst(file, usesOf(['a', 'b', 'a'])), [true, true, false])
    assert.deepEqual(areFirst(file, usesOf(['c', 'b'])), [true, false])
    assert.deepEqual(areFirst(file, usesOf(['c'])), [false])
    file.close()
  })

  it('deletes the rows of expired records, some of them at a time', async (t) => {
    const path = await newFile(t)
    const file = openTokenUses(path)
    const ids = Array.from({ length: 5000 }, (_, index) => `id-${index}`)
    file.record(usesOf(ids, 10))
    file.record(usesOf(['kept']))
    file.purge(20)
    const left = countRows(path)
    assert.ok(left > 1 && left < 5001, `${left} rows`)
    for (let times = 0; times < 5; times += 1) file.purge(20)
    assert.equal(countRows(path), 1)
    file.close()
  })

  it('keeps the records of a version without batches, which had another index', async (t) => {
    const path = await newFile(t)
    const database = new DatabaseSync(path)
    database.exec(`
      create table claim (
        token_id text primary key, kept_until integer not null
      ) strict, without rowid;
      create index claim_kept_until on claim (kept_until);
      insert into claim values ('old', ${far}), ('expired', 5);
    `)
    database.close()
    const file = openTokenUses(path)

    assert.deepEqual(areFirst(file, usesOf(['old', 'new'])), [false, true])
    file.purge(10)
    assert.deepEqual(areFirst(file, usesOf(['expired'])), [true])
    file.close()
  })

  it('keeps the records of a version with batches, which then accepts no token', async (t) => {
    const path = await newFile(t)
    const earlier = new DatabaseSync(path)
    earlier.exec(`
      create table token_use (
        token_id text primary key, kept_until integer not null
      ) strict, without rowid;
      insert into token_use values ('indexed', ${far});
      create table batch (number integer primary key, uses text not null) strict;
      insert into batch values (1, '["a",${far},"b",5]'), (2, '[]'), (3, '["c",${far}]');
    `)
    const add = earlier.prepare('insert into batch (uses) values (?)')
    const file = openTokenUses(path)

    assert.throws(() => add.run(`["late",${far}]`), /cannot modify batch because it is a view/)
    earlier.close()
    assert.equal(countRows(path), 4)
    const ids = ['indexed', 'a', 'c', 'new']
    assert.deepEqual(areFirst(file, usesOf(ids)), [false, false, false, true])
    file.purge(10)
    assert.deepEqual(areFirst(file, usesOf(['b'])), [true])
    file.close()
  })

  it('cannot be used by earlier versions, which would not find its records', async (t) => {
    const path = await newFile(t)
    for (let times = 0; times < 2; times += 1) openTokenUses(path).close()
    const earlier = new DatabaseSync(path)
    t.after(() => earlier.close())

    earlier.exec(`
      create table if not exists batch (number integer primary key, uses text not null) strict;
      create table if not exists claim (
        token_id text primary key, kept_until integer not null
      ) strict, without rowid;
    `)

    for (const insert of [
      'insert into batch (uses) values (?)',
      'insert or ignore into claim values (?, ?)',
    ]) {
      assert.throws(() => earlier.prepare(insert), /because it is a view/)
    }
  })

  it('reports one first use per token, for any sequence of processes and clock steps', async (t) => {
    const folder = await temporaryFolder(t)
    const action = fc.record({
      process: fc.nat(2),
      operation: fc.oneof(
        { weight: 6, arbitrary: fc.constant('record' as const) },
        fc.constantFrom('purge', 'reopen'),
      ),
      ids: fc.array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), {
        minLength: 1,
        maxLength: 5,
      }),
      time: fc.integer({ min: 1, max: 40 }),
    })
    let run = 0
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        run += 1
        const path = join(folder, `${run}.db-replay`)
        createPrivateFile(path)
        const open = (): TokenUses => openTokenUses(path)
        const files = [open(), open(), open()]
        const usedUntil = new Map<string, number>()
        let purgedBefore = 0
        for (const { process, operation, ids, time } of actions) {
          const file = files[process] as TokenUses
          if (operation === 'purge') {
            file.purge(time)
            purgedBefore = Math.max(purgedBefore, time)
          } else if (operation === 'reopen') {
            file.close()
            files[process] = open()
          } else {
            const { outcomes } = file.record(usesOf(ids, time))
            for (const [index, id] of ids.entries()) {
              const until = usedUntil.get(id) ?? -1
              if (time <= until) assert.notEqual(outcomes[index], 'first use', id)
              else if (until < 0 && time >= purgedBefore) {
                assert.equal(outcomes[index], 'first use', id)
              }
              if (outcomes[index] === 'first use') usedUntil.set(id, time)
            }
          }
        }
        for (const file of files) file.close()
      }),
      { numRuns: 100 },
    )
  })
})
