import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue, StatementSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { createDatabase, openReplayStore } from '../../src/storage/open.ts'
import { createPrivateFile } from '../../src/storage/sqlite/driver/files.ts'
import { replaceReplayFile } from '../../src/storage/sqlite/replay/replay-file.ts'
import { openTokenUses } from '../../src/storage/sqlite/replay/token-uses.ts'
import { createScope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { run } from '../support/process.ts'

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

const clock = () => Temporal.Instant.fromEpochMilliseconds(0)

const files = ['bank.db', 'bank.db-wal', 'bank.db-replay', 'bank.db-replay-wal']

/** Runs some work on the files of a database, and copies them before each change: what a crash would leave. */
async function copyBeforeChanges(
  t: TestContext,
  folder: string,
  work: () => unknown,
): Promise<string[]> {
  const copies: string[] = []
  const copy = (): void => {
    const target = join(folder, `copy-${copies.length}`)
    mkdirSync(target)
    for (const name of files) {
      if (existsSync(join(folder, name))) copyFileSync(join(folder, name), join(target, name))
    }
    copies.push(target)
  }
  const { exec } = DatabaseSync.prototype
  const { run: runStatement } = StatementSync.prototype
  const mocks = [
    t.mock.method(DatabaseSync.prototype, 'exec', function (this: DatabaseSync, sql: string) {
      copy()
      return exec.call(this, sql)
    }),
    t.mock.method(
      StatementSync.prototype,
      'run',
      function (this: StatementSync, ...values: SQLInputValue[]) {
        copy()
        return Reflect.apply(runStatement, this, values)
      },
    ),
  ]
  await work()
  for (const { mock } of mocks) mock.restore()
  return copies
}

describe('a new replay file', () => {
  it('is completed by the next start after a crash at any moment', async (t) => {
    const folder = await temporaryFolder(t)
    const database = `sqlite:${join(folder, 'bank.db')}`
    await createDatabase(database)

    const copies = await copyBeforeChanges(t, folder, async () =>
      (await openReplayStore(database, clock)).close(),
    )

    assert.ok(copies.length > 5, `${copies.length} moments`)
    for (const copy of copies) {
      const replays = await openReplayStore(`sqlite:${join(copy, 'bank.db')}`, clock)
      const used = [await replays.recordUse('a', far), await replays.recordUse('a', far)]
      await replays.close()
      assert.deepEqual(used, ['first use', 'used before'], copy)
    }
  })

  it('in place of a lost one is completed by the next request for one after a crash', async (t) => {
    const folder = await temporaryFolder(t)
    const path = join(folder, 'bank.db')
    await createDatabase(`sqlite:${path}`)
    await (await openReplayStore(`sqlite:${path}`, clock)).close()
    const lost = join(folder, 'lost')
    mkdirSync(lost)
    copyFileSync(path, join(lost, 'bank.db'))

    const copies = await copyBeforeChanges(t, lost, () => replaceReplayFile(join(lost, 'bank.db')))

    assert.ok(copies.length > 5, `${copies.length} moments`)
    for (const copy of copies) {
      replaceReplayFile(join(copy, 'bank.db'))
      const replays = await openReplayStore(`sqlite:${join(copy, 'bank.db')}`, clock)
      assert.equal(await replays.recordUse('a', far), 'first use')
      await replays.close()
      replaceReplayFile(join(copy, 'bank.db'))
      const again = await openReplayStore(`sqlite:${join(copy, 'bank.db')}`, clock)
      assert.equal(await again.recordUse('a', far), 'used before')
      await again.close()
    }
  })

  it('is created once by several processes at the same time', async (t) => {
    const path = await newFile(t)
    const program = fileURLToPath(new URL('open-replay-file.ts', import.meta.url))

    const finished = await Promise.all(
      ['a', 'b', 'a', 'b'].map((id) => run([process.execPath, program, path, id])),
    )

    assert.deepEqual(
      finished.map(({ stdout }) => stdout).sort(),
      ['first use', 'first use', 'used before', 'used before'],
      finished.map(({ stderr }) => stderr).join(),
    )
    assert.equal(countRows(path), 2)
  })
})

describe('a file that is no replay file of this version', () => {
  const foreign = /^the file is a database of another program: choose another file$/
  const cases: Record<string, readonly [create: (path: string) => unknown, message: RegExp]> = {
    'a database of another program': [(path) => execute(path, 'create table note (x)'), foreign],
    'an empty database with the id of another program': [
      (path) => execute(path, 'pragma application_id = 7'),
      foreign,
    ],
    'a file with the same tables and no id': [
      (path) => {
        openTokenUses(path).close()
        execute(path, 'pragma application_id = 0')
      },
      foreign,
    ],
    'a database of Holdfast': [(path) => createDatabase(`sqlite:${path}`), foreign],
    'a replay file of a newer version': [
      (path) => {
        openTokenUses(path).close()
        execute(path, 'pragma user_version = 1000')
      },
      /^the database was created by a newer version of Holdfast: /,
    ],
  }
  for (const [name, [create, message]] of Object.entries(cases)) {
    it(`is neither used nor changed: ${name}`, async (t) => {
      const scope = createScope(t)
      const folder = await temporaryFolder(scope)
      const [path, database] = [join(folder, 'bank.db-replay'), `sqlite:${join(folder, 'bank.db')}`]
      createPrivateFile(path)
      await create(path)
      const before = readFileSync(path)

      const error = { name: 'DatabaseError', message }
      assert.throws(() => openTokenUses(path), error)
      await createDatabase(database)
      await assert.rejects(openReplayStore(database, clock), error)

      assert.deepEqual(readFileSync(path), before)
    })
  }
})

function execute(path: string, sql: string): void {
  using database = new DatabaseSync(path)
  database.exec(sql)
}
