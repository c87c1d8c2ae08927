import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import { type ClaimsFile, openClaimsFile } from '../../src/storage/sqlite/claims-file.ts'
import { temporaryFolder } from './processes.ts'

const far = 1_000_000

async function newFile(t: TestContext): Promise<string> {
  return join(await temporaryFolder(t), 'bank.db-claims')
}

function claimsOf(tokenIds: readonly string[], keptUntil = far) {
  return tokenIds.map((tokenId) => ({ tokenId, keptUntil }))
}

/** Looks at the file as nobody who serves does. */
function countIn(path: string, table: 'claim' | 'batch'): number {
  const database = new DatabaseSync(path, { readOnly: true })
  const row = database.prepare(`select count(*) as count from ${table}`).get()
  database.close()
  return Number(row?.['count'])
}

describe('the file of spent tokens', () => {
  it('tells of each of a group whether it is the first', async (t) => {
    const file = openClaimsFile(await newFile(t))
    assert.deepEqual(file.claim(claimsOf(['a', 'b', 'a'])), [true, true, false])
    assert.deepEqual(file.claim(claimsOf(['c', 'b'])), [true, false])
    assert.deepEqual(file.claim(claimsOf(['c'])), [false])
    file.close()
  })

  it('sorts into an index what is more than it holds, and finds it there', async (t) => {
    const path = await newFile(t)
    const file = openClaimsFile(path, 10)
    const ids = Array.from({ length: 100 }, (_, index) => `id-${index}`)
    for (const id of ids) file.claim(claimsOf([id]))
    file.forget(0)

    assert.equal(countIn(path, 'claim'), 100)
    assert.equal(countIn(path, 'batch'), 1)
    assert.deepEqual(file.claim(claimsOf([...ids, 'new'])), [...ids.map(() => false), true])
    file.close()
  })

  it('never gives a number twice, also when all is forgotten', async (t) => {
    const path = await newFile(t)
    const busy = openClaimsFile(path)
    const idle = openClaimsFile(path)
    busy.claim(claimsOf(['early'], 10))
    idle.claim(claimsOf(['mine'], 10))
    busy.claim(claimsOf(['late'], 10))
    busy.forget(20)
    assert.equal(countIn(path, 'batch'), 1)

    // A third process knows nothing of the numbers that were there.
    const third = openClaimsFile(path)
    assert.deepEqual(third.claim(claimsOf(['once'])), [true])
    assert.deepEqual(busy.claim(claimsOf(['once'])), [false])
    assert.deepEqual(idle.claim(claimsOf(['once'])), [false])
    for (const file of [busy, idle, third]) file.close()
  })

  it('leaves nothing behind of what comes and expires', async (t) => {
    const path = await newFile(t)
    const file = openClaimsFile(path)
    for (let time = 0; time < 50; time += 1) {
      file.claim(claimsOf([`id-${time}`], time))
      file.forget(time + 1)
    }
    assert.equal(countIn(path, 'batch'), 1)
    file.close()
  })

  it('takes over what an index with another order held', async (t) => {
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
    const file = openClaimsFile(path)

    assert.deepEqual(file.claim(claimsOf(['old', 'new'])), [false, true])
    file.forget(10)
    assert.deepEqual(file.claim(claimsOf(['expired'])), [true])
    file.close()
  })

  it('is one record for all who share it, whatever they do and in whatever order', async (t) => {
    const folder = await temporaryFolder(t)
    const action = fc.record({
      who: fc.nat(2),
      what: fc.oneof(
        { weight: 6, arbitrary: fc.constant('claim' as const) },
        fc.constantFrom('forget', 'open again'),
      ),
      ids: fc.array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), {
        minLength: 1,
        maxLength: 5,
      }),
      life: fc.integer({ min: 0, max: 12 }),
    })
    let run = 0
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        run += 1
        const path = join(folder, `${run}.claims`)
        const open = (): ClaimsFile => openClaimsFile(path, 8)
        const files = [open(), open(), open()]
        const keptUntil = new Map<string, number>()
        for (const [time, { who, what, ids, life }] of actions.entries()) {
          const file = files[who] as ClaimsFile
          if (what === 'forget') file.forget(time)
          else if (what === 'open again') {
            file.close()
            files[who] = open()
          } else {
            const won = file.claim(claimsOf(ids, time + life))
            for (const [index, id] of ids.entries()) {
              const until = keptUntil.get(id)
              // What has expired may be forgotten, and may be known still.
              if (until !== undefined && until >= time) assert.equal(won[index], false, id)
              if (until === undefined) assert.equal(won[index], true, id)
              if (won[index]) keptUntil.set(id, time + life)
            }
          }
        }
        for (const file of files) file.close()
      }),
      { numRuns: 60 },
    )
  })
})
