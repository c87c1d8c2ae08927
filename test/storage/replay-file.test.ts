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

function countRows(path: string, table: 'token_use' | 'batch'): number {
  const database = new DatabaseSync(path, { readOnly: true })
  const row = database.prepare(`select count(*) as count from ${table}`).get()
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

  it('moves records beyond its limit to the index, and finds them there', async (t) => {
    const path = await newFile(t)
    const file = openTokenUses(path, 10)
    const ids = Array.from({ length: 100 }, (_, index) => `id-${index}`)
    for (const id of ids) file.record(usesOf([id]))
    file.purge(0)

    assert.equal(countRows(path, 'token_use'), 100)
    assert.equal(countRows(path, 'batch'), 1)
    assert.deepEqual(areFirst(file, usesOf([...ids, 'new'])), [...ids.map(() => false), true])
    file.close()
  })

  it('never uses a batch number twice, even after all records are purged', async (t) => {
    const path = await newFile(t)
    const busy = openTokenUses(path)
    const idle = openTokenUses(path)
    busy.record(usesOf(['early'], 10))
    idle.record(usesOf(['idle'], 10))
    busy.record(usesOf(['late'], 10))
    busy.purge(20)
    assert.equal(countRows(path, 'batch'), 1)

    // A third process does not know the earlier numbers.
    const third = openTokenUses(path)
    assert.deepEqual(areFirst(third, usesOf(['once'])), [true])
    assert.deepEqual(areFirst(busy, usesOf(['once'])), [false])
    assert.deepEqual(areFirst(idle, usesOf(['once'])), [false])
    for (const file of [busy, idle, third]) file.close()
  })

  it('deletes the rows of expired records', async (t) => {
    const path = await newFile(t)
    const file = openTokenUses(path)
    for (let time = 0; time < 50; time += 1) {
      file.record(usesOf([`id-${time}`], time))
      file.purge(time + 1)
    }
    assert.equal(countRows(path, 'batch'), 1)
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
        const open = (): TokenUses => openTokenUses(path, 8)
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
