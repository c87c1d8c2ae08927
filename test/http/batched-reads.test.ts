import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { batchReads, query } from '../../src/storage/sqlite/driver/statements.ts'

/** A file with one number, read on one connection and raised on another. */
function openNumber(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-together-'))
  const file = join(folder, 'number.db')
  const writer = new DatabaseSync(file)
  writer.exec(
    'pragma journal_mode = wal; create table number (value); insert into number values (1)',
  )
  const reader = new DatabaseSync(file)
  t.after(() => {
    reader.close()
    writer.close()
    rmSync(folder, { recursive: true })
  })
  const number = query<{ value: number }>(reader, 'select value from number')
  return {
    together: batchReads(reader),
    read: () => number.first()?.value,
    raise: () => writer.exec('update number set value = value + 1'),
  }
}

describe('what is read together', () => {
  it('is of one state of the data, and what is read later of the next', async (t) => {
    const { together, read, raise } = openNumber(t)
    const readAndRaise = () => {
      const value = read()
      raise()
      return value
    }

    assert.deepEqual(await Promise.all([together(readAndRaise), together(read)]), [1, 1])
    assert.equal(await together(read), 2)
  })

  it('fails alone', async (t) => {
    const { together, read } = openNumber(t)
    const fail = () => {
      throw new Error('of its own')
    }

    const answers = await Promise.allSettled([read, fail, read, fail].map((work) => together(work)))

    assert.deepEqual(
      answers.map((answer) =>
        answer.status === 'fulfilled' ? answer.value : answer.reason.message,
      ),
      [1, 'of its own', 1, 'of its own'],
    )
  })
})
