import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import { createPrivateFile } from '../../src/storage/sqlite/driver/files.ts'
import { openTokenUses, type TokenUses } from '../../src/storage/sqlite/replay/token-uses.ts'
import { temporaryFolder } from './processes.ts'

const far = 1_000_000

async function newFile(t: TestContext): Promise<string> {
  const path = join(await temporaryFolder(t), 'bank.db-claims')
  createPrivateFile(path)
  return path
}

function claimsOf(tokenIds: readonly string[], keptUntil = far) {
  return tokenIds.map((tokenId) => ({ tokenId, keptUntil }))
}

/** Of each of a group, whether this is its first use. */
function isFirst(file: TokenUses, group: ReturnType<typeof claimsOf>): boolean[] {
  return file.claim(group).outcomes.map((outcome) => outcome === 'first use')
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
    const file = openTokenUses(await newFile(t))
    assert.deepEqual(isFirst(file, claimsOf(['a', 'b', 'a'])), [true, true, false])
    assert.deepEqual(isFirst(file, claimsOf(['c', 'b'])), [true, false])
    assert.deepEqual(isFirst(file, claimsOf(['c'])), [false])
    file.close()
  })

  it('sorts into an index what is more than it holds, and finds it there', async (t) => {
    const path = await newFile(t)
    const file = openTokenUses(path, 10)
    const ids = Array.from({ length: 100 }, (_, index) => `id-${index}`)
    for (const id of ids) file.claim(claimsOf([id]))
    file.forget(0)

    assert.equal(countIn(path, 'claim'), 100)
    assert.equal(countIn(path, 'batch'), 1)
    assert.deepEqual(isFirst(file, claimsOf([...ids, 'new'])), [...ids.map(() => false), true])
    file.close()
  })

  it('never gives a number twice, also when all is forgotten', async (t) => {
    const path = await newFile(t)
    const busy = openTokenUses(path)
    const idle = openTokenUses(path)
    busy.claim(claimsOf(['early'], 10))
    idle.claim(claimsOf(['mine'], 10))
    busy.claim(claimsOf(['late'], 10))
    busy.forget(20)
    assert.equal(countIn(path, 'batch'), 1)

    // A third process knows nothing of the numbers that were there.
    const third = openTokenUses(path)
    assert.deepEqual(isFirst(third, claimsOf(['once'])), [true])
    assert.deepEqual(isFirst(busy, claimsOf(['once'])), [false])
    assert.deepEqual(isFirst(idle, claimsOf(['once'])), [false])
    for (const file of [busy, idle, third]) file.close()
  })

  it('leaves nothing behind of what comes and expires', async (t) => {
    const path = await newFile(t)
    const file = openTokenUses(path)
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
    const file = openTokenUses(path)

    assert.deepEqual(isFirst(file, claimsOf(['old', 'new'])), [false, true])
    file.forget(10)
    assert.deepEqual(isFirst(file, claimsOf(['expired'])), [true])
    file.close()
  })

  it('never gives a token a second first use, whatever its users do and however the clock steps', async (t) => {
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
      time: fc.integer({ min: 1, max: 40 }),
    })
    let run = 0
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        run += 1
        const path = join(folder, `${run}.claims`)
        createPrivateFile(path)
        const open = (): TokenUses => openTokenUses(path, 8)
        const files = [open(), open(), open()]
        const usedUntil = new Map<string, number>()
        let forgottenBefore = 0
        for (const { who, what, ids, time } of actions) {
          const file = files[who] as TokenUses
          if (what === 'forget') {
            file.forget(time)
            forgottenBefore = Math.max(forgottenBefore, time)
          } else if (what === 'open again') {
            file.close()
            files[who] = open()
          } else {
            const { outcomes } = file.claim(claimsOf(ids, time))
            for (const [index, id] of ids.entries()) {
              const until = usedUntil.get(id) ?? -1
              if (time <= until) assert.notEqual(outcomes[index], 'first use', id)
              else if (until < 0 && time >= forgottenBefore) {
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
