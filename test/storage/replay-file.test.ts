import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import { createPrivateFile } from '../../src/storage/sqlite/driver/files.ts'
import { openTokenUses } from '../../src/storage/sqlite/replay/token-uses.ts'
import { temporaryFolder } from '../support/folder.ts'

type TokenUses = ReturnType<typeof openTokenUses>

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
