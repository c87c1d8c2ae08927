import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { totalCounts } from '../../src/intake/line-counts.ts'
import type { LineError, ProviderWriter } from '../../src/intake/writer.ts'
import { openProviderWriter } from '../../src/storage/open.ts'
import { createExamples, put } from '../load/lines.ts'
import { describe, newDatabase } from '../support/engines.ts'
import { createBatch } from '../support/feed.ts'

const loadTime = Temporal.Instant.from('2025-07-01T00:00:00Z')

async function openWriter(t: TestContext, inBatches: boolean): Promise<ProviderWriter> {
  const writer = await openProviderWriter(await newDatabase(t), { loadTime, inBatches })
  t.after(() => writer.close())
  return writer
}

const toItems = (lines: readonly string[]) => createBatch('', 1, lines).items

/** Commits lines. Returns created, changed, unchanged, deleted. */
async function commit(writer: ProviderWriter, lines: readonly string[]): Promise<number[]> {
  assert.deepEqual(await writer.write(toItems(lines)), [])
  for await (const error of writer.findErrors()) assert.fail(error.reason)
  return takeCounts(writer)
}

async function takeCounts(writer: ProviderWriter): Promise<number[]> {
  const counts = await writer.commit()
  const { created, changed, unchanged, deleted } = totalCounts(counts.values())
  return [created, changed, unchanged, deleted]
}

async function findUnresolved(writer: ProviderWriter): Promise<LineError[]> {
  const errors: LineError[] = []
  for await (const error of writer.findUnresolved()) errors.push(error)
  return errors
}

describe('the counts of a load', () => {
  const examples = Object.values(createExamples())

  for (const inBatches of [false, true]) {
    it(`name each type${inBatches ? ', in batches' : ''}`, async (t) => {
      const writer = await openWriter(t, inBatches)
      await writer.write(toItems(examples))
      assert.deepEqual(await findUnresolved(writer), [])
      const one = { created: 1, changed: 0, unchanged: 0, deleted: 0 }
      assert.deepEqual(
        new Map(await writer.commit()),
        new Map(Object.keys(createExamples()).map((type) => [type, one])),
      )
    })
  }

  it('are independent of the order of lines that refer to each other', async (t) => {
    const writer = await openWriter(t, false)
    await writer.write(toItems(examples.toReversed()))
    assert.deepEqual(await findUnresolved(writer), [])
    assert.deepEqual(await takeCounts(writer), [12, 0, 0, 0])
  })

  it('count a line whose account does not exist in its own commit', async (t) => {
    const writer = await openWriter(t, true)
    const transaction = put.transaction('a1', 't1')
    const lines = [put.customer('c1'), transaction, transaction]
    assert.deepEqual(await commit(writer, lines), [2, 0, 1, 0])
    // A later line of the same load.
    const account = toItems([put.account('a1', ['c1'])]).map((item) => ({ ...item, line: 4 }))
    assert.deepEqual(await writer.write(account), [])
    for await (const error of writer.findErrors()) assert.fail(error.reason)
    assert.deepEqual(await takeCounts(writer), [1, 0, 0, 0])
    assert.deepEqual(await findUnresolved(writer), [])
  })

  it('do not contain lines that are rolled back or rejected', async (t) => {
    const writer = await openWriter(t, true)
    await commit(writer, [put.customer('c1'), put.account('a1', ['c1'])])
    await writer.write(toItems([put.transaction('a1', 't1'), put.product('p1'), put.balance('a1')]))
    await writer.rollback()
    const other = put.customer('c1', { name: 'Bo', email: 'bo@example.com' })
    const errors = await writer.write(toItems([other, put.transaction('a1', 't1')]))
    for await (const error of writer.findErrors()) errors.push(error)
    assert.equal(errors.length, 1)
    assert.deepEqual(await takeCounts(writer), [1, 0, 0, 0])
  })

  for (const inBatches of [false, true]) {
    it(`have errors that name what is missing${inBatches ? ', in batches' : ''}`, async (t) => {
      const writer = await openWriter(t, inBatches)
      const lines = [put.balance('a9'), put.account('a1', ['c1', 'c2']), put.customer('c1')]
      await writer.write(toItems(lines))
      const missing = (await findUnresolved(writer)).map((error) => [error.line, error.missing])
      assert.deepEqual(
        missing.toSorted(([a = 0], [b = 0]) => Number(a) - Number(b)),
        [
          [1, { type: 'account', kind: 'banking', id: 'a9' }],
          [2, { type: 'customer', id: 'c2' }],
        ],
      )
    })
  }
})

describe('a load in batches', () => {
  it('reports an error once', async (t) => {
    const writer = await openWriter(t, true)
    await commit(writer, [put.customer('c1')])
    const other = put.customer('c1', { name: 'Bo', email: 'bo@example.com' })
    const errors = await writer.write(toItems([other]))
    for await (const error of writer.findErrors()) errors.push(error)
    errors.push(...(await findUnresolved(writer)))
    assert.equal(errors.length, 1)
  })
})
