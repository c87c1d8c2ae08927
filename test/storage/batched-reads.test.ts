import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { batchReads, prepareOn } from '../../src/storage/sqlite/driver/statements.ts'
import { temporaryFolder } from '../support/folder.ts'

/** A file with one number, read on one connection and incremented on another. */
async function openNumber(t: TestContext) {
  const file = join(await temporaryFolder(t), 'number.db')
  const writer = new DatabaseSync(file)
  writer.exec(
    'pragma journal_mode = wal; create table number (value); insert into number values (1)',
  )
  const reader = new DatabaseSync(file)
  t.after(() => {
    reader.close()
    writer.close()
  })
  const number = prepareOn(reader).query<{ value: number }>('select value from number')
  return {
    batch: batchReads(reader),
    read: () => number.first()?.value,
    increment: () => writer.exec('update number set value = value + 1'),
  }
}

describe('batched reads', () => {
  it('share a snapshot, and a later read has the next one', async (t) => {
    const { batch, read, increment } = await openNumber(t)
    const readAndIncrement = () => {
      const value = read()
      increment()
      return value
    }

    assert.deepEqual(await Promise.all([batch(readAndIncrement), batch(read)]), [1, 1])
    assert.equal(await batch(read), 2)
  })

  it('fail individually', async (t) => {
    const { batch, read } = await openNumber(t)
    const fail = () => {
      throw new Error('failed')
    }

    const answers = await Promise.allSettled([read, fail, read, fail].map((work) => batch(work)))

    assert.deepEqual(
      answers.map((answer) =>
        answer.status === 'fulfilled' ? answer.value : answer.reason.message,
      ),
      [1, 'failed', 1, 'failed'],
    )
  })
})
