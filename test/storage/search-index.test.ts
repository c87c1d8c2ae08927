import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { openProviderStore } from '../../src/storage/open.ts'
import { currentEngine, describeOn, engines, newDatabase, runSql } from '../support/engines.ts'
import { openFeeds } from '../support/feed.ts'
import * as lines from '../support/lines.ts'
import { loadInProcess } from '../support/load.ts'

/** Two blocks of the search index, and entries that none covers. */
const length = 2 * 4096 + 500
const covered = { sqlite: 2 * 4096 + 256, postgres: 2 * 4096 }

/** The lines of a batch with which one block is completed. */
const linesPerBlock = { sqlite: 64, postgres: 200 }

const moment = (index: number) => new Date(Date.UTC(2025, 0, 1) + index * 1000).toISOString()

function transaction(index: number, description = 'Rent for May') {
  const fields = { postingDateTime: moment(index), description, amount: '12.50' }
  return lines.transaction('a1', `t${index}`, fields)
}

/** Statements on the search index, which the engines store differently. */
const statements = {
  clearTexts: {
    sqlite: 'update entry_texts set texts = zeroblob(length(texts))',
    postgres: `update entry_texts set slices = repeat('0', length(slices))::bit varying`,
  },
  clearAmounts: {
    sqlite: 'update entry_amounts set amounts = zeroblob(length(amounts))',
    postgres: 'update entry_amounts set codes = array_fill(0, array[cardinality(codes)])',
  },
  countCovered: {
    sqlite: 'select coalesce(sum(length(amounts) / 4), 0) from entry_amounts',
    postgres: 'select coalesce(sum(cardinality(codes)), 0) from entry_amounts',
  },
}

/** The first column of the first row. */
async function run(database: string, sql: string): Promise<unknown> {
  if (currentEngine() === 'postgres') return (await runSql(sql, database))[0]?.[0]
  const file = new DatabaseSync(database.replace(/^sqlite:/, ''))
  const row = file.prepare(sql).get()
  file.close()
  return Object.values(row ?? {})[0]
}

async function openLongList(t: TestContext) {
  const database = await newDatabase({ after: (work) => t.after(work) })
  await loadInProcess(database, [
    lines.customer('ana'),
    lines.bankingAccount('a1', { ana: true }),
    ...Array.from({ length }, (_, index) => transaction(index)),
  ])
  const store = await openProviderStore(database)
  t.after(() => store.close())
  const engine = currentEngine()
  const window = { oldest: 0n, newest: 2n ** 62n }
  const request = { customerId: 'ana', accountId: 'a1', window, page: 1, pageSize: 25 }
  return {
    database,
    covered: covered[engine],
    async count(filter: { text?: string; minAmount?: string }): Promise<number> {
      const page = await store.listEntries({ ...request, ...filter, list: 'transaction' })
      assert.ok('total' in page)
      return page.total
    },
    clearTexts: () => run(database, statements.clearTexts[engine]),
    clearAmounts: () => run(database, statements.clearAmounts[engine]),
    async removeIndex(): Promise<void> {
      for (const table of ['entry_amounts', 'entry_texts']) {
        await run(database, `delete from ${table}`)
      }
    },
    countCovered: async () => Number(await run(database, statements.countCovered[engine])),
  }
}

for (const engine of engines) {
  describeOn(engine, 'the blocks of a search index', () => {
    it('exclude entries from a search by text without reading them', async (t) => {
      const { covered, clearTexts, count } = await openLongList(t)

      await clearTexts()

      assert.equal(await count({ text: 'rent' }), length - covered)
      assert.equal(await count({ text: 're' }), length)
    })

    it('count the entries with amounts in a range without reading them', async (t) => {
      const { covered, clearAmounts, count } = await openLongList(t)

      await clearAmounts()

      assert.equal(await count({ minAmount: '12.50' }), length - covered)
      assert.equal(await count({ minAmount: '0' }), length)
    })

    it('are not needed: a list is searched without them', async (t) => {
      const { removeIndex, count } = await openLongList(t)

      await removeIndex()

      assert.equal(await count({ text: 'rent' }), length)
      assert.equal(await count({ minAmount: '12.50' }), length)
    })

    it('that are missing are completed by the next load', async (t) => {
      const { database, covered, removeIndex, count, countCovered } = await openLongList(t)
      await removeIndex()

      await loadInProcess(database, [transaction(length)])

      assert.equal(await countCovered(), covered)
      assert.equal(await count({ text: 'rent' }), length + 1)
    })

    it('that are missing are completed by feeds, a block in each batch', async (t) => {
      const { database, removeIndex, count, countCovered } = await openLongList(t)
      await removeIndex()
      const feeds = await openFeeds({ after: (work) => t.after(work) }, database)
      const size = linesPerBlock[engine]
      const add = (from: number) => {
        const added = Array.from({ length: size }, (_, index) => transaction(from + index))
        return feeds.add(...added.map((line) => JSON.stringify(line)))
      }

      await add(length)
      assert.equal(await countCovered(), 4096)
      await add(length + size)

      assert.equal(await countCovered(), 2 * 4096)
      assert.equal(await count({ text: 'rent' }), length + 2 * size)
    })
  })
}

describeOn('postgres', 'the blocks of a changed list', () => {
  it('are deleted by a statement that changes or deletes an entry of their block', async (t) => {
    const { database, count, countCovered } = await openLongList(t)

    await run(database, `update entry set description = 'FARE', amount = null where ordinal = 5`)
    assert.equal(await countCovered(), 4096)
    await run(database, `delete from entry where ordinal = 5000`)
    assert.equal(await countCovered(), 0)

    assert.equal(await count({ text: 'fare' }), 1)
    assert.equal(await count({ minAmount: '12.50' }), length - 2)
  })

  it('are restored by feeds, one for each 200 lines', async (t) => {
    const { database, covered, count, countCovered } = await openLongList(t)
    const feeds = await openFeeds({ after: (work) => t.after(work) }, database)
    const correct = (text: string, ...indices: number[]) =>
      feeds.add(...indices.map((index) => JSON.stringify(transaction(index, text))))
    const newest = Array.from({ length: 199 }, (_, index) => length - 1 - index)

    await correct('Fare', 4, 5000)
    assert.equal(await countCovered(), 0)
    assert.equal(await count({ text: 'fare' }), 2)
    await correct('Fares', ...newest)
    assert.equal(await countCovered(), 4096)
    await correct('Fare', ...newest)

    assert.equal(await countCovered(), covered)
    assert.equal(await count({ text: 'fare' }), 2 + newest.length)
  })

  it('include entries with long texts', async (t) => {
    const { database, covered, count, countCovered } = await openLongList(t)

    await loadInProcess(database, [transaction(4, `${'Long '.repeat(2000)}fare`)])

    assert.equal(await countCovered(), covered)
    assert.equal(await count({ text: 'fare' }), 1)
  })

  it('are restored by the load that corrects an entry', async (t) => {
    const { database, covered, count, countCovered } = await openLongList(t)

    await loadInProcess(database, [transaction(4, 'Fare')])

    assert.equal(await countCovered(), covered)
    assert.equal(await count({ text: 'fare' }), 1)
    assert.equal(await count({ text: 'rent' }), length - 1)
  })

  it('are deleted with their account', async (t) => {
    const { database, countCovered } = await openLongList(t)

    await loadInProcess(database, [{ type: 'banking.account', delete: { accountId: 'a1' } }])

    assert.equal(await countCovered(), 0)
  })
})
